"""What the evaluation pages say and do, by the browser's way."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

import rag
from console.evaluation import views
from console.evaluation.models import EvaluationRun, GoldenQuestion, GoldenSet, RunState
from console.evaluation.selectors import documents_fingerprint
from console.index.selectors import threshold_in_force
from tests.console.conftest import LIMIT, SECRET, TRAINS, World, evaluation_run, golden_set, needle
from tests.console.evaluation.conftest import run_to_the_end
from tests.console.evaluation.test_calibration import run as measured_run  # noqa: F401 - a fixture
from tests.console.test_pages import text_of
from tests.rag.fakes import ScriptedReranker

As = Callable[..., Client]
HTMX = {"HX-Request": "true"}


def test_the_first_visit_teaches(world: World, as_role: As) -> None:
    GoldenSet.objects.all().delete()
    page = text_of(as_role("support_lead").get("/evaluation"))
    assert "No golden set yet" in page
    assert "Import the sample questions" not in page, "the handbook is not here"
    assert "/evaluation" not in as_role("viewer").get("/").content.decode()
    assert 'href="/evaluation"' in as_role("support_lead").get("/").content.decode()


def test_a_set_is_made_filled_and_emptied_by_forms(world: World, as_role: As) -> None:
    lead = as_role("support_lead")
    made = lead.post(
        "/evaluation/sets/new", {"name": "Hotels", "description": "", "folders": [world.travel.pk]}
    )
    golden = GoldenSet.objects.get(name="Hotels")
    assert made["Location"] == f"/evaluation/sets/{golden.pk}"
    assert "No question yet" in text_of(lead.get(made["Location"]))
    new = f"/evaluation/sets/{golden.pk}/questions/new"
    values = {"question": "What is the limit?", "document": world.policy.name, "needle": LIMIT}
    page = text_of(lead.post(new, values, follow=True))
    assert "n-001 is saved." in page
    assert LIMIT in page
    several = {"question": "Both?", "document_1": "policy.md", "needle_1": "One.", "document_2": "b.md"}
    assert lead.post(f"{new}?kind=multihop", several).status_code == 422
    page = text_of(lead.post(f"{new}?kind=multihop", several | {"needle_2": "Two."}, follow=True))
    assert "cannot be measured rightly" in page
    assert "There is no document b.md." in page
    refusal = {"question": "Who won?", "refusal_kind": "far", "why": "Sport."}
    assert "Nothing: Sport." in text_of(lead.post(f"{new}?kind=refusal", refusal, follow=True))
    assert "Both?" not in text_of(lead.get(f"/evaluation/sets/{golden.pk}?kind=far"))
    assert "Who won?" in text_of(lead.get(f"/evaluation/sets/{golden.pk}?kind=far"))
    assert "No question matches" in text_of(lead.get(f"/evaluation/sets/{golden.pk}?q=zzz"))
    row = golden.questions.get(key="m-001")
    shown = lead.get(f"/evaluation/questions/{row.pk}").content.decode()
    assert "Two." in shown
    lead.post(f"/evaluation/questions/{row.pk}/remove")
    assert not GoldenQuestion.objects.filter(pk=row.pk).exists()


def test_a_changed_question_keeps_what_the_form_does_not_show(world: World, as_role: As) -> None:
    values = {"key": "n-001", "question": "New words?", "document": "policy.md", "needle": LIMIT}
    as_role("support_lead").post(f"/evaluation/questions/{world.golden_question.pk}", values)
    world.golden_question.refresh_from_db()
    assert world.golden_question.question == "New words?"


@pytest.mark.parametrize("kind", ["needle", "multihop"])
def test_gold_answers_are_written_one_a_line(world: World, as_role: As, kind: str) -> None:
    lead = as_role("support_lead")
    values = {"needle": {"document": "policy.md", "needle": LIMIT}}
    values["multihop"] = {
        "document_1": "policy.md",
        "needle_1": LIMIT,
        "document_2": "b.md",
        "needle_2": "B.",
    }
    new = f"/evaluation/sets/{world.golden.pk}/questions/new?kind={kind}"
    given = {"key": "g-1", "question": "How much?", "answers": "180 EUR\n\n 180 \n180", **values[kind]}
    assert lead.post(new, given).status_code == 302
    row = world.golden.questions.get(key="g-1")
    assert row.answers == ["180 EUR", "180"]
    assert "180 EUR\n180</textarea>" in lead.get(f"/evaluation/questions/{row.pk}").content.decode()


def test_faults_of_an_import_are_listed_by_line(world: World, as_role: As) -> None:
    files = [
        SimpleUploadedFile("needles.jsonl", b'{"id": "n1"}\n{broken\n'),
        SimpleUploadedFile("refusals.jsonl", b'{"id": "r1", "kind": "far", "question": "Who?"}\n'),
    ]
    response = as_role("support_lead").post(f"/evaluation/sets/{world.golden.pk}/import", {"files": files})
    assert response.status_code == 422
    page = text_of(response)
    assert "Nothing was imported" in page
    assert "needles.jsonl 1 document must be a text." in page
    assert "needles.jsonl 2 this is no JSON." in page
    assert world.golden.questions.count() == 1


def test_export_and_import_by_the_browser(world: World, as_role: As) -> None:
    lead = as_role("support_lead")
    exported = lead.get(f"/evaluation/sets/{world.golden.pk}/export")
    assert exported["Content-Disposition"] == 'attachment; filename="travel-questions.zip"'
    names = zipfile.ZipFile(io.BytesIO(exported.content)).namelist()
    assert names == ["needles.jsonl", "refusals.jsonl", "multihop.jsonl"]
    copy = golden_set("Copy", world.travel)
    page = lead.post(
        f"/evaluation/sets/{copy.pk}/import",
        {"files": [SimpleUploadedFile("travel.zip", exported.content)]},
        follow=True,
    )
    assert "1 questions added, 0 changed." in text_of(page)


def test_the_check_links_its_faults(world: World, as_role: As) -> None:
    needle(world.golden, "n-9", "policy.md", "Nowhere.", question="Where?", ticket="where")
    page = as_role("support_lead").get(f"/evaluation/sets/{world.golden.pk}/check")
    assert "No document holds the needle." in text_of(page)
    row = world.golden.questions.get(key="n-9")
    assert f'href="/evaluation/questions/{row.pk}"' in page.content.decode()


def test_a_set_of_hidden_folders_is_missing_for_a_lead(world: World, as_role: As) -> None:
    pay = golden_set("Pay", world.closed)
    row = needle(pay, "n-1", "salaries.md", SECRET)
    run = evaluation_run(pay, world.version)
    paths = [f"/evaluation/sets/{pay.pk}{rest}" for rest in ("", "/edit", "/export", "/check", "/import")]
    paths += [f"/evaluation/questions/{row.pk}"]
    paths += [f"/evaluation/runs/{run.pk}{rest}" for rest in ("", "/compare", "/calibration")]
    paths += [f"/api/v1/evaluation-runs/{run.pk}", f"/api/v1/golden-sets/{pay.pk}/runs"]
    for path in paths:
        assert as_role("support_lead").get(path).status_code == 404, path
        assert as_role("admin").get(path).status_code == 200, path
    assert SECRET not in as_role("support_lead").get("/evaluation").content.decode()
    assert "Pay" not in text_of(as_role("support_lead").get("/evaluation"))


def test_a_real_question_is_added_from_its_page(world: World, as_role: As) -> None:
    lead = as_role("support_lead")
    link = f"/evaluation/from/{world.answered.pk}"
    assert link in lead.get(f"/questions/{world.answered.pk}").content.decode()
    assert link not in as_role("viewer").get(f"/questions/{world.answered.pk}").content.decode()
    assert LIMIT in text_of(lead.get(link))
    values = {"golden_set": world.golden.pk, "kind": "needle", "text": "Hotel limit?", "citation": "1"}
    page = lead.post(link, values | {"refusal_kind": "near"}, follow=True)
    assert page.redirect_chain[-1][0] == f"/evaluation/sets/{world.golden.pk}"
    added = world.golden.questions.get(question="Hotel limit?")
    assert added.source == world.answered
    assert added.places == [(world.policy.name, LIMIT)]
    assert lead.post(link, values | {"golden_set": 999_999}).status_code == 422
    assert lead.post(link, values | {"citation": ""}).status_code == 422
    refused = f"/evaluation/from/{world.refused.pk}"
    assert SECRET not in lead.get(refused).content.decode()
    values = {"golden_set": world.golden.pk, "kind": "refusal", "text": "Who?", "refusal_kind": "far"}
    assert lead.post(refused, values | {"kind": "needle"}).status_code == 422
    assert lead.post(refused, values).status_code == 302
    assert world.golden.questions.get(question="Who?").refusal_kind == "far"


def test_without_a_set_a_real_question_waits(world: World, as_role: As) -> None:
    GoldenSet.objects.all().delete()
    assert "No golden set yet" in text_of(as_role("admin").get(f"/evaluation/from/{world.answered.pk}"))


def test_a_run_shows_its_progress_then_its_figures(
    world: World,
    travel_set: GoldenSet,
    index: rag.Index,
    reranker: ScriptedReranker,
    as_role: As,
) -> None:
    lead = as_role("support_lead")
    travel_set.questions.filter(key="n-1").update(answers=["135 EUR"])
    started = lead.post(f"/evaluation/sets/{travel_set.pk}/runs")
    path = started["Location"]
    run = EvaluationRun.objects.get(golden_set=travel_set)
    shown = lead.get(path)
    assert "0 of 4 questions" in text_of(shown)
    assert "data-working" in shown.content.decode()
    part = lead.get(path, headers=HTMX | {"HX-Target": "run-state"}).content.decode()
    assert part.startswith('<div id="run-state"')
    assert "Run it" not in text_of(lead.get(f"/evaluation/sets/{travel_set.pk}"))
    run_to_the_end(run)
    page = text_of(lead.get(path))
    assert "Whole answers" in page
    assert "0 of 2 needles" in page
    assert "reranked : bm25" in page or "bm25 : reranked" in page
    assert "data-working" not in lead.get(path).content.decode()
    figures = lead.get(f"/api/v1/evaluation-runs/{run.pk}").json()
    assert figures["state"] == "done"
    assert {row["configuration"] for row in figures["retrieval"]} == set(rag.CONFIGURATIONS)
    assert figures["answers"][0]["bluffs"]["all kinds"]["n"] == 2
    gold = figures["answers"][0]["gold_answers"]
    assert set(gold) == {"both wordings", "questions", "tickets"}
    assert (gold["questions"]["quoted"]["successes"], gold["questions"]["quoted"]["n"]) == (1, 1)
    assert 0 < gold["questions"]["f1"] < 1
    assert "Stands in a cited quote" in page
    assert "nDCG@10" in page
    for row in figures["retrieval"]:
        assert 0.0 <= row["ndcg_at_10_low"] <= row["ndcg_at_10"] <= row["ndcg_at_10_high"] <= 1.0
    assert figures["documents_id"] == documents_fingerprint([world.travel.pk])
    assert "Use this cut" in text_of(as_role("admin").get(f"{path}/calibration"))


def test_a_failed_run_says_why(world: World, as_role: As) -> None:
    failed = evaluation_run(
        world.golden,
        world.version,
        state=RunState.FAILED,
        reason_code="broken",
        reason="Something failed on our side.",
        error_reference="0A1B2C3D",
    )
    page = text_of(as_role("support_lead").get(f"/evaluation/runs/{failed.pk}"))
    assert "Something failed on our side. Reference 0A1B2C3D" in page
    assert "Failed broken" in text_of(as_role("support_lead").get(f"/evaluation/sets/{world.golden.pk}"))


def test_calibration_proposes_and_an_admin_uses_it(
    world: World,
    measured_run: EvaluationRun,  # noqa: F811
    as_role: As,
) -> None:
    path = f"/evaluation/runs/{measured_run.pk}/calibration"
    lead = as_role("support_lead").get(path)
    assert "Proposed: relevance" in text_of(lead)
    assert "An admin can use it." in text_of(lead)
    part = as_role("admin").get(f"{path}?budget=50", headers=HTMX | {"HX-Target": "curves"})
    assert part.content.decode().startswith('<div id="curves">')
    assert "No cut keeps to this budget" in text_of(as_role("admin").get(f"{path}?bound=upper"))
    wrong = as_role("admin").get(f"{path}?budget=many")
    assert wrong.status_code == 422
    assert "Enter a number." in text_of(wrong)
    values = {"configuration": "reranked", "budget": "10", "bound": "rate"}
    assert as_role("support_lead").post(path, values).status_code == 403
    used = as_role("admin").post(path, values, follow=True)
    setting = threshold_in_force(world.version)
    assert f"relevance {setting.relevance_cut:.3f}" in text_of(used)
    (calibration,) = setting.calibrations
    assert calibration.golden_set_name == "Travel questions"
    assert "This cut is in force." in text_of(as_role("admin").get(path))


def test_runs_are_compared_with_one_of_the_same_set(
    world: World,
    measured_run: EvaluationRun,  # noqa: F811
    as_role: As,
) -> None:
    lead = as_role("support_lead")
    path = f"/evaluation/runs/{measured_run.pk}/compare"
    assert "Nothing to compare with" in text_of(lead.get(path))
    other = evaluation_run(world.golden, world.version)
    assert "0 questions in both, 30 in one only" in text_of(lead.get(f"{path}?with={other.pk}"))
    assert lead.get(f"{path}?with={world.live_run.pk}").status_code == 404


def test_a_long_check_lists_the_first_faults_and_counts_all(
    world: World, as_role: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "N_FAULTS", 3)
    for at in range(5):
        needle(world.golden, f"x-{at}", "missing.md", "Nowhere.", question=f"Where {at}?", ticket=f"eh {at}")
    page = as_role("support_lead").get(f"/evaluation/sets/{world.golden.pk}/check")
    assert len(page.context["faults"]) == 3
    n_faults = len(page.context["report"].faults)
    assert f"{n_faults} faults, the first 3 listed" in text_of(page)


@pytest.mark.parametrize("missing", ["document_3", "needle_3", "document_2", "needle_1"])
def test_a_needle_without_its_document_is_not_saved(missing: str, world: World, as_role: As) -> None:
    sentences = [LIMIT, TRAINS, "A third sentence."]
    values = {"key": "m-1", "question": "All three?"}
    for number, sentence in enumerate(sentences, start=1):
        values |= {f"document_{number}": world.policy.name, f"needle_{number}": sentence}
    new = f"/evaluation/sets/{world.golden.pk}/questions/new?kind=multihop"
    lead = as_role("support_lead")
    answer = lead.post(new, values | {missing: " "})
    assert answer.status_code == 422
    assert set(answer.context["form"].errors) == {missing}
    assert not world.golden.questions.filter(key="m-1").exists()
    assert lead.post(new, values).status_code == 302
    assert len(world.golden.questions.get(key="m-1").needles) == 3


def test_all_needles_of_an_imported_question_are_shown_and_kept(world: World, as_role: As) -> None:
    needles = [{"document": world.policy.name, "needle": f"Sentence {number}."} for number in range(1, 6)]
    stored = needle(world.golden, "m-5", "", "")
    stored.kind, stored.needles = "multihop", needles
    stored.save()
    lead = as_role("support_lead")
    form = lead.get(f"/evaluation/questions/{stored.pk}").context["form"]
    assert (
        lead.post(f"/evaluation/questions/{stored.pk}", form.initial | {"question": "All?"}).status_code
        == 302
    )
    stored.refresh_from_db()
    assert (stored.question, stored.needles) == ("All?", needles)


@pytest.mark.parametrize("kind", ["needle", "multihop", "refusal", "odd"])
def test_every_kind_has_its_form(kind: str, world: World, as_role: As) -> None:
    page = as_role("support_lead").get(f"/evaluation/sets/{world.golden.pk}/questions/new?kind={kind}")
    assert page.status_code == 200
    assert 'name="question"' in page.content.decode()
