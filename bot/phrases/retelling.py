"""Tell a stored English sentence in another language.

An answer's reason is stored as the sentence the console shows. Slack tells it in the reader's language, so the
fixed sentences are known again; anything else stays as it is.
"""

from __future__ import annotations

import re
from functools import cache

from bot.phrases.english import ENGLISH
from bot.phrases.table import Phrases

_NAME = re.compile(r"“([^”]+)”")
_PLACE = re.compile(r"(page|slide) (\d+)")


def retold(stored: str, phrases: Phrases) -> str:
    """`stored` in another language, where it is one of our fixed sentences, with or without files being read."""
    if phrases is ENGLISH:
        return stored
    suffix = _still_working().search(stored)
    sentence = stored[: suffix.start()] if suffix else stored
    working = phrases.still_working.of(int(suffix[1])) if suffix else ""
    if (missed := _not_mentioned().fullmatch(sentence)) is not None:
        names = (phrases.name_quoted.format(name=name) for name in _NAME.findall(missed["names"]))
        return phrases.not_mentioned.format(names=", ".join(names)) + working
    position = _positions().get(sentence)
    return stored if position is None else fixed_sentences(phrases)[position] + working


def retold_label(label: str, phrases: Phrases) -> str:
    """``Hotels › Limits · Seite 4``: a stored `rag.Locator.label` with its page or slide in another language."""
    *before, place = label.split(" · ")
    found = _PLACE.fullmatch(place)
    if phrases is ENGLISH or not found:
        return label
    form = phrases.page if found[1] == "page" else phrases.slide
    return " · ".join([*before, form.format(n=found[2])])


def fixed_sentences(phrases: Phrases) -> list[str]:
    """The sentences that are stored with answers, in an order that every language shares."""
    return [
        *(phrases.refusals[reason] for reason in sorted(phrases.refusals)),
        *(phrases.small_talk[kind] for kind in sorted(phrases.small_talk)),
        phrases.question_empty,
        phrases.question_too_long,
        phrases.not_allowed_external,
        phrases.not_allowed_unknown,
        phrases.not_allowed_chosen,
        phrases.broken,
    ]


@cache
def _positions() -> dict[str, int]:
    return {sentence: position for position, sentence in enumerate(fixed_sentences(ENGLISH))}


@cache
def _not_mentioned() -> re.Pattern[str]:
    return re.compile(re.escape(ENGLISH.not_mentioned).replace(re.escape("{names}"), "(?P<names>“.+”)"))


@cache
def _still_working() -> re.Pattern[str]:
    forms = (ENGLISH.still_working.one, ENGLISH.still_working.many)
    patterns = (re.escape(form).replace(re.escape("{n}"), r"\d+") for form in forms)
    return re.compile(rf"(?=\s(\d+))(?:{'|'.join(patterns)})$")
