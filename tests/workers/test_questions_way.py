"""A question's way: scope, answer with exact quotes, refusals that say why, and every kind of interruption."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

import rag
from console import engine, storage
from console.access import Rejected
from console.index.selectors import active_version, threshold_in_force
from console.index.services import set_threshold
from console.people.models import Role, User
from console.people.services import create_user
from console.questions import services
from console.questions.models import Answer, Question, QuestionState, Surface
from console.questions.services import answer_of, answer_question, ask_question
from console.sources import ingest
from console.sources.models import Document, Folder
from console.sources.services import create_folder, delete_document
from tests.workers.conftest import HOTELS, LAPTOPS, upload

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("data_folder", "sent")]


@pytest.fixture
def policy(admin: User, folder: Folder, sent: list) -> Document:
    document = upload(admin, folder, "policy.md", HOTELS)
    return ingest.ingest_document(document.pk)


def answered(actor: User, text: str, **options: object) -> Answer:
    question = ask_question(actor=actor, text=text, **options)
    answer_question(str(question.pk))
    answer = answer_of(question)
    assert answer is not None
    return answer


def test_an_answer_quotes_the_canonical_text_exactly(admin: User, policy: Document) -> None:
    answer = answered(admin, "What is the nightly hotel limit in capital cities?")
    assert answer.outcome == QuestionState.ANSWERED
    assert "180 EUR" in answer.text
    canonical = storage.load_canonical(policy.canonical_sha256).text
    citations = list(answer.citations.all())
    assert [citation.number for citation in citations] == list(range(1, len(citations) + 1))
    for citation in citations:
        assert canonical[citation.start : citation.end] == citation.quote
        assert "Hotels" in citation.label
    cited = {number for sentence in answer.sentences for number in sentence["citations"]}
    assert cited == {citation.number for citation in citations}
    assert {stage["name"] for stage in answer.trace["stages"]} >= {"retrieve", "fuse", "gate", "generate"}
    assert (answer.distance_cut, answer.model_name) == (engine.config().distance_cut, "footnote-minilm")


def test_a_refusal_says_why_what_was_near_and_what_could_not_be_read(
    admin: User, folder: Folder, policy: Document, sent: list
) -> None:
    broken = upload(admin, folder, "broken.pdf", b"%PDF-1.7\nnot really")
    ingest.ingest_document(broken.pk)
    answer = answered(admin, "Who won the football world cup in 1998?")
    assert (answer.outcome, answer.reason_code) == (QuestionState.REFUSED, "below_threshold")
    assert answer.best_distance > answer.distance_cut
    assert answer.nearest[0]["title"] == "Travel policy"
    assert answer.unreadable == [{"folder_id": folder.pk, "folder": "Travel", "count": 1}]
    assert not answer.sentences
    upload(admin, folder, "coming.md", LAPTOPS)
    answer = answered(admin, "Who won the football world cup in 1998?")
    assert answer.reason == "Nothing was close enough. 1 file is still being read; ask again later."


def test_the_cut_in_force_counts_from_the_next_question_on(admin: User, policy: Document) -> None:
    question = "What is the nightly hotel limit in capital cities?"
    assert answered(admin, question).outcome == QuestionState.ANSWERED
    version = active_version()
    set_threshold(actor=admin, version=version, distance_cut=0.0, max_chunks=4, reason="Nothing may pass.")
    refused = answered(admin, question)
    assert (refused.outcome, refused.distance_cut) == (QuestionState.REFUSED, 0.0)
    assert version.thresholds.count() == 2
    assert threshold_in_force(version).set_by == admin


def test_people_are_answered_only_from_folders_they_may_see(
    admin: User, policy: Document, sent: list
) -> None:
    private = create_folder(actor=admin, name="Board")
    secret = upload(admin, private, "laptops.md", LAPTOPS)
    ingest.ingest_document(secret.pk)
    viewer = create_user(actor=admin, username="vera", password="correct horse", role=Role.VIEWER)
    text = "After how many months does every employee get a new laptop?"
    assert answered(admin, text).outcome == QuestionState.ANSWERED
    refused = answered(viewer, text)
    assert refused.outcome == QuestionState.REFUSED
    assert all(near["title"] != "Laptops" for near in refused.nearest)
    with pytest.raises(Rejected, match="does not exist"):
        ask_question(actor=viewer, text=text, folder_ids=[private.pk])
    private.members.add(viewer)
    assert answered(viewer, text).outcome == QuestionState.ANSWERED


def test_without_a_folder_the_refusal_says_so(admin: User) -> None:
    answer = answered(admin, "What is the hotel limit?")
    assert answer.reason_code == "out_of_scope_folder"


def test_a_deleted_document_is_out_of_answers_before_the_workers_purge_it(
    admin: User, policy: Document
) -> None:
    delete_document(actor=admin, document=policy)
    answer = answered(admin, "What is the nightly hotel limit in capital cities?")
    assert answer.outcome == QuestionState.REFUSED
    assert answer.nearest == []


def test_a_document_deleted_while_the_answer_is_made_is_not_cited(
    admin: User, policy: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = rag.answer

    def delete_meanwhile(*args: object, **kwargs: object) -> rag.Answered | rag.Refused:
        result = real(*args, **kwargs)
        delete_document(actor=admin, document=policy)
        return result

    monkeypatch.setattr(rag, "answer", delete_meanwhile)
    answer = answered(admin, "What is the nightly hotel limit in capital cities?")
    assert answer.outcome == QuestionState.REFUSED
    assert not answer.citations.exists()


@pytest.mark.parametrize("text", ["", "   ", "?!", "…"])
def test_a_question_without_a_word_is_rejected(admin: User, text: str) -> None:
    with pytest.raises(Rejected):
        ask_question(actor=admin, text=text)


def test_a_fault_of_ours_is_broken_with_a_reference_and_never_a_refusal(
    admin: User, policy: Document, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def explode(*args: object, **kwargs: object) -> rag.Answered:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(rag, "answer", explode)
    answer = answered(admin, "What is the hotel limit?")
    assert (answer.outcome, answer.reason_code) == (QuestionState.BROKEN, "broken")
    assert answer.error_reference in caplog.text
    assert "secret detail" not in answer.reason


def test_a_store_that_is_away_is_tried_again_and_then_told_as_broken(
    admin: User, policy: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*args: object, **kwargs: object) -> rag.Answered:
        raise rag.StoreDown("Qdrant does not answer.")

    monkeypatch.setattr(rag, "answer", away)
    question = ask_question(actor=admin, text="What is the hotel limit?")
    for _ in range(services.MAX_CLAIMS - 1):
        with pytest.raises(rag.StoreDown):
            answer_question(str(question.pk))
        question.refresh_from_db()
        assert question.state == QuestionState.RECEIVED
        assert services.pick_up_pending() == 0, "it pauses first"
        assert answer_question(str(question.pk)) is None
        Question.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        assert services.pick_up_pending() == 1
    answer_question(str(question.pk))
    assert answer_of(question).outcome == QuestionState.BROKEN


def test_a_question_is_answered_once_and_a_dead_workers_one_is_picked_up(
    admin: User, policy: Document, sent: list
) -> None:
    question = ask_question(actor=admin, text="What is the nightly hotel limit?")
    assert services._claim(str(question.pk)) is not None
    assert answer_question(str(question.pk)) is None, "somebody else holds the lease"
    Question.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    sent.clear()
    assert services.pick_up_pending() == 1
    assert sent == [("footnote.answer_question", str(question.pk))]
    assert answer_question(str(question.pk)) is not None
    assert answer_question(str(question.pk)) is None, "it has its terminal state"
    assert Answer.objects.count() == 1


def test_a_question_asked_on_the_command_line_is_found_at_once(admin: User, sent: list) -> None:
    ask_question(actor=admin, text="What is the hotel limit?", surface=Surface.CONSOLE)
    on_cli = ask_question(actor=admin, text="What is the hotel limit?", surface=Surface.CLI)
    sent.clear()
    services.pick_up_pending()
    assert sent == [("footnote.answer_question", str(on_cli.pk))]
