"""A chunk as a point's payload and back. Both stores write the same payload."""

from __future__ import annotations

from typing import TypedDict, cast

from rag.types import BlockKind, Locator, Span, StoredChunk

FOLDER_ID = "folder_id"
DOCUMENT_ID = "document_id"

SpanRow = tuple[int, int, BlockKind, str | None, str | None]
"""Start, end, kind, cells, anchor: the rest of a block's locator is the chunk's own."""


class LocatorPayload(TypedDict):
    """See `rag.types.Locator`."""

    page: int | None
    sheet: str | None
    cells: str | None
    heading_path: list[str]
    anchor: str | None


class ChunkPayload(TypedDict):
    """Everything a `StoredChunk` is made of; `prefix` + `content` is the embedded text."""

    folder_id: int
    document_id: int
    title: str
    index: int
    prefix: str
    content: str
    section: str
    start: int
    end: int
    locator: LocatorPayload
    spans: list[SpanRow]
    table_header: str | None


def payload_of(chunk: StoredChunk) -> ChunkPayload:
    """The payload of one chunk."""
    locator = chunk.locator
    return {
        "folder_id": chunk.folder_id,
        "document_id": chunk.document_id,
        "title": chunk.document_title,
        "index": chunk.index,
        "prefix": chunk.text.removesuffix(chunk.content),
        "content": chunk.content,
        "section": chunk.section,
        "start": chunk.start,
        "end": chunk.end,
        "locator": {
            "page": locator.page,
            "sheet": locator.sheet,
            "cells": locator.cells,
            "heading_path": list(locator.heading_path),
            "anchor": locator.anchor,
        },
        "spans": [
            (span.start, span.end, span.kind, span.locator.cells, span.locator.anchor) for span in chunk.spans
        ],
        "table_header": next((span.table_header for span in chunk.spans if span.table_header), None),
    }


def chunk_of(chunk_id: str, raw: object) -> StoredChunk:
    """The chunk that `payload_of` was given."""
    payload = cast("ChunkPayload", raw)
    place = payload["locator"]
    locator = Locator(
        page=place["page"],
        sheet=place["sheet"],
        cells=place["cells"],
        heading_path=tuple(place["heading_path"]),
        anchor=place["anchor"],
    )
    return StoredChunk(
        chunk_id=chunk_id,
        document_id=payload["document_id"],
        folder_id=payload["folder_id"],
        document_title=payload["title"],
        index=payload["index"],
        text=payload["prefix"] + payload["content"],
        content=payload["content"],
        section=payload["section"],
        start=payload["start"],
        end=payload["end"],
        locator=locator,
        spans=tuple(_span(row, locator, payload["table_header"]) for row in payload["spans"]),
    )


def _span(row: SpanRow, locator: Locator, table_header: str | None) -> Span:
    start, end, kind, cells, anchor = row
    return Span(
        start=start,
        end=end,
        kind=kind,
        locator=Locator(
            page=locator.page,
            sheet=locator.sheet,
            cells=cells,
            heading_path=locator.heading_path,
            anchor=anchor,
        ),
        table_header=table_header if kind == "table_row" else None,
    )
