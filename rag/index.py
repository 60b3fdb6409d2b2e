"""One index: the dense and the lexical side of the same chunks, kept in step per document."""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rag.chunk import ChunkedDocument, chunk_configured
from rag.config import RagConfig
from rag.embed import Embedder, Vectors
from rag.errors import IndexMismatch
from rag.lexical import DEFAULT_LANGUAGE, LexicalIndex, SegmentIndex
from rag.situate import Situating, situate_chunks
from rag.types import Chunk, Extraction, StoredChunk
from rag.vectors import VectorStore

_CHUNK_IDS = uuid.UUID("6f0d0c3e-1d5b-5a0e-9c39-9b1f2f6f7a11")
_PROBE_SIZE = 3
_PROBE_COSINE = 0.99
"""bfloat16 against float32 stays above 0.9999; another model's vectors are near 0."""

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What indexing one document did, counted from the index afterwards, not assumed."""

    n_chunks: int
    n_lexical: int
    n_tokens: int
    n_header_tokens: int
    n_split_for_window: int
    n_over_window: int
    offsets: tuple[tuple[int, int], ...]
    """Where each chunk stands in the canonical text, in reading order."""
    n_situated: int = 0
    """Chunks with a situating sentence between header and words; 0 where none are asked for."""


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What indexing some documents together did: one report each, in their order, and the seconds of each stage."""

    documents: tuple[IndexReport, ...]
    chunk_s: float
    embed_s: float
    store_s: float


@dataclass(frozen=True, slots=True)
class Index:
    """What a question and a document need: made by `open_index`, safe to share between threads."""

    name: str
    embedder: Embedder
    store: VectorStore
    lexical: LexicalIndex
    config: RagConfig
    situate: Situating | None = None
    """Puts a written sentence before each chunk; without, none is."""


@dataclass(frozen=True, slots=True)
class ChunkCounts:
    """Chunks as the two sides count them; equal when the index is sound."""

    vectors: int
    lexical: int


