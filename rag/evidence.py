"""The corrective loop: search, gate, grade, and search again in other words where it may help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rag.ask.premise import premises
from rag.contradiction import Contradiction, contradiction
from rag.gate import gate_score, pass_gate
from rag.index import Index
from rag.refine import rewordings
from rag.rerank import Reranker
from rag.rerank.pair_model import OutOfTime
from rag.retrieve import find_candidates
from rag.run import Detail, Run
from rag.types import Scope, ScoredChunk, Thresholds
from rag.understand import Asked
from rag.verify import SupportModel

Decision = Literal["generate", "refine", "refuse"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The passages that may be written from, best first, and those of each part of the question.

    Both are empty where any part has none: half an answer to a comparison is none.
    """

    passages: tuple[ScoredChunk, ...] = ()
    of_parts: tuple[tuple[ScoredChunk, ...], ...] = ()
    contradiction: Contradiction | None = None
    """Of a premise of the question; also where the evidence is not enough to answer."""


def gather(
    asked: Asked,
    *,
    index: Index,
    scope: Scope,
    reranker: Reranker | None,
    support: SupportModel | None,
    run: Run,
) -> Evidence:
    """Evidence for the question, or for each of its parts; a question of several parts is tried whole as well."""
    of_parts = [_hops(part, index, scope, reranker, run) for part in asked.parts]
    if len(asked.parts) > 1 and not all(of_parts):
        of_parts = [_hops(asked.question, index, scope, reranker, run)]
    passages = _joined(of_parts, run.thresholds.max_chunks) if all(of_parts) else ()
    said_otherwise = _check_premises(asked.question, passages, index, support, run)
    return Evidence(passages, tuple(of_parts) if passages else (), said_otherwise)


def _hops(
    question: str, index: Index, scope: Scope, reranker: Reranker | None, run: Run
) -> tuple[ScoredChunk, ...]:
    """The passages that pass for one question, after at most ``max_hops`` searches."""
    found: tuple[ScoredChunk, ...] = ()
    queries = [question]
    for hop in range(1, index.config.max_hops + 1):
        found = _best_first(
            [
                *found,
                *find_candidates(
                    question,
                    queries.pop(0),
                    index=index,
                    scope=scope,
                    reranker=reranker,
                    run=run,
                    known={each.chunk.chunk_id for each in found},
                ),
            ]
        )
        with run.stage("gate") as detail:
            passages = pass_gate(found, run.thresholds)
            detail |= {**_compared(found, run.thresholds), "n_passed": len(passages)}
        with run.stage("grade") as detail:
            decision = _grade(found, passages, index)
            if hop == 1:
                queries = list(rewordings(question, found))
            is_last = not queries or hop == index.config.max_hops or run.left_s == 0.0
            if decision == "refine" and is_last:
                decision = "refuse"
            detail |= {"decision": decision, "hop": hop}
            if decision == "refine":
                detail["searched_next"] = queries[0]
        if decision != "refine":
            break
    run.keep(found)
    return passages


def _grade(found: Sequence[ScoredChunk], passages: Sequence[ScoredChunk], index: Index) -> Decision:
    """Enough to write from, hopeless, or between the two. Only a relevance is a grade, a distance is none."""
    if passages:
        return "generate"
    best = max((each.relevance for each in found if each.relevance is not None), default=0.0)
    return "refine" if best >= index.config.refine_from else "refuse"


def _best_first(candidates: Sequence[ScoredChunk]) -> tuple[ScoredChunk, ...]:
    """What was read by the reranker in its order, the rest behind in the order of the searches."""
    return tuple(
        sorted(
            candidates, key=lambda each: -each.rerank_score if each.rerank_score is not None else float("inf")
        )
    )


def _compared(found: Sequence[ScoredChunk], thresholds: Thresholds) -> Detail:
    """What the gate compared, the best of it, and the cut."""
    if gate_score(found) == "relevance":
        best = max((each.relevance for each in found if each.relevance is not None), default=None)
        return {"score": "relevance", "best": best, "cut": thresholds.relevance_cut}
    nearest = min((each.distance for each in found), default=None)
    return {"score": "distance", "best": nearest, "cut": thresholds.distance_cut}


def _joined(of_parts: Sequence[tuple[ScoredChunk, ...]], n: int) -> tuple[ScoredChunk, ...]:
    """The best of each part, then the second best, until `n`; each passage once."""
    longest = max(map(len, of_parts), default=0)
    by_turns = [passages[at] for at in range(longest) for passages in of_parts if at < len(passages)]
    return tuple({each.chunk.chunk_id: each for each in by_turns}.values())[: max(n, len(of_parts))]


def _check_premises(
    question: str, passages: Sequence[ScoredChunk], index: Index, support: SupportModel | None, run: Run
) -> Contradiction | None:
    """What the question takes for granted: how well the evidence supports it, and who says otherwise.

    The first is a signal for the record. Neither is a gate: a question with a wrong premise is answered or refused as
    the evidence allows.
    """
    taken = premises(question)
    near = _rated_high(passages, index, run)
    if not taken or not near:
        return None
    with run.stage("premise") as detail:
        detail["premise"] = taken[0]
        found = contradiction(taken, near)
        if found is not None:
            detail.update(premise=found.premise, contradicted_by=found.kind)
        detail.update(_supported(taken, passages, support, run))
    return found


def _rated_high(passages: Sequence[ScoredChunk], index: Index, run: Run) -> tuple[ScoredChunk, ...]:
    """The passages that passed; where none did those that the reranker at least doubts about, best first."""
    if passages or gate_score(run.candidates) != "relevance":
        return tuple(passages)
    read = [each for each in run.candidates if (each.relevance or 0.0) >= index.config.refine_from]
    return tuple(sorted(read, key=lambda each: -(each.relevance or 0.0))[: run.thresholds.max_chunks])


def _supported(
    taken: Sequence[str], passages: Sequence[ScoredChunk], support: SupportModel | None, run: Run
) -> Detail:
    """The support of the weakest premise by the passage that carries it best, in [0, 1]."""
    if support is None or not passages:
        return {}
    try:
        pairs = [(premise, each.chunk.text) for premise in taken for each in passages]
        scores = support.support(pairs, deadline=run.deadline)
    except OutOfTime:
        return {"degraded": True}
    n = len(passages)
    return {"support": min(max(scores[at * n : (at + 1) * n]) for at in range(len(taken)))}
