"""Small talk, follow-ups in a thread, and asking a recorded question again."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

import rag
from bot.answers import answer_view
from bot.messages import messages_of
from console import engine
from console.access import Rejected
from console.index.selectors import active_version
from console.people.models import User
from console.questions.conversation import N_TURNS, turns_before
from console.questions.models import Answer, Question, QuestionState, Surface
from console.questions.replaying import replay_question
from console.questions.services import answer_of, answer_question, ask_question
from console.sources import ingest
from console.sources.models import Document, Folder
from console.sources.services import disable_document
from tests.workers.conftest import HOTELS, upload

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("data_folder", "sent")]
ASKED = "What is the nightly hotel limit in capital cities?"


@pytest.fixture
def policy(admin: User, folder: Folder, sent: list) -> Document:
    folder.is_open = True
    folder.save()
    return ingest.ingest_document(upload(admin, folder, "policy.md", HOTELS).pk)


def finished(question: Question) -> Answer:
    answer_question(str(question.pk))
    answer = answer_of(question)
    assert answer is not None
    return answer


def in_thread(text: str, ts: str, *, thread: str = "", surface: str = Surface.SLACK_MENTION) -> Question:
    return Question.objects.create(
        text=text,
        surface=surface,
        slack_team_id="T1",
        slack_channel_id="C1",
        slack_user_id="U1",
        slack_ts=ts,
        slack_thread_ts=thread,
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hello", "Hello!"),
        ("thanks, that helps", "welcome"),
        ("what can you do?", "organisation's documents"),
    ],
)
def test_small_talk_is_answered_as_such(admin: User, policy: Document, text: str, told: str) -> None:
    question = ask_question(actor=admin, text=text)
    answer = finished(question)
    assert (answer.outcome, answer.reason_code) == (QuestionState.REFUSED, "routed_no_retrieval")
    assert told in answer.reason
    assert answer.nearest == []
    [message] = messages_of(answer_view(Question.objects.get(pk=question.pk)))
    assert message.text == answer.reason
    assert "can't answer" not in message.plain


def test_a_follow_up_stands_alone_before_it_is_searched_for(policy: Document) -> None:
    first = in_thread(ASKED, "1.0")
    assert finished(first).outcome == QuestionState.ANSWERED
    second = in_thread("and in other cities?", "2.0", thread="1.0")
    [turn] = turns_before(second)
    assert (turn.question, turn.titles) == (ASKED, ("Travel policy",))
    route = finished(second).trace["stages"][0]["detail"]
    assert "hotel limit" in route["asked_as"]
    off_topic = finished(in_thread("What is the capital of France?", "3.0", thread="1.0"))
    assert off_topic.outcome == QuestionState.REFUSED
    assert "asked_as" not in off_topic.trace["stages"][0]["detail"]


def test_only_the_last_turns_of_the_same_thread_count(policy: Document) -> None:
    for number in range(N_TURNS + 2):
        finished(in_thread(f"{ASKED} {number}", f"{number}.0", thread="0.0" if number else ""))
    finished(in_thread("Another thread?", "50.0"))
    pending = in_thread("Still pending?", "60.0", thread="0.0")
    later = in_thread("and now?", "70.0", thread="0.0")
    assert [turn.question[-1] for turn in turns_before(later)] == ["2", "3", "4"]
    assert pending.is_pending
    assert turns_before(in_thread("first of its thread", "80.0")) == []
    assert turns_before(in_thread("alone", "90.0", thread="90.0")) == []


def test_a_direct_message_goes_on_without_a_thread(policy: Document) -> None:
    finished(in_thread(ASKED, "1.0", surface=Surface.SLACK_DM))
    later = in_thread("and in other cities?", "2.0", surface=Surface.SLACK_DM)
    assert [turn.question for turn in turns_before(later)] == [ASKED]


def test_a_console_question_leans_on_nothing(admin: User, policy: Document) -> None:
    finished(ask_question(actor=admin, text=ASKED))
    assert turns_before(ask_question(actor=admin, text="and in other cities?")) == []


@pytest.mark.parametrize("text", [ASKED, "Who won the football world cup in 1998?"])
def test_the_same_version_gives_the_same_answer(admin: User, policy: Document, text: str) -> None:
    question = ask_question(actor=admin, text=text)
    finished(question)
    n_answers = Answer.objects.count()
    assert replay_question(question).differences == ()
    assert Answer.objects.count() == n_answers


def test_what_changed_is_told(admin: User, folder: Folder, policy: Document) -> None:
    question = ask_question(actor=admin, text=ASKED)
    finished(question)
    changed = upload(admin, folder, "policy.md", HOTELS.replace(b"180 EUR", b"210 EUR"))
    ingest.ingest_document(changed.pk)
    by_name = {each.what: each for each in replay_question(question).differences}
    assert set(by_name) == {"sentences", "quotes"}
    assert "180 EUR" in by_name["quotes"].then
    assert "210 EUR" in by_name["quotes"].now


def test_a_document_that_is_disabled_is_out_before_its_purge_has_run(
    admin: User, folder: Folder, policy: Document
) -> None:
    question = ask_question(actor=admin, text=ASKED)
    assert finished(question).outcome == QuestionState.ANSWERED
    disable_document(actor=admin, document=policy)
    replay = replay_question(question)
    fresh = finished(ask_question(actor=admin, text=ASKED))
    assert (replay.result.reason, fresh.outcome) == (fresh.reason_code, QuestionState.REFUSED)
    outcome = next(each for each in replay.differences if each.what == "outcome")
    assert (outcome.then, outcome.now) == ("answered", "refused")


def test_what_a_record_was_decided_without_is_told_beside_the_differences(
    admin: User, policy: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = ask_question(actor=admin, text=ASKED)
    with monkeypatch.context() as away:
        absent = rag.AbsentReranker("nosuch", rag.ModelMissing("It is not there."))
        away.setattr(engine, "reranker_for_answers", lambda: absent)
        assert finished(question).degrades == ("rerank",)
    out = io.StringIO()
    with suppress(SystemExit):
        call_command("replay", str(question.pk), stdout=out)
    assert out.getvalue().split("decided without")[1].split() == [
        "then:",
        "rerank",
        "(model_missing)",
        "now:",
        "–",
    ]
    out = io.StringIO()
    with suppress(SystemExit):
        call_command("replay", str(question.pk), "--json", stdout=out)
    assert json.loads(out.getvalue())["degraded"] == {"then": ["rerank"], "now": []}


def test_what_cannot_be_asked_again_says_why(admin: User, folder: Folder, policy: Document) -> None:
    pending = ask_question(actor=admin, text=ASKED)
    with pytest.raises(Rejected, match="no answer yet"):
        replay_question(pending)
    finished(pending)
    Answer.objects.filter(question=pending).update(index_version=None)
    with pytest.raises(Rejected, match="is gone"):
        replay_question(pending)
    Answer.objects.filter(question=pending).update(outcome="broken", reason_code="broken")
    with pytest.raises(Rejected, match="nothing to repeat"):
        replay_question(pending)


def test_the_command_prints_the_same_or_the_difference(admin: User, folder: Folder, policy: Document) -> None:
    question = ask_question(actor=admin, text=ASKED)
    finished(question)
    out = io.StringIO()
    call_command("replay", str(question.pk), stdout=out)
    assert out.getvalue().startswith("The same: answered")
    assert active_version() is not None
    ingest.ingest_document(upload(admin, folder, "policy.md", HOTELS.replace(b"180", b"210")).pk)
    out = io.StringIO()
    with pytest.raises(SystemExit) as stopped:
        call_command("replay", str(question.pk), "--json", stdout=out)
    assert stopped.value.code == 1
    told = json.loads(out.getvalue())
    assert not told["same"]
    assert {each["what"] for each in told["differences"]} == {"sentences", "quotes"}
    with pytest.raises(CommandError, match="There is no question"):
        call_command("replay", str(uuid4()))
