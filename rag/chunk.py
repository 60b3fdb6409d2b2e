"""Canonical text → passages (strategy E of the reference study: boundaries + header).

Blocks are packed to a budget of characters and never across a border of page, sheet or section. A
block over the budget is cut at sentence ends, and only there. What the encoder would cut silently is cut here
instead, at the coarsest border there is: block, sentence, word, character. So the real size of a
chunk is the smaller of the budget and the encoder's window, and no word of a document is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from rag.header import CountTokens, header_line, section_of, shortened
from rag.places import spanned
from rag.sentences import sentence_spans
from rag.types import Chunk, Extraction, Locator, Span

_HEADER_SHARE = 3
"""Header and table header may each take at most a third of the window; the rest is the chunk's own."""

_UNCUT_FACTOR = 4
"""One sentence may pass the budget, but not fourfold: a word piece tokenizer counts a run of
base64 as one unknown token, so the window alone would let it through whole."""

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ChunkedDocument:
    """The chunks of one document and what making them cost."""

    chunks: tuple[Chunk, ...]
    n_header_tokens: int
    """Tokens spent on header lines and repeated table headers, over all chunks."""
    n_split_for_window: int
    """How many pieces had to be cut because the encoder's window was smaller than the budget."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of canonical text on its way to a chunk: one group's header, one group's blocks."""

    start: int
    end: int
    blocks: tuple[Span, ...]
    header: str
    table_header: str

    def prefix(self, canonical: str) -> str:
        lines = [self.header] if self.header else []
        if self.table_header and self._opens_inside_table(canonical):
            lines.append(self.table_header)
        return "".join(f"{line}\n" for line in lines)

    def _opens_inside_table(self, canonical: str) -> bool:
        """Rows whose header row is elsewhere; where it stands in the chunk, repeating it is waste."""
        rows = [
            block for block in self.blocks if block.table_header and _touches(block, self.start, self.end)
        ]
        if not rows or rows[0].table_header is None:
            return False
        return _squeezed(rows[0].table_header) not in _squeezed(canonical[self.start : self.end])


def chunk_document(
    extraction: Extraction, *, budget_chars: int, window_tokens: int, count_tokens: CountTokens
) -> ChunkedDocument:
    """The passages of one document, in reading order.

    Args:
        extraction: canonical text and its blocks.
        budget_chars: packed blocks stay under it; a single sentence or table row may pass it.
        window_tokens: the encoder's window; no chunk's `text` has more tokens.
        count_tokens: the model's own tokenizer, special tokens included.

    Returns:
        Chunks with ``canonical[start:end] == content``; none for a document without text.
    """
    canonical = extraction.text
    pieces = [
        piece
        for group in _groups(extraction)
        for piece in _pack_group(
            extraction, group, budget_chars, window_tokens // _HEADER_SHARE, count_tokens
        )
    ]
    fitted, n_split = _fit_window(pieces, canonical, budget_chars, window_tokens, count_tokens)
    prefixes = [piece.prefix(canonical) for piece, _ in fitted]
    chunks = tuple(
        _chunk(index, piece, canonical, prefix, n_tokens)
        for index, ((piece, n_tokens), prefix) in enumerate(zip(fitted, prefixes, strict=True))
    )
    distinct = sorted(set(prefixes))
    special = count_tokens([""])[0] if chunks else 0
    counts = count_tokens(distinct) if distinct else []
    cost = {prefix: count - special for prefix, count in zip(distinct, counts, strict=True)}
    return ChunkedDocument(
        chunks=chunks,
        n_header_tokens=sum(cost[prefix] for prefix in prefixes),
        n_split_for_window=n_split,
    )


def _groups(extraction: Extraction) -> Iterator[list[Span]]:
    """Runs of blocks that may share a chunk: same page, sheet and section, at most one table header."""
    blocks = [span for span in extraction.spans if extraction.text[span.start : span.end].strip()]
    body = [span for span in blocks if span.kind != "heading"]
    if not blocks and extraction.text.strip():
        body = [Span(0, len(extraction.text), "paragraph", Locator())]
    elif not body:
        body = blocks  # only headings: they are all the document says
    group: list[Span] = []
    headings = iter([span.start for span in blocks if span.kind == "heading" and span not in body])
    next_heading = next(headings, None)
    for block in body:
        passed_heading = False
        while next_heading is not None and next_heading < block.start:
            passed_heading, next_heading = True, next(headings, None)
        if group and (passed_heading or not _belongs(block, group)):
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _belongs(block: Span, group: list[Span]) -> bool:
    last = group[-1]
    if _place(block.locator) != _place(last.locator):
        return False
    headers = {span.table_header for span in group if span.table_header}
    return not (block.table_header and headers and block.table_header not in headers)


def _place(locator: Locator) -> tuple[object, tuple[str, ...]]:
    return (locator.container, locator.heading_path)


