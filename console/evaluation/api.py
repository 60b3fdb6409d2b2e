"""API of golden sets and evaluation runs; support leads and admins."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Query, Router, Schema, Status

import rag
from console.access import require_support_lead
from console.api_auth import person_of
from console.api_pages import PageQuery, cut
from console.evaluation.models import EvaluationRun, GoldenSet, RunState
from console.evaluation.report import evaluated_of, run_report
from console.evaluation.runs import cancel_run, start_run
from console.evaluation.selectors import golden_set_for, golden_sets_with_counts, run_for, runs_visible_to
from console.problems import Problem

router = Router(tags=["evaluation"])


class GoldenSetOut(Schema):
    """A golden set with its questions counted."""

    id: int
    name: str
    description: str
    n_needles: int
    n_multihop: int
    n_refusals: int
    last_run_id: int | None
    last_run_at: datetime | None


class ShareOut(Schema):
    """A share with its Wilson 95 % interval."""

    successes: int
    n: int
    rate: float
    low: float
    high: float


class RecallOut(Schema):
    """One configuration on one wording; MRR and nDCG@10 with their bootstrap 95 % intervals."""

    configuration: str
    wording: str
    recall: dict[str, ShareOut]
    mrr: float
    mrr_low: float
    mrr_high: float
    ndcg_at_10: float
    ndcg_at_10_low: float
    ndcg_at_10_high: float


class GoldAnswersOut(Schema):
    """Questions with gold answers; a refusal counts as an empty answer.

    `quoted`: a gold answer stands in a cited quote. `exact` and `f1` are SQuAD's exact match and token F1 of the
    answer's text, the latter with its bootstrap 95 % interval.
    """

    quoted: ShareOut
    quoted_of_answered: ShareOut
    exact: ShareOut
    f1: float
    f1_low: float
    f1_high: float


class AnswersOut(Schema):
    """The whole pipeline with one configuration; shares by wording, bluffs by kind.

    `gold_answers` holds the wordings that have some.
    """

    configuration: str
    right_passage: dict[str, ShareOut]
    wrong_refusals: dict[str, ShareOut]
    bluffs: dict[str, ShareOut]
    gold_answers: dict[str, GoldAnswersOut]
    p50_ms: float
    p95_ms: float


class RunOut(Schema):
    """A run of a golden set; its figures are at its own address."""

    id: int
    golden_set_id: int
    golden_id: str
    index_version_id: int
    state: RunState
    n_done: int
    n_total: int
    configurations: list[str]
    distance_cut: float
    relevance_cut: float
    max_chunks: int
    reranker: str
    documents_id: str
    note: str
    reason_code: str
    reason: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class RunFiguresOut(RunOut):
    """A run with its figures; both lists are empty until it is done."""

    destroyed: list[str] | None
    retrieval: list[RecallOut] = []
    answers: list[AnswersOut] = []


class RunsOut(Schema):
    """A page of runs, newest first."""

    count: int
    items: list[RunOut]


def _share(share: rag.Proportion) -> ShareOut:
    low, high = share.interval
    return ShareOut(successes=share.successes, n=share.n, rate=share.rate, low=low, high=high)


def _gold_answers(counts: rag.GoldAnswerCounts) -> GoldAnswersOut:
    return GoldAnswersOut(
        quoted=_share(counts.quoted),
        quoted_of_answered=_share(counts.quoted_of_answered),
        exact=_share(counts.exact),
        f1=counts.f1.value,
        f1_low=counts.f1.low,
        f1_high=counts.f1.high,
    )


def run_out(run: EvaluationRun) -> RunFiguresOut:
    """The run as the API shows it."""
    shown = RunFiguresOut.from_orm(run)
    if run.state != RunState.DONE:
        return shown
    report = run_report(run, evaluated_of(run))
    retrieval = [
        RecallOut(
            configuration=row.configuration,
            wording=row.wording,
            recall={str(k): _share(share) for k, share in row.recalls.items()},
            mrr=row.mrr.value,
            mrr_low=row.mrr.low,
            mrr_high=row.mrr.high,
            ndcg_at_10=row.ndcg.value,
            ndcg_at_10_low=row.ndcg.low,
            ndcg_at_10_high=row.ndcg.high,
        )
        for row in report.retrieval
    ]
    answers = [
        AnswersOut(
            configuration=one.configuration,
            right_passage={row.group: _share(row.right_passage) for row in one.rows},
            wrong_refusals={row.group: _share(row.wrong_refusals) for row in one.rows},
            bluffs={kind: _share(share) for kind, share in one.bluffs},
            gold_answers={
                row.group: _gold_answers(row.gold_answers) for row in one.rows if row.gold_answers is not None
            },
            p50_ms=one.latency[0].times.p50_ms,
            p95_ms=one.latency[0].times.p95_ms,
        )
        for one in report.answers
    ]
    return shown.model_copy(update={"retrieval": retrieval, "answers": answers})


@router.get("/golden-sets", response=list[GoldenSetOut])
def list_golden_sets(request: HttpRequest) -> QuerySet[GoldenSet]:
    """The golden sets you may see."""
    user = person_of(request)
    require_support_lead(user)
    return golden_sets_with_counts(user)


@router.get("/golden-sets/{int:set_id}/runs", response=RunsOut)
def list_runs(request: HttpRequest, set_id: int, page: Query[PageQuery]) -> RunsOut:
    """The runs of a set."""
    user = person_of(request)
    require_support_lead(user)
    golden_set = golden_set_for(user, set_id)
    count, items = cut(runs_visible_to(user).filter(golden_set=golden_set), page)
    return RunsOut(count=count, items=[RunOut.from_orm(run) for run in items])


@router.post("/golden-sets/{int:set_id}/runs", response={201: RunOut, 422: Problem})
def add_run(request: HttpRequest, set_id: int) -> Status[EvaluationRun]:
    """Start a run of a set on the active index version."""
    user = person_of(request)
    require_support_lead(user)
    return Status(201, start_run(actor=user, golden_set=golden_set_for(user, set_id)))


@router.get("/evaluation-runs/{int:run_id}", response=RunFiguresOut)
def one_run(request: HttpRequest, run_id: int) -> RunFiguresOut:
    """A run and, once it is done, its figures."""
    user = person_of(request)
    require_support_lead(user)
    return run_out(run_for(user, run_id))


@router.post("/evaluation-runs/{int:run_id}/cancel", response=RunOut)
def end_run(request: HttpRequest, run_id: int) -> EvaluationRun:
    """Cancel a run that is queued or running."""
    user = person_of(request)
    require_support_lead(user)
    return cancel_run(actor=user, run=run_for(user, run_id))
