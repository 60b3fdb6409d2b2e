"""Names of a question that no passage speaks of: where nobody wrote of Ocryopsis, nothing is said about it.

A passage on the same matter passes every measure of closeness ("Who owns ACB?" beside who owns another company), and a
name tells the two apart. English questions only: in German every noun has a capital.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag.ask.words import FUNCTION_WORDS, QUESTION_WORDS, word_set
from rag.generate.specifics import tells_a_case
from rag.lexical import stems
from rag.numerals import MONTHS, WEEKDAYS
from rag.types import ScoredChunk, StoredChunk

_COMMON = 0.2
"""A name in this share of the candidates is the organisation's or a product's that goes without saying."""
_WORD = re.compile(r"[^\W_][\w'’&+-]*")
_ACRONYM = re.compile(r"[A-Z]{2,6}s?")
_NO_NAMES = frozenset(map(str.lower, (*MONTHS, *WEEKDAYS))) | word_set(
    "i i'm i've i'd i'll ok faq hr it pm am ceo cto cfo coo mr mrs ms dr eur usd gbp chf utc gmt cet"
)
_SMALL_IN_TITLES = word_set("a an the of in on to and or for at by")
_GOES_ON = re.compile(r"[\w,;)\"”'’]\s*\Z")
"""What a word stands behind that begins no sentence."""
_ENGLISH = QUESTION_WORDS | {"the", "is", "are", "were", "does", "did"}


def unspoken_names(
    question: str, passages: Sequence[ScoredChunk], candidates: Sequence[ScoredChunk]
) -> tuple[str, ...]:
    """The names in the question that stand in none of the passages, nor in candidates right beside them.

    What many of the candidates hold is not missed, an acronym not where its words stand. Somebody who tells a case uses
    names of their own ("SFDC", "my PR"): of 433 chat questions with a name 179 have one that their passage has not,
    of 1,982 plain ones 161, most of them the organisation's.
    """
    asked = list(_names(question))
    if not asked or tells_a_case(question):
        return ()
    # What a passage is about may stand in the one before it or behind it.
    beside = {(each.chunk.document_id, each.chunk.index + step) for each in passages for step in (-1, 1)}
    around = [each for each in candidates if (each.chunk.document_id, each.chunk.index) in beside]
    held = [_Held(each.chunk) for each in (*passages, *around)]
    missing = [name for name in asked if not any(each.speaks_of(name) for each in held)]
    if not missing:
        return ()
    near = [_Held(each.chunk) for each in candidates]
    return tuple(name for name in missing if sum(each.speaks_of(name) for each in near) < _COMMON * len(near))


class _Held:
    """What a passage says, with its title and section."""

    def __init__(self, chunk: StoredChunk) -> None:
        text = f"{chunk.document_title}\n{chunk.section}\n{chunk.content}"
        self._stems = frozenset(stems(text))
        self._initials = "".join(word[0] for word in _WORD.findall(text)).lower()

    def speaks_of(self, name: str) -> bool:
        if self._stems.issuperset(stems(name)):
            return True
        return _ACRONYM.fullmatch(name) is not None and name.rstrip("s").lower() in self._initials


def _names(question: str) -> Iterator[str]:
    """Words with a capital inside of a sentence, and acronyms; none where capitals say nothing."""
    words = list(_WORD.finditer(question))
    read = [match.group().lower() for match in words]
    if _ENGLISH.isdisjoint(read):
        return
    if all(match.group()[0].isupper() for match in words if match.group() not in _SMALL_IN_TITLES):
        return
    for match, word in zip(words, read, strict=True):
        name = match.group()
        if word in _NO_NAMES or word in FUNCTION_WORDS or not any(map(str.isupper, name)):
            continue
        if any(map(str.isupper, name[1:])) or _GOES_ON.search(question, 0, match.start()):
            yield name.removesuffix("'s").removesuffix("’s")
