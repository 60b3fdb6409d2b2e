"""One index: the dense and the lexical side of the same chunks, kept in step per document."""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rag.chunk import chunk_document
from rag.config import RagConfig
from rag.embed import Embedder
from rag.errors import IndexMismatch
from rag.lexical import LexicalIndex
from rag.types import Chunk, Extraction, IndexReport, StoredChunk
from rag.vectors import VectorStore

_CHUNK_IDS = uuid.UUID("6f0d0c3e-1d5b-5a0e-9c39-9b1f2f6f7a11")
_PROBE_SIZE = 3
_PROBE_COSINE = 0.99
"""bfloat16 against float32 stays above 0.9999; another model's vectors are near 0."""

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Index:
    """What a question and a document need: made by `open_index`, safe to share between threads."""

    name: str
    embedder: Embedder
    store: VectorStore
    lexical: LexicalIndex
    config: RagConfig


@dataclass(frozen=True, slots=True)
class ChunkCounts:
    """Chunks as the two sides count them; equal when the index is sound."""

    vectors: int
    lexical: int


def open_index(
    name: str, *, config: RagConfig, directory: Path, store: VectorStore, embedder: Embedder
) -> Index:
    """The index `name`; its collection and its lexical folder below `directory` are created.

    Raises:
        IndexMismatch: the collection was made by another model or pipeline version.
        StoreDown, StoreLocked: the store cannot work.
    """
    store.ensure(name, embedder.model)
    lexical = LexicalIndex(Path(directory) / name / "lexical", k1=config.bm25_k1, b=config.bm25_b)
    return Index(name=name, embedder=embedder, store=store, lexical=lexical, config=config)


def index_document(
    index: Index,
    extraction: Extraction,
    *,
    document_id: int,
    folder_id: int,
    title: str,
    on_progress: OnProgress | None = None,
) -> IndexReport:
    """Chunk, embed and store one document in place of any earlier state of it.

    Chunk ids name their content, so indexing the same text again changes nothing. New chunks are written
    before old ones are removed, and removed again when writing fails half way: a question meets the
    old state or the new one.

    Args:
        index: where to.
        extraction: canonical text and blocks.
        document_id, folder_id: what scopes and binds the chunks.
        title: what the header line and the citation call the document.
        on_progress: called with (chunks embedded, chunks in all).
    """
    started = time.perf_counter()
    chunked = chunk_document(
        replace(extraction, title=title),
        budget_chars=index.config.chunk_chars,
        window_tokens=index.embedder.model.window_tokens,
        count_tokens=index.embedder.count_tokens,
    )
    stored = _stored(chunked.chunks, document_id=document_id, folder_id=folder_id, title=title)
    vectors = index.embedder.encode_passages([chunk.text for chunk in stored], on_progress)
    _replace(index, document_id, folder_id, stored, vectors)
    counts = count_chunks(index, document_id)
    if counts.vectors != counts.lexical:
        raise IndexMismatch(
            f"The document has {counts.vectors} vectors and {counts.lexical} lexical chunks.",
            next_step="Index the document again.",
        )
    window = index.embedder.model.window_tokens
    return IndexReport(
        n_chunks=counts.vectors,
        n_tokens=sum(chunk.n_tokens for chunk in chunked.chunks),
        n_header_tokens=chunked.n_header_tokens,
        n_split_for_window=chunked.n_split_for_window,
        n_over_window=sum(chunk.n_tokens > window for chunk in chunked.chunks),
        elapsed_s=time.perf_counter() - started,
    )


def remove_document(index: Index, document_id: int) -> None:
    """Remove a document from both sides; nothing happens when it is not there."""
    index.store.delete_document(index.name, document_id)
    index.lexical.delete_document(document_id)


def count_chunks(index: Index, document_id: int | None = None) -> ChunkCounts:
    """The chunks of one document, or of all, as both sides count them now."""
    return ChunkCounts(
        vectors=index.store.count(index.name, document_id), lexical=index.lexical.count(document_id)
    )


def chunks_of_document(index: Index, document_id: int) -> tuple[StoredChunk, ...]:
    """A document's chunks in reading order."""
    return tuple(index.store.document_chunks(index.name, document_id))


def drop_index(index: Index) -> None:
    """Remove both sides of the index from disk or server."""
    index.store.drop(index.name)
    index.lexical.drop()


def probe_index(index: Index) -> float:
    """The lowest cosine between up to three stored vectors and their text embedded anew; 1.0 when empty.

    The stamp compares names; this compares what the model does.

    Raises:
        IndexMismatch: a cosine is 0.99 or less.
    """
    chunks = index.store.sample(index.name, _PROBE_SIZE)
    if not chunks:
        return 1.0
    stored = index.store.vectors_of(index.name, [chunk.chunk_id for chunk in chunks])
    anew = index.embedder.encode_passages([chunk.text for chunk in chunks])
    lowest = float(np.sum(stored * anew, axis=1).min())
    if lowest <= _PROBE_COSINE:
        raise IndexMismatch(f"Stored vectors differ from the model's own (cosine {lowest:.3f}).")
    return lowest


def _stored(chunks: Sequence[Chunk], *, document_id: int, folder_id: int, title: str) -> list[StoredChunk]:
    """Chunks with ids that name document, content and place: equal content, equal ids."""
    digest = hashlib.sha256(f"{folder_id}\0{title}\0".encode())
    for chunk in chunks:
        digest.update(f"{chunk.start}\0{chunk.end}\0{chunk.text}\0{chunk.locator}\0".encode(errors="replace"))
    generation = digest.hexdigest()
    return [
        StoredChunk(
            chunk_id=str(uuid.uuid5(_CHUNK_IDS, f"{document_id}:{generation}:{chunk.index}")),
            document_id=document_id,
            folder_id=folder_id,
            document_title=title,
            index=chunk.index,
            text=chunk.text,
            content=chunk.content,
            section=chunk.section,
            start=chunk.start,
            end=chunk.end,
            locator=chunk.locator,
            spans=chunk.spans,
        )
        for chunk in chunks
    ]


def _replace(
    index: Index,
    document_id: int,
    folder_id: int,
    stored: Sequence[StoredChunk],
    vectors: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
) -> None:
    new_ids = [chunk.chunk_id for chunk in stored]
    present = {chunk.chunk_id for chunk in index.store.fetch(index.name, new_ids)} if new_ids else set()
    try:
        index.store.upsert(index.name, stored, vectors)
        index.lexical.put_document(document_id, folder_id, [(chunk.chunk_id, chunk.text) for chunk in stored])
    except BaseException:
        written = [chunk_id for chunk_id in new_ids if chunk_id not in present]
        if written:
            index.store.delete_chunks(index.name, written)
        raise
    index.store.delete_document(index.name, document_id, keep=new_ids)
