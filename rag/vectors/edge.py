"""Qdrant Edge: Qdrant's engine in this process, on disk. The embedded default.

A collection is a folder: ``<collection>/shard`` and ``<collection>/stamp.json``. One process owns a shard;
a second one is refused by the shard's own lock (StoreLocked).

Locks: `_opening` guards the table of open shards; `_writing` serialises writers. Searches take
neither: the engine itself lets readers run beside a writer.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
import threading
import weakref
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rag.atomic import write_atomically
from rag.embed import Vectors
from rag.errors import IndexMissing, RagError, StoreDown, StoreLocked
from rag.types import EmbeddingModel, Scope, StoredChunk
from rag.vectors.payload import DOCUMENT_ID, FOLDER_ID, chunk_of, payload_of
from rag.vectors.stamp import check_stamp, stamp_for

if TYPE_CHECKING:
    from qdrant_edge import EdgeShard, Filter, Record, ScoredPoint

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}")
_log = logging.getLogger(__name__)
_PAGE = 1_000
_UNINDEXED_LIMIT = 20_000
"""Vectors searched one by one stay under 3 ms up to here (384 dimensions); then HNSW is built."""


class EdgeStore:
    """A `VectorStore` in a folder."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._opening = threading.Lock()
        self._writing = threading.RLock()
        self._optimising = threading.Lock()
        self._shards: dict[str, EdgeShard] = {}
        directory.mkdir(parents=True, exist_ok=True)
        weakref.finalize(self, _close_all, self._shards)

    def ensure(self, collection: str, model: EmbeddingModel) -> None:
        """See `VectorStore.ensure`."""
        import qdrant_edge as edge

        with self._writing:
            if self.exists(collection):
                stamp = (self._folder(collection) / "stamp.json").read_text(encoding="utf-8")
                check_stamp(collection, json.loads(stamp), model)
                self._shard(collection)
                return
            folder = self._folder(collection)
            # Without its stamp a folder is what a crash during creation left behind.
            shutil.rmtree(folder, ignore_errors=True)
            (folder / "shard").mkdir(parents=True)
            config = edge.EdgeConfig(
                vectors=edge.EdgeVectorParams(size=model.dimension, distance=edge.Distance.Cosine)
            )
            with _translated(collection):
                shard = edge.EdgeShard.create(str(folder / "shard"), config)
                for field in (FOLDER_ID, DOCUMENT_ID):
                    shard.update(
                        edge.UpdateOperation.create_field_index(field, edge.PayloadSchemaType.Integer)
                    )
                shard.flush()
            with self._opening:
                self._shards[collection] = shard
            write_atomically(folder / "stamp.json", json.dumps(stamp_for(model)))

    def exists(self, collection: str) -> bool:
        """See `VectorStore.exists`."""
        return (self._folder(collection) / "stamp.json").is_file()

    def upsert(self, collection: str, chunks: Sequence[StoredChunk], vectors: Vectors) -> None:
        """See `VectorStore.upsert`."""
        import qdrant_edge as edge

        shard = self._shard(collection)
        with self._writing, _translated(collection):
            for start in range(0, len(chunks), _PAGE):
                points = [
                    edge.Point(chunk.chunk_id, vector.tolist(), dict(payload_of(chunk)))
                    for chunk, vector in zip(
                        chunks[start : start + _PAGE], vectors[start : start + _PAGE], strict=True
                    )
                ]
                shard.update(edge.UpdateOperation.upsert_points(points))
            if chunks:
                shard.flush()
        self._optimise_when_useful(collection, shard)

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
        import qdrant_edge as edge

        shard = self._shard(collection)
        if k <= 0 or not scope.folder_ids or scope.document_ids == () or (only is not None and not only):
            return []
        request = edge.QueryRequest(
            limit=k,
            query=edge.Query.Nearest(vector.tolist()),
            filter=_scope_filter(scope, only),
            with_payload=True,
            params=edge.SearchParams(exact=only is not None),
        )
        with _translated(collection):
            points = shard.query(request)
        return [(_chunk(point), 1.0 - point.score) for point in points]

    def fetch(self, collection: str, chunk_ids: Sequence[str]) -> list[StoredChunk]:
        """See `VectorStore.fetch`."""
        shard = self._shard(collection)
        with _translated(collection):
            records = shard.retrieve(list(chunk_ids), with_payload=True, with_vector=False)
        found = {str(record.id): _chunk(record) for record in records}
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    def document_chunks(self, collection: str, document_id: int) -> list[StoredChunk]:
        """See `VectorStore.document_chunks`."""
        import qdrant_edge as edge

        shard = self._shard(collection)
        chunks: list[StoredChunk] = []
        offset = None
        while True:
            request = edge.ScrollRequest(
                offset=offset, limit=_PAGE, filter=_document_filter(document_id), with_payload=True
            )
            with _translated(collection):
                records, offset = shard.scroll(request)
            chunks.extend(_chunk(record) for record in records)
            if offset is None:
                return sorted(chunks, key=lambda chunk: chunk.index)

    def vectors_of(self, collection: str, chunk_ids: Sequence[str]) -> Vectors:
        """See `VectorStore.vectors_of`."""
        shard = self._shard(collection)
        with _translated(collection):
            records = shard.retrieve(list(chunk_ids), with_payload=False, with_vector=True)
        found = {str(record.id): record.vector for record in records}
        return np.array([found[chunk_id] for chunk_id in chunk_ids if chunk_id in found], dtype=np.float32)

    def sample(self, collection: str, n: int) -> list[StoredChunk]:
        """See `VectorStore.sample`."""
        import qdrant_edge as edge

        shard = self._shard(collection)
        with _translated(collection):
            records, _ = shard.scroll(edge.ScrollRequest(limit=n, with_payload=True))
        return [_chunk(record) for record in records]

    def count(self, collection: str, document_id: int | None = None) -> int:
        """See `VectorStore.count`."""
        import qdrant_edge as edge

        shard = self._shard(collection)
        chosen = None if document_id is None else _document_filter(document_id)
        with _translated(collection):
            return int(shard.count(edge.CountRequest(exact=True, filter=chosen)))

    def delete_document(self, collection: str, document_id: int, *, keep: Collection[str] = ()) -> None:
        """See `VectorStore.delete_document`."""
        import qdrant_edge as edge

        shard = self._shard(collection)
        with self._writing, _translated(collection):
            shard.update(edge.UpdateOperation.delete_points_by_filter(_document_filter(document_id, keep)))
            shard.flush()

    def delete_chunks(self, collection: str, chunk_ids: Collection[str]) -> None:
        """See `VectorStore.delete_chunks`."""
        import qdrant_edge as edge

        shard = self._shard(collection)
        with self._writing, _translated(collection):
            shard.update(edge.UpdateOperation.delete_points(list(chunk_ids)))
            shard.flush()

    def drop(self, collection: str) -> None:
        """See `VectorStore.drop`."""
        with self._writing:
            with self._opening:
                shard = self._shards.pop(collection, None)
            if shard is not None:
                shard.close()
            folder = self._folder(collection)
            # The stamp goes first: a crash in between leaves nothing that counts as a collection.
            (folder / "stamp.json").unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """See `VectorStore.close`."""
        with self._writing, self._opening:
            _close_all(self._shards)

    def _folder(self, collection: str) -> Path:
        if not _NAME.fullmatch(collection):
            raise ValueError(f"a collection's name is letters, digits, '_', '-' and '.', not {collection!r}")
        return self._directory / collection

    def _shard(self, collection: str) -> EdgeShard:
        """The open shard; opened on first use."""
        import qdrant_edge as edge

        shard = self._shards.get(collection)
        if shard is not None:
            return shard
        with self._opening:
            if collection not in self._shards:
                if not self.exists(collection):
                    raise IndexMissing(f"There is no collection {collection}.")
                with _translated(collection):
                    self._shards[collection] = edge.EdgeShard.load(str(self._folder(collection) / "shard"))
            return self._shards[collection]

    def _optimise_when_useful(self, collection: str, shard: EdgeShard) -> None:
        """Build HNSW beside the searches once enough vectors are searched one by one."""
        with _translated(collection):
            info = shard.info()
        unindexed = info.points_count - info.indexed_vectors_count
        if unindexed >= _UNINDEXED_LIMIT and not self._optimising.locked():
            threading.Thread(
                target=self._optimise, args=(collection, shard), name="hnsw", daemon=True
            ).start()

    def _optimise(self, collection: str, shard: EdgeShard) -> None:
        if self._optimising.acquire(blocking=False):
            try:
                with _translated(collection):
                    shard.optimize()
            except RagError:  # the shard may be closed; searches go on without the graph
                _log.exception("building the graph of a vector folder failed")
            finally:
                self._optimising.release()


