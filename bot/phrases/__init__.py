"""Every fixed string of Slack's side, in the languages it is told in.

One `Phrases` a language; a string that a language lacks is a TypeError at import, not English in the middle of a
sentence. Quotes, titles and headings are the documents' own and never pass through here.
"""

from __future__ import annotations

from bot.phrases.english import ENGLISH
from bot.phrases.german import GERMAN
from bot.phrases.retelling import retold, retold_label
from bot.phrases.table import Phrases, Plural, Problem

LANGUAGES: dict[str, Phrases] = {phrases.code: phrases for phrases in (ENGLISH, GERMAN)}


def phrases_of(locale: str) -> Phrases:
    """The phrases of a Slack locale such as ``de-DE``; English where there are none."""
    return LANGUAGES.get(locale.partition("-")[0].lower(), ENGLISH)


__all__ = [
    "ENGLISH",
    "GERMAN",
    "LANGUAGES",
    "Phrases",
    "Plural",
    "Problem",
    "phrases_of",
    "retold",
    "retold_label",
]
