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
class Around:
    """The passages right before and behind one in its document; None where the document begins or ends."""

    before: StoredChunk | None
    behind: StoredChunk | None


@dataclass(frozen=True, slots=True)
class Listing:
    """List items in a row: at least two, or one of a list that may have been cut between passages.

    Attributes:
        items: each item as it stands, in order.
        lead_in: the sentence before the first item that ends with a colon; None where there is none in the passage.
        is_numbered: the items carry rising numbers: steps, or points that are counted.
        begins_here: whether its first item is the first of the list; None where only the passage before can tell.
        ends_here: whether its last item is the last of the list; None where only the passage behind can tell.
    """

    items: tuple[Stretch, ...]
    lead_in: Stretch | None
    is_numbered: bool
    begins_here: bool | None = True
    ends_here: bool | None = True

    @property
    def is_one_thing(self) -> bool:
        """Whether an item alone says less than it seems to: others are counted with it or introduced with it.

        The line that introduces a list stands in another passage where the list does not begin in this one.
        """
        return self.is_numbered or self.lead_in is not None or self.begins_here is False

    def position_of(self, start: int) -> int | None:
        """The item, from 0, in which the offset `start` lies."""
        return next((at for at, (first, end) in enumerate(self.items) if first <= start < end), None)


def listings(chunk: StoredChunk, around: Around | None = None) -> list[Listing]:
    """The lists in reading order; of one that was cut between passages what this one holds.

    Args:
        chunk: the passage.
        around: its neighbours, where they are known: they tell whether a list at its edge goes on there.
    """
    found: list[Listing] = []
    for before, run, behind in _runs(chunk.spans):
        items = tuple(stretch for span in run if (stretch := _words_of(chunk, span)) is not None)
        if not items:
            continue
        listing = Listing(
            items,
            _lead_in(chunk, before),
            _is_numbered(chunk, items),
            _begins_here(chunk, items[0], run[0], before, around),
            _ends_here(run[-1], behind, around) and not _is_counted_on(chunk, items[-1], run[-1]),
        )
        was_cut = not (listing.begins_here and listing.ends_here)
        if len(items) > 1 or (was_cut and listing.is_one_thing):
            found.append(listing)
    return found


def without_number(words: str) -> str:
    """A list item without the number before it.

    >>> without_number("4. Nobody is put on the rota."), without_number("4.5 metres")
    ('Nobody is put on the rota.', '4.5 metres')
    """
    found = _NUMBER.match(words)
    return words[found.end() :] if found else words


def _runs(spans: Sequence[Span]) -> Iterator[tuple[Span | None, list[Span], Span | None]]:
    """Each run of list items with the blocks before and behind it."""
    before: Span | None = None
    run: list[Span] = []
    for span in spans:
        if span.kind == "list_item":
            run.append(span)
            continue
        if run:
            yield before, run, span
        before, run = span, []
    if run:
        yield before, run, None


def _begins_here(
    chunk: StoredChunk, item: Stretch, first: Span, before: Span | None, around: Around | None
) -> bool | None:
    number = _number_of(chunk, item)
    if number is not None:
        return number <= 1
    if before is not None:
        return True
    if around is None:
        return None
    spans = around.before.spans if around.before else ()
    # Passages may overlap: what counts is the block before this one.
    last = next((span for span in reversed(spans) if span.start < first.start), None)
    return not _is_of_the_list(last, first)


def _ends_here(last: Span, behind: Span | None, around: Around | None) -> bool | None:
    if behind is not None:
        return True
    if around is None:
        return None
    spans = around.behind.spans if around.behind else ()
    following = next((span for span in spans if span.end > last.end), None)
    return not _is_of_the_list(following, last)


def _is_counted_on(chunk: StoredChunk, item: Stretch, last: Span) -> bool:
    """Whether another item behind a paragraph or a table has the next number: it is a step of the same list."""
    number = _number_of(chunk, item)
    later = [span for span in chunk.spans if span.kind == "list_item" and span.start >= last.end]
    return number is not None and any(
        _number_of(chunk, (span.start - chunk.start, span.end - chunk.start)) == number + 1
        for span in later[:1]
    )


def _number_of(chunk: StoredChunk, item: Stretch) -> int | None:
    found = _NUMBER.match(chunk.content[item[0] : item[1]])
    return int(found["number"]) if found else None


def _is_of_the_list(neighbour: Span | None, item: Span) -> bool:
    """Whether the next block is an item too; a heading between them parts two lists, a new page does not."""
    return (
        neighbour is not None
        and neighbour.kind == "list_item"
        and neighbour.locator.heading_path == item.locator.heading_path
    )


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
    is_counted = len(numbers) > 1 or len(numbers) == len(items)
    return is_counted and found[0] is not None and all(one < other for one, other in pairwise(numbers))