def open_edge_store(directory: Path) -> EdgeStore:
    """The embedded store in `directory`, which is created; shards open on first use."""
    return EdgeStore(Path(directory))


def _close_all(shards: dict[str, EdgeShard]) -> None:
    while shards:
        _, shard = shards.popitem()
        shard.close()


@contextmanager
def _translated(collection: str) -> Iterator[None]:
    """Map the engine's errors, which are plain `Exception`s with a text, to ours."""
    try:
        yield
    except Exception as exc:
        if "WouldBlock" in str(exc):
            raise StoreLocked(f"Another process has the collection {collection} open.") from exc
        raise StoreDown(
            f"The vector folder of {collection} cannot be used.",
            next_step="Check the disk's space and rights; `manage.py doctor` says more.",
        ) from exc


def _scope_filter(scope: Scope, only: Collection[str] | None) -> Filter:
    import qdrant_edge as edge

    must: list[edge.FieldCondition | edge.HasIdCondition] = [
        edge.FieldCondition(FOLDER_ID, match=edge.MatchAny(list(scope.folder_ids)))
    ]
    if scope.document_ids is not None:
        must.append(edge.FieldCondition(DOCUMENT_ID, match=edge.MatchAny(list(scope.document_ids))))
    if only is not None:
        must.append(edge.HasIdCondition(set(only)))
    return edge.Filter(must=list(must))


def _document_filter(document_id: int, keep: Collection[str] = ()) -> Filter:
    import qdrant_edge as edge

    return edge.Filter(
        must=[edge.FieldCondition(DOCUMENT_ID, match=edge.MatchValue(document_id))],
        must_not=[edge.HasIdCondition(set(keep))] if keep else None,
    )


def _chunk(point: Record | ScoredPoint) -> StoredChunk:
    return chunk_of(str(point.id), point.payload)
