"""From a run to a cut: the sweep over the real gate, what another cut would do, and setting it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import rag
from console import engine
from console.access import Rejected, require_admin
from console.evaluation.measuring import ANSWERING, RERANKED, GateScore
from console.evaluation.models import EvaluatedQuestion, EvaluationRun, RunState
from console.evaluation.report import evaluated_of, gate_records
from console.index.models import CutCalibration, ThresholdSetting, VersionState
from console.index.selectors import threshold_in_force
from console.index.services import set_threshold
from console.people.models import User

Bound = Literal["rate", "upper"]
DEFAULT_BUDGET = 0.10


@dataclass(frozen=True, slots=True)
class CutReport:
    """One configuration's sweep beside the cut in force.

    Attributes:
        configuration: "hybrid" is gated by distance, "reranked" by relevance.
        setting: in force on the run's index version now.
        calibration: the sweep and its choice within the budget.
        current: the gate at the cut in force.
        current_by_group: the same over each wording and kind.
        auroc_by_kind: how well the best score tells answerable questions from those of a kind.
        risk: share of wrong ones among what is let through, at each coverage.
        risk_area: mean of it over all coverages, lower is better.
    """

    configuration: str
    setting: ThresholdSetting
    calibration: rag.Calibration
    current: rag.CurvePoint
    current_by_group: Mapping[str, rag.CurvePoint]
    auroc_by_kind: Mapping[str, rag.Estimate]
    risk: tuple[rag.RiskPoint, ...]
    risk_area: float

    @property
    def score(self) -> GateScore:
        """What the cut is compared with."""
        return self.calibration.score

    @property
    def is_in_force(self) -> bool:
        """True when the choice is the cut that is set."""
        chosen = self.calibration.chosen
        return chosen is not None and chosen.cut == self.current.cut


def configurations_of(run: EvaluationRun) -> list[str]:
    """The configurations of a run that a cut can be chosen for, the one that answers questions first."""
    return [name for name in reversed(ANSWERING) if name in run.configurations]


def cut_report(
    run: EvaluationRun,
    evaluated: Sequence[EvaluatedQuestion],
    *,
    configuration: str,
    budget: float = DEFAULT_BUDGET,
    bound: Bound = "rate",
) -> CutReport:
    """The sweep of one configuration of a finished run.

    Raises:
        Rejected: the run has not ended well, has nothing to sweep, or the budget is no share.
    """
    if run.state != RunState.DONE:
        raise Rejected("run_not_done", "Only a run that is done can be calibrated on.")
    if configuration not in configurations_of(run):
        raise Rejected("configuration_unknown", "This run did not measure that configuration.")
    if not 0.0 <= budget <= 1.0:
        raise Rejected("budget_out_of_range", "The budget is a share from 0 to 100 percent.")
    records = gate_records(configuration, evaluated)
    if not any(record.must_refuse for record in records) or all(record.must_refuse for record in records):
        raise Rejected(
            "nothing_to_calibrate",
            "A cut is chosen between questions with a needle and questions to refuse; this set lacks one side.",
        )
    setting = threshold_in_force(run.index_version)
    if setting is None:
        raise Rejected("index_not_ready", "The run's index version has no threshold.")
    score: GateScore = "relevance" if configuration == RERANKED else "distance"
    made = rag.calibrate(
        records, score=score, max_bluff_rate=budget, bound=bound, max_chunks=setting.max_chunks
    )
    current = setting.relevance_cut if score == "relevance" else setting.distance_cut
    risk = rag.risk_curve(made.curve)
    groups = dict.fromkeys(record.group for record in records)
    return CutReport(
        configuration=configuration,
        setting=setting,
        calibration=made,
        current=rag.gate_at(records, current, score=score, max_chunks=setting.max_chunks),
        current_by_group={
            group: rag.gate_at(
                [record for record in records if record.group == group],
                current,
                score=score,
                max_chunks=setting.max_chunks,
            )
            for group in groups
        },
        auroc_by_kind=rag.auroc_by_kind(records, score=score),
        risk=risk,
        risk_area=rag.area_under_risk(risk),
    )


def _require_same_reranker(run: EvaluationRun) -> None:
    """Name and revision: another revision of a model gives other relevances."""
    serving = engine.serving_reranker()
    if run.reranker != serving:
        raise Rejected(
            "reranker_changed",
            f"The run measured relevances of {run.reranker or 'no reranker'}; {serving or 'no reranker'} serves now. "
            "Run the set again.",
        )


def use_cut(
    *, actor: User | None, run: EvaluationRun, configuration: str, budget: float, bound: Bound
) -> ThresholdSetting:
    """Set the cut that this run chooses within the budget, on the run's index version.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: no cut keeps to the budget, the version serves no more, or see `cut_report`.
    """
    require_admin(actor)
    if run.index_version.state != VersionState.ACTIVE:
        raise Rejected(
            "version_gone",
            f"The run measured index v{run.index_version_id}, which does not serve. Run the set again.",
        )
    report = cut_report(run, evaluated_of(run), configuration=configuration, budget=budget, bound=bound)
    chosen = report.calibration.chosen
    if chosen is None:
        raise Rejected("no_cut", "No cut keeps to that budget on these questions.")
    is_relevance = report.score == "relevance"
    if is_relevance:
        _require_same_reranker(run)
    cut = chosen.cut
    if not 0.0 <= cut <= (1.0 if is_relevance else 2.0):
        raise Rejected(
            "no_cut",
            "Only refusing everything keeps to that budget: a question to refuse scores best of all.",
        )
    reason = (
        f"Calibrated by run {run.pk} (questions {run.golden_id}): bluffs {chosen.bluffs.successes} of "
        f"{chosen.bluffs.n}, right passage {chosen.right.successes} of {chosen.right.n}, "
        f"budget {budget:.1%} on the {'rate' if bound == 'rate' else 'upper end of its interval'}."
    )
    return set_threshold(
        actor=actor,
        version=run.index_version,
        distance_cut=report.setting.distance_cut if is_relevance else cut,
        relevance_cut=cut if is_relevance else report.setting.relevance_cut,
        max_chunks=report.setting.max_chunks,
        reason=reason,
        calibration=_calibration(run, report, cut),
    )


def _calibration(run: EvaluationRun, report: CutReport, cut: float) -> CutCalibration:
    return CutCalibration(
        score=report.score,
        cut=cut,
        max_chunks=report.setting.max_chunks,
        reranker=run.reranker if report.score == "relevance" else "",
        golden_set_id=run.golden_set_id,
        golden_set_name=run.golden_set.name,
        golden_id=run.golden_id,
        run_id=run.pk,
        folder_ids=run.folder_ids,
        measured_at=run.started_at or run.created_at,
    )
