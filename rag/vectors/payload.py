"""A chunk as a point's payload and back. Both stores write the same payload."""

from __future__ import annotations

from typing import TypedDict, cast

from rag.types import BlockKind, Locator, Span, StoredChunk

FOLDER_ID = "folder_id"
DOCUMENT_ID = "document_id"

SpanRow = tuple[int, int, BlockKind, dict[str, object]]
"""Start, end, kind, and what of the block's locator differs from the chunk's own."""


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
    locator: dict[str, object]
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
        "locator": locator.as_json(),
        "spans": [
            (span.start, span.end, span.kind, _difference(span.locator, locator)) for span in chunk.spans
        ],
        "table_header": next((span.table_header for span in chunk.spans if span.table_header), None),
    }


def chunk_of(chunk_id: str, raw: object) -> StoredChunk:
    """The chunk that `payload_of` was given."""
    payload = cast("ChunkPayload", raw)
    locator = Locator.from_json(payload["locator"])
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


def _difference(locator: Locator, base: Locator) -> dict[str, object]:
    """The fields of `locator` that `base` does not have, or has otherwise; None for those it lacks."""
    own, shared = locator.as_json(), base.as_json()
    return {name: own.get(name) for name in own | shared if own.get(name) != shared.get(name)}


def _span(row: SpanRow, locator: Locator, table_header: str | None) -> Span:
    start, end, kind, difference = row
    values = {name: value for name, value in (locator.as_json() | difference).items() if value is not None}
    return Span(
        start=start,
        end=end,
        kind=kind,
        locator=Locator.from_json(values),
        table_header=table_header if kind == "table_row" else None,
    )
