"""What a question takes for granted, held against the passages that were found for it."""

from __future__ import annotations

from collections.abc import Sequence

from rag.ask.premise import premises
from rag.contradiction import Contradiction, contradiction
from rag.gate import gate_score
from rag.index import Index
from rag.rerank.pair_model import OutOfTime
from rag.run import Detail, Run
from rag.types import ScoredChunk
from rag.verify import SupportModel


def check_premises(
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
