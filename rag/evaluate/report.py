"""One run over a golden set. Retriever and generator faults are counted apart, bluffs beside wrong refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rag.evaluate.golden import GoldenNeedle, GoldenRefusal, holds_needle, squeezed
from rag.evaluate.retrieval import Search, needle_rank
from rag.evaluate.statistics import Proportion
from rag.types import Answered, Refused

Ask = Callable[[str], Answered | Refused]


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """What a golden set shows.

    Attributes:
        recall: k → questions for which one of the first k retrieved chunks holds the needle.
        coverage: answerable questions that were answered, rightly or not.
        right_passage: answerable questions with an answer that cites a chunk that holds the needle.
        right_quote: the stricter count: a quote holds the needle or is part of it.
        wrong_refusals: answerable questions that were refused.
        refusal_reasons: reason → how often an answerable question was refused for it.
        bluffs: questions to refuse that were answered.
        bluffs_by_kind: the same, per kind.
    """

    recall: Mapping[int, Proportion]
    coverage: Proportion
    right_passage: Proportion
    right_quote: Proportion
    wrong_refusals: Proportion
    refusal_reasons: Mapping[str, int]
    bluffs: Proportion
    bluffs_by_kind: Mapping[str, Proportion]


def evaluate_answers(
    needles: Sequence[GoldenNeedle],
    refusals: Sequence[GoldenRefusal],
    *,
    search: Search,
    ask: Ask,
    ks: Sequence[int] = (1, 4, 20),
    tickets: bool = True,
) -> EvaluationReport:
    """Ask everything once: each needle's question and, with `tickets`, its ticket; then the refusals.

    `search` gives retrieved chunks, best first; `ask` gives the whole pipeline's result.
    """
    asked = [(needle, needle.question) for needle in needles]
    if tickets:
        asked += [(needle, needle.ticket) for needle in needles if needle.ticket]
    ranks = [needle_rank(search(question), needle.needle) for needle, question in asked]
    results = [(needle, ask(question)) for needle, question in asked]
    answered = [(needle, result) for needle, result in results if isinstance(result, Answered)]
    reasons: dict[str, int] = {}
    for _, result in results:
        if isinstance(result, Refused):
            reasons[result.reason.value] = reasons.get(result.reason.value, 0) + 1
    bluffed = [(refusal.kind, isinstance(ask(refusal.question), Answered)) for refusal in refusals]
    n = len(asked)
    return EvaluationReport(
        recall={k: Proportion(sum(rank is not None and rank <= k for rank in ranks), n) for k in ks},
        coverage=Proportion(len(answered), n),
        right_passage=Proportion(sum(cites_needle(result, needle.needle) for needle, result in answered), n),
        right_quote=Proportion(sum(quotes_needle(result, needle.needle) for needle, result in answered), n),
        wrong_refusals=Proportion(n - len(answered), n),
        refusal_reasons=reasons,
        bluffs=Proportion(sum(bluff for _, bluff in bluffed), len(bluffed)),
        bluffs_by_kind={
            kind: Proportion(
                sum(bluff for k, bluff in bluffed if k == kind), sum(k == kind for k, _ in bluffed)
            )
            for kind in dict.fromkeys(kind for kind, _ in bluffed)
        },
    )


def cites_needle(result: Answered, needle: str) -> bool:
    """Whether a cited chunk holds the whole needle."""
    return any(holds_needle(citation.chunk.content, needle) for citation in result.citations)


def quotes_needle(result: Answered, needle: str) -> bool:
    """Whether a quote holds the needle, or is the part of it that one sentence makes up."""
    return any(
        holds_needle(citation.quote, needle) or squeezed(citation.quote) in squeezed(needle)
        for citation in result.citations
    )
