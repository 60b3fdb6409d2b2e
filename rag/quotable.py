"""What of a passage can be quoted as it stands: sentences, list items and table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rag.sentences import sentence_spans
from rag.types import BlockKind, Span, StoredChunk

_WHOLE_ITEM_CHARS = 320
"""A list item up to here is quoted whole; a longer one is prose and is quoted by sentence."""

_RULE_ROW = re.compile(r"[\s|:+=-]*")


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

    A line that only introduces what follows ("You need:") is context, not a quotation, unless the passage
    has nothing else.
    """
    found: list[Quotable] = []
    lead_in = ""
    introductions: list[Quotable] = []
    for block in chunk.spans or (Span(chunk.start, chunk.end, "paragraph", chunk.locator),):
        for start, end in _stretches(chunk, block):
            words = chunk.content[start:end]
            if not any(character.isalnum() for character in words) or _RULE_ROW.fullmatch(words):
                continue
            context = _context(block, lead_in, words)
            quotable = Quotable(start, end, block.kind, context)
            if words.rstrip("*_` ").endswith(":"):
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


def _context(block: Span, lead_in: str, words: str) -> str:
    if block.kind == "table_row":
        header = block.table_header or ""
        return "" if " ".join(header.split()) == " ".join(words.split()) else header
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
