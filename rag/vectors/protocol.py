"""What the core asks of a vector store."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from rag.embed import Vectors
from rag.types import EmbeddingModel, Scope, StoredChunk


class VectorStore(Protocol):
    """Collections of chunks with their vectors. Safe to share between threads.

    Every method but `ensure`, `exists`, `drop` and `close` raises IndexMissing for a collection
    that is not there, and StoreDown or StoreLocked when the store cannot work.
    """

    def ensure(self, collection: str, model: EmbeddingModel) -> None:
        """Create the collection for `model` with payload indexes and its stamp, or check the stamp.

        Raises:
            IndexMismatch: it was made by another model or pipeline version.
        """
        ...

    def exists(self, collection: str) -> bool:
        """Whether the collection is there."""
        ...

    def upsert(self, collection: str, chunks: Sequence[StoredChunk], vectors: Vectors) -> None:
        """Write chunks with their vectors, ``(n, dim)`` float32; durable when it returns."""
        ...

    def search(
        self,
        collection: str,
        vector: Vectors,
        k: int,
        scope: Scope,
        *,
        only: Collection[str] | None = None,
    ) -> list[tuple[StoredChunk, float]]:
        """The nearest `k` chunks in the scope with their cosine distance 1 − cos, nearest first.

        `only` restricts the search to these chunk ids and makes it exact.
        """
        ...

    def fetch(self, collection: str, chunk_ids: Sequence[str]) -> list[StoredChunk]:
        """These chunks, in the order asked; ids that are not there are left out."""
        ...

    def document_chunks(self, collection: str, document_id: int) -> list[StoredChunk]:
        """All chunks of a document, in reading order."""
        ...

    def vectors_of(self, collection: str, chunk_ids: Sequence[str]) -> Vectors:
        """The stored vectors of these chunks, ``(n, dim)`` float32, in the order asked."""
        ...

    def sample(self, collection: str, n: int) -> list[StoredChunk]:
        """Up to `n` chunks, any."""
        ...

    def count(self, collection: str, document_id: int | None = None) -> int:
        """Exact number of chunks, of one document or of all."""
        ...

    def delete_document(self, collection: str, document_id: int, *, keep: Collection[str] = ()) -> None:
        """Remove a document's chunks except those in `keep`; durable when it returns."""
        ...

    def delete_chunks(self, collection: str, chunk_ids: Collection[str]) -> None:
        """Remove these chunks; durable when it returns."""
        ...

    def drop(self, collection: str) -> None:
        """Remove the collection; nothing happens when it is not there."""
        ...

    def close(self) -> None:
        """Write what is pending and let go of files and connections."""
        ...
