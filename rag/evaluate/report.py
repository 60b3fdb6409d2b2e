"""One run over a golden set. Retriever and generator faults are counted apart, bluffs beside wrong refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rag.evaluate.gold_answers import GoldAnswerCounts, count_gold_answers, score_gold_answers
from rag.evaluate.golden import AskedQuestion, GoldenSet, Wording, holds_needle, squeezed
from rag.evaluate.latency import LatencyReport, latency_of
from rag.evaluate.retrieval import needle_rank
from rag.evaluate.statistics import Proportion
from rag.gate import pass_gate
from rag.types import Answered, Refused, Thresholds

Ask = Callable[[str], Answered | Refused]
Fault = Literal["not_retrieved", "cut_by_gate", "not_quoted"]
"""Where the right passage was lost. The retriever's: not among the candidates, or held back by the gate (behind the
cut, or behind the first few that pass). The generator's: handed over and not quoted."""
FAULTS: tuple[Fault, ...] = ("not_retrieved", "cut_by_gate", "not_quoted")


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """Answerable questions. Several needles are found, cited or quoted when all of them are.

    Attributes:
        recall: k → questions with at most k needles of which the needles stand in the first k candidates.
        coverage: questions that were answered, rightly or not.
        right_passage: questions with an answer that cites the chunks that hold the needles.
        right_quote: the stricter count: quotes hold the needles or are part of them.
        wrong_refusals: questions that were refused.
        refusal_reasons: reason → how often a question was refused for it.
        faults: where the right passage was lost → how often; with `right_passage` they add up to all questions.
        gold_answers: of the questions that have gold answers; None where none has.
    """

    recall: Mapping[int, Proportion]
    coverage: Proportion
    right_passage: Proportion
    right_quote: Proportion
    wrong_refusals: Proportion
    refusal_reasons: Mapping[str, int]
    faults: Mapping[Fault, int]
    gold_answers: GoldAnswerCounts | None


@dataclass(frozen=True, slots=True)
class EvaluationReport(AnswerCounts):
    """What a golden set shows; the counts at the top are over questions and tickets, with one needle each.

    Attributes:
        by_wording: the same counts for each wording that was asked, multihop questions too.
        bluffs: questions to refuse that were answered.
        bluffs_by_kind: the same, per kind.
        latency: every question asked, in all and by stage.
    """

    by_wording: Mapping[Wording, AnswerCounts]
    bluffs: Proportion
    bluffs_by_kind: Mapping[str, Proportion]
    latency: LatencyReport


@dataclass(frozen=True, slots=True)
class _Outcome:
    asked: AskedQuestion
    result: Answered | Refused
    rank: int | None
    fault: Fault | None


def evaluate_answers(
    golden: GoldenSet,
    *,
    ask: Ask,
    thresholds: Thresholds,
    ks: Sequence[int] = (1, 4, 20),
    wordings: Sequence[Wording] = tuple(Wording),
) -> EvaluationReport:
    """Ask every question once, in each of the `wordings`, then every question to refuse.

    `ask` gives the whole pipeline's result with its trace; `thresholds` are those it asks with, for the gate is
    applied again to say what it cut.
    """
    outcomes = [
        _outcome(asked, ask(asked.question), thresholds)
        for asked in golden.asked
        if asked.wording in wordings
    ]
    refusals = [(refusal.kind, ask(refusal.question)) for refusal in golden.refusals]
    bluffed = [(kind, isinstance(result, Answered)) for kind, result in refusals]
    one_needle = _counts([o for o in outcomes if o.asked.wording is not Wording.MULTIHOP], ks)
    asked_wordings = [wording for wording in Wording if any(o.asked.wording is wording for o in outcomes)]
    return EvaluationReport(
        recall=one_needle.recall,
        coverage=one_needle.coverage,
        right_passage=one_needle.right_passage,
        right_quote=one_needle.right_quote,
        wrong_refusals=one_needle.wrong_refusals,
        refusal_reasons=one_needle.refusal_reasons,
        faults=one_needle.faults,
        gold_answers=one_needle.gold_answers,
        by_wording={
            wording: _counts([o for o in outcomes if o.asked.wording is wording], ks)
            for wording in asked_wordings
        },
        bluffs=Proportion(sum(bluff for _, bluff in bluffed), len(bluffed)),
        bluffs_by_kind={
            kind: Proportion(
                sum(bluff for k, bluff in bluffed if k == kind), sum(k == kind for k, _ in bluffed)
            )
            for kind in dict.fromkeys(kind for kind, _ in bluffed)
        },
        latency=latency_of([*(outcome.result for outcome in outcomes), *(result for _, result in refusals)]),
    )


def _outcome(asked: AskedQuestion, result: Answered | Refused, thresholds: Thresholds) -> _Outcome:
    candidates = result.trace.candidates
    ranks = [needle_rank(candidates, needle) for needle in asked.needles]
    rank = max((rank for rank in ranks if rank is not None), default=None) if None not in ranks else None
    if isinstance(result, Answered) and cites_needles(result, asked.needles):
        return _Outcome(asked, result, rank, None)
    passed = pass_gate(candidates, thresholds)
    if rank is None:
        fault: Fault = "not_retrieved"
    elif any(needle_rank(passed, needle) is None for needle in asked.needles):
        fault = "cut_by_gate"
    else:
        fault = "not_quoted"
    return _Outcome(asked, result, rank, fault)


def _counts(outcomes: Sequence[_Outcome], ks: Sequence[int]) -> AnswerCounts:
    n = len(outcomes)
    answered = [(o.asked, o.result) for o in outcomes if isinstance(o.result, Answered)]
    faults = Counter(outcome.fault for outcome in outcomes)
    return AnswerCounts(
        recall={k: _recall([o for o in outcomes if len(o.asked.needles) <= k], k) for k in ks},
        coverage=Proportion(len(answered), n),
        right_passage=Proportion(sum(cites_needles(result, asked.needles) for asked, result in answered), n),
        right_quote=Proportion(sum(quotes_needles(result, asked.needles) for asked, result in answered), n),
        wrong_refusals=Proportion(n - len(answered), n),
        refusal_reasons=dict(
            Counter(o.result.reason.value for o in outcomes if isinstance(o.result, Refused))
        ),
        faults={fault: faults[fault] for fault in FAULTS},
        gold_answers=count_gold_answers(
            [
                score_gold_answers(o.result if isinstance(o.result, Answered) else None, o.asked.answers)
                for o in outcomes
                if o.asked.answers
            ]
        ),
    )


def _recall(outcomes: Sequence[_Outcome], k: int) -> Proportion:
    return Proportion(sum(o.rank is not None and o.rank <= k for o in outcomes), len(outcomes))


def cites_needles(result: Answered, needles: Sequence[str]) -> bool:
    """Whether the cited chunks hold every needle whole."""
    return all(
        any(holds_needle(citation.chunk.content, needle) for citation in result.citations)
        for needle in needles
    )


def quotes_needles(result: Answered, needles: Sequence[str]) -> bool:
    """Whether for every needle a quote holds it, or is the part of it that one sentence makes up."""
    return all(
        any(
            holds_needle(citation.quote, needle) or squeezed(citation.quote) in squeezed(needle)
            for citation in result.citations
        )
        for needle in needles
    )
