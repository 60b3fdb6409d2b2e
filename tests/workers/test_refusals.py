"""Every reason of the closed list, brought about for real: its own sentence, its numbers, and what can be done."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from bs4 import BeautifulSoup
from django.core.management import call_command
from django.test import Client

import rag
from console import engine
from console.index.selectors import active_version
from console.index.services import set_threshold
from console.people.models import Role, User
from console.people.services import create_user
from console.questions import wording
from console.questions.advice import people_to_ask, what_to_do
from console.questions.models import Answer, QuestionState
from console.questions.services import answer_of, answer_question, ask_question
from console.sources import ingest
from console.sources.models import Folder
from console.sources.services import create_folder
from tests.rag.generate.scripted_server import says
from tests.workers.conftest import HOTELS, upload
from tests.workers.test_lying_model import models, real_models, serve  # noqa: F401 - fixtures

pytestmark = pytest.mark.model
Reason = rag.RefusalReason
QUESTION = "What is the nightly hotel limit in capital cities?"


def ask(actor: User, text: str, folder_ids: list[int] | None = None) -> Answer:
    question = ask_question(actor=actor, text=text, folder_ids=folder_ids)
    answer_question(str(question.pk))
    answer = answer_of(question)
    assert answer is not None
    return answer


@pytest.fixture
def lead(admin: User) -> User:
    return create_user(actor=admin, username="lea", password="correct horse", role=Role.SUPPORT_LEAD)


def let_pass(admin: User) -> None:
    """A number that no sentence has makes evidence weak, and lowers the relevance, too."""
    version = active_version()
    assert version is not None
    set_threshold(
        actor=admin,
        version=version,
        distance_cut=2.0,
        relevance_cut=0.01,
        max_chunks=4,
        reason="All may pass.",
    )


@pytest.fixture
def refused(
    real_models: None,  # noqa: F811 - the fixture
    admin: User,
    lead: User,
    folder: Folder,
    serve: Callable,  # noqa: F811 - the fixture
    settings: object,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[Reason], Answer]:
    """Asks until the product refuses for the reason."""

    def handbook() -> None:
        ingest.ingest_document(upload(admin, folder, "policy.md", HOTELS).pk)
        ingest.ingest_document(upload(admin, folder, "scan.pdf", b"%PDF-1.7\nnot really").pk)

    def make(reason: Reason) -> Answer:
        if reason is Reason.OUT_OF_SCOPE_FOLDER:
            folder.delete()
            return ask(admin, QUESTION)
        handbook()
        empty = create_folder(actor=admin, name="Empty", is_open=True)
        match reason:
            case Reason.NOTHING_RETRIEVED:
                return ask(admin, QUESTION, [empty.pk])
            case Reason.BELOW_THRESHOLD:
                return ask(admin, "Who won the football world cup in 1998?")
            case Reason.WEAK_EVIDENCE:
                let_pass(admin)
                return ask(admin, "What is the nightly hotel limit in capital cities for form 4012?")
            case Reason.MODEL_ABSTAINED:
                serve(says("NO_ANSWER"))
                return ask(admin, QUESTION)
            case Reason.UNSUPPORTED_CLAIMS:
                serve(says("The minibar is free [1]."))
                return ask(admin, QUESTION)
            case Reason.ROUTED_NO_RETRIEVAL:
                return ask(admin, "hello there")
            case Reason.INDEX_NOT_READY:

                def other_model(_version: object) -> rag.Index:
                    raise rag.IndexMismatch("The index was made by another model.")

                monkeypatch.setattr(engine, "index_of", other_model)
                return ask(admin, QUESTION)
        raise AssertionError(f"the test does not know how to bring about {reason}")

    return make


SEARCHED = {Reason.BELOW_THRESHOLD, Reason.WEAK_EVIDENCE, Reason.MODEL_ABSTAINED, Reason.UNSUPPORTED_CLAIMS}


@pytest.mark.parametrize("reason", list(Reason))
def test_each_reason_is_told_with_its_numbers_and_what_can_be_done(
    reason: Reason, refused: Callable[[Reason], Answer], admin: User, client: Client
) -> None:
    answer = refused(reason)
    assert (answer.outcome, answer.reason_code) == (QuestionState.REFUSED, reason)
    client.force_login(admin)
    shown = client.get(f"/api/v1/questions/{answer.question_id}").json()
    page = BeautifulSoup(client.get(f"/questions/{answer.question_id}").content, "html.parser")
    result = " ".join(page.find(class_="result").get_text(" ").split())
    assert shown["reason_code"] == reason
    assert shown["reason"] in result
    told = (
        wording.SMALL_TALK["greeting"]
        if reason is Reason.ROUTED_NO_RETRIEVAL
        else wording.refusal_sentence(reason)
    )
    assert shown["reason"] == told
    assert shown["what_you_can_do"]
    for step in shown["what_you_can_do"]:
        assert step in result
    asks_people = any("Ask a person" in step for step in shown["what_you_can_do"])
    assert asks_people == (reason is not Reason.ROUTED_NO_RETRIEVAL)
    check_numbers(reason, answer, shown, result)


def check_numbers(reason: Reason, answer: Answer, shown: dict, result: str) -> None:
    if reason not in SEARCHED:
        assert (shown["nearest"], answer.best_score) == ([], None)
        return
    assert shown["gate_score"] == "relevance"
    assert (shown["best_relevance"] < shown["relevance_cut"]) == (reason is Reason.BELOW_THRESHOLD)
    assert f"{shown['relevance_cut']:.3f}" in result
    assert f"{shown['best_relevance']:.3f}" in result
    assert shown["nearest"][0]["title"] == "Travel policy"
    assert "What was near" in result
    assert shown["unreadable"] == "1 file in Travel could not be read."
    assert shown["unreadable"] in result
    assert any("could not be read" in step for step in shown["what_you_can_do"])


def test_no_two_reasons_sound_alike() -> None:
    sentences = [wording.refusal_sentence(reason) for reason in Reason]
    assert len(set(sentences)) == len(sentences)


def test_the_people_who_can_be_asked_see_the_folder(admin: User, lead: User, folder: Folder) -> None:
    closed = create_folder(actor=admin, name="Board")
    assert people_to_ask([folder.pk]) == ["lea", "ada"]
    assert people_to_ask([closed.pk]) == people_to_ask([]) == ["ada"]
    closed.members.add(lead)
    assert people_to_ask([closed.pk]) == ["lea", "ada"]
    lead.is_active = False
    lead.save()
    assert people_to_ask([folder.pk]) == ["ada"]


def test_an_answer_needs_no_advice_and_the_command_line_gives_it(
    refused: Callable[[Reason], Answer], admin: User, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    refused(Reason.BELOW_THRESHOLD)
    answered = ask(admin, QUESTION)
    assert answered.outcome == QuestionState.ANSWERED
    assert what_to_do(answered, ["ada"]) == []
    client.force_login(admin)
    assert "What you can do" not in client.get(f"/questions/{answered.question_id}").content.decode()
    call_command("ask", "Who won the football world cup in 1998?", stdout=io.StringIO())
    printed = " ".join(capsys.readouterr().out.split())
    assert "→ Say it in other words" in printed
    assert "→ Ask a person who looks after these folders: lea, ada." in printed


def test_a_name_that_no_passage_mentions_is_told(
    refused: Callable[[Reason], Answer], admin: User, client: Client
) -> None:
    refused(Reason.WEAK_EVIDENCE)
    answer = ask(admin, "What is the nightly hotel limit in capital cities according to Wendelin?")
    assert (answer.outcome, answer.reason_code) == (QuestionState.REFUSED, Reason.WEAK_EVIDENCE)
    assert answer.reason == "The nearest passages do not mention “Wendelin”."
    client.force_login(admin)
    assert answer.reason in BeautifulSoup(
        client.get(f"/questions/{answer.question_id}").content, "html.parser"
    ).get_text(" ")
