"""A thing that a question says to be in a place: "the canteen in Porto" takes for granted that Porto has one."""

from __future__ import annotations

from collections.abc import Iterator

from rag.ask.words import ADVERBS, AUXILIARIES, DETERMINERS, VERBS, is_predicate, plain

_PLACES = frozenset({"in", "at"})
_LONGEST_THING = 3
"""Words."""


def things_in_places(words: list[str]) -> Iterator[list[str]]:
    """Noun phrases with the place that they are said to be in, without their article; the place is a name.

    >>> list(things_in_places("What time does the canteen in Porto close".split()))
    [['canteen', 'in', 'Porto']]
    """
    read = [plain(word) for word in words]
    for at in range(1, len(read) - 1):
        if read[at] not in _PLACES or words[at - 1].endswith((",", ";", ":")):
            continue
        start = next(
            (n for n in range(at - 1, max(-1, at - 2 - _LONGEST_THING), -1) if read[n] in {"the", "our"}),
            None,
        )
        place = _place_from(words, read, at + 1)
        if start is None or start + 1 == at or not place:
            continue
        thing = words[start + 1 : at]
        if all(word.islower() for word in thing) and not any(is_predicate(plain(word)) for word in thing):
            yield [*thing, words[at], *place]


def _place_from(words: list[str], read: list[str], start: int) -> list[str]:
    """The name that begins at `start`, behind "the" or "our", with the noun it names: ``our Hamburg office``."""
    at = start + 1 if read[start] in {"the", "our"} else start
    end = at
    while end < len(words) and words[end][:1].isupper():
        end += 1
    if end == at:
        return []
    is_named = (
        at > start and end < len(words) and read[end] not in AUXILIARIES | DETERMINERS | ADVERBS | VERBS
    )
    return [word.rstrip(",;:") for word in words[start : end + is_named]]
