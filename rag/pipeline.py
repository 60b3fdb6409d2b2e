"""A question's way: retrieve → fuse → rerank → gate → generate → bind, each stage timed and recorded."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from rag.cite import bind
from rag.errors import EmptyQuestion, QuestionTooLong
from rag.fuse import reciprocal_rank_fusion
from rag.gate import gate_score, pass_gate
from rag.generate import ExtractiveGenerator, Generator
from rag.index import Index
from rag.rerank import Reranker
from rag.types import (
    Answered,
    GateScore,
    RefusalReason,
    Refused,
    Scope,
    ScoredChunk,
    Stage,
    Thresholds,
    Trace,
)

_N_NEAREST = 4
Detail = dict[str, str | int | float | bool | None]


def answer(
    question: str,
    *,
    index: Index,
    scope: Scope,
    thresholds: Thresholds,
    reranker: Reranker | None = None,
    generator: Generator | None = None,
) -> Answered | Refused:
    """An answer of cited sentences, or a refusal with its reason; never an unsupported sentence.

    Args:
        question: in words, at most ``config.max_question_chars``.
        index: what to search.
        scope: folders and documents the asker may see; nothing else is looked at.
        thresholds: the gate of this index version.
        reranker: reads the best candidates; None leaves the fused order and gates by distance.
        generator: writes the draft; None quotes (`ExtractiveGenerator`).

    Raises:
        EmptyQuestion, QuestionTooLong: the question cannot be asked as it is.
        RagError: a store or model does not work; never worded as a refusal.
    """
    question = _valid(question, index)
    run = _Run(thresholds)
    if not scope.folder_ids:
        return run.refused(RefusalReason.OUT_OF_SCOPE_FOLDER)
    run.candidates = _retrieve(question, index, scope, reranker, run)
    if not run.candidates:
        return run.refused(RefusalReason.NOTHING_RETRIEVED)
    with run.stage("gate") as detail:
        passages = pass_gate(run.candidates, thresholds)
        detail.update(run.gate_detail, n_passed=len(passages))
    if not passages:
        return run.refused(RefusalReason.BELOW_THRESHOLD)
    generator = generator or _quoting(index)
    with run.stage("generate") as detail:
        draft = generator.generate(question, passages)
        detail |= {"generator": generator.name, "n_sentences": len(draft.sentences)}
        detail["evidence"] = draft.evidence
    with run.stage("bind") as detail:
        bound = bind(draft, passages)
        detail |= {"n_citations": len(bound.citations), "n_unresolved": bound.n_unresolved}
    if not bound.sentences:
        return run.refused(draft.abstained or RefusalReason.MODEL_ABSTAINED)
    return Answered(
        sentences=bound.sentences,
        citations=bound.citations,
        best_distance=min(citation.distance for citation in bound.citations),
        n_unresolved_markers=bound.n_unresolved,
        generator=generator.name,
        trace=run.trace(),
        gate_score=run.gate_score,
        best_relevance=max(
            (citation.relevance for citation in bound.citations if citation.relevance is not None),
            default=None,
        ),
    )


def retrieve(
    question: str, *, index: Index, scope: Scope, reranker: Reranker | None = None
) -> tuple[ScoredChunk, ...]:
    """The candidates for a question in the scope, best first; the gate is not applied.

    What the reranker read comes first, in its order; the rest keeps its fused order.

    Raises:
        EmptyQuestion, QuestionTooLong: see `answer`.
    """
    question = _valid(question, index)
    return _retrieve(question, index, scope, reranker, _Run(Thresholds(2.0))) if scope.folder_ids else ()


def _retrieve(
    question: str, index: Index, scope: Scope, reranker: Reranker | None, run: _Run
) -> tuple[ScoredChunk, ...]:
    fused = _search(question, index, scope, run)
    return _rerank(question, fused, index, reranker, run) if reranker is not None and fused else fused


def _rerank(
    question: str, fused: tuple[ScoredChunk, ...], index: Index, reranker: Reranker, run: _Run
) -> tuple[ScoredChunk, ...]:
    """The first `n_rerank` as the reranker orders them, then the rest; all as they were when it ran out of time."""
    config = index.config
    head, rest = fused[: config.n_rerank], fused[config.n_rerank :]
    with run.stage("rerank") as detail:
        done = reranker.rerank(
            question, head, embedding_model=index.embedder.model.name, time_limit_s=config.rerank_time_s
        )
        detail |= {"reranker": reranker.name, "n_reranked": len(done.relevance), "degraded": done.timed_out}
    if done.timed_out:
        return fused
    read = [
        replace(each, relevance=relevance, rerank_score=score)
        for each, relevance, score in zip(head, done.relevance, done.order, strict=True)
    ]
    # Stable: equal scores keep the fused order.
    return (*sorted(read, key=lambda each: -(each.rerank_score or 0.0)), *rest)


def _search(question: str, index: Index, scope: Scope, run: _Run) -> tuple[ScoredChunk, ...]:
    """Both sides at once; a chunk only the lexical side found gets its distance from the store."""
    n = index.config.n_candidates
    with run.stage("retrieve") as detail, ThreadPoolExecutor(max_workers=1) as beside:
        lexical_search = beside.submit(
            index.lexical.search, question, n, scope.folder_ids, scope.document_ids
        )
        vector = index.embedder.encode_question(question)
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


def _quoting(index: Index) -> Generator:
    return ExtractiveGenerator(
        index.embedder,
        max_sentences=index.config.max_sentences,
        evidence_floor=index.config.evidence_floor,
        reranked_evidence_floor=index.config.reranked_evidence_floor,
    )


def _valid(question: str, index: Index) -> str:
    question = " ".join(question.split())
    if not any(character.isalnum() for character in question):
        raise EmptyQuestion("The question holds no word.")
    limit = index.config.max_question_chars
    if len(question) > limit:
        raise QuestionTooLong(f"The question has {len(question)} characters; at most {limit} are read.")
    return question


@dataclass(slots=True)
class _Run:
    """One question under way: its stages so far and what they found."""

    thresholds: Thresholds
    candidates: tuple[ScoredChunk, ...] = ()
    stages: list[Stage] = field(default_factory=list)

    @property
    def best_distance(self) -> float | None:
        return min((candidate.distance for candidate in self.candidates), default=None)

    @property
    def best_relevance(self) -> float | None:
        read = [each.relevance for each in self.candidates if each.relevance is not None]
        return max(read, default=None)

    @property
    def gate_score(self) -> GateScore:
        return gate_score(self.candidates)

    @property
    def gate_detail(self) -> Detail:
        """What was compared, the best of it, and the cut."""
        if self.gate_score == "relevance":
            return {"score": "relevance", "best": self.best_relevance, "cut": self.thresholds.relevance_cut}
        return {"score": "distance", "best": self.best_distance, "cut": self.thresholds.distance_cut}

    @contextmanager
    def stage(self, name: str) -> Iterator[Detail]:
        """Time what runs inside; what is put into the yielded dict becomes the stage's detail."""
        detail: Detail = {}
        started = time.perf_counter()
        yield detail
        self.stages.append(Stage(name, (time.perf_counter() - started) * 1_000, detail))

    def trace(self) -> Trace:
        return Trace(tuple(self.stages), self.candidates)

    def refused(self, reason: RefusalReason) -> Refused:
        if self.gate_score == "relevance":
            nearest = sorted(self.candidates, key=lambda candidate: -(candidate.relevance or 0.0))[
                :_N_NEAREST
            ]
        else:
            nearest = sorted(self.candidates, key=lambda candidate: candidate.distance)[:_N_NEAREST]
        return Refused(
            reason=reason,
            best_distance=self.best_distance,
            distance_cut=self.thresholds.distance_cut,
            nearest=tuple(nearest),
            trace=self.trace(),
            gate_score=self.gate_score,
            best_relevance=self.best_relevance,
            relevance_cut=self.thresholds.relevance_cut,
        )
