"""Canonical text → passages, by one of the six strategies of the reference study.

By default (E: boundaries + header) blocks are packed to a budget and never across a border of page, sheet or
section. A block over the budget is cut at sentence ends, and only there. What the encoder would cut silently is cut
here instead, at the coarsest border there is: block, sentence, word, character. So the real size of a
chunk is the smaller of the budget and the encoder's window, and no word of a document is lost: a heading that
no header line shows is words of its section.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rag.chunking.budget import Budget, CharBudget, token_budget
from rag.chunking.pack import blind_ranges, packed_ranges
from rag.chunking.pieces import Piece, block_groups, blocks_of, touched_blocks, unsaid_headings
from rag.chunking.strategy import DEFAULT_STRATEGY, ChunkingStrategy, chunking_strategy
from rag.chunking.window import fit_window, overlapped
from rag.config import RagConfig
from rag.embed import Embedder
from rag.header import CountTokens, header_line, section_of, shortened
from rag.places import spanned
from rag.types import Chunk, Extraction, Locator, Span

_HEADER_SHARE = 3
"""Header and table header may each take at most a third of the window; the rest is the chunk's own."""


@dataclass(frozen=True, slots=True)
class ChunkedDocument:
    """The chunks of one document and what making them cost."""

    chunks: tuple[Chunk, ...]
    n_header_tokens: int
    """Tokens spent on header lines and repeated table headers, over all chunks."""
    n_split_for_window: int
    """How many pieces, and overlaps, had to be cut because the encoder's window was smaller than the budget."""
    n_situated: int = 0
    """Chunks that were given a situating sentence (`rag.situate`)."""


def chunk_document(
    extraction: Extraction,
    *,
    budget_chars: int,
    window_tokens: int,
    count_tokens: CountTokens,
    strategy: ChunkingStrategy = DEFAULT_STRATEGY,
    budget_tokens: int | None = None,
) -> ChunkedDocument:
    """The passages of one document, in reading order.

    Args:
        extraction: canonical text and its blocks.
        budget_chars: packed blocks stay under it; a single sentence or table row may pass it.
        window_tokens: the encoder's window; no chunk's `text` has more tokens.
        count_tokens: the model's own tokenizer, special tokens included.
        strategy: how to cut, and what stands before a chunk's own words.
        budget_tokens: a budget of the chunk's own words in tokens, in place of `budget_chars`.

    Returns:
        Chunks with ``canonical[start:end] == content``; none for a document without text.
    """
    canonical = extraction.text
    budget: Budget = (
        CharBudget(budget_chars, len(canonical))
        if budget_tokens is None
        else token_budget(canonical, budget_tokens, count_tokens)
    )
    make_pieces = _packed_pieces if strategy.boundaries else _blind_pieces
    fitted, n_split = fit_window(
        list(make_pieces(extraction, _Prefixes(extraction, strategy, window_tokens, count_tokens), budget)),
        canonical,
        max_chars=budget.max_chars,
        window_tokens=window_tokens,
        count_tokens=count_tokens,
    )
    if strategy.overlap_chars:
        fitted, n_cut = overlapped(
            fitted,
            canonical,
            overlap_chars=strategy.overlap_chars,
            window_tokens=window_tokens,
            count_tokens=count_tokens,
        )
        n_split += n_cut
    prefixes = [piece.prefix(canonical) for piece, _ in fitted]
    return ChunkedDocument(
        chunks=tuple(
            _chunk(index, piece, canonical, prefix, n_tokens)
            for index, ((piece, n_tokens), prefix) in enumerate(zip(fitted, prefixes, strict=True))
        ),
        n_header_tokens=_n_tokens(prefixes, count_tokens),
        n_split_for_window=n_split,
    )


def chunk_configured(extraction: Extraction, *, config: RagConfig, embedder: Embedder) -> ChunkedDocument:
    """`chunk_document` by `config` for the model that shall embed the passages.

    Raises:
        ValueError: the configuration names no strategy.
    """
    return chunk_document(
        extraction,
        budget_chars=config.chunk_chars,
        budget_tokens=config.chunk_tokens,
        strategy=chunking_strategy(config.chunking),
        window_tokens=embedder.model.window_tokens,
        count_tokens=embedder.count_tokens,
    )


