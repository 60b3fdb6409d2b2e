"""Pages of evaluation runs: figures, comparison, calibration."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

import rag
from console.access import Rejected, require_admin
from console.evaluation.calibration import (
    DEFAULT_BUDGET,
    Bound,
    CutReport,
    configurations_of,
    cut_report,
    use_cut,
)
from console.evaluation.comparison import compare_runs
from console.evaluation.forms import CalibrationForm
from console.evaluation.golden import golden_of
from console.evaluation.models import EvaluationRun, RunState
from console.evaluation.plots import recall_plots, risk_plot, two_sided_plot
from console.evaluation.report import KS, evaluated_of, run_report
from console.evaluation.runs import cancel_run, start_run
from console.evaluation.selectors import golden_set_for, run_for, runs_visible_to
from console.guards import PersonRequest, support_lead_only
from console.htmx import page_or_part
from console.index.models import VersionState
from console.values import number_of

WORDINGS = frozenset(wording.value for wording in rag.Wording)
N_TABLE_ROWS = 12
"""Cuts that the table beside the curve shows."""


@require_POST
@support_lead_only
def start(request: PersonRequest, set_id: int) -> HttpResponseBase:
    """Start a run of a set."""
    run = start_run(actor=request.user, golden_set=golden_set_for(request.user, set_id))
    return redirect("evaluation:run", run.pk)


@require_safe
@support_lead_only
def run(request: PersonRequest, run_id: int) -> HttpResponseBase:
    """A run: its progress, then its figures."""
    run = run_for(request.user, run_id)
    context: dict[str, object] = {"run": run, "ks": KS}
    if run.state == RunState.DONE:
        report = run_report(run, evaluated_of(run))
        context |= {
            "report": report,
            "plots": recall_plots(report.retrieval),
            "n_destroyed": len(run.destroyed or ()),
            "others": _others(request, run).exists(),
            "has_changed": golden_of(run.golden_set).fingerprint != run.golden_id,
        }
    return page_or_part(
        request, "evaluation/run.html", context, parts={"run-state": "evaluation/_run_state.html"}
    )


@require_POST
@support_lead_only
def cancel(request: PersonRequest, run_id: int) -> HttpResponseBase:
    """Cancel a run."""
    run = run_for(request.user, run_id)
    cancel_run(actor=request.user, run=run)
    messages.success(request, "The run is cancelled.")
    return redirect("evaluation:run", run.pk)


@require_safe
@support_lead_only
def compare(request: PersonRequest, run_id: int) -> HttpResponseBase:
    """This run against another of the same set, `?with=` or the one before it."""
    run = run_for(request.user, run_id)
    others = list(_others(request, run))
    wanted = number_of(request.GET.get("with", ""))
    chosen = next((other for other in others if other.pk == wanted), None)
    if wanted is not None and chosen is None:
        raise EvaluationRun.DoesNotExist
    earlier = next((other for other in others if other.pk < run.pk), None)
    other = chosen or earlier or (others[0] if others else None)
    context = {
        "run": run,
        "others": others,
        "other": other,
        "comparison": compare_runs(run, other) if other and run.state == RunState.DONE else None,
    }
    parts = {"comparison": "evaluation/_comparison.html"}
    return page_or_part(request, "evaluation/compare.html", context, parts=parts)


@require_http_methods(["GET", "HEAD", "POST"])
@support_lead_only
def calibration(request: PersonRequest, run_id: int) -> HttpResponseBase:
    """The curves of a run, the cut that keeps to a budget, and for admins the button that sets it."""
    run = run_for(request.user, run_id)
    if request.method == "POST":
        require_admin(request.user)
    names = configurations_of(run)
    defaults = {
        "configuration": names[0] if names else "",
        "budget": f"{100 * DEFAULT_BUDGET:g}",
        "bound": "rate",
    }
    given = request.POST if request.method == "POST" else request.GET
    form = CalibrationForm({**defaults, **given.dict()}, configurations=names)
    context: dict[str, object] = {"run": run, "form": form}
    if run.state == RunState.DONE and form.is_valid():
        values = form.cleaned_data
        choice = {
            "configuration": values["configuration"],
            "budget": values["budget"] / 100,
            "bound": cast("Bound", values["bound"]),
        }
        if request.method == "POST":
            setting = use_cut(actor=request.user, run=run, **choice)
            cut = (
                f"relevance {setting.relevance_cut:.3f}"
                if values["configuration"] == "reranked"
                else f"distance {setting.distance_cut:.3f}"
            )
            messages.success(request, f"The cut is {cut}. It counts from the next question on.")
            return redirect("index:thresholds")
        try:
            context |= _curves(cut_report(run, evaluated_of(run), **choice))
        except Rejected as error:
            context["why_not"] = str(error)
    context["is_active"] = run.index_version.state == VersionState.ACTIVE
    parts = {"curves": "evaluation/_curves.html"}
    status = 422 if form.errors else 200
    return page_or_part(request, "evaluation/calibration.html", context, parts=parts, status=status)


def _curves(report: CutReport) -> dict[str, object]:
    made = report.calibration
    groups = [
        (group, report.current_by_group[group], made.by_group.get(group)) for group in report.current_by_group
    ]
    return {
        "report": report,
        "made": made,
        "two_sided": two_sided_plot(made, report.current),
        "risk": risk_plot(report.risk, report.current, made.chosen),
        "groups": [row for row in groups if row[0] in WORDINGS],
        "kinds": [row for row in groups if row[0] not in WORDINGS],
        "least_upper": f"{made.curve[0].bluffs.interval[1]:.0%}",
        "table": _some(made.curve),
    }


def _some(curve: tuple[rag.CurvePoint, ...]) -> list[rag.CurvePoint]:
    """At most a dozen points, evenly among those of the curve."""
    n = min(N_TABLE_ROWS, len(curve))
    return [curve[round(at * (len(curve) - 1) / max(1, n - 1))] for at in range(n)]


def _others(request: PersonRequest, run: EvaluationRun) -> QuerySet[EvaluationRun]:
    """Finished runs of the same set, newest first."""
    return (
        runs_visible_to(request.user)
        .filter(golden_set=run.golden_set_id, state=RunState.DONE)
        .exclude(pk=run.pk)
    )
