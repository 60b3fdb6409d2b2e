"""The canonical text as the document page shows it: blocks, places, chunk borders, the cited span."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import rag

WINDOW_CHARS = 60_000
"""More than this is not put on one page: a browser lays out 60,000 characters at once, not 20 million."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one block that is drawn alike. `border` numbers a chunk that begins here, from 1."""

    text: str
    is_cited: bool = False
    is_first_cited: bool = False
    border: int | None = None
    border_title: str = ""
    is_cited_chunk: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """One block of the canonical text. `place` is set where page, sheet or heading changes.

    `is_exact`: the citation begins here, and `place` names its cells or time too.
    """

    kind: str
    place: str
    is_exact: bool
    start: int
    pieces: list[Piece] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TextWindow:
    """What of a text is shown, and where the windows before and after begin."""

    blocks: list[Block]
    start: int
    end: int
    n_chars: int
    before: int | None
    after: int | None
    is_cited_found: bool


def text_window(
    canonical: rag.Extraction,
    *,
    chunks: Sequence[tuple[int, int]],
    cited: tuple[int, int] | None,
    at: int | None,
) -> TextWindow:
    """The window around the cited span, or the one that begins at offset `at`, else the first.

    A cited span outside the text is dropped: `is_cited_found` is False then.
    """
    n_chars = len(canonical.text)
    if cited is not None and not 0 <= cited[0] < cited[1] <= n_chars:
        cited = None
    start, end = _bounds(canonical, cited, at)
    marks = _Marks(chunks=sorted(chunks), cited=cited)
    return TextWindow(
        blocks=_blocks(canonical, start, end, marks),
        start=start,
        end=end,
        n_chars=n_chars,
        before=max(0, start - WINDOW_CHARS) if start > 0 else None,
        after=end if end < n_chars else None,
        is_cited_found=cited is not None,
    )


def _blocks(canonical: rag.Extraction, start: int, end: int, marks: _Marks) -> list[Block]:
    blocks: list[Block] = []
    place, at_char = ("", ""), start
    for span in canonical.spans:
        left, right = max(span.start, start), min(span.end, end)
        if left >= right:
            continue
        blocks += _unplaced(canonical.text, at_char, left, marks)
        here = _place(span)
        is_exact = marks.cited is not None and left <= marks.cited[0] < right
        label = (is_exact and span.locator.place) or _changed(place, here)
        place, at_char = here, right
        blocks.append(Block(span.kind, label, is_exact, left, marks.pieces(canonical.text, left, right)))
    return blocks + _unplaced(canonical.text, at_char, end, marks)


def _unplaced(text: str, start: int, end: int, marks: _Marks) -> list[Block]:
    """Spans cover every block; should an extractor leave text between them, it is still shown."""
    gap = text[start:end].strip()
    if not gap:
        return []
    offset = text.index(gap, start)
    return [Block("paragraph", "", False, offset, marks.pieces(text, offset, offset + len(gap)))]


def _bounds(canonical: rag.Extraction, cited: tuple[int, int] | None, at: int | None) -> tuple[int, int]:
    """Where the window begins and ends, moved outwards to borders of blocks where one is near."""
    n_chars = len(canonical.text)
    if n_chars <= WINDOW_CHARS:
        return 0, n_chars
    if at is not None:
        start = min(max(0, at), n_chars - 1)
    elif cited is not None:
        start = max(0, (cited[0] + cited[1]) // 2 - WINDOW_CHARS // 2)
    else:
        start = 0
    end = min(n_chars, start + WINDOW_CHARS)
    starts = [span.start for span in canonical.spans if start <= span.start < start + 2_000]
    ends = [span.end for span in canonical.spans if end - 2_000 < span.end <= end]
    if start > 0 and at is None and starts and (cited is None or starts[0] <= cited[0]):
        start = starts[0]
    if end < n_chars and ends and (cited is None or ends[-1] >= cited[1]):
        end = ends[-1]
    return start, end


def page_at(canonical: rag.Extraction, offset: int) -> int | None:
    """The page of the original that holds the character at `offset`; None where there are no pages."""
    return next((span.locator.page for span in canonical.spans if span.start <= offset < span.end), None)


_Place = tuple[str, str]


def _place(span: rag.Span) -> _Place:
    """Page, slide or sheet, and heading; cells and times would change with every row."""
    locator = span.locator
    container = replace(locator, cells=None, time=None).place
    heading = locator.heading_path[-1] if locator.heading_path else ""
    return container, "" if heading == container else heading


def _changed(before: _Place, here: _Place) -> str:
    """What is new against the block before."""
    parts = (here[0] if here[0] != before[0] else "", here[1] if here != before else "")
    return " · ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class _Marks:
    """Cuts a block where a chunk begins and where the cited span begins and ends."""

    chunks: list[tuple[int, int]]
    cited: tuple[int, int] | None

    def pieces(self, text: str, start: int, end: int) -> list[Piece]:
        borders = {
            chunk[0]: number for number, chunk in enumerate(self.chunks, start=1) if start <= chunk[0] < end
        }
        cuts = {start, end, *borders}
        if self.cited is not None:
            cuts.update(offset for offset in self.cited if start < offset < end)
        ordered = sorted(cuts)
        return [self._piece(text, left, right, borders.get(left)) for left, right in pairwise(ordered)]

    def _piece(self, text: str, left: int, right: int, border: int | None) -> Piece:
        is_cited = self.cited is not None and self.cited[0] <= left and right <= self.cited[1]
        title, is_cited_chunk = "", False
        if border is not None:
            chunk_start, chunk_end = self.chunks[border - 1]
            title = f"Passage {border}: characters {chunk_start}–{chunk_end}"
            is_cited_chunk = self.cited is not None and chunk_start <= self.cited[0] < chunk_end
        return Piece(
            text=text[left:right],
            is_cited=is_cited,
            is_first_cited=is_cited and self.cited is not None and left == self.cited[0],
            border=border,
            border_title=title,
            is_cited_chunk=is_cited_chunk,
        )
