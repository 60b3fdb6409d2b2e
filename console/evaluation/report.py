"""What a run shows: figures with intervals, paired tests, faults apart, times. Nothing is stored twice.

All figures are computed from the results of single questions, so that they can be computed again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

import rag
from console.evaluation.models import EvaluatedQuestion, EvaluationRun

KS = (1, 4, 20)
FAULTS = ("not_retrieved", "cut_by_gate", "not_quoted")
WORDINGS = tuple(wording.value for wording in rag.Wording)
GateScore = Literal["relevance", "distance"]


@dataclass(frozen=True, slots=True)
class RetrievalRow:
    """One configuration on one wording: recall@k with Wilson, MRR and nDCG@10 with bootstrap intervals."""

    configuration: str
    wording: str
    recalls: dict[int, rag.Proportion]
    mrr: rag.Estimate
    ndcg: rag.Estimate


@dataclass(frozen=True, slots=True)
class PairedRow:
    """Two configurations, or two runs, on the same questions; `measure` says what was compared."""

    measure: str
    wording: str
    test: rag.PairedTest

    @property
    def is_clear(self) -> bool:
        """True when chance alone would do this in fewer than one of twenty cases."""
        return self.test.p < 0.05


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """Answerable questions of one group, end to end."""

    group: str
    coverage: rag.Proportion
    right_passage: rag.Proportion
    right_quote: rag.Proportion
    wrong_refusals: rag.Proportion
    faults: tuple[tuple[str, int], ...]
    gold_answers: rag.GoldAnswerCounts | None
    """Of the questions that have gold answers; None where none has."""


@dataclass(frozen=True, slots=True)
class LatencyRow:
    """One stage, or the whole, in milliseconds."""

    stage: str
    times: rag.Percentiles


@dataclass(frozen=True, slots=True)
class MissedQuestion:
    """A question that did not end as it should; `fault` is empty for a bluff."""

    key: str
    group: str
    question: str
    ended: str
    fault: str


@dataclass(frozen=True, slots=True)
class AnswersReport:
    """What the whole pipeline did with one configuration.

    Attributes:
        rows: one a wording, the first over questions and tickets together.
        bluffs: (kind, share answered) of questions to refuse, the first over all kinds.
        reasons: (reason, how many answerable questions were refused for it).
        latency: the whole first, then the stages in order.
        missed: questions without the right passage, and bluffs.
    """

    configuration: str
    rows: tuple[AnswerRow, ...]
    bluffs: tuple[tuple[str, rag.Proportion], ...]
    reasons: tuple[tuple[str, int], ...]
    latency: tuple[LatencyRow, ...]
    missed: tuple[MissedQuestion, ...]


@dataclass(frozen=True, slots=True)
class RunReport:
    """Everything a run's page shows but the curves."""

    retrieval: tuple[RetrievalRow, ...]
    paired: tuple[PairedRow, ...]
    answers: tuple[AnswersReport, ...]

    @property
    def has_gold_answers(self) -> bool:
        """Whether a question with gold answers was asked."""
        return any(row.gold_answers is not None for one in self.answers for row in one.rows)


def evaluated_of(run: EvaluationRun) -> list[EvaluatedQuestion]:
    """The results of a run in the order in which the questions were asked."""
    return list(EvaluatedQuestion.objects.filter(run=run).order_by("pk"))


def run_report(run: EvaluationRun, evaluated: Sequence[EvaluatedQuestion]) -> RunReport:
    """The figures of a run."""
    reports = retrieval_reports(run, evaluated)
    retrieval = [
        RetrievalRow(
            configuration=report.configuration.name,
            wording=wording.value,
            recalls={k: report.recall(k, wording) for k in KS},
            mrr=report.mean_reciprocal_rank(wording),
            ndcg=report.mean_ndcg(10, wording),
        )
        for report in reports
        for wording in report.wordings
    ]
    paired = [row for first, second in combinations(reports, 2) for row in paired_rows(first, second)]
    # The reranked one first: with a reranker it is what people are answered by.
    answering = [
        name for name in reversed(run.configurations) if any(name in row.outcomes for row in evaluated)
    ]
    return RunReport(
        retrieval=tuple(retrieval),
        paired=tuple(paired),
        answers=tuple(answers_report(name, evaluated) for name in answering),
    )


def retrieval_reports(
    run: EvaluationRun, evaluated: Iterable[EvaluatedQuestion]
) -> list[rag.RetrievalReport]:
    """Ranks as the core's reports, one a configuration, over the answerable questions."""
    asked = [row for row in evaluated if not row.must_refuse]
    return [
        rag.RetrievalReport(
            configuration=replace(rag.CONFIGURATIONS[name], name=name),
            golden=run.golden_id,
            questions=tuple(
                rag.QuestionRanks(row.key, rag.Wording(row.group), tuple(row.ranks[name])) for row in asked
            ),
            ks=KS,
        )
        for name in run.configurations
        if asked and all(name in row.ranks for row in asked)
    ]


