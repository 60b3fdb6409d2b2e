"""From results to curves and to a cut, and two runs by pairs."""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree as ET

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone

import rag
from console import engine
from console.access import NotPermitted, Rejected
from console.evaluation.calibration import cut_report, use_cut
from console.evaluation.comparison import compare_runs
from console.evaluation.drift import drifts_of
from console.evaluation.golden import golden_of
from console.evaluation.models import EvaluatedQuestion, EvaluationRun, GoldenSet, RunState
from console.evaluation.plots import (
    HEIGHT,
    LEFT,
    MAX_POINTS,
    RIGHT,
    TOP,
    WIDTH,
    recall_plots,
    risk_plot,
    two_sided_plot,
)
from console.evaluation.report import evaluated_of, gate_records, run_report
from console.index.models import CutCalibration, DocumentIndex, IndexVersion, ThresholdSetting, VersionState
from console.index.selectors import threshold_in_force
from console.index.services import set_threshold
from tests.console.conftest import LIMIT, World, evaluation_run, needle


def outcome(answered: bool, right: bool | None = None) -> dict[str, object]:
    shown: dict[str, object] = {
        "answered": answered,
        "reason": "" if answered else "below_threshold",
        "stages": {"retrieve": 10.0, "rerank": 100.0},
    }
    if right is not None:
        fault = "" if right else "not_quoted" if answered else "cut_by_gate"
        shown |= {"right_passage": right, "right_quote": right, "fault": fault}
    return shown


def measured(
    run: EvaluationRun, key: str, group: str, relevance: float, distance: float, **more: object
) -> None:
    """One question with one candidate, the right one where it is answerable."""
    must_refuse = group in rag.REFUSAL_KINDS
    answered = relevance >= run.relevance_cut
    EvaluatedQuestion.objects.create(
        run=run,
        key=key,
        group=group,
        must_refuse=must_refuse,
        **{
            "question": f"What about {key}?",
            "ranks": {} if must_refuse else {name: [1] for name in rag.CONFIGURATIONS},
            "gate": {
                "reranked": {"score": "relevance", "scores": [relevance], "right": [not must_refuse]},
                "hybrid": {"score": "distance", "scores": [distance], "right": [not must_refuse]},
            },
            "outcomes": dict.fromkeys(
                ("hybrid", "reranked"), outcome(answered, None if must_refuse else answered)
            ),
            **more,
        },
    )


