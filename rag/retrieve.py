"""Candidates for a question: dense and lexical search at once, fused, the best of them read by the reranker."""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from rag.errors import RagError
from rag.fuse import reciprocal_rank_fusion
from rag.index import Index
from rag.rerank import Reranked, Reranker, read_closely
from rag.run import Run
from rag.types import Scope, ScoredChunk


def find_candidates(
    question: str,
    query: str,
    *,
    index: Index,
    scope: Scope,
    reranker: Reranker | None,
    run: Run,
    known: Collection[str] = (),
) -> tuple[ScoredChunk, ...]:
    """What a search for `query` finds, best first for `question`; the gate is not applied.

    What the reranker read comes first, in its order; the rest keeps its fused order. It reads the passages with the
    question, whatever was searched for.

    Args:
        question: what has to be answered.
        query: what to search for; the question itself or another wording of it.
        index: what to search.
        scope: folders and documents the asker may see.
        reranker: None leaves the fused order.
        run: gets the stages.
        known: ids of chunks that an earlier search found; they are left out.
    """
    found = _search(query, index, scope, run)
    fused = tuple(candidate for candidate in found if candidate.chunk.chunk_id not in known)
    if query != question and fused:
        fused = _with_distances_to(question, fused, index, scope)
    return read_passages(question, fused, index, reranker, run) if reranker is not None and fused else fused


def _with_distances_to(
    question: str, candidates: tuple[ScoredChunk, ...], index: Index, scope: Scope
) -> tuple[ScoredChunk, ...]:
    """A distance compares with a cut only where it is the question's own."""
    vector = index.embedder.encode_question(question)
    ids = [candidate.chunk.chunk_id for candidate in candidates]
    distances = {
        chunk.chunk_id: distance
        for chunk, distance in index.store.search(index.name, vector, len(ids), scope, only=ids)
    }
    return tuple(
        replace(candidate, distance=distances[candidate.chunk.chunk_id])
        for candidate in candidates
        if candidate.chunk.chunk_id in distances
    )


def read_passages(
    question: str, fused: tuple[ScoredChunk, ...], index: Index, reranker: Reranker, run: Run
) -> tuple[ScoredChunk, ...]:
    """The first `n_rerank` as the reranker orders them, then the rest; all as they were when it did not finish."""
    head, rest = fused[: index.config.n_rerank], fused[index.config.n_rerank :]
    done = _read(question, head, index, reranker, run)
    if done is None:
        return fused
    read = [
        replace(each, relevance=relevance, rerank_score=score, sentences=sentences)
        for each, relevance, score, sentences in zip(
            head, done.relevance, done.order, done.sentences or ((),) * len(head), strict=True
        )
    ]
    # Stable: equal scores keep the fused order.
    return (*sorted(read, key=lambda each: -(each.rerank_score or 0.0)), *rest)


def _read(
    question: str, head: tuple[ScoredChunk, ...], index: Index, reranker: Reranker, run: Run
) -> Reranked | None:
    """What the reranker gives; None where it ran out of time or failed, which the trace and `run` tell.

    One that failed is not asked again for the same question.
    """
    with run.stage("rerank") as detail:
        detail |= {"reranker": reranker.name, "n_reranked": 0, "n_sentences": 0}
        try:
            if run.reranker_fault is not None:
                raise run.reranker_fault
            done = read_closely(
                reranker,
                question,
                head,
                embedding_model=index.embedder.model.name,
                time_limit_s=min(index.config.rerank_time_s, run.left_s),
            )
        except RagError as error:
            run.reranker_fault = error
            detail |= {"degraded": error.code, "message": error.message, "next_step": error.next_step}
            return None
        detail |= {
            "n_reranked": len(done.order),
            "n_sentences": sum(map(len, done.sentences)),
            "degraded": done.timed_out,
        }
    return None if done.timed_out else done


def _search(query: str, index: Index, scope: Scope, run: Run) -> tuple[ScoredChunk, ...]:
    """Both sides at once; a chunk only the lexical side found gets its distance from the store."""
    n = index.config.n_candidates
    with run.stage("retrieve") as detail, ThreadPoolExecutor(max_workers=1) as beside:
        lexical_search = beside.submit(index.lexical.search, query, n, scope.folder_ids, scope.document_ids)
        vector = index.embedder.encode_question(query)
        dense = index.store.search(index.name, vector, n, scope)
        lexical = dict(lexical_search.result())
        found = {chunk.chunk_id: (chunk, distance) for chunk, distance in dense}
        missing = [chunk_id for chunk_id in lexical if chunk_id not in found]
        # The scope is applied again: a lexical hit that was just deleted or moved does not come back.
        for chunk, distance in index.store.search(index.name, vector, len(missing), scope, only=missing):
            found[chunk.chunk_id] = (chunk, distance)
        detail |= {"n_dense": len(dense), "n_lexical": len(lexical), "n_lexical_only": len(missing)}
    with run.stage("fuse") as detail:
        rankings = [[chunk.chunk_id for chunk, _ in dense], [at for at in lexical if at in found]]
        fused = reciprocal_rank_fusion(rankings, k=index.config.rrf_k)
        detail |= {"n_candidates": len(fused), "k": index.config.rrf_k}
    return tuple(
        ScoredChunk(
            chunk=found[chunk_id][0],
            distance=found[chunk_id][1],
            bm25_score=lexical.get(chunk_id),
            rrf_score=score,
        )
        for chunk_id, score in fused
    )
