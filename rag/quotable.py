"""What of a passage can be quoted as it stands: sentences, list items and table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rag.sentences import sentence_spans
from rag.types import BlockKind, Span, StoredChunk

_WHOLE_ITEM_CHARS = 320
"""A list item up to here is quoted whole; a longer one is prose and is quoted by sentence."""

_PLACEHOLDER = re.compile(
    r"""\W*(?:@?todo|tbd|tba|tbc|fixme|wip|lorem\ ipsum|coming\ soon)\b[^|]*
    |.*[:–—-]\s*to\ be\ (?:added|announced|confirmed|decided|defined|determined|done|written)\b.{0,60}
    |(?:.*[:–—-])?[\W_]*\?{2,}[\W_]*""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""A stretch that only says that something is still missing: it looks like a literal match and answers nothing."""


@dataclass(frozen=True, slots=True)
class Quotable:
    """A stretch ``content[start:end]`` of a passage, and what a reader needs before it.

    `context` is the line that introduces a list item or the header of a table row; it may be empty.
    """

    start: int
    end: int
    kind: BlockKind
    context: str


def quotables(chunk: StoredChunk) -> list[Quotable]:
    """The quotable stretches of a passage in reading order; they never overlap.

    A line that only introduces what follows ("You need:", a table's header row) is context, not a
    quotation, unless the passage has nothing else. Placeholders ("tbd") are never quotable.
    """
    found: list[Quotable] = []
    lead_in = ""
    introductions: list[Quotable] = []
    for block in chunk.spans or (Span(chunk.start, chunk.end, "paragraph", chunk.locator),):
        for start, end in _stretches(chunk, block):
            words = chunk.content[start:end]
            if not any(map(str.isalnum, words)) or _PLACEHOLDER.fullmatch(words):
                continue
            quotable = Quotable(start, end, block.kind, _context(block, lead_in))
            if _same(words, block.table_header):
                introductions.append(quotable)
            elif words.rstrip("*_` ").endswith(":"):
                lead_in = words
                introductions.append(quotable)
            else:
                found.append(quotable)
        if block.kind not in {"list_item", "table_row", "code"} and not _introduces(chunk, block):
            lead_in = ""
    return found or introductions


def _introduces(chunk: StoredChunk, block: Span) -> bool:
    """Whether the block's last line introduces the next block."""
    return chunk.content[: block.end - chunk.start].rstrip("*_` \n").endswith(":")


def _same(words: str, header: str | None) -> bool:
    return header is not None and " ".join(words.split()) == " ".join(header.split())


def _context(block: Span, lead_in: str) -> str:
    if block.kind == "table_row":
        return block.table_header or ""
    return lead_in if block.kind in {"list_item", "code"} else ""


def _stretches(chunk: StoredChunk, block: Span) -> Iterator[tuple[int, int]]:
    start, end = block.start - chunk.start, block.end - chunk.start
    text = chunk.content[start:end]
    whole = block.kind in {"table_row", "code", "heading"} or (
        block.kind == "list_item" and len(text) <= _WHOLE_ITEM_CHARS
    )
    if whole:
        first = start + len(text) - len(text.lstrip())
        yield first, first + len(text.strip())
        return
    for a, b in sentence_spans(text):
        yield start + a, start + b
