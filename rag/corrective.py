"""The corrective loop of one question: search, gate, grade, and search again in other words where it may help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rag.gate import gate_score, pass_gate
from rag.index import Index
from rag.refine import rewordings
from rag.rerank import Reranker
from rag.retrieve import find_candidates
from rag.run import Detail, Run
from rag.types import Scope, ScoredChunk, Thresholds

Decision = Literal["generate", "refine", "refuse"]


@dataclass(frozen=True, slots=True)
class Searched:
    """What the searches for one question found, best first, and what of it passed the gate."""

    question: str
    found: tuple[ScoredChunk, ...] = ()
    passages: tuple[ScoredChunk, ...] = ()


def search_for(question: str, *, index: Index, scope: Scope, reranker: Reranker | None, run: Run) -> Searched:
    """At most ``max_hops`` searches for one question; the last of them decides."""
    found: tuple[ScoredChunk, ...] = ()
    queries = [question]
    for hop in range(1, index.config.max_hops + 1):
        found = best_first(
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
            detail |= {**compared(found, run.thresholds), "n_passed": len(passages)}
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
    return Searched(question, found, passages)


def best_of(found: Sequence[ScoredChunk]) -> float | None:
    """The best number that the gate compares among `found`; None where there is none."""
    if gate_score(found) == "relevance":
        return max((each.relevance for each in found if each.relevance is not None), default=None)
    return min((each.distance for each in found), default=None)


def best_first(candidates: Sequence[ScoredChunk]) -> tuple[ScoredChunk, ...]:
    """What was read by the reranker in its order, the rest behind in the order of the searches."""
    return tuple(
        sorted(
            candidates, key=lambda each: -each.rerank_score if each.rerank_score is not None else float("inf")
        )
    )


def _grade(found: Sequence[ScoredChunk], passages: Sequence[ScoredChunk], index: Index) -> Decision:
    """Enough to write from, hopeless, or between the two. Only a relevance is a grade, a distance is none."""
    if passages:
        return "generate"
    best = max((each.relevance for each in found if each.relevance is not None), default=0.0)
    return "refine" if best >= index.config.refine_from else "refuse"


def compared(found: Sequence[ScoredChunk], thresholds: Thresholds) -> Detail:
    """What the gate compared, the best of it, and the cut."""
    score = gate_score(found)
    return {"score": score, "best": best_of(found), "cut": thresholds.cut_of(score)}
