"""A Qdrant server or cluster through qdrant-client."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rag.embed import Vectors
from rag.errors import IndexMismatch
from rag.types import EmbeddingModel, Scope, StoredChunk
from rag.vectors.payload import DOCUMENT_ID, FOLDER_ID, chunk_of, payload_of
from rag.vectors.qdrant import connected, document_filter, scope_filter, translated
from rag.vectors.stamp import check_stamp, stamp_for

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

_BATCH = 256
_PAGE = 1_000


class ServerStore:
    """A `VectorStore` on a server. The stamp is the collection's metadata (Qdrant 1.16 or newer)."""

    def __init__(self, client: QdrantClient) -> None:
        self._client = client

    def ensure(self, collection: str, model: EmbeddingModel) -> None:
        """See `VectorStore.ensure`."""
        from qdrant_client import models

        if not self.exists(collection):
            with translated(collection):
                try:
                    self._client.create_collection(
                        collection,
                        vectors_config=models.VectorParams(
                            size=model.dimension, distance=models.Distance.COSINE
                        ),
                        metadata=stamp_for(model),
                    )
                except Exception:
                    # Two workers may create it at once; the second one finds it made.
                    if not self._client.collection_exists(collection):
                        raise
        self._check(collection, model)
        with translated(collection):
            for field in (FOLDER_ID, DOCUMENT_ID):
                self._client.create_payload_index(
                    collection, field, field_schema=models.PayloadSchemaType.INTEGER
                )

    def exists(self, collection: str) -> bool:
        """See `VectorStore.exists`."""
        with translated(collection):
            return self._client.collection_exists(collection)

    def upsert(self, collection: str, chunks: Sequence[StoredChunk], vectors: Vectors) -> None:
        """See `VectorStore.upsert`."""
        from qdrant_client import models

        points = [
            models.PointStruct(id=chunk.chunk_id, vector=vector.tolist(), payload=dict(payload_of(chunk)))
            for chunk, vector in zip(chunks, vectors, strict=True)
        ]
        with translated(collection):
            for start in range(0, len(points), _BATCH):
                self._client.upsert(collection, points[start : start + _BATCH], wait=True)

    def search(
        self,
        collection: str,
        vector: Vectors,
        k: int,
        scope: Scope,
        *,
        only: Collection[str] | None = None,
    ) -> list[tuple[StoredChunk, float]]:
        """See `VectorStore.search`."""
        from qdrant_client import models

        if k <= 0 or not scope.folder_ids or scope.document_ids == () or (only is not None and not only):
            return []
        with translated(collection):
            found = self._client.query_points(
                collection,
                query=vector.tolist(),
                limit=k,
                query_filter=scope_filter(scope, only),
                search_params=models.SearchParams(exact=only is not None),
                with_payload=True,
            )
        return [(chunk_of(str(point.id), point.payload), 1.0 - point.score) for point in found.points]

    def fetch(self, collection: str, chunk_ids: Sequence[str]) -> list[StoredChunk]:
        """See `VectorStore.fetch`."""
        with translated(collection):
            records = self._client.retrieve(collection, list(chunk_ids), with_payload=True)
        found = {str(record.id): chunk_of(str(record.id), record.payload) for record in records}
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    def document_chunks(self, collection: str, document_id: int) -> list[StoredChunk]:
        """See `VectorStore.document_chunks`."""
        chunks: list[StoredChunk] = []
        offset = None
        while True:
            with translated(collection):
                records, offset = self._client.scroll(
                    collection,
                    scroll_filter=document_filter(document_id),
                    limit=_PAGE,
                    offset=offset,
                    with_payload=True,
                )
            chunks.extend(chunk_of(str(record.id), record.payload) for record in records)
            if offset is None:
                return sorted(chunks, key=lambda chunk: chunk.index)

    def vectors_of(self, collection: str, chunk_ids: Sequence[str]) -> Vectors:
        """See `VectorStore.vectors_of`."""
        with translated(collection):
            records = self._client.retrieve(
                collection, list(chunk_ids), with_payload=False, with_vectors=True
            )
        found = {str(record.id): record.vector for record in records}
        return np.array([found[chunk_id] for chunk_id in chunk_ids if chunk_id in found], dtype=np.float32)

    def sample(self, collection: str, n: int) -> list[StoredChunk]:
        """See `VectorStore.sample`."""
        with translated(collection):
            records, _ = self._client.scroll(collection, limit=n, with_payload=True)
        return [chunk_of(str(record.id), record.payload) for record in records]

    def count(self, collection: str, document_id: int | None = None) -> int:
        """See `VectorStore.count`."""
        chosen = None if document_id is None else document_filter(document_id)
        with translated(collection):
            return self._client.count(collection, count_filter=chosen, exact=True).count

    def delete_document(self, collection: str, document_id: int, *, keep: Collection[str] = ()) -> None:
        """See `VectorStore.delete_document`."""
        from qdrant_client import models

        selector = models.FilterSelector(filter=document_filter(document_id, keep))
        with translated(collection):
            self._client.delete(collection, selector, wait=True)

    def delete_chunks(self, collection: str, chunk_ids: Collection[str]) -> None:
        """See `VectorStore.delete_chunks`."""
        from qdrant_client import models

        selector = models.PointIdsList(points=list(chunk_ids))
        with translated(collection):
            self._client.delete(collection, selector, wait=True)

    def drop(self, collection: str) -> None:
        """See `VectorStore.drop`."""
        with translated(collection):
            self._client.delete_collection(collection)

    def close(self) -> None:
        """See `VectorStore.close`."""
        self._client.close()

    def _check(self, collection: str, model: EmbeddingModel) -> None:
        with translated(collection):
            metadata = self._client.get_collection(collection).config.metadata
        if not metadata:
            raise IndexMismatch(
                f"The collection {collection} has no stamp.",
                next_step="Use Qdrant 1.16 or newer and let Footnote create its own collections.",
            )
        check_stamp(collection, metadata, model)


def open_server_store(
    url: str = "", *, api_key: str | None = None, client: QdrantClient | None = None
) -> ServerStore:
    """The store on the server at `url`, or behind a client that is already made."""
    return ServerStore(connected(url, api_key) if client is None else client)
