"""A run from its start to its figures; killed, cancelled and broken on the way."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

import rag
from console import engine, sockets
from console.access import NotPermitted, Rejected
from console.evaluation import measuring, runs
from console.evaluation.models import EvaluatedQuestion, EvaluationRun, GoldenSet, RunState
from console.evaluation.runs import cancel_run, evaluate_slice, pick_up_pending, start_run
from console.evaluation.services import remove_golden_question
from console.index.models import IndexVersion, VersionState
from console.questions.models import Question, QuestionState, Surface
from console.sources.services import delete_document
from rag.evaluate.retrieval import needle_rank
from tests.console.conftest import LIMIT, TRAINS, World, golden_set, needle
from tests.console.evaluation.conftest import run_to_the_end
from tests.rag.fakes import ScriptedReranker

Sent = list[tuple[str, int | str]]


@pytest.fixture(autouse=True)
def _no_other_live_run(world: World) -> None:
    world.live_run.delete()


def results_of(run: EvaluationRun) -> dict[tuple[str, str], EvaluatedQuestion]:
    return {(row.key, row.group): row for row in EvaluatedQuestion.objects.filter(run=run)}


def test_a_set_with_a_question_that_cannot_be_asked_is_not_started(
    world: World, travel_set: GoldenSet, sent: Sent
) -> None:
    needle(travel_set, "n-3", " ", LIMIT)
    with pytest.raises(Rejected, match=r"Mend n-3 first\. Document is empty") as error:
        start_run(actor=world.lead, golden_set=travel_set)
    assert error.value.code == "golden_question_faulty"
    assert not sent


def test_retrieval_is_one_search_by_every_configuration(
    world: World, travel_set: GoldenSet, index: rag.Index, reranker: ScriptedReranker, sent: Sent
) -> None:
    """The pipeline searches in parts and again in other words, or, as here for thanks, not at all."""
    needle(travel_set, "n-3", world.policy.name, LIMIT, question="thanks a lot!")
    run = run_to_the_end(start_run(actor=world.lead, golden_set=travel_set))
    scope = rag.Scope(folder_ids=(world.travel.pk,))
    for row in results_of(run).values():
        if row.must_refuse:
            continue
        for name, configuration in rag.CONFIGURATIONS.items():
            search = rag.search_with(configuration, index=index, scope=scope, reranker=reranker)
            sentence = TRAINS if row.key == "n-2" else LIMIT
            assert row.ranks[name] == [needle_rank(search(row.question), sentence)]
    assert None not in results_of(run)["n-3", "questions"].ranks["reranked"]


def test_scores_are_kept_with_all_their_digits(
    world: World, travel_set: GoldenSet, index: rag.Index, reranker: ScriptedReranker, sent: Sent
) -> None:
    run = run_to_the_end(start_run(actor=world.lead, golden_set=travel_set))
    for row in results_of(run).values():
        found = rag.retrieve(row.question, index=index, scope=rag.Scope(folder_ids=(world.travel.pk,)))
        assert sorted(row.gate["hybrid"]["scores"]) == sorted(each.distance for each in found)
    row = results_of(run)["n-1", "questions"]
    exact = [value for value in row.gate["hybrid"]["scores"] if value != round(value, 6)]
    assert exact


@pytest.mark.parametrize("change", ["deleted", "added", "text", "none"])
def test_a_run_says_that_documents_changed_under_it(
    change: str, world: World, travel_set: GoldenSet, index: rag.Index, sent: Sent
) -> None:
    run = start_run(actor=world.lead, golden_set=travel_set)
    if change == "deleted":
        delete_document(actor=world.admin, document=world.policy)
    elif change == "added":
        world.broken.state = "indexed"
        world.broken.reason_code = world.broken.reason = world.broken.next_step = ""
        world.broken.save()
    elif change == "text":
        world.policy.canonical_sha256 = "f" * 64
        world.policy.save()
    run = run_to_the_end(run)
    assert run.state == RunState.DONE
    assert run.note.startswith(runs.DOCUMENTS_CHANGED) == (change != "none")


@pytest.mark.parametrize("later", ["another", ""])
def test_a_run_whose_reranker_is_replaced_fails(
    later: str,
    world: World,
    travel_set: GoldenSet,
    index: rag.Index,
    reranker: ScriptedReranker,
    sent: Sent,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runs, "SLICE_ROWS", 1)
    run = start_run(actor=world.lead, golden_set=travel_set)
    evaluate_slice(run.pk)
    reranker.name = later
    monkeypatch.setattr(engine, "reranker", lambda: reranker if later else None)
    run = run_to_the_end(run)
    assert (run.state, run.reason_code, run.n_done) == (RunState.FAILED, "reranker_changed", 1)
    assert (run.reranker, run.note) == ("scripted", "")
    assert "scripted" in run.reason
    assert "reranked" in run.configurations


def test_the_same_candidates_are_read_once_and_again_where_time_ran_out(
    world: World, index: rag.Index
) -> None:
    class Counting(ScriptedReranker):
        n_calls = 0

        def rerank(self, *args: object, **kwargs: object) -> rag.Reranked:
            self.n_calls += 1
            return super().rerank(*args, **kwargs)

    scope = rag.Scope(folder_ids=(world.travel.pk,))
    candidates = rag.retrieve("hotels in Lisbon", index=index, scope=scope)
    counting = Counting({LIMIT: 0.9}, seconds=1.0)
    remembering = measuring.RememberingReranker(counting)
    for time_limit_s, n_calls in ((0.5, 1), (9.0, 2), (9.0, 2), (0.5, 2)):
        done = remembering.rerank(
            "hotels in Lisbon", candidates, embedding_model="hashing", time_limit_s=time_limit_s
        )
        assert (done.timed_out, counting.n_calls) == (n_calls == 1, n_calls)
    remembering.rerank("trains", candidates, embedding_model="hashing", time_limit_s=9.0)
    assert (counting.n_calls, remembering.name) == (3, "scripted")


def test_a_run_asks_every_question_in_every_wording(
    world: World, travel_set: GoldenSet, index: rag.Index, reranker: ScriptedReranker, sent: Sent
) -> None:
    run = start_run(actor=world.lead, golden_set=travel_set)
    assert (run.state, run.n_total, run.n_needles) == (RunState.QUEUED, 4, 2)
    assert sent == [("footnote.evaluate_slice", run.pk)]
    run = run_to_the_end(run)
    assert (run.state, run.n_done, run.destroyed) == (RunState.DONE, 4, [])
    assert (run.reranker, run.note) == ("scripted", "")
    found = results_of(run)
    assert set(found) == {
        ("n-1", "questions"),
        ("n-1", "tickets"),
        ("n-2", "questions"),
        ("r-1", "far"),
        ("r-2", "near"),
    }
    limit = found["n-1", "questions"]
    assert set(limit.ranks) == set(rag.CONFIGURATIONS)
    assert limit.ranks["dense"] == [1]
    assert limit.gate["reranked"]["score"] == "relevance"
    assert limit.gate["reranked"]["scores"][0] == 0.9
    assert limit.gate["hybrid"]["right"][0] is True
    assert limit.outcomes["reranked"]["right_passage"] is True
    assert set(limit.outcomes["reranked"]["stages"]) >= {"retrieve", "rerank", "gate"}
    assert found["n-1", "tickets"].question == "how much may a hotel cost"
    far = found["r-1", "far"]
    assert far.must_refuse
    assert far.outcomes["hybrid"]["answered"] is False
    assert far.outcomes["reranked"]["reason"] == "weak_evidence", "the scripted reranker likes every passage"
    assert found["r-2", "near"].outcomes["reranked"]["answered"] is True, "a bluff"


def test_what_is_stored_is_what_the_core_reports(
    world: World, travel_set: GoldenSet, index: rag.Index, reranker: ScriptedReranker
) -> None:
    """The figures of single questions add up to those of a whole evaluation."""
    from console.evaluation.golden import golden_of
    from console.evaluation.report import evaluated_of, gate_records, run_report

    needle(travel_set, "n-3", "policy.md", "A sentence that no document holds.", question="And trains?")
    travel_set.questions.filter(key="n-1").update(answers=["135 EUR", "nothing"])
    run = run_to_the_end(start_run(actor=world.lead, golden_set=travel_set))
    golden, scope = golden_of(travel_set), rag.Scope(folder_ids=(world.travel.pk,))
    thresholds = rag.Thresholds(run.distance_cut, run.max_chunks, run.relevance_cut)

    def ask(question: str) -> rag.Answered | rag.Refused:
        return rag.answer(question, index=index, scope=scope, thresholds=thresholds)

    whole = rag.evaluate_answers(golden, ask=ask, thresholds=thresholds)
    report = run_report(run, evaluated_of(run))
    [mine] = [one for one in report.answers if one.configuration == "hybrid"]
    assert mine.rows[0].right_passage == whole.right_passage
    assert mine.rows[0].wrong_refusals == whole.wrong_refusals
    assert dict(mine.rows[0].faults) == whole.faults
    assert mine.rows[0].gold_answers == whole.gold_answers
    assert mine.rows[0].gold_answers.quoted.successes
    assert mine.rows[0].gold_answers.exact.n == 2, (
        "the question and its ticket; the others have no gold answer"
    )
    assert dict(mine.bluffs)["all kinds"] == whole.bluffs
    assert {kind: share for kind, share in mine.bluffs if kind != "all kinds"} == whole.bluffs_by_kind
    search = rag.search_with(rag.CONFIGURATIONS["bm25"], index=index, scope=scope)
    retrieval = rag.evaluate_retrieval(golden, search, configuration=rag.CONFIGURATIONS["bm25"])
    rows = {row.wording: row for row in report.retrieval if row.configuration == "bm25"}
    for wording in retrieval.wordings:
        assert rows[wording.value].recalls[1] == retrieval.recall(1, wording)
        assert rows[wording.value].mrr == retrieval.mean_reciprocal_rank(wording)
        assert rows[wording.value].ndcg == retrieval.mean_ndcg(10, wording)
    hybrid = rag.search_with(rag.CONFIGURATIONS["hybrid"], index=index, scope=scope)
    records = {(r.id, r.group): r for r in rag.record_gate(golden, hybrid, score="distance")}
    for record in gate_records("hybrid", evaluated_of(run)):
        other = records[record.id, record.group]
        assert record.right == other.right
        assert record.scores == pytest.approx(other.scores, abs=1e-6)
    assert "n-3" in run.destroyed


def test_without_a_reranker_the_rest_is_measured_and_it_is_said(
    world: World, travel_set: GoldenSet, index: rag.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise rag.ModelMissing("The relevance model is not here.")

    monkeypatch.setattr(engine, "reranker", missing)
    run = run_to_the_end(start_run(actor=world.lead, golden_set=travel_set))
    assert run.state == RunState.DONE
    assert run.configurations == ["dense", "bm25", "hybrid"]
    assert "The relevance model is not here." in run.note


def test_a_reranker_that_breaks_is_not_measured_as_one_that_changes_nothing(
    world: World, travel_set: GoldenSet, index: rag.Index, reranker: ScriptedReranker
) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    reranker.rerank = breaks
    run = run_to_the_end(start_run(actor=world.lead, golden_set=travel_set))
    assert (run.state, run.reason_code) == (RunState.FAILED, "model_failed")
    assert "The reranker scripted broke while reading." in run.reason


def test_questions_are_frozen_when_the_run_starts(
    world: World, travel_set: GoldenSet, index: rag.Index, reranker: ScriptedReranker
) -> None:
    run = start_run(actor=world.lead, golden_set=travel_set)
    remove_golden_question(actor=world.lead, question=travel_set.questions.get(key="n-2"))
    assert ("n-2", "questions") in results_of(run_to_the_end(run))


def test_a_slice_asks_a_few_and_leaves_the_rest(
    world: World,
    travel_set: GoldenSet,
    index: rag.Index,
    reranker: ScriptedReranker,
    sent: Sent,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runs, "SLICE_ROWS", 2)
    told: list[dict[str, object]] = []
    monkeypatch.setattr(sockets, "publish", lambda group, **payload: told.append(payload))
    run = start_run(actor=world.lead, golden_set=travel_set)
    evaluate_slice(run.pk)
    run.refresh_from_db()
    assert (run.state, run.n_done, run.lease_until) == (RunState.RUNNING, 2, None)
    assert len(sent) == 2, "the next slice is queued"
    assert [(one["state"], one["done"]) for one in told] == [("queued", 0), ("running", 2)]
    evaluate_slice(run.pk)
    assert told[-1] == {
        "kind": "run",
        "id": run.pk,
        "set": travel_set.pk,
        "state": "done",
        "done": 4,
        "total": 4,
    }


def test_a_killed_run_goes_on_where_it_was(
    world: World, travel_set: GoldenSet, index: rag.Index, reranker: ScriptedReranker, sent: Sent
) -> None:
    run = start_run(actor=world.lead, golden_set=travel_set)
    measure, asked = measuring.Instrument.measure, []

    def die_at_the_third(self: measuring.Instrument, row: object) -> object:
        if len(asked) == 2:
            raise KeyboardInterrupt  # as a kill does, it passes every handler
        asked.append(row)
        return measure(self, row)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring.Instrument, "measure", die_at_the_third)
        with pytest.raises(KeyboardInterrupt):
            evaluate_slice(run.pk)
    run.refresh_from_db()
    assert (run.state, run.n_done) == (RunState.RUNNING, 2)
    before = {key: row.pk for key, row in results_of(run).items()}
    assert evaluate_slice(run.pk) is None, "its lease still stands"
    assert pick_up_pending(at_start=True) == 1
    run = run_to_the_end(run)
    assert (run.state, run.n_done) == (RunState.DONE, 4)
    after = {key: row.pk for key, row in results_of(run).items()}
    assert before.items() <= after.items(), "what was measured is not measured again"


def test_a_lost_run_is_picked_up(
    world: World, travel_set: GoldenSet, index: rag.Index, reranker: ScriptedReranker, sent: Sent
) -> None:
    run = start_run(actor=world.lead, golden_set=travel_set)
    assert pick_up_pending() == 0, "its message is under way"
    EvaluationRun.objects.filter(pk=run.pk).update(
        state=RunState.RUNNING, queued_at=None, lease_until=timezone.now() + timedelta(minutes=5)
    )
    assert pick_up_pending() == 0, "a worker has it"
    assert pick_up_pending(at_start=True) == 1, "that worker was of an earlier process"
    assert sent[-1] == ("footnote.evaluate_slice", run.pk)
    assert pick_up_pending() == 0, "sent once"
    old = timezone.now() - timedelta(minutes=6)
    EvaluationRun.objects.filter(pk=run.pk).update(queued_at=old)
    assert pick_up_pending() == 1, "the message may be lost"
    assert run_to_the_end(run).state == RunState.DONE
    assert pick_up_pending() == 0


def test_a_run_whose_worker_always_dies_ends_with_a_reason(
    world: World, travel_set: GoldenSet, index: rag.Index
) -> None:
    run = start_run(actor=world.lead, golden_set=travel_set)
    EvaluationRun.objects.filter(pk=run.pk).update(
        n_claims=runs.MAX_CLAIMS, lease_until=timezone.now() - timedelta(seconds=1)
    )
    assert evaluate_slice(run.pk) is None
    run.refresh_from_db()
    assert (run.state, run.reason_code) == (RunState.FAILED, "worker_died")
    assert "died" in run.reason


def test_a_run_that_breaks_ends_with_a_reference(
    world: World, travel_set: GoldenSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(version: IndexVersion) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(engine, "reranker", lambda: None)
    monkeypatch.setattr(engine, "index_of", broken)
    run = run_to_the_end(start_run(actor=world.lead, golden_set=travel_set))
    assert (run.state, run.reason_code) == (RunState.FAILED, "broken")
    assert len(run.error_reference) == 8
    assert "ZeroDivision" not in run.reason


def test_a_store_that_is_away_is_waited_for_and_then_told(
    world: World, travel_set: GoldenSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(version: IndexVersion) -> None:
        raise rag.StoreDown("The vector store does not answer.")

    monkeypatch.setattr(engine, "reranker", lambda: None)
    monkeypatch.setattr(engine, "index_of", away)
    run = start_run(actor=world.lead, golden_set=travel_set)
    for _ in range(runs.MAX_CLAIMS - 1):
        with pytest.raises(rag.StoreDown):
            evaluate_slice(run.pk)
        run.refresh_from_db()
        assert run.state == RunState.RUNNING
        assert run.lease_until > timezone.now()
        EvaluationRun.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
        assert pick_up_pending() == 1
    evaluate_slice(run.pk)
    run.refresh_from_db()
    assert (run.state, run.reason) == (RunState.FAILED, "The vector store does not answer.")


def test_a_version_that_serves_no_more_ends_its_runs(
    world: World, travel_set: GoldenSet, index: rag.Index
) -> None:
    run = start_run(actor=world.lead, golden_set=travel_set)
    IndexVersion.objects.filter(pk=world.version.pk).update(state=VersionState.RETIRED)
    assert run_to_the_end(run).reason_code == "version_gone"


def test_a_cancelled_run_stops_at_the_next_question(
    world: World, travel_set: GoldenSet, index: rag.Index, reranker: ScriptedReranker, sent: Sent
) -> None:
    run = start_run(actor=world.lead, golden_set=travel_set)
    with pytest.raises(NotPermitted):
        cancel_run(actor=world.viewer, run=run)
    measure = measuring.Instrument.measure

    def cancel_meanwhile(self: measuring.Instrument, row: object) -> object:
        cancel_run(actor=world.lead, run=run)
        return measure(self, row)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring.Instrument, "measure", cancel_meanwhile)
        evaluate_slice(run.pk)
    run.refresh_from_db()
    assert (run.state, run.n_done) == (RunState.CANCELLED, 0)
    assert not results_of(run)
    assert evaluate_slice(run.pk) is None
    with pytest.raises(Rejected) as error:
        cancel_run(actor=world.lead, run=run)
    assert error.value.code == "run_has_ended"


def test_what_cannot_be_run(world: World, travel_set: GoldenSet) -> None:
    def code(golden: GoldenSet) -> str:
        with pytest.raises(Rejected) as error:
            start_run(actor=world.lead, golden_set=golden)
        return error.value.code

    with pytest.raises(NotPermitted):
        start_run(actor=world.viewer, golden_set=travel_set)
    assert code(golden_set("Empty", world.travel)) == "golden_set_empty"
    start_run(actor=world.lead, golden_set=travel_set)
    assert code(travel_set) == "run_is_live"
    IndexVersion.objects.update(state=VersionState.RETIRED)
    assert code(world.golden) == "index_not_ready"


def test_a_run_searches_only_the_folders_of_its_set(
    world: World, index: rag.Index, reranker: ScriptedReranker
) -> None:
    elsewhere = golden_set("Pay", world.closed)
    needle(elsewhere, "n-1", world.policy.name, LIMIT, question="What is the hotel limit in Lisbon?")
    found = results_of(run_to_the_end(start_run(actor=world.admin, golden_set=elsewhere)))
    row = found["n-1", "questions"]
    assert row.ranks == {name: [None] for name in rag.CONFIGURATIONS}
    assert row.outcomes["hybrid"]["reason"] == "nothing_retrieved"
    assert row.outcomes["hybrid"]["fault"] == "not_retrieved"


def test_a_row_waits_while_somebody_is_answered(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    naps: list[float] = []

    def answered_after_three(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 3:
            Question.objects.update(state=QuestionState.ANSWERED)

    monkeypatch.setattr(runs.time, "sleep", answered_after_three)
    runs.step_aside()
    assert naps == []
    Question.objects.create(text="Now?", surface=Surface.CONSOLE, state=QuestionState.RECEIVED)
    runs.step_aside()
    assert len(naps) == 3
