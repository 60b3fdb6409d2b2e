"""Two things asked, one of them known: the answer, and beside it a plain refusal of the other; the same everywhere."""

from __future__ import annotations

import io

import pytest
from django.core.management import call_command
from django.test import Client

from bot.answers import answer_view
from bot.messages import messages_of
from bot.phrases import GERMAN
from console.people.models import User
from console.questions.models import Answer, QuestionState
from console.questions.replaying import replay_question
from console.questions.services import answer_of, answer_question, ask_question
from console.questions.wording import unanswered_lines
from console.sources import ingest
from console.sources.models import Folder
from tests.workers.conftest import upload
from tests.workers.test_lying_model import models, real_models  # noqa: F401 - fixtures

pytestmark = pytest.mark.model
LEAVE = b"""# Leave

## Annual leave

Employees in Berlin get 28 days of annual leave a year.
"""
KNOWN = "How many days of annual leave do employees in Berlin get?"
UNKNOWN = "What is the password of the wireless network?"
QUESTION = "How many days of annual leave do employees in Berlin get, and what is the password of the wireless network?"


@pytest.fixture(autouse=True)
def leave(real_models: None, admin: User, folder: Folder) -> None:  # noqa: F811 - the fixture
    ingest.ingest_document(upload(admin, folder, "leave.md", LEAVE).pk)


def asked(actor: User, text: str) -> Answer:
    question = ask_question(actor=actor, text=text)
    answer_question(str(question.pk))
    answer = answer_of(question)
    assert answer is not None
    return answer


def test_console_api_command_line_slack_and_replay_tell_the_refused_part(
    admin: User, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = asked(admin, QUESTION)
    assert answer.outcome == QuestionState.ANSWERED
    assert "28 days" in answer.text
    (part,) = answer.unanswered
    assert (part["question"], part["reason_code"]) == (UNKNOWN, "below_threshold")
    assert part["best"] < part["cut"] == answer.relevance_cut
    (line,) = unanswered_lines(answer)
    assert line == (
        f"Not answered: “{UNKNOWN}” Nothing was close enough "
        f"(relevance {part['best']:.2f}; needed {part['cut']:.2f})."
    )
    client.force_login(admin)
    assert line in client.get(f"/questions/{answer.question_id}").content.decode()
    shown = client.get(f"/api/v1/questions/{answer.question_id}").json()
    assert shown["unanswered"] == [part]
    told = "\n".join(message.plain for message in messages_of(answer_view(answer.question)))
    assert f"Not answered: “{UNKNOWN}” Nothing was close enough." in told
    german = "\n".join(message.plain for message in messages_of(answer_view(answer.question, GERMAN)))
    assert f"Nicht beantwortet: „{UNKNOWN}“" in german
    assert replay_question(answer.question).differences == ()
    capsys.readouterr()
    call_command("ask", QUESTION, stdout=io.StringIO())
    assert line in " ".join(capsys.readouterr().out.split())


def test_a_part_without_a_relevance_is_told_with_its_distance() -> None:
    part = {"question": UNKNOWN, "reason_code": "below_threshold", "best": 0.71, "cut": 0.55}
    answer = Answer(relevance_cut=0.6, unanswered=[{**part, "gate_score": "distance"}])
    told = f"Not answered: “{UNKNOWN}” Nothing was close enough (distance 0.71; limit 0.55)."
    assert unanswered_lines(answer) == [told]
    answer.unanswered = [{**part, "best": 0.31}]  # recorded before each part kept what its numbers are
    assert "(relevance 0.31; needed 0.55)" in unanswered_lines(answer)[0]


def test_a_question_that_is_answered_whole_says_nothing_of_the_kind(admin: User, client: Client) -> None:
    answer = asked(admin, KNOWN)
    assert answer.outcome == QuestionState.ANSWERED
    assert answer.unanswered == []
    client.force_login(admin)
    assert "Not answered" not in client.get(f"/questions/{answer.question_id}").content.decode()


def test_a_refusal_of_everything_compares_a_score_that_is_under_its_cut(admin: User) -> None:
    answer = asked(admin, f"{UNKNOWN[:-1]}, and who repairs the bicycles?")
    assert answer.outcome == QuestionState.REFUSED
    assert answer.best_relevance is not None
    assert answer.relevance_cut is not None
    assert answer.best_relevance < answer.relevance_cut
