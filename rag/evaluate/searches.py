"""The search that a configuration stands for, over a real index."""

from __future__ import annotations

from rag.evaluate.retrieval import Configuration, Search
from rag.index import Index
from rag.pipeline import retrieve
from rag.rerank import Reranker
from rag.types import Scope, ScoredChunk


def search_with(
    configuration: Configuration,
    *,
    index: Index,
    scope: Scope,
    reranker: Reranker | None = None,
    n: int | None = None,
) -> Search:
    """A search that gives chunks best first, as `rag.retrieve` does or by one of its sides alone.

    Args:
        configuration: its chunking and model must be those the index was built with.
        index: what is searched.
        scope: what may be found.
        reranker: reads hybrid candidates where the configuration is a reranked one.
        n: how many chunks one side alone gives; None gives as many as it hands to the fusion.

    Raises:
        ValueError: a reranked configuration without a reranker, or over one side alone.
    """
    if configuration.reranked and (reranker is None or configuration.retrieval != "hybrid"):
        raise ValueError("a reranked configuration needs a reranker and hybrid candidates")
    depth = n or index.config.n_candidates

    def dense(question: str) -> list[ScoredChunk]:
        found = index.store.search(index.name, index.embedder.encode_question(question), depth, scope)
        return [
            ScoredChunk(chunk, distance, None, _by_rank(index, rank))
            for rank, (chunk, distance) in enumerate(found, start=1)
        ]

    def lexical(question: str) -> list[ScoredChunk]:
        scores = dict(index.lexical.search(question, depth, scope.folder_ids, scope.document_ids))
        vector = index.embedder.encode_question(question)
        found = {
            chunk.chunk_id: (chunk, distance)
            for chunk, distance in index.store.search(
                index.name, vector, len(scores), scope, only=list(scores)
            )
        }
        ranked = [(*found[chunk_id], score) for chunk_id, score in scores.items() if chunk_id in found]
        return [
            ScoredChunk(chunk, distance, score, _by_rank(index, rank))
            for rank, (chunk, distance, score) in enumerate(ranked, start=1)
        ]

    def hybrid(question: str) -> tuple[ScoredChunk, ...]:
        return retrieve(
            question, index=index, scope=scope, reranker=reranker if configuration.reranked else None
        )

    return {"dense": dense, "bm25": lexical, "hybrid": hybrid}[configuration.retrieval]


def _by_rank(index: Index, rank: int) -> float:
    return 1.0 / (index.config.rrf_k + rank)
