"""Blocks that may share a chunk, and a stretch of them on its way to one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from rag.types import Extraction, Locator, Span

Range = tuple[int, int]

_LONGEST_HEADING_CHARS = 200
"""A longer one is a paragraph that looks like a heading; the path holds no more of it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of canonical text; `blocks` are those of its whole group, `group` its number."""

    start: int
    end: int
    group: int
    blocks: tuple[Span, ...]
    header: str
    table_header: str

    def prefix(self, canonical: str) -> str:
        """What stands before the chunk's own words in `text`; empty, or whole lines."""
        lines = [self.header] if self.header else []
        if self.table_header and self._opens_inside_table(canonical):
            lines.append(self.table_header)
        return "".join(f"{line}\n" for line in lines)

    @property
    def touched(self) -> Sequence[Span]:
        """The blocks that lie in the piece at least in part."""
        return touched_blocks(self.blocks, self.start, self.end)

    def _opens_inside_table(self, canonical: str) -> bool:
        """Rows whose header row is elsewhere; where it stands in the chunk, repeating it is waste."""
        header = next((block.table_header for block in self.touched if block.table_header), None)
        if header is None:
            return False
        return _squeezed(header) not in _squeezed(canonical[self.start : self.end])


def touched_blocks(blocks: Sequence[Span], start: int, end: int) -> Sequence[Span]:
    """The blocks, which are in order and apart, that share a character with ``[start, end)``."""
    first = bisect_right(blocks, start, key=lambda block: block.end)
    return blocks[first : bisect_left(blocks, end, key=lambda block: block.start)]


def blocks_of(extraction: Extraction) -> list[Span]:
    """The blocks that hold a letter; a text without any is one paragraph."""
    blocks = [span for span in extraction.spans if extraction.text[span.start : span.end].strip()]
    if not blocks and extraction.text.strip():
        return [Span(0, len(extraction.text), "paragraph", Locator())]
    return blocks


def block_groups(blocks: Sequence[Span], said: Collection[Span] = ()) -> Iterator[list[Span]]:
    """Runs of blocks that may share a chunk: same page, sheet and section, at most one table header.

    Headings only part the groups, except those in `said`: they are words of the section around them.
    """
    group: list[Span] = []
    table_header: str | None = None
    passed_heading = False
    for found in blocks:
        block = found
        if block.kind == "heading":
            if block not in said:
                passed_heading = True
                continue
            block = replace(
                block, locator=replace(block.locator, heading_path=block.locator.heading_path[:-1])
            )
        other_table = bool(block.table_header and table_header and block.table_header != table_header)
        if group and (passed_heading or other_table or _place(block) != _place(group[-1])):
            yield group
            group, table_header = [], None
        passed_heading = False
        table_header = table_header or block.table_header
        group.append(block)
    if group:
        yield group


def unsaid_headings(blocks: Sequence[Span], headers: Sequence[tuple[Span, str | None]]) -> set[Span]:
    """The headings that no chunk would show, as nothing stands under them or as they are too long for a header line.

    Args:
        blocks: of the whole document.
        headers: the first block of each group and its header line; None where the strategy writes none, so that
            what stands under a heading is all that can be asked for.
    """
    shown: set[tuple[str, ...]] = set()
    for first, header in headers:
        path = first.locator.heading_path or ((first.locator.sheet,) if first.locator.sheet else ())
        shown.update(
            path[: n + 1]
            for n, title in enumerate(path)
            if header is None or _squeezed(title).casefold() in header.casefold()
        )
    return {
        block
        for block in blocks
        if block.kind == "heading"
        and (block.locator.heading_path not in shown or block.end - block.start > _LONGEST_HEADING_CHARS)
    }


def trimmed(canonical: str, start: int, end: int) -> Range:
    """The range without white space at its ends."""
    piece = canonical[start:end]
    start += len(piece) - len(piece.lstrip())
    return start, start + len(piece.strip())


def _place(block: Span) -> tuple[object, tuple[str, ...]]:
    return (block.locator.container, block.locator.heading_path)


def _squeezed(text: str) -> str:
    return " ".join(text.split())