def open_index(
    name: str,
    *,
    config: RagConfig,
    directory: Path,
    store: VectorStore,
    embedder: Embedder,
    situate: Situating | None = None,
    lexical: LexicalIndex | None = None,
) -> Index:
    """The index `name`; its collection and its lexical folder below `directory` are created.

    Args:
        lexical: the lexical side; None keeps it in the folder.

    Raises:
        IndexMismatch: the collection was made by another model or pipeline version.
        StoreDown, StoreLocked: the store cannot work.
    """
    store.ensure(name, embedder.model)
    if lexical is None:
        lexical = SegmentIndex(Path(directory) / name / "lexical", k1=config.bm25_k1, b=config.bm25_b)
    return Index(name=name, embedder=embedder, store=store, lexical=lexical, config=config, situate=situate)


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document on its way into an index: its ids scope and bind its chunks, its title names them.

    `language`, one of `LANGUAGES`, is what its words are stemmed in for BM25.
    """

    document_id: int
    folder_id: int
    title: str
    extraction: Extraction
    language: str = DEFAULT_LANGUAGE


def index_document(
    index: Index,
    extraction: Extraction,
    *,
    document_id: int,
    folder_id: int,
    title: str,
    language: str = DEFAULT_LANGUAGE,
    on_progress: OnProgress | None = None,
) -> IndexReport:
    """`index_documents` for one document."""
    document = DocumentText(document_id, folder_id, title, extraction, language)
    return index_documents(index, [document], on_progress=on_progress).documents[0]


def index_documents(
    index: Index, documents: Sequence[DocumentText], *, on_progress: OnProgress | None = None
) -> BatchReport:
    """Chunk, embed and store documents, each in place of any earlier state of it.

    Together they cost less than one by one: their chunks share the encoder's batches and one write. Chunk ids
    name their content, so indexing the same text again changes nothing. New chunks are written before old ones
    are removed, and removed again when writing fails half way: a question meets the old state or the new one.

    Args:
        index: where to.
        documents: distinct ones.
        on_progress: called with (chunks embedded, chunks in all).

    Raises:
        IndexMismatch: the two sides count a document's chunks differently.
        Unavailable: the store cannot work; each document is as it was or as it shall be.
    """
    started = time.perf_counter()
    chunked = [_chunked(index, document) for document in documents]
    stored = [_stored(made.chunks, document) for made, document in zip(chunked, documents, strict=True)]
    chunks_ready = time.perf_counter()
    flat = [chunk for chunks in stored for chunk in chunks]
    vectors = index.embedder.encode_passages([chunk.text for chunk in flat], on_progress)
    vectors_ready = time.perf_counter()
    _replace(index, documents, stored, vectors)
    reports = tuple(_report(index, document, made) for document, made in zip(documents, chunked, strict=True))
    return BatchReport(
        documents=reports,
        chunk_s=chunks_ready - started,
        embed_s=vectors_ready - chunks_ready,
        store_s=time.perf_counter() - vectors_ready,
    )


def remove_document(index: Index, document_id: int) -> None:
    """Remove a document from both sides; nothing happens when it is not there."""
    if index.store.count(index.name, document_id):  # counting is cheap, a flushed deletion is not
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


def index_words(index: Index, *, document_id: int, folder_id: int, language: str = DEFAULT_LANGUAGE) -> int:
    """Index the words of one document's stored passages again, in place of what the lexical side has of it.

    Gives back how many passages it has; nothing is extracted or embedded.

    Raises:
        StoreDown: a side cannot work.
    """
    chunks = [(chunk.chunk_id, chunk.text) for chunk in chunks_of_document(index, document_id)]
    index.lexical.put_document(document_id, folder_id, chunks, language)
    return len(chunks)


def _chunked(index: Index, document: DocumentText) -> ChunkedDocument:
    extraction = replace(document.extraction, title=document.title)
    made = chunk_configured(extraction, config=index.config, embedder=index.embedder)
    if index.situate is None:
        return made
    situated = situate_chunks(
        made.chunks,
        extraction.text,
        index.situate.writer,
        index.situate.checkpoint,
        index.situate.batch_size,
        window_tokens=index.embedder.model.window_tokens,
        count_tokens=index.embedder.count_tokens,
    )
    return replace(made, chunks=situated.chunks, n_situated=situated.n_situated)


def _stored(chunks: Sequence[Chunk], document: DocumentText) -> list[StoredChunk]:
    """Chunks with ids that name document, content and place: equal content, equal ids."""
    digest = hashlib.sha256(f"{document.folder_id}\0{document.title}\0".encode())
    for chunk in chunks:
        digest.update(f"{chunk.start}\0{chunk.end}\0{chunk.text}\0{chunk.locator}\0".encode(errors="replace"))
    generation = digest.hexdigest()
    return [
        StoredChunk(
            chunk_id=str(uuid.uuid5(_CHUNK_IDS, f"{document.document_id}:{generation}:{chunk.index}")),
            document_id=document.document_id,
            folder_id=document.folder_id,
            document_title=document.title,
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
    index: Index, documents: Sequence[DocumentText], stored: Sequence[Sequence[StoredChunk]], vectors: Vectors
) -> None:
    new_chunks = [chunk for chunks in stored for chunk in chunks]
    new_ids = [chunk.chunk_id for chunk in new_chunks]
    present = {chunk.chunk_id for chunk in index.store.fetch(index.name, new_ids)} if new_ids else set()
    unfinished = new_ids
    try:
        index.store.upsert(index.name, new_chunks, vectors)
        for document, chunks in zip(documents, stored, strict=True):
            texts = [(chunk.chunk_id, chunk.text) for chunk in chunks]
            index.lexical.put_document(document.document_id, document.folder_id, texts, document.language)
            unfinished = unfinished[len(chunks) :]
    except BaseException:
        written = [chunk_id for chunk_id in unfinished if chunk_id not in present]
        if written:
            index.store.delete_chunks(index.name, written)
        raise
    for document, chunks in zip(documents, stored, strict=True):
        if index.store.count(index.name, document.document_id) > len(chunks):
            kept = [chunk.chunk_id for chunk in chunks]
            index.store.delete_document(index.name, document.document_id, keep=kept)


def _report(index: Index, document: DocumentText, chunked: ChunkedDocument) -> IndexReport:
    counts = count_chunks(index, document.document_id)
    if counts.vectors != counts.lexical:
        raise IndexMismatch(
            f"The document has {counts.vectors} vectors and {counts.lexical} lexical chunks.",
            next_step="Index the document again.",
        )
    window = index.embedder.model.window_tokens
    return IndexReport(
        n_chunks=counts.vectors,
        n_lexical=counts.lexical,
        n_tokens=sum(chunk.n_tokens for chunk in chunked.chunks),
        n_header_tokens=chunked.n_header_tokens,
        n_split_for_window=chunked.n_split_for_window,
        n_over_window=sum(chunk.n_tokens > window for chunk in chunked.chunks),
        n_situated=chunked.n_situated,
        offsets=tuple((chunk.start, chunk.end) for chunk in chunked.chunks),
    )
