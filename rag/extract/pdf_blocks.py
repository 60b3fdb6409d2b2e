"""Pages to canonical text: headings by font height, paragraphs across columns and pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rag.extract.canonical import CanonicalBuilder, line_text
from rag.extract.layout.blocks import Block, Joiner, blocks_of
from rag.extract.layout.columns import flows_of
from rag.extract.layout.segments import PageText, typical_height
from rag.extract.outline import HeadingTrail, choose_title
from rag.extract.tabular import SEPARATOR
from rag.types import Locator, Span

_HEADING_RATIO = 1.15
_HEADING_RATIO_OCR = 1.6  # boxes of recognised lines differ that much within one font
_TOLERANCE, _TOLERANCE_OCR = 0.12, 0.4
_MAX_HEADING_CHARS, _MAX_BOLD_HEADING_CHARS = 200, 120
_MAX_SENTENCE_HEADING_CHARS = 80
_MAX_LEVELS = 5
_DOT_LEADER = re.compile(r"\.{4,}|(?: \.){4,}")
_ENDS_SENTENCE = re.compile(r"[.!?:;。！？…]['\")\]”’»\d]*$")
_FIRST_SENTENCE_END = re.compile(r"[.!?。！？]['\")\]”’»]*(?=\s|$)")
_MAX_TAIL_CHARS, _MAX_OPEN_TAIL_CHARS = 500, 150
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")


@dataclass(frozen=True, slots=True)
class Content:
    """The canonical text of a PDF."""

    title: str
    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class _Placed:
    page: int
    block: Block
    is_ocr: bool


def assemble(
    pages: Sequence[PageText], *, kept: range, metadata_title: str | None, filename: str, max_chars: int
) -> Content:
    """Blocks of the pages `kept` as canonical text; each block knows its page and its headings.

    Other pages only tell how text is set and under which headings those pages stand.

    Raises:
        ResourceLimit: the text is longer than `max_chars`.
    """
    body_height = typical_height(pages)
    placed = _join_across(list(_placed_blocks(pages, body_height)), kept)
    levels = _heading_levels(placed, body_height)
    builder, trail = CanonicalBuilder(max_chars), HeadingTrail()
    biggest: tuple[float, str] | None = None
    for item in placed:
        block = item.block
        level = levels.get(_look(block)) if _may_be_heading(item, body_height) else None
        if level is not None:
            title = line_text(block.text)
            if item.page == pages[0].number and (biggest is None or block.height > 1.05 * biggest[0]):
                biggest = (block.height, title)
            path = trail.enter(level, title)
            if item.page in kept:
                builder.add(title, "heading", Locator(page=item.page, heading_path=path))
            continue
        if item.page not in kept:
            continue
        locator = Locator(page=item.page, heading_path=trail.path)
        if block.table is not None:
            builder.add(block.text, "table_row", locator, table_header=block.table_header, table=block.table)
        else:
            builder.add(block.text, "list_item" if block.is_list_item else "paragraph", locator)
    title = choose_title((metadata_title, biggest[1] if biggest else None), filename)
    return Content(title, builder.text(), builder.spans())


def _placed_blocks(pages: Sequence[PageText], body_height: float) -> Iterator[_Placed]:
    joiner = Joiner(_vocabulary(pages))
    table = 1
    last: Block | None = None
    for page in pages:
        tolerance = _TOLERANCE_OCR if page.is_ocr else _TOLERANCE
        for flow in flows_of(page.segments):
            blocks = blocks_of(flow, joiner=joiner, body_height=body_height, tolerance=tolerance, table=table)
            table = max((block.table + 1 for block in blocks if block.table is not None), default=table)
            for block in _with_carried_header(blocks, last):
                last = block
                yield _Placed(page.number, block, page.is_ocr)


def _with_carried_header(blocks: Sequence[Block], last: Block | None) -> Iterator[Block]:
    """A table that goes on in the next column or page keeps its column names."""
    first = blocks[0].table if blocks else None
    carried = last.table_header if last is not None else None
    rows = [block for block in blocks if block.table == first] if first is not None else []
    is_continued = (
        carried is not None
        and rows != []
        and not any(row.table_header for row in rows)
        and max(row.text.count(SEPARATOR) for row in rows) == carried.count(SEPARATOR)
    )
    for block in blocks:
        yield replace(block, table_header=carried) if is_continued and block.table == first else block


def _vocabulary(pages: Sequence[PageText]) -> frozenset[str]:
    """Words that stand unbroken within a line: they decide whether a hyphen at a line's end stays."""
    return frozenset(
        word.casefold()
        for page in pages
        for segment in page.segments
        for word in _WORD.findall(segment.text[:-1])
    )