def serve(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(engine, "serving_reranker", lambda: name)


@pytest.fixture
def run(world: World, monkeypatch: pytest.MonkeyPatch) -> EvaluationRun:
    """Twenty answerable questions with relevances from 0.30 on, ten to refuse with relevances up to 0.45."""
    run = world.run
    serve(monkeypatch, "scripted/1")
    EvaluationRun.objects.filter(pk=run.pk).update(reranker="scripted/1")
    run.refresh_from_db()
    for at in range(20):
        measured(run, f"n-{at}", "questions", 0.30 + at * 0.03, 0.60 - at * 0.02)
    for at in range(10):
        kind = "near" if at % 2 else "far"
        measured(run, f"r-{at}", kind, at * 0.05, 0.95 - at * 0.04)
    return run


def report_of(run: EvaluationRun, configuration: str = "reranked", **more: object) -> object:
    return cut_report(run, evaluated_of(run), configuration=configuration, **more)


def test_the_proposed_cut_keeps_the_budget_and_answers_most(run: EvaluationRun) -> None:
    report = report_of(run, budget=0.1)
    chosen = report.calibration.chosen
    assert (report.score, report.current.cut) == ("relevance", 0.5)
    assert chosen.bluffs.rate <= 0.1
    looser = [p for p in report.calibration.curve if p.right.successes > chosen.right.successes]
    assert looser
    assert all(point.bluffs.rate > 0.1 for point in looser)
    assert report_of(run, budget=1.0).calibration.chosen.right.rate == 1.0
    assert report_of(run, budget=0.1, bound="upper").calibration.chosen is None, "ten questions prove little"
    distance = report_of(run, "hybrid")
    assert (distance.score, distance.current.cut) == ("distance", 0.525)
    assert report.auroc_by_kind["all"].value > 0.9


def test_a_cut_is_used_by_an_admin_and_remembered(run: EvaluationRun, world: World) -> None:
    with pytest.raises(NotPermitted):
        use_cut(actor=world.lead, run=run, configuration="reranked", budget=0.1, bound="rate")
    chosen = report_of(run).calibration.chosen
    setting = use_cut(actor=world.admin, run=run, configuration="reranked", budget=0.1, bound="rate")
    assert setting == threshold_in_force(world.version)
    assert (setting.relevance_cut, setting.distance_cut) == (chosen.cut, 0.525)
    assert setting.relevance_calibration.golden_set_name == "Travel questions"
    assert f"run {run.pk}" in setting.reason
    assert f"bluffs {chosen.bluffs.successes} of 10" in setting.reason
    assert report_of(run).is_in_force
    by_distance = use_cut(actor=world.admin, run=run, configuration="hybrid", budget=0.1, bound="rate")
    assert by_distance.relevance_cut == chosen.cut, "the other cut stays"
    assert by_distance.distance_cut == report_of(run, "hybrid").calibration.chosen.cut


def use(run: EvaluationRun, world: World, configuration: str) -> ThresholdSetting:
    return use_cut(actor=world.admin, run=run, configuration=configuration, budget=0.1, bound="rate")


def drifts(world: World) -> list[str]:
    return [drift.text for drift in drifts_of(threshold_in_force(world.version))]


def test_each_cut_keeps_what_it_was_calibrated_on(run: EvaluationRun, world: World, client: Client) -> None:
    by_distance = use(run, world, "hybrid")
    assert by_distance.relevance_calibration is None, "the relevance is still the default"
    client.force_login(world.admin)
    page = client.get("/thresholds").content.decode()
    assert page.count("; calibrated on Travel questions") == 1
    assert page.index("; not calibrated on a golden set") < page.index("; calibrated on Travel questions")
    both = use(run, world, "reranked")
    assert both.distance_calibration == by_distance.distance_calibration
    made = both.relevance_calibration
    assert (made.score, made.cut, made.max_chunks) == ("relevance", both.relevance_cut, both.max_chunks)
    assert (made.golden_set_id, made.golden_id) == (run.golden_set_id, run.golden_id)
    assert (made.run_id, made.reranker, by_distance.distance_calibration.reranker) == (
        run.pk,
        "scripted/1",
        "",
    )
    assert made.made_at >= made.measured_at
    told = client.get("/api/v1/thresholds").json()["in_force"]
    assert told["relevance_calibration"]["run_id"] == told["distance_calibration"]["run_id"] == run.pk
    by_hand = set_threshold(
        actor=world.admin,
        version=world.version,
        relevance_cut=both.relevance_cut,
        distance_cut=0.4,
        max_chunks=both.max_chunks,
        reason="Stricter.",
    )
    assert (by_hand.relevance_calibration, by_hand.distance_calibration) == (made, None)


def test_another_reranker_is_told_until_the_relevance_cut_is_set_for_it(
    run: EvaluationRun, world: World, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    setting = use(run, world, "reranked")
    golden_was(run)
    assert drifts(world) == []
    serve(monkeypatch, "scripted/2")
    another = "The relevance cut was set for scripted/1, and scripted/2 runs."
    client.force_login(world.admin)
    for max_chunks in (setting.max_chunks, 6):
        body = {
            "relevance_cut": repr(setting.relevance_cut),
            "distance_cut": repr(setting.distance_cut),
            "max_chunks": str(max_chunks),
            "reason": "More to read.",
        }
        assert client.post("/thresholds", body).status_code == 302
        assert drifts(world)[0].startswith(another)
    assert another in html.unescape(client.get("/thresholds").content.decode())
    assert threshold_in_force(world.version).relevance_calibration == setting.relevance_calibration
    set_threshold(
        actor=world.admin,
        version=world.version,
        relevance_cut=setting.relevance_cut + 0.01,
        distance_cut=setting.distance_cut,
        max_chunks=6,
        reason="Set for this one.",
    )
    assert drifts(world) == []


def golden_was(run: EvaluationRun) -> None:
    """The run asked the questions that the set has now."""
    fingerprint = golden_of(run.golden_set).fingerprint
    CutCalibration.objects.update(golden_id=fingerprint, measured_at=timezone.now())


def test_what_changed_since_a_calibration_is_told(run: EvaluationRun, world: World) -> None:
    setting = use(run, world, "hybrid")
    golden_was(run)
    CutCalibration.objects.update(folder_ids=[world.travel.pk])
    serving = engine.serving_reranker()
    ThresholdSetting.objects.update(reranker=serving)
    assert drifts(world) == []
    set_threshold(
        actor=world.admin,
        version=world.version,
        relevance_cut=setting.relevance_cut,
        distance_cut=setting.distance_cut,
        max_chunks=setting.max_chunks + 3,
        reason="More.",
    )
    n = setting.max_chunks
    assert drifts(world) == [
        f"The distance cut was calibrated with at most {n} passages; {n + 3} may pass now."
    ]
    needle(run.golden_set, "n-new", world.policy.name, LIMIT)
    assert (
        "The distance cut was calibrated on Travel questions with other questions than it has now."
        in drifts(world)
    )
    DocumentIndex.objects.filter(document=world.policy).first().save()
    assert "1 document of its folders was added, changed or deleted since." in drifts(world)[-1]
    GoldenSet.objects.filter(pk=run.golden_set_id).delete()
    assert "The distance cut was calibrated on Travel questions, which is gone." in drifts(world)
    assert threshold_in_force(world.version).distance_calibration is not None


def test_a_cut_outside_the_scale_is_not_set(run: EvaluationRun, world: World) -> None:
    """At the end of the scale it would let through the very question that it is to refuse."""
    measured(run, "r", "far", 1.0, 0.0)
    for configuration in ("reranked", "hybrid"):
        with pytest.raises(Rejected, match="Only refusing everything") as error:
            use_cut(actor=world.admin, run=run, configuration=configuration, budget=0.0, bound="rate")
        assert error.value.code == "no_cut"


def test_a_budget_of_none_is_kept_by_what_six_digits_hide(run: EvaluationRun, world: World) -> None:
    measured(run, "r", "far", 0.9, 0.5)  # of a run before scores were kept whole; it was 0.9000004
    setting = use_cut(actor=world.admin, run=run, configuration="reranked", budget=0.0, bound="rate")
    assert 0.9000004 < setting.relevance_cut < 0.90001


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"configuration": "dense"}, "configuration_unknown"),
        ({"budget": 1.5}, "budget_out_of_range"),
        ({"budget": float("nan")}, "budget_out_of_range"),
        ({"bound": "upper"}, "no_cut"),
    ],
    ids=["configuration", "budget", "no number", "no cut"],
)
def test_what_cannot_be_used(change: dict[str, object], code: str, run: EvaluationRun, world: World) -> None:
    values = {"configuration": "reranked", "budget": 0.1, "bound": "rate"} | change
    with pytest.raises(Rejected) as error:
        use_cut(actor=world.admin, run=run, **values)
    assert error.value.code == code