def paired_rows(first: rag.RetrievalReport, second: rag.RetrievalReport) -> list[PairedRow]:
    """Sign tests at every k and over whole ranks, by wording; both must be over the same questions."""
    rows = []
    for wording in first.wordings:
        rows += [
            PairedRow(f"recall@{k}", wording.value, rag.compare_recall(first, second, k=k, wording=wording))
            for k in KS
            if first.recall(k, wording).n
        ]
        rows.append(PairedRow("rank", wording.value, rag.compare_ranks(first, second, wording=wording)))
    return rows


def answers_report(name: str, evaluated: Sequence[EvaluatedQuestion]) -> AnswersReport:
    """The end-to-end outcomes under one configuration."""
    answerable = [row for row in evaluated if not row.must_refuse and name in row.outcomes]
    refusals = [row for row in evaluated if row.must_refuse and name in row.outcomes]
    single = [row for row in answerable if row.group != rag.Wording.MULTIHOP]
    groups = [group for group in WORDINGS if any(row.group == group for row in answerable)]
    rows = [_answers("both wordings", name, single)] if single else []
    rows += [_answers(group, name, [r for r in answerable if r.group == group]) for group in groups]
    kinds = [kind for kind in rag.REFUSAL_KINDS if any(row.group == kind for row in refusals)]
    bluffs = [("all kinds", _share(refusals, lambda row: _is(row, name, "answered")))] if refusals else []
    for kind in kinds:
        of_kind = [row for row in refusals if row.group == kind]
        bluffs.append((kind, _share(of_kind, lambda row: _is(row, name, "answered"))))
    reasons = Counter(str(row.outcomes[name]["reason"]) for row in answerable)
    return AnswersReport(
        configuration=name,
        rows=tuple(rows),
        bluffs=tuple(bluffs),
        reasons=tuple((reason, n) for reason, n in reasons.most_common() if reason),
        latency=tuple(_latency(name, [*answerable, *refusals])),
        missed=tuple(
            MissedQuestion(
                row.key, row.group, row.question, ended(row, name), row.outcomes[name].get("fault", "")
            )
            for row in [*answerable, *refusals]
            if _is(row, name, "answered" if row.must_refuse else "right_passage") == row.must_refuse
        ),
    )


def gate_records(name: str, evaluated: Iterable[EvaluatedQuestion]) -> tuple[rag.GateRecord, ...]:
    """The gate's numbers under one configuration, for the sweep; questions with several needles have none."""
    return tuple(
        rag.GateRecord(
            id=row.key,
            group=row.group,
            must_refuse=row.must_refuse,
            scores=tuple(row.gate[name]["scores"]),
            right=tuple(row.gate[name]["right"]),
        )
        for row in evaluated
        if name in row.gate
    )


def ended(row: EvaluatedQuestion, name: str) -> str:
    """How a question ended under a configuration, in a word or two."""
    outcome = row.outcomes[name]
    if not outcome["answered"]:
        return f"refused: {outcome['reason']}"
    if row.must_refuse:
        return "answered"
    return "right passage" if outcome["right_passage"] else "another passage"


def _answers(group: str, name: str, rows: Sequence[EvaluatedQuestion]) -> AnswerRow:
    faults = Counter(str(row.outcomes[name]["fault"]) for row in rows)
    return AnswerRow(
        group=group,
        coverage=_share(rows, lambda row: _is(row, name, "answered")),
        right_passage=_share(rows, lambda row: _is(row, name, "right_passage")),
        right_quote=_share(rows, lambda row: _is(row, name, "right_quote")),
        wrong_refusals=_share(rows, lambda row: not _is(row, name, "answered")),
        faults=tuple((fault, faults[fault]) for fault in FAULTS),
        gold_answers=rag.count_gold_answers(
            [
                rag.GoldAnswerScore(
                    outcome["answered"],
                    outcome["gold"]["quoted"],
                    outcome["gold"]["exact"],
                    outcome["gold"]["f1"],
                )
                for row in rows
                for outcome in [row.outcomes[name]]
                if "gold" in outcome
            ]
        ),
    )


def _is(row: EvaluatedQuestion, name: str, what: str) -> bool:
    return bool(row.outcomes[name][what])


def _share(rows: Sequence[EvaluatedQuestion], holds: Callable[[EvaluatedQuestion], bool]) -> rag.Proportion:
    return rag.Proportion(sum(holds(row) for row in rows), len(rows))


def _latency(name: str, rows: Sequence[EvaluatedQuestion]) -> list[LatencyRow]:
    by_stage: dict[str, list[float]] = {}
    totals = []
    for row in rows:
        stages: dict[str, float] = row.outcomes[name]["stages"]
        totals.append(sum(stages.values()))
        for stage, elapsed_ms in stages.items():
            by_stage.setdefault(stage, []).append(elapsed_ms)
    return [
        LatencyRow("question to result", _percentiles(totals)),
        *(LatencyRow(stage, _percentiles(values)) for stage, values in by_stage.items()),
    ]


def _percentiles(values: Sequence[float]) -> rag.Percentiles:
    if not values:
        return rag.Percentiles(0, 0.0, 0.0)
    p50, p95 = np.percentile(values, [50, 95])
    return rag.Percentiles(len(values), float(p50), float(p95))