def _pack_group(
    extraction: Extraction,
    group: list[Span],
    budget_chars: int,
    max_header_tokens: int,
    count_tokens: CountTokens,
) -> Iterator[_Piece]:
    place = group[0].locator
    header = header_line(
        extraction.title,
        place.heading_path,
        place.sheet,
        max_tokens=max_header_tokens,
        count_tokens=count_tokens,
    )
    repeated = next((span.table_header for span in group if span.table_header), None)
    table_header = (
        shortened(repeated, max_tokens=max_header_tokens, count_tokens=count_tokens) if repeated else ""
    )
    for start, end in _pack(extraction.text, group, budget_chars):
        yield _Piece(start, end, tuple(group), header, table_header)


def _pack(canonical: str, group: list[Span], budget_chars: int) -> Iterator[Range]:
    """Ranges of whole units, each range within the budget unless it is a single unit."""
    current: list[Range] = []
    for unit in (unit for block in group for unit in _units(canonical, block, budget_chars)):
        if current and unit[1] - current[0][0] > budget_chars:
            lead_in = _lead_in(canonical, current, unit, budget_chars)
            kept = current[:-1] if lead_in else current
            yield (kept[0][0], kept[-1][1])
            current = lead_in
        current.append(unit)
    if current:
        yield (current[0][0], current[-1][1])


def _units(canonical: str, block: Span, budget_chars: int) -> list[Range]:
    """What is never cut to meet the budget: a block within it, a table row, a line of code, a sentence."""
    start, end = _trimmed(canonical, block.start, block.end)
    if end - start <= budget_chars or block.kind == "table_row":
        return [(start, end)]
    text = canonical[start:end]
    if block.kind == "code":
        return [
            (start + match.start(), start + match.end()) for match in re.finditer(r"[^\n]*\S[^\n]*", text)
        ]
    return [(start + a, start + b) for a, b in sentence_spans(text)]


def _lead_in(canonical: str, current: list[Range], unit: Range, budget_chars: int) -> list[Range]:
    """The last unit of `current` when it introduces `unit` ("You need:") and both fit one chunk."""
    last = current[-1]
    introduces = len(current) > 1 and canonical[last[0] : last[1]].rstrip("*_ ").endswith(":")
    return [last] if introduces and unit[1] - last[0] <= budget_chars else []


def _fit_window(
    pieces: list[_Piece], canonical: str, budget_chars: int, window_tokens: int, count_tokens: CountTokens
) -> tuple[list[tuple[_Piece, int]], int]:
    """The pieces in order, each with its token count ≤ `window_tokens`, and how many were cut for it."""
    fitted: list[tuple[_Piece, int]] = []
    pending = pieces
    n_split = 0
    while pending:
        counts = count_tokens(
            [piece.prefix(canonical) + canonical[piece.start : piece.end] for piece in pending]
        )
        too_long: list[_Piece] = []
        for piece, count in zip(pending, counts, strict=True):
            size = piece.end - piece.start
            if size > 1 and (count > window_tokens or size > _UNCUT_FACTOR * budget_chars):
                too_long.append(piece)
            else:
                fitted.append((piece, count))
        n_split += len(too_long)
        pending = [half for piece in too_long for half in _halves(piece, canonical)]
    fitted.sort(key=lambda item: item[0].start)
    return fitted, n_split


def _halves(piece: _Piece, canonical: str) -> tuple[_Piece, _Piece]:
    """Cut at the border nearest to the middle, of the coarsest kind that has one inside."""
    text = canonical[piece.start : piece.end]
    middle = len(text) / 2
    finders: tuple[Callable[[], list[int]], ...] = (
        lambda: [block.start - piece.start for block in piece.blocks],
        lambda: [start for start, _ in sentence_spans(text)],
        lambda: [match.end() for match in re.finditer(r"\s+", text)],
    )
    cut = len(text) // 2
    for find in finders:
        inside = [at for at in find() if 0 < at < len(text)]
        if inside:
            cut = min(inside, key=lambda at: abs(at - middle))
            break
    at = piece.start + cut
    left_start, left_end = _trimmed(canonical, piece.start, at)
    right_start, right_end = _trimmed(canonical, at, piece.end)
    return replace(piece, start=left_start, end=left_end), replace(piece, start=right_start, end=right_end)


def _chunk(index: int, piece: _Piece, canonical: str, prefix: str, n_tokens: int) -> Chunk:
    content = canonical[piece.start : piece.end]
    blocks = tuple(
        replace(block, start=max(block.start, piece.start), end=min(block.end, piece.end))
        for block in piece.blocks
        if _touches(block, piece.start, piece.end)
    )
    first = blocks[0].locator
    return Chunk(
        index=index,
        text=prefix + content,
        content=content,
        section=section_of(first.heading_path, first.sheet),
        start=piece.start,
        end=piece.end,
        locator=spanned(first, [block.locator for block in blocks]),
        n_tokens=n_tokens,
        spans=blocks,
    )


def _touches(block: Span, start: int, end: int) -> bool:
    return block.start < end and block.end > start


def _trimmed(canonical: str, start: int, end: int) -> Range:
    """The range without white space at its ends."""
    piece = canonical[start:end]
    start += len(piece) - len(piece.lstrip())
    return start, start + len(piece.strip())


def _squeezed(text: str) -> str:
    return " ".join(text.split())