def test_one_side_alone_gives_no_cut(run: EvaluationRun) -> None:
    EvaluatedQuestion.objects.filter(run=run, must_refuse=True).delete()
    with pytest.raises(Rejected) as error:
        report_of(run)
    assert error.value.code == "nothing_to_calibrate"


def test_a_cut_of_a_version_that_does_not_serve_is_not_set(run: EvaluationRun, world: World) -> None:
    IndexVersion.objects.filter(pk=world.version.pk).update(state=VersionState.RETIRED)
    with pytest.raises(Rejected) as error:
        use_cut(
            actor=world.admin,
            run=EvaluationRun.objects.get(pk=run.pk),
            configuration="reranked",
            budget=0.1,
            bound="rate",
        )
    assert error.value.code == "version_gone"


@pytest.mark.parametrize("name", ["footnote-relevance/1", "scripted/2", "scripted/10", "scripted"])
def test_relevances_of_another_reranker_set_no_cut(
    run: EvaluationRun, world: World, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    serve(monkeypatch, name)
    with pytest.raises(Rejected) as error:
        use_cut(actor=world.admin, run=run, configuration="reranked", budget=0.1, bound="rate")
    assert error.value.code == "reranker_changed"
    assert use_cut(actor=world.admin, run=run, configuration="hybrid", budget=0.1, bound="rate")


def test_a_run_that_is_not_done_gives_no_cut(run: EvaluationRun) -> None:
    run.state = RunState.RUNNING
    with pytest.raises(Rejected) as error:
        report_of(run)
    assert error.value.code == "run_not_done"


def points_of(text: str) -> list[tuple[float, float]]:
    return [tuple(float(n) for n in point.split(",")) for point in text.split()]


@pytest.mark.parametrize("configuration", ["reranked", "hybrid"])
def test_the_curve_runs_from_strict_to_loose_and_stays_inside(configuration: str, run: EvaluationRun) -> None:
    report = report_of(run, configuration)
    plot = two_sided_plot(report.calibration, report.current)
    bluffs, wrong = points_of(plot.bluffs), points_of(plot.wrong)
    for line in (bluffs, wrong, points_of(plot.bluffs_band), points_of(plot.wrong_band)):
        assert all(LEFT <= x <= WIDTH - RIGHT and TOP <= y <= HEIGHT for x, y in line)
    assert [x for x, _ in bluffs] == sorted(x for x, _ in bluffs), "looser cuts to the right"
    assert bluffs[0][1] == plot.frame.bottom, "the strictest cut lets no bluff through"
    assert bluffs[-1][1] < bluffs[0][1]
    assert wrong[0][1] == plot.frame.top
    assert wrong[-1][1] > wrong[0][1]
    assert plot.current.label == f"now {report.current.cut:.3f}"
    for (_, y), (_, high), (_, low) in zip(
        bluffs, points_of(plot.bluffs_band), reversed(points_of(plot.bluffs_band)), strict=False
    ):
        assert high <= y <= low, "y grows downwards"


def test_at_any_cut_the_line_is_what_the_gate_does_there(run: EvaluationRun) -> None:
    """Read between the cuts of the table too, where a slope would show shares that no cut has."""
    report = report_of(run)
    records = gate_records("reranked", evaluated_of(run))
    plot = two_sided_plot(report.calibration, report.current)
    changes = {score for record in records for score in record.scores}
    cuts = [0.0003 + at / 500 for at in range(499)]
    checked = 0
    for cut in cuts:
        if any(abs(cut - change) < 0.001 for change in changes):
            continue
        x = LEFT + (1.0 - cut) * (WIDTH - RIGHT - LEFT)
        there = rag.gate_at(records, cut, score="relevance")
        for line, share in ((plot.bluffs, there.bluffs), (plot.wrong, there.wrong_refusals)):
            steps = points_of(line)
            pairs = zip(steps[::2], steps[1::2], strict=True)
            [y] = {a[1] for a, b in pairs if a[0] <= x <= b[0] and a[1] == b[1] and a[0] < b[0]}
            assert y == pytest.approx(plot.frame.bottom - share.rate * (plot.frame.bottom - TOP), abs=0.02)
            checked += 1
    assert checked > 500


@pytest.mark.parametrize(("coverage", "right"), [((15, 20), 15), ((15, 20), 14), ((10, 20), 2)])
def test_the_name_of_the_proposed_cut_covers_neither_the_axis_nor_the_other(
    coverage: tuple[int, int], right: int
) -> None:
    share, none = rag.Proportion(*coverage), rag.Proportion(0, 0)
    point = rag.CurvePoint(0.5, none, none, rag.Proportion(right, 20), share)
    plot = risk_plot((), point, point)
    assert plot.current is not None
    assert plot.chosen is not None
    assert plot.chosen.y + plot.chosen.dy <= plot.frame.bottom
    assert abs(plot.chosen.dy - plot.current.dy) >= 12


def test_an_interval_that_no_cut_can_narrow_is_called_so(
    run: EvaluationRun, world: World, client: Client
) -> None:
    EvaluatedQuestion.objects.filter(run=run, must_refuse=True).delete()
    for at in range(2):
        measured(run, f"r-{at}", "far", 0.1, 1.5)
    client.force_login(world.admin)
    page = client.get(f"/evaluation/runs/{run.pk}/calibration?budget=10&bound=upper").content.decode()
    assert "No cut keeps to this budget" in page
    assert "Of 2 questions to refuse, even none let through leaves up to 66% possible" in page


def test_a_long_curve_is_thinned_but_keeps_its_ends(run: EvaluationRun) -> None:
    for at in range(400):
        measured(run, f"x-{at}", "tickets", 0.2 + at / 800, 0.9 - at / 800)
    report = report_of(run)
    line = points_of(two_sided_plot(report.calibration, report.current).bluffs)
    assert len(line) == 2 * MAX_POINTS, "both ends of each step"
    assert len(report.calibration.curve) > MAX_POINTS
    assert len(points_of(risk_plot(report.risk, report.current, None).line)) <= MAX_POINTS


def test_the_pictures_are_valid_and_without_style(run: EvaluationRun) -> None:
    report = report_of(run)
    context = {"report": report, "plot": two_sided_plot(report.calibration, report.current)}
    pages = [render_to_string("evaluation/_two_sided.html", context)]
    plot = risk_plot(report.risk, report.current, report.calibration.chosen)
    pages.append(render_to_string("evaluation/_risk.html", context | {"plot": plot}))
    rows = run_report(run, evaluated_of(run)).retrieval
    pages += [render_to_string("evaluation/_recall_plot.html", {"plot": p}) for p in recall_plots(rows)]
    assert len(pages) == 3
    for page in pages:
        root = ET.fromstring(page.replace("\N{NO-BREAK SPACE}", " "))
        assert root.find("svg[@role='img']").get("aria-label")
        assert "style=" not in page
        assert not re.search(r"nan|inf\b", page)


def test_two_runs_are_compared_by_the_questions_both_asked(run: EvaluationRun, world: World) -> None:
    later = evaluation_run(world.golden, world.version)
    for at in range(20):
        # Five that were refused are answered now; one is asked in other words.
        words = {"question": "Other words?"} if at == 19 else {}
        measured(later, f"n-{at}", "questions", 0.9 if at < 5 else 0.30 + at * 0.03, 0.3, **words)
    measured(later, "r-9", "near", 0.9, 0.3)
    made = compare_runs(later, run)
    assert (made.n_pairs, made.n_single) == (20, 11)
    by_group = {row.wording: row.test for name, row in made.tests if name == "reranked"}
    assert (by_group["questions"].wins, by_group["questions"].losses) == (5, 0)
    assert by_group["questions"].p == rag.sign_test(5, 0)
    assert (by_group["near"].wins, by_group["near"].losses) == (0, 1), "a new bluff is a loss"
    changed = [row for row in made.changed if row.configuration == "reranked"]
    assert [(row.key, row.is_better) for row in changed if not row.is_better] == [("r-9", False)]
    assert changed[0].before == "refused: below_threshold"
    assert changed[0].after == "right passage"
    assert {row.measure for _, row in made.tests} == {"right passage", "refused"}
    assert made.n_alike == 4 * 4, "four measures of retrieval, all alike under four configurations"


def test_latency_is_told_by_stage(run: EvaluationRun) -> None:
    report = run_report(run, evaluated_of(run))
    times = {row.stage: row.times for row in report.answers[0].latency}
    assert times["question to result"].p50_ms == 110.0
    assert times["rerank"].n == 30


def test_what_went_wrong_is_listed(run: EvaluationRun) -> None:
    [reranked] = [
        one for one in run_report(run, evaluated_of(run)).answers if one.configuration == "reranked"
    ]
    refused = [row for row in reranked.missed if row.group == "questions"]
    assert len(refused) == reranked.rows[0].wrong_refusals.successes == 7
    assert {(row.ended, row.fault) for row in refused} == {("refused: below_threshold", "cut_by_gate")}
    assert len(reranked.missed) == 7, "no bluff at this cut"


def test_a_comparison_tells_what_each_run_measured_with(run: EvaluationRun, world: World) -> None:
    other = evaluation_run(run.golden_set, run.index_version)
    EvaluationRun.objects.filter(pk=other.pk).update(
        relevance_cut=0.7, max_chunks=3, reranker="other/1", documents_id="a" * 16
    )
    other.refresh_from_db()
    made = compare_runs(run, other)
    differing = {row.name: row.second for row in made.settings if row.differs}
    assert differing == {
        "Relevance cut": "0.7",
        "Most passages": "3",
        "Reranker": "other/1",
        "Documents": "a" * 16,
    }
    page = render_to_string("evaluation/_comparison.html", {"comparison": made, "run": run})
    assert "Relevance cut differs" in page
    assert "Distance cut differs" not in page
