"""The lists of a passage: their items in order, the line that introduces them, and whether they are numbered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.sentences import sentence_spans
from rag.types import Span, StoredChunk

Stretch = tuple[int, int]
"""Half-open offsets in a passage's content."""

_NUMBER = re.compile(r"[*_]{0,2}\(?(?P<number>\d{1,3})[.)][*_]{0,2}\s+(?=\S)")


_ONLY_JOINS = frozenset(
    {"also", "example", "examples", "for example", "hence", "note", "notes", "please note", "remember", "so"}
    | {"that means", "therefore", "this means", "thus"}
)
"""Before a colon these introduce nothing that an item needs; "never" and "not allowed" do."""


@dataclass(frozen=True, slots=True)
class Listing:
    """At least two list items in a row.

    Attributes:
        items: each item as it stands, in order.
        lead_in: the sentence before the first item that ends with a colon; None where there is none in the passage.
        is_numbered: the items carry rising numbers: steps, or points that are counted.
    """

    items: tuple[Stretch, ...]
    lead_in: Stretch | None
    is_numbered: bool

    @property
    def is_one_thing(self) -> bool:
        """Whether an item alone says less than it seems to: others are counted with it or introduced with it."""
        return self.is_numbered or self.lead_in is not None

    def position_of(self, start: int) -> int | None:
        """The item, from 0, in which the offset `start` lies."""
        return next((at for at, (first, end) in enumerate(self.items) if first <= start < end), None)


def listings(chunk: StoredChunk) -> list[Listing]:
    """The lists in reading order; of one that was cut between passages what this one holds."""
    found: list[Listing] = []
    for before, run in _runs(chunk.spans):
        items = tuple(stretch for span in run if (stretch := _words_of(chunk, span)) is not None)
        if len(items) > 1:
            found.append(Listing(items, _lead_in(chunk, before), _is_numbered(chunk, items)))
    return found


def without_number(words: str) -> str:
    """A list item without the number before it.

    >>> without_number("4. Nobody is put on the rota."), without_number("4.5 metres")
    ('Nobody is put on the rota.', '4.5 metres')
    """
    found = _NUMBER.match(words)
    return words[found.end() :] if found else words


def _runs(spans: Sequence[Span]) -> Iterator[tuple[Span | None, list[Span]]]:
    """Each run of list items with the block before it."""
    before: Span | None = None
    run: list[Span] = []
    for span in spans:
        if span.kind == "list_item":
            run.append(span)
            continue
        if run:
            yield before, run
        before, run = span, []
    if run:
        yield before, run


def _words_of(chunk: StoredChunk, span: Span) -> Stretch | None:
    start, end = span.start - chunk.start, span.end - chunk.start
    words = chunk.content[start:end]
    if not any(map(str.isalnum, words)):
        return None
    first = start + len(words) - len(words.lstrip())
    return first, first + len(words.strip())


def _lead_in(chunk: StoredChunk, before: Span | None) -> Stretch | None:
    if before is None or before.kind != "paragraph":
        return None
    start, end = before.start - chunk.start, before.end - chunk.start
    sentences = sentence_spans(chunk.content[start:end])
    if not sentences or not chunk.content[start:end].rstrip("*_` \n").endswith(":"):
        return None
    first, last = start + sentences[-1][0], start + sentences[-1][1]
    words = chunk.content[first:last].strip("*_`: \n").casefold()
    return (first, last) if words not in _ONLY_JOINS else None


def _is_numbered(chunk: StoredChunk, items: Sequence[Stretch]) -> bool:
    found = [_NUMBER.match(chunk.content[start:end]) for start, end in items]
    numbers = [int(match["number"]) for match in found if match]
    return len(numbers) > 1 and found[0] is not None and all(one < other for one, other in pairwise(numbers))
