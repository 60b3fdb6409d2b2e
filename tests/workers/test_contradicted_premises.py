"""What a question takes for granted and a document denies: told with its citation, to those who may read that."""

from __future__ import annotations

import io

import pytest
from django.core.management import call_command
from django.test import Client

from bot.answers import answer_view
from bot.messages import messages_of
from console.people.models import Role, User
from console.people.services import create_user
from console.questions.models import Answer, QuestionState
from console.questions.replaying import replay_question
from console.questions.services import answer_of, answer_question, ask_question
from console.questions.wording import premise_note
from console.sources import ingest
from console.sources.models import Folder
from tests.workers.conftest import upload
from tests.workers.test_lying_model import models, real_models  # noqa: F401 - fixtures

pytestmark = pytest.mark.model
BENEFITS = b"""# Benefits & perks

## Gym

The gym in the harbour house is not free for contractors. Contractors pay 20 EUR a month at reception.

## Referrals

The referral bonus is 300 EUR.
"""
DENIES = "The gym in the harbour house is not free for contractors."
ASSUMED = "The gym in the harbour house is free for contractors."
QUESTION = "Why is the gym in the harbour house free for contractors?"


@pytest.fixture(autouse=True)
def benefits(real_models: None, admin: User, folder: Folder) -> None:  # noqa: F811 - the fixture
    ingest.ingest_document(upload(admin, folder, "benefits.md", BENEFITS).pk)


def asked(actor: User, text: str = QUESTION) -> Answer:
    question = ask_question(actor=actor, text=text)
    answer_question(str(question.pk))
    answer = answer_of(question)
    assert answer is not None
    return answer


def test_console_api_command_line_and_slack_are_given_it(
    admin: User, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = asked(admin)
    number = answer.contradicted["number"]
    assert answer.contradicted == {"premise": ASSUMED, "says": DENIES, "number": number}
    assert answer.citations.get(number=number).quote == DENIES
    client.force_login(admin)
    page = client.get(f"/questions/{answer.question_id}").content.decode()
    assert f"The question assumes:</strong> {ASSUMED}" in page
    assert f"Benefits &amp; perks says: “{DENIES}”" in page
    shown = client.get(f"/api/v1/questions/{answer.question_id}").json()
    assert shown["contradicted"] == {"premise": ASSUMED, "says": DENIES, "citation": number}
    assert number in [citation["number"] for citation in shown["citations"]]
    note = f"The question assumes: “{ASSUMED}” Benefits & perks says: “{DENIES}” [{number}]"
    assert premise_note(answer) == answer_view(answer.question).premise == note
    assert messages_of(answer_view(answer.question))
    call_command("ask", QUESTION, stdout=io.StringIO())
    assert note in " ".join(capsys.readouterr().out.split())
    assert replay_question(answer.question).differences == ()


def test_a_refusal_tells_it_too(admin: User, client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    text = "How do I get the 500 EUR bonus for referrals?"
    answer = asked(admin, text)
    assert answer.contradicted["says"] == "The referral bonus is 300 EUR."
    assert answer.outcome == QuestionState.REFUSED
    client.force_login(admin)
    page = client.get(f"/questions/{answer.question_id}").content.decode()
    assert "says: “The referral bonus is 300 EUR.”" in page
    assert f'href="/documents/{answer.citations.get().document_id}?' in page
    call_command("ask", text, stdout=io.StringIO())
    printed = " ".join(capsys.readouterr().out.split())
    assert "says: “The referral bonus is 300 EUR.” [1]" in printed
    assert "[1] Benefits & perks › Referrals" in printed
    assert replay_question(answer.question).differences == ()


def test_who_may_not_read_the_document_is_not_told_what_it_says(
    admin: User, folder: Folder, client: Client
) -> None:
    answer = asked(admin)
    lead = create_user(actor=admin, username="lea", password="correct horse", role=Role.SUPPORT_LEAD)
    folder.is_open = False
    folder.save()
    client.force_login(lead)
    page = client.get(f"/questions/{answer.question_id}").content.decode()
    assert DENIES not in page
    assert "The question assumes" not in page
    assert client.get(f"/api/v1/questions/{answer.question_id}").json()["contradicted"] is None


def test_nothing_is_told_where_the_documents_agree(admin: User) -> None:
    answer = asked(admin, "Why do contractors pay 20 EUR a month at reception?")
    assert answer.contradicted == {}
    assert premise_note(answer) == ""