@dataclass(frozen=True, slots=True)
class _Prefixes:
    """What stands before the words of a document's chunks."""

    extraction: Extraction
    strategy: ChunkingStrategy
    window_tokens: int
    count_tokens: CountTokens

    def header(self, first: Span) -> str:
        """The header of a chunk that begins in `first`."""
        if not self.strategy.header:
            return ""
        return header_line(
            self.extraction.title,
            first.locator.heading_path,
            first.locator.sheet,
            max_tokens=self.window_tokens // _HEADER_SHARE,
            count_tokens=self.count_tokens,
        )

    def table_header(self, blocks: Sequence[Span]) -> str:
        """The header row for rows among `blocks`."""
        repeated = next((block.table_header for block in blocks if block.table_header), None)
        if not self.strategy.header or not repeated:
            return ""
        return shortened(
            repeated, max_tokens=self.window_tokens // _HEADER_SHARE, count_tokens=self.count_tokens
        )

    def n_tokens_left(self, *lines: str) -> int:
        """Tokens that the window has for a chunk's own words after these lines."""
        return self.window_tokens - self.count_tokens(["\n".join(filter(None, lines))])[0]


def _packed_pieces(extraction: Extraction, prefixes: _Prefixes, budget: Budget) -> Iterator[Piece]:
    for number, (group, header) in enumerate(_headed_groups(extraction, prefixes)):
        table_header = prefixes.table_header(group)
        left = budget.within(prefixes.n_tokens_left(header, table_header))
        for start, end in packed_ranges(extraction.text, group, left):
            yield Piece(start, end, number, tuple(group), header, table_header)


def _headed_groups(extraction: Extraction, prefixes: _Prefixes) -> list[tuple[list[Span], str]]:
    """The groups of blocks with their header lines; a heading that no header line shows is in a group itself."""
    blocks = blocks_of(extraction)
    headed = [(group, prefixes.header(group[0])) for group in block_groups(blocks)]
    shows = prefixes.strategy.header
    unsaid = unsaid_headings(blocks, [(group[0], header if shows else None) for group, header in headed])
    if not unsaid:
        return headed
    return [(group, prefixes.header(group[0])) for group in block_groups(blocks, unsaid)]


def _blind_pieces(extraction: Extraction, prefixes: _Prefixes, budget: Budget) -> Iterator[Piece]:
    blocks = tuple(blocks_of(extraction))
    for start, end in blind_ranges(extraction.text, budget.within(prefixes.n_tokens_left())):
        touched = touched_blocks(blocks, start, end)
        yield Piece(
            start,
            end,
            0,
            blocks,
            prefixes.header(touched[0]) if touched else "",
            prefixes.table_header(touched),
        )


def _chunk(index: int, piece: Piece, canonical: str, prefix: str, n_tokens: int) -> Chunk:
    content = canonical[piece.start : piece.end]
    blocks = tuple(_clipped(piece, canonical))
    first = blocks[0].locator
    # A blind chunk may go on over a page or sheet; its place is where it begins.
    here = [block.locator for block in blocks if block.locator.container == first.container]
    return Chunk(
        index=index,
        text=prefix + content,
        content=content,
        section=section_of(first.heading_path, first.sheet),
        start=piece.start,
        end=piece.end,
        locator=spanned(first, here),
        n_tokens=n_tokens,
        spans=blocks,
    )


def _clipped(piece: Piece, canonical: str) -> Iterator[Span]:
    """The blocks in the piece, clipped to it.

    A chunk knows one table header. A row of another table, and a row that the cut left a part of beside other
    blocks, is no row here: its cells would be read under the names of the wrong columns.
    """
    touched = piece.touched or (Span(piece.start, piece.end, "paragraph", Locator()),)
    table_header = next((block.table_header for block in touched if block.table_header), None)
    for block in touched:
        start, end = max(block.start, piece.start), min(block.end, piece.end)
        is_cut = len(touched) > 1 and (canonical[block.start : start] + canonical[end : block.end]).strip()
        part = replace(block, start=start, end=end)
        if block.kind == "table_row" and (is_cut or block.table_header not in (None, table_header)):
            part = replace(part, kind="paragraph", table_header=None)
        yield part


def _n_tokens(prefixes: Sequence[str], count_tokens: CountTokens) -> int:
    """Tokens of all prefixes, special tokens not counted; each distinct one is counted once."""
    distinct = sorted(set(prefixes))
    special = count_tokens([""])[0] if prefixes else 0
    counts = count_tokens(distinct) if distinct else []
    cost = {prefix: count - special for prefix, count in zip(distinct, counts, strict=True)}
    return sum(cost[prefix] for prefix in prefixes)