def _join_across(placed: list[_Placed], kept: range) -> list[_Placed]:
    """Sentences that run over the end of a column or page, made whole where they begin.

    Over a column the paragraph is joined. Over a page only the rest of the sentence moves, so that
    what follows keeps its own page. Where one page was recognised and the other is only read along,
    nothing moves: the other reading, in which that page may have had no text, would not have it.
    """
    joiner = Joiner(frozenset(word.casefold() for item in placed for word in _WORD.findall(item.block.text)))
    joined: list[_Placed] = []
    for item in placed:
        if not joined or not _runs_on(joined[-1], item) or _is_foreign(joined[-1], item, kept):
            joined.append(item)
            continue
        previous = joined[-1]
        text = item.block.text
        n_moved = len(text) if previous.page == item.page else _length_of_tail(text)
        if n_moved:
            whole = joiner.join([previous.block.text, text[:n_moved]])
            joined[-1] = replace(previous, block=replace(previous.block, text=whole))
        if n_moved < len(text):
            joined.append(replace(item, block=replace(item.block, text=text[n_moved:].strip())))
    return joined


def _is_foreign(previous: _Placed, item: _Placed, kept: range) -> bool:
    return (previous.page in kept) != (item.page in kept) and (previous.is_ocr or item.is_ocr)


def _length_of_tail(text: str) -> int:
    """How much of a page's first block ends the sentence before it; 0 when that cannot be told."""
    end = _FIRST_SENTENCE_END.search(text)
    length = end.end() if end else len(text)
    return length if length <= (_MAX_TAIL_CHARS if end else _MAX_OPEN_TAIL_CHARS) else 0


def _runs_on(previous: _Placed, item: _Placed) -> bool:
    """The text of `previous` stops inside a sentence that `item` goes on with in small letters."""
    first, second = previous.block, item.block
    return (
        first.table is None
        and second.table is None
        and not second.is_list_item
        and item.page - previous.page <= 1
        and first.is_bold == second.is_bold
        and abs(first.height - second.height)
        <= (_TOLERANCE_OCR if item.is_ocr else _TOLERANCE) * first.height
        and not _ENDS_SENTENCE.search(first.text)
        and len(first.text) > 40
        and second.text[:1].islower()
    )


def _look(block: Block) -> tuple[float, bool]:
    """Font height to half a point and boldness: headings of one level look alike."""
    return round(2 * block.height) / 2, block.is_bold


def _may_be_heading(item: _Placed, body_height: float) -> bool:
    block = item.block
    first_letter = next((char for char in block.text if char.isalpha()), "")
    if (
        block.table is not None
        or not first_letter
        or first_letter.islower()
        or block.text.endswith((",", ";"))
    ):
        return False
    is_sentence = block.text.endswith(".") and len(block.text) > _MAX_SENTENCE_HEADING_CHARS
    if is_sentence or _DOT_LEADER.search(block.text):
        return False
    ratio = _HEADING_RATIO_OCR if item.is_ocr else _HEADING_RATIO
    if block.height >= ratio * body_height:
        return len(block.text) <= _MAX_HEADING_CHARS
    is_short = len(block.text) <= _MAX_BOLD_HEADING_CHARS and not block.text.endswith(".")
    return block.is_bold and is_short and not block.has_cells and block.height >= 0.95 * body_height


def _heading_levels(placed: Sequence[_Placed], body_height: float) -> dict[tuple[float, bool], int]:
    """Levels from 1 by look, larger first, bold before light.

    A document set in bold throughout has no bold headings.
    """
    looks = Counter(_look(item.block) for item in placed if _may_be_heading(item, body_height))
    n_bold = sum(len(item.block.text) for item in placed if item.block.is_bold)
    n_chars = sum(len(item.block.text) for item in placed)
    is_all_bold = n_bold > 0.5 * n_chars
    ranked = sorted(
        (look for look in looks if look[0] >= _HEADING_RATIO * body_height or not is_all_bold), reverse=True
    )
    return {look: min(level, _MAX_LEVELS) for level, look in enumerate(ranked, start=1)}
