"""BM25 as sparse vectors on a Qdrant server, for corpora that outgrow one machine.

A point's vector holds tf / (tf + k1 (1 − b + b·len/avg)) by term; the server multiplies by idf, which it counts
itself (``modifier=IDF``, the same formula: ln(1 + (N − n + 0.5)/(n + 0.5))). `avg` is a fixed number of the
configuration: the true one changes with each document, and with it every vector. The further it is off, the
more or less long passages are held back; order among passages of like length does not change.
Terms are numbered by 32 bits of their key: among 100,000 terms about one pair shares a number.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.config import PIPELINE_VERSION, RagConfig
from rag.errors import IndexMismatch
from rag.lexical.faults import REBUILD_WORDS
from rag.lexical.segment import term_key
from rag.lexical.words import DEFAULT_LANGUAGE, LANGUAGES, WORDS_VERSION, Bag, bag_of, question_terms
from rag.types import Scope
from rag.vectors.payload import DOCUMENT_ID, FOLDER_ID
from rag.vectors.qdrant import connected, document_filter, scope_filter, translated

if TYPE_CHECKING:
    from qdrant_client import QdrantClient
    from qdrant_client.models import PointStruct, SparseVector

_VECTOR = "bm25"
_LANGUAGE = "language"
_BATCH = 256
_LANGUAGES_KEPT_S = 10.0
"""How long another process's first document in a language may stay unasked in it."""


