"""Golden sets and questions: who may change them, what is refused, what is written down."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.db import IntegrityError

import rag
from console.access import NotPermitted, Rejected
from console.audit.models import AuditEntry
from console.evaluation import sample, services
from console.evaluation.checking import check_golden_set
from console.evaluation.files import ImportFaulty
from console.evaluation.from_question import add_from_question, quotes_of
from console.evaluation.golden import golden_of
from console.evaluation.models import GoldenKind, GoldenQuestion, GoldenSet, RefusalKind
from console.evaluation.selectors import (
    golden_question_for,
    golden_sets_visible_to,
    golden_sets_with_counts,
    runs_visible_to,
)
from console.evaluation.services import (
    create_golden_set,
    delete_golden_set,
    import_questions,
    remove_golden_question,
    save_golden_question,
    update_golden_set,
)
from console.sources.models import Document
from tests.console.conftest import (
    HOTELS,
    LIMIT,
    SECRET,
    World,
    answered_question,
    evaluation_run,
    golden_set,
    needle,
)

ROW = rag.GoldenNeedle("", "policy.md", LIMIT, "What is the limit in Lisbon?", "")


def code_of(error: pytest.ExceptionInfo[Rejected]) -> str:
    return error.value.code


def test_a_support_lead_makes_changes_and_deletes_a_set(world: World) -> None:
    made = create_golden_set(actor=world.lead, name="  My   set ", folder_ids=[world.travel.pk])
    assert (made.name, made.created_by) == ("My set", world.lead)
    update_golden_set(
        actor=world.lead, golden_set=made, name="Ours", folder_ids=[world.travel.pk], description="d"
    )
    made.refresh_from_db()
    assert (made.name, made.description) == ("Ours", "d")
    delete_golden_set(actor=world.lead, golden_set=made)
    assert not GoldenSet.objects.filter(name="Ours").exists()
    actions = list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))[-3:]
    assert actions == ["golden_set.create", "golden_set.update", "golden_set.delete"]


def test_a_viewer_changes_nothing(world: World) -> None:
    viewer, golden = world.viewer, world.golden
    attempts = [
        lambda: create_golden_set(actor=viewer, name="x", folder_ids=[world.travel.pk]),
        lambda: update_golden_set(actor=viewer, golden_set=golden, name="x", folder_ids=[world.travel.pk]),
        lambda: delete_golden_set(actor=viewer, golden_set=golden),
        lambda: save_golden_question(actor=viewer, golden_set=golden, row=ROW),
        lambda: remove_golden_question(actor=viewer, question=world.golden_question),
        lambda: add_from_question(
            actor=viewer,
            golden_set=golden,
            question=world.answered,
            kind=GoldenKind.NEEDLE,
            citation_number=1,
        ),
    ]
    for attempt in attempts:
        with pytest.raises(NotPermitted):
            attempt()
    assert list(GoldenQuestion.objects.all()) == [world.golden_question]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (" ", "golden_set_name_blank"),
        ("\u202e", "golden_set_name_unusable"),
        ("Travel questions", "golden_set_exists"),
    ],
)
def test_a_name_that_cannot_be(name: str, code: str, world: World) -> None:
    with pytest.raises(Rejected) as error:
        create_golden_set(actor=world.lead, name=name, folder_ids=[world.travel.pk])
    assert code_of(error) == code


def test_a_set_is_about_folders_that_its_maker_may_see(world: World) -> None:
    for folder_ids in ([], [world.closed.pk], [world.travel.pk, 999_999]):
        with pytest.raises(Rejected) as error:
            create_golden_set(actor=world.lead, name="x", folder_ids=folder_ids)
        assert code_of(error) == "golden_set_folders"
    assert create_golden_set(actor=world.admin, name="x", folder_ids=[world.closed.pk])


def test_a_folder_that_is_taken_out_still_hides_what_was_written_and_run_while_it_was_in(
    world: World,
) -> None:
    both = golden_set("Both", world.travel, world.closed)
    secret = needle(both, "n-1", world.salaries.name, SECRET)
    old_run = evaluation_run(both, world.version)
    update_golden_set(actor=world.admin, golden_set=both, name="Both", folder_ids=[world.travel.pk])
    assert both not in golden_sets_visible_to(world.lead)
    assert both in golden_sets_visible_to(world.admin)
    with pytest.raises(GoldenQuestion.DoesNotExist):
        golden_question_for(world.lead, secret.pk)
    secret.delete()
    kept = needle(both, "n-1", world.policy.name, LIMIT)
    new_run = evaluation_run(both, world.version)
    assert golden_question_for(world.lead, kept.pk) == kept
    assert list(runs_visible_to(world.lead).filter(golden_set=both)) == [new_run]
    assert golden_sets_with_counts(world.lead).get(pk=both.pk).last_run_id == new_run.pk
    assert old_run in runs_visible_to(world.admin)
    new_run.delete()
    assert golden_sets_with_counts(world.lead).get(pk=both.pk).last_run_id is None
    update_golden_set(actor=world.admin, golden_set=both, name="Both", folder_ids=[world.travel.pk])
    world.closed.members.add(world.lead)
    assert list(runs_visible_to(world.lead).filter(golden_set=both)) == [old_run]


def test_what_a_set_was_about_before_it_was_remembered_is_known_from_its_runs(world: World) -> None:
    both = golden_set("Both", world.travel, world.closed)
    needle(both, "n-1", world.salaries.name, SECRET)
    run = evaluation_run(both, world.version)
    both.folders.remove(world.closed)
    assert run in runs_visible_to(world.lead)
    migration = import_module("console.evaluation.migrations.0003_left_folders")
    migration.known_from_runs(apps, None)
    assert list(both.left_folders.values_list("folder_id", flat=True)) == [world.closed.pk]
    assert both not in golden_sets_visible_to(world.lead)
    assert run not in runs_visible_to(world.lead)


def test_a_set_with_a_hidden_folder_is_not_seen(world: World) -> None:
    """Its needles are words of documents that the person may not read."""
    pay = golden_set("Pay", world.travel, world.closed)
    evaluation_run(pay, world.version)
    empty = golden_set("Nothing")
    seen = set(golden_sets_visible_to(world.lead))
    assert world.golden in seen
    assert not {pay, empty} & seen
    assert not runs_visible_to(world.lead).filter(golden_set=pay).exists()
    assert {pay, empty} <= set(golden_sets_visible_to(world.admin))
    assert not golden_sets_visible_to(world.viewer).exists()
    world.closed.members.add(world.lead)
    assert pay in golden_sets_visible_to(world.lead)


def test_questions_get_ids_of_their_own(world: World) -> None:
    first = save_golden_question(actor=world.lead, golden_set=world.golden, row=ROW)
    assert first.key == "n-002"
    needle(world.golden, "n-003", "policy.md", "x")
    assert save_golden_question(actor=world.lead, golden_set=world.golden, row=ROW).key == "n-004"
    refusal = rag.GoldenRefusal("", "far", "Who won?", "")
    assert save_golden_question(actor=world.lead, golden_set=world.golden, row=refusal).key == "r-001"


def test_an_id_that_is_taken_is_refused_and_nothing_changes(world: World) -> None:
    other = needle(world.golden, "n-009", "policy.md", "x")
    with pytest.raises(Rejected) as error:
        save_golden_question(
            actor=world.lead,
            golden_set=world.golden,
            row=rag.GoldenNeedle("n-001", "a", "b", "c", ""),
            stored=other,
        )
    assert code_of(error) == "golden_key_taken"
    assert GoldenQuestion.objects.get(pk=other.pk).key == "n-009"


def test_a_question_that_cannot_be_asked_is_refused(world: World) -> None:
    for row in (
        rag.GoldenNeedle("", "a", "b", "?!", ""),
        rag.GoldenRefusal("", "odd", "Who?", ""),
        rag.GoldenMultihop("", "Both?", (rag.NeedlePlace("a", "b"), rag.NeedlePlace("c", "b"))),
    ):
        with pytest.raises(Rejected) as error:
            save_golden_question(actor=world.lead, golden_set=world.golden, row=row)
        assert code_of(error) == "golden_question_faulty"


def test_changing_keeps_the_row(world: World) -> None:
    changed = save_golden_question(
        actor=world.lead,
        golden_set=world.golden,
        row=rag.GoldenNeedle("n-1", "policy.md", LIMIT, "Other words?", "hm"),
        stored=world.golden_question,
    )
    assert (changed.pk, changed.key, changed.ticket) == (world.golden_question.pk, "n-1", "hm")


def test_a_citation_becomes_a_needle(world: World) -> None:
    added = add_from_question(
        actor=world.lead,
        golden_set=world.golden,
        question=world.answered,
        kind=GoldenKind.NEEDLE,
        ticket="hotel money",
        citation_number=1,
    )
    assert added.places == [(world.policy.name, LIMIT)]
    assert (added.question, added.ticket, added.source) == (
        world.answered.text,
        "hotel money",
        world.answered,
    )
    assert golden_of(world.golden).needles[-1].needle == LIMIT


def test_a_refused_question_becomes_one_to_refuse(world: World) -> None:
    added = add_from_question(
        actor=world.lead,
        golden_set=world.golden,
        question=world.refused,
        kind=GoldenKind.REFUSAL,
        text="Who won the cup in 1998?",
        refusal_kind=RefusalKind.FAR,
        why="Sport.",
    )
    assert (added.kind, added.refusal_kind, added.question) == ("refusal", "far", "Who won the cup in 1998?")
    assert added.source == world.refused


def test_a_wrongly_refused_question_gets_a_needle_by_hand(world: World) -> None:
    added = add_from_question(
        actor=world.lead,
        golden_set=world.golden,
        question=world.refused,
        kind=GoldenKind.NEEDLE,
        document=" policy.md ",
        needle=f" {LIMIT} ",
    )
    assert added.places == [("policy.md", LIMIT)]


def test_a_quote_the_person_may_not_read_is_none(world: World) -> None:
    world.answered.delete()
    secret = answered_question(world.viewer, world.salaries, world.version)
    assert quotes_of(secret, reader=world.lead) == []
    assert len(quotes_of(secret, reader=world.admin)) == 1
    for actor, code in ((world.lead, "citation_missing"), (world.admin, "document_outside_set")):
        with pytest.raises(Rejected) as error:
            add_from_question(
                actor=actor,
                golden_set=world.golden,
                question=secret,
                kind=GoldenKind.NEEDLE,
                citation_number=1,
            )
        assert code_of(error) == code


def test_the_check_finds_what_is_wrong(world: World) -> None:
    golden = golden_set("Check", world.travel)
    needle(golden, "good", world.policy.name, LIMIT, question="One?", ticket="one")
    needle(golden, "nowhere", world.policy.name, "Not there at all.", question="Two?", ticket="two")
    needle(golden, "heading", world.policy.name, HOTELS, question="Three?", ticket="three")
    needle(golden, "document", "gone.md", LIMIT, question="Four?", ticket="four")
    needle(golden, "secret", "salaries.md", SECRET, question="Five?", ticket="five")
    report = check_golden_set(golden)
    found = {(fault.id, fault.code) for fault in report.faults}
    assert found == {
        ("nowhere", "not_found"),
        ("heading", "is_heading"),
        ("document", "no_such_document"),
        ("secret", "no_such_document"),  # of a folder that is not the set's
        ("secret", "not_found"),
    }
    assert (report.n_documents, report.n_unread, report.is_everywhere) == (1, 0, True)


def test_a_text_that_is_gone_is_counted(world: World) -> None:
    Document.objects.filter(pk=world.policy.pk).update(canonical_sha256="0" * 64)
    report = check_golden_set(world.golden)
    assert (report.n_documents, report.n_unread) == (0, 1)


def test_the_sample_is_offered_where_its_handbook_is(world: World) -> None:
    assert sample.sample_folder(world.admin) is None
    with pytest.raises(Rejected) as error:
        sample.import_sample(actor=world.admin)
    assert code_of(error) == "sample_missing"
    names = {place.document for _, place in rag.read_golden_set(sample.SAMPLE_QUESTIONS).places}
    Document.objects.bulk_create(
        Document(folder=world.closed, name=name, sha256="0" * 64, size_bytes=1) for name in names
    )
    assert sample.sample_folder(world.lead) is None, "not a folder of theirs"
    made = sample.import_sample(actor=world.admin)
    assert made.questions.count() == 142
    assert list(made.folders.all()) == [world.closed]
    with pytest.raises(Rejected) as error:
        sample.import_sample(actor=world.admin)
    assert code_of(error) == "golden_set_exists"


def test_an_id_that_another_took_meanwhile_is_left_for_the_next(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = iter(["n-001", "n-001", "n-002"])
    monkeypatch.setattr(services, "_next_key", lambda golden_set, row: next(ids))
    saved = save_golden_question(actor=world.lead, golden_set=world.golden, row=ROW)
    assert saved.key == "n-002"
    monkeypatch.setattr(services, "_next_key", lambda golden_set, row: "n-001")
    with pytest.raises(Rejected, match="Save again") as error:
        save_golden_question(actor=world.lead, golden_set=world.golden, row=ROW)
    assert code_of(error) == "golden_key_taken"


def test_a_set_holds_no_more_than_can_be_imported_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MAX_ROWS", 2)
    save_golden_question(actor=world.lead, golden_set=world.golden, row=ROW)
    with pytest.raises(Rejected) as error:
        save_golden_question(actor=world.lead, golden_set=world.golden, row=ROW)
    assert code_of(error) == "golden_set_full"
    save_golden_question(actor=world.lead, golden_set=world.golden, row=ROW, stored=world.golden_question)
    line = b'{"id": "x", "document": "a", "needle": "b", "question": "c"}'
    with pytest.raises(ImportFaulty, match="1 faults") as faulty:
        import_questions(actor=world.lead, golden_set=world.golden, files=[("needles.jsonl", line)])
    assert "would have 3 questions; at most 2" in faulty.value.faults[0].message
    assert world.golden.questions.count() == 2


def test_an_import_beside_another_one_knows_its_rows(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other import commits between this one's look and its write, as where the database locks no rows."""
    bulk_create = GoldenQuestion.objects.bulk_create
    n_writes = 0

    def bulk_create_late(rows: list[GoldenQuestion], **more: object) -> list[GoldenQuestion]:
        nonlocal n_writes
        n_writes += 1
        if n_writes == 1:
            raise IntegrityError("UNIQUE constraint failed")
        return bulk_create(rows, **more)

    monkeypatch.setattr(GoldenQuestion.objects, "bulk_create", bulk_create_late)
    line = b'{"id": "x", "document": "a", "needle": "b", "question": "c"}'
    done = import_questions(actor=world.lead, golden_set=world.golden, files=[("needles.jsonl", line)])
    assert (done, n_writes) == ((1, 0), 2)
    assert AuditEntry.objects.filter(action="golden_set.import").count() == 1