class SparseIndex:
    """A `LexicalIndex` in a collection of its own; chunk ids are UUIDs."""

    def __init__(self, client: QdrantClient, collection: str, *, config: RagConfig) -> None:
        """See `open_server_lexical`."""
        self._client = client
        self._collection = collection
        self._k1 = config.bm25_k1
        self._b = config.bm25_b
        self._average = config.bm25_average_words
        self._languages: dict[tuple[int, ...], tuple[float, tuple[str, ...]]] = {}
        self._is_there = False
        self._ensure()

    def put_document(
        self,
        document_id: int,
        folder_id: int,
        chunks: Sequence[tuple[str, str]],
        language: str = DEFAULT_LANGUAGE,
    ) -> None:
        """See `LexicalIndex.put_document`. New chunks are written before old ones are removed."""
        payload: dict[str, int | str] = {FOLDER_ID: folder_id, DOCUMENT_ID: document_id, _LANGUAGE: language}
        points = [self._point(chunk_id, bag_of(text, language), payload) for chunk_id, text in chunks]
        if not self._is_there:
            self._ensure()
        with translated(self._collection):
            for start in range(0, len(points), _BATCH):
                self._client.upsert(self._collection, points[start : start + _BATCH], wait=True)
        self._delete(document_id, keep=[chunk_id for chunk_id, _ in chunks])

    def delete_document(self, document_id: int) -> None:
        """See `LexicalIndex.delete_document`."""
        self._delete(document_id)

    def count(self, document_id: int | None = None) -> int:
        """See `LexicalIndex.count`."""
        chosen = None if document_id is None else document_filter(document_id)
        with translated(self._collection):
            return self._client.count(self._collection, count_filter=chosen, exact=True).count

    def search(
        self,
        question: str,
        k: int,
        folder_ids: Sequence[int],
        document_ids: Sequence[int] | None = None,
    ) -> list[tuple[str, float]]:
        """See `LexicalIndex.search`."""
        scope = Scope(tuple(folder_ids), None if document_ids is None else tuple(document_ids))
        if k <= 0 or not scope.folder_ids or scope.document_ids == ():
            return []
        numbers = sorted({_number(term) for term in question_terms(question, self._languages_in(scope))})
        if not numbers:
            return []
        with translated(self._collection):
            found = self._client.query_points(
                self._collection,
                query=_vector(numbers, [1.0] * len(numbers)),
                using=_VECTOR,
                limit=k,
                query_filter=scope_filter(scope),
                with_payload=False,
            )
        return [(str(point.id), point.score) for point in found.points if point.score > 0.0]

    def drop(self) -> None:
        """See `LexicalIndex.drop`."""
        self._languages.clear()
        self._is_there = False
        with translated(self._collection):
            self._client.delete_collection(self._collection)

    def _delete(self, document_id: int, *, keep: Sequence[str] = ()) -> None:
        from qdrant_client import models

        selector = models.FilterSelector(filter=document_filter(document_id, keep))
        with translated(self._collection):
            self._client.delete(self._collection, selector, wait=True)
        self._languages.clear()

    def _point(self, chunk_id: str, bag: Bag, payload: dict[str, int | str]) -> PointStruct:
        from qdrant_client import models

        counts = Counter(map(_number, bag.terms))
        saturation = self._k1 * (1.0 - self._b + self._b * bag.length / self._average)
        values = [tf / (tf + saturation) for tf in counts.values()]
        return models.PointStruct(
            id=chunk_id, vector={_VECTOR: _vector(list(counts), values)}, payload=payload
        )

    def _languages_in(self, scope: Scope) -> tuple[str, ...]:
        """Languages of the documents in the scope's folders; asked again when what is known is old."""
        expires, languages = self._languages.get(scope.folder_ids, (0.0, ()))
        if time.monotonic() < expires:
            return languages
        with translated(self._collection):
            facet = self._client.facet(
                self._collection,
                _LANGUAGE,
                facet_filter=scope_filter(Scope(scope.folder_ids)),
                limit=len(LANGUAGES),
                exact=True,
            )
        languages = tuple(sorted(str(hit.value) for hit in facet.hits))
        self._languages[scope.folder_ids] = (time.monotonic() + _LANGUAGES_KEPT_S, languages)
        return languages

    def _ensure(self) -> None:
        """Create the collection with its payload indexes, or check its stamp."""
        from qdrant_client import models

        with translated(self._collection):
            if not self._client.collection_exists(self._collection):
                self._create()
            metadata = self._client.get_collection(self._collection).config.metadata or {}
        differences = [
            f"{name} {metadata.get(name)!r} instead of {value!r}"
            for name, value in self._stamp().items()
            if metadata.get(name) != value
        ]
        if differences:
            raise IndexMismatch(
                f"The collection {self._collection} was made with {', '.join(differences)}.",
                next_step=REBUILD_WORDS,
            )
        kinds = {
            FOLDER_ID: models.PayloadSchemaType.INTEGER,
            DOCUMENT_ID: models.PayloadSchemaType.INTEGER,
            _LANGUAGE: models.PayloadSchemaType.KEYWORD,
        }
        with translated(self._collection):
            for field, kind in kinds.items():
                self._client.create_payload_index(self._collection, field, field_schema=kind)
        self._is_there = True

    def _create(self) -> None:
        from qdrant_client import models

        try:
            self._client.create_collection(
                self._collection,
                vectors_config={},
                sparse_vectors_config={_VECTOR: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                metadata=self._stamp(),
            )
        except Exception:
            # Two workers may create it at once; the second one finds it made.
            if not self._client.collection_exists(self._collection):
                raise

    def _stamp(self) -> dict[str, str | float]:
        return {
            "k1": self._k1,
            "b": self._b,
            "average_words": self._average,
            "pipeline": PIPELINE_VERSION,
            "words": WORDS_VERSION,
        }


def open_server_lexical(
    name: str,
    url: str = "",
    *,
    config: RagConfig,
    api_key: str | None = None,
    client: QdrantClient | None = None,
) -> SparseIndex:
    """The lexical side of the index `name` on the server at `url`, or behind a client that is already made.

    Its collection ``<name>-lexical`` is created.

    Raises:
        IndexMismatch: the collection was made with other numbers or by another pipeline version.
        StoreDown: the server does not answer.
    """
    return SparseIndex(
        connected(url, api_key) if client is None else client, f"{name}-lexical", config=config
    )


def drop_server_lexical(
    name: str, url: str = "", *, api_key: str | None = None, client: QdrantClient | None = None
) -> None:
    """Remove the lexical side of the index `name` from the server, however it was made.

    Raises:
        StoreDown: the server does not answer.
    """
    asked = connected(url, api_key) if client is None else client
    collection = f"{name}-lexical"
    with translated(collection):
        asked.delete_collection(collection)


def _number(term: str) -> int:
    return term_key(term) & 0xFFFFFFFF


def _vector(numbers: list[int], values: list[float]) -> SparseVector:
    from qdrant_client import models

    return models.SparseVector(indices=numbers, values=values)
