"""Slack's agent surface: prompts from what was really answered, the session's status, Stop; off by default."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone

from bot.agent import suggested_to
from bot.manifests import AGENT_EVENTS, AGENT_SCOPE, manifest
from bot.simulator import web_api
from bot.simulator.methods import Method, needs
from console.channels.audience import record_people
from console.channels.models import DeliveryState, SlackChannel, SlackDelivery, SlackPerson, SlackWorkspace
from console.people.models import User
from console.questions import wording
from console.questions.models import Answer, Citation, Feedback, Question, QuestionState, Surface, Verdict
from console.sources.models import Document, Folder
from tests.bot.fake_slack import ALL_SCOPES, Failure, FakeSlack
from tests.bot.limits import texts_of
from tests.bot.payloads import ASKER, CHANNEL, DM, TEAM, direct_message, event_body, post
from tests.bot.test_delivery import deliver
from tests.conftest import SHARED

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def agent(slack: FakeSlack, monkeypatch: pytest.MonkeyPatch) -> FakeSlack:
    """The app was installed with `manifest --agent`."""
    slack.scopes = ALL_SCOPES | {AGENT_SCOPE}
    for name in ("agents.sessions.setStatus", "assistant.threads.setSuggestedPrompts"):
        monkeypatch.setitem(web_api.METHODS, name, Method(lambda *_: {}, needs(AGENT_SCOPE)))
    SlackWorkspace.objects.create(team_id=TEAM, scopes=f"chat:write,{AGENT_SCOPE}", unconfigured="open")
    return slack


@pytest.fixture
def travel() -> Folder:
    return Folder.objects.create(name="Travel", is_open=True)


def answered(text: str, folder: Folder, *askers: str) -> None:
    """Answered to each of these people of the workspace, of whom Slack said that nobody is from outside."""
    record_people(TEAM, dict.fromkeys((ASKER, *askers), False))
    document = Document.objects.create(folder=folder, name=f"{text}.md", sha256="0" * 64, size_bytes=1)
    for asker in askers:
        question = Question.objects.create(
            text=text,
            surface=Surface.SLACK_DM,
            state=QuestionState.ANSWERED,
            slack_team_id=TEAM,
            slack_user_id=asker,
        )
        answer = Answer.objects.create(question=question, outcome=QuestionState.ANSWERED)
        Citation.objects.create(
            answer=answer,
            number=1,
            document=document,
            folder_id=folder.pk,
            document_name=document.name,
            document_title="T",
            document_sha256="0" * 64,
            start=0,
            end=1,
            quote="Q",
            distance=0.1,
        )


def opened(tab: str = "messages", **event: object) -> dict:
    return event_body({"type": "app_home_opened", "tab": tab, "user": ASKER, "channel": DM, **event})


def prompts(slack: FakeSlack) -> list[str]:
    calls = slack.calls_of("assistant.threads.setSuggestedPrompts")
    return [prompt["message"] for prompt in calls[-1]["prompts"]] if calls else []


def test_who_opens_the_conversation_is_shown_what_was_really_answered(
    agent: FakeSlack, travel: Folder, work: Callable[[], None]
) -> None:
    answered("How much is the hotel limit?", travel, "U1", "U2")
    assert post(opened()).status_code == 200
    work()
    (call,) = agent.calls_of("assistant.threads.setSuggestedPrompts")
    assert call["channel_id"] == DM
    assert "thread_ts" not in call, "in the agent view they belong to the whole conversation"
    assert call["prompts"] == [
        {"title": "How much is the hotel limit?", "message": "How much is the hotel limit?"}
    ]


def test_at_most_four_and_no_title_too_long(
    agent: FakeSlack, travel: Folder, work: Callable[[], None]
) -> None:
    for n in range(6):
        answered(f"Question number {n} {'long ' * 20}?", travel, "U1", "U2")
    post(opened())
    work()
    (call,) = agent.calls_of("assistant.threads.setSuggestedPrompts")
    assert len(call["prompts"]) == 4
    assert max(len(prompt["title"]) for prompt in call["prompts"]) <= 75


def test_nothing_is_suggested_from_folders_the_person_may_not_see(
    agent: FakeSlack, work: Callable[[], None]
) -> None:
    board = Folder.objects.create(name="Board")
    answered("Who is to be let go?", board, "U1", "U2")
    post(opened())
    work()
    assert prompts(agent) == []
    assert suggested_to(TEAM, ASKER) == []
    ada = User.objects.create(username="ada", slack_team_id=TEAM, slack_user_id=ASKER)
    board.members.add(ada)
    assert suggested_to(TEAM, ASKER) == ["Who is to be let go?"]


def test_a_question_that_one_person_asked_is_suggested_to_nobody_else(
    agent: FakeSlack, travel: Folder
) -> None:
    answered("Am I being let go?", travel, "U1", "U1")
    assert suggested_to(TEAM, ASKER) == []
    assert suggested_to(TEAM, "U1") == [], "who asked it knows it"
    answered("am I being let go", travel, "U2")
    assert suggested_to(TEAM, ASKER) == ["am I being let go"], "two people asked it, in two spellings"


def test_prompts_stay_in_their_workspace(agent: FakeSlack, travel: Folder) -> None:
    SlackWorkspace.objects.create(team_id="T0STRANGER", unconfigured="open")
    record_people("T0STRANGER", {"U9": False})
    answered("When do we fire Bob?", travel, "U1", "U2")
    assert suggested_to("T0STRANGER", "U9") == []
    assert suggested_to(TEAM, ASKER) == ["When do we fire Bob?"]


@pytest.mark.parametrize("is_known", [True, False])
def test_an_outsider_is_suggested_only_what_is_shared_with_outsiders(
    agent: FakeSlack, travel: Folder, is_known: bool
) -> None:
    if is_known:
        record_people(TEAM, {"U9": True})
    answered("When do we fire Bob?", travel, "U1", "U2")
    assert suggested_to(TEAM, "U9") == []
    Folder.objects.update(is_shared_externally=True)
    assert suggested_to(TEAM, "U9") == ["When do we fire Bob?"]


def test_who_opens_the_conversation_is_looked_up_first(
    agent: FakeSlack, travel: Folder, work: Callable[[], None]
) -> None:
    answered("How much is the hotel limit?", travel, "U1", "U2")
    SlackPerson.objects.all().delete()
    agent.knows(ASKER, is_restricted=True)
    post(opened())
    work()
    assert agent.calls_of("users.info")
    assert prompts(agent) == []


def test_what_was_found_wrong_is_not_suggested(agent: FakeSlack, travel: Folder) -> None:
    answered("How much?", travel, "U1", "U2")
    for question in Question.objects.all():
        Feedback.objects.create(
            question=question, slack_user_id="U1", verdict=Verdict.NOT_HELPFUL, given_at=timezone.now()
        )
    assert suggested_to(TEAM, ASKER) == []


def test_a_document_that_was_moved_or_is_gone_suggests_nothing(agent: FakeSlack, travel: Folder) -> None:
    answered("How much?", travel, "U1", "U2")
    Document.objects.update(folder=Folder.objects.create(name="Board"))
    assert suggested_to(TEAM, ASKER) == []
    Document.objects.all().delete()
    assert suggested_to(TEAM, ASKER) == []


def test_the_channel_somebody_looks_at_comes_first_and_adds_nothing(
    agent: FakeSlack, travel: Folder, work: Callable[[], None]
) -> None:
    legal, board = Folder.objects.create(name="Legal", is_open=True), Folder.objects.create(name="Board")
    answered("Whose is the contract?", legal, "U1", "U2")
    answered("Who is to be let go?", board, "U1", "U2")
    answered("How much is the hotel limit?", travel, "U1", "U2")
    channel = SlackChannel.objects.create(team_id=TEAM, channel_id=CHANNEL)
    channel.folders.set([legal, board])
    entities = [{"type": "slack#/types/channel_id", "value": CHANNEL, "team_id": TEAM}]
    event = {"type": "app_context_changed", "user": ASKER, "channel": DM, "context": {"entities": entities}}
    post(event_body(event))
    work()
    assert prompts(agent) == ["Whose is the contract?", "How much is the hotel limit?"]


def test_the_surface_before_it_is_served_by_the_same_code(
    agent: FakeSlack, travel: Folder, work: Callable[[], None]
) -> None:
    answered("How much is the hotel limit?", travel, "U1", "U2")
    thread = {
        "user_id": ASKER,
        "channel_id": DM,
        "thread_ts": "1767376698.626339",
        "context": {"channel_id": CHANNEL, "team_id": TEAM},
    }
    for number, kind in enumerate(("assistant_thread_started", "assistant_thread_context_changed")):
        post(event_body({"type": kind, "assistant_thread": thread}, f"Ev{number}"))
    work()
    first, second = agent.calls_of("assistant.threads.setSuggestedPrompts")
    assert first["thread_ts"] == second["thread_ts"] == "1767376698.626339"


@pytest.mark.parametrize(
    "event",
    [
        {"type": "app_home_opened", "tab": "messages"},
        {"type": "app_home_opened", "tab": "messages", "user": "no id!", "channel": ""},
        {"type": "app_context_changed", "user": ASKER, "channel": DM, "context": {"entities": [None, 3, {}]}},
        {"type": "app_context_changed", "user": ASKER, "channel": DM, "context": "x"},
        {"type": "assistant_thread_started"},
        {"type": "assistant_thread_started", "assistant_thread": {"user_id": ASKER, "channel_id": None}},
        {"type": "agent_session_stopped"},
        {"type": "agent_session_stopped", "channel": {}, "thread_ts": 3, "user": None},
        {"type": "agent_session_title_changed", "title": "x"},
    ],
)
def test_events_of_another_shape_are_acknowledged(
    agent: FakeSlack, work: Callable[[], None], event: dict
) -> None:
    assert post(event_body(event)).status_code == 200
    work()


def test_without_the_agent_surface_none_of_it_is_called(
    slack: FakeSlack, travel: Folder, work: Callable[[], None]
) -> None:
    answered("How much is the hotel limit?", travel, "U1", "U2")
    post(opened())
    post(direct_message("How much?"))
    work()
    called = {call.method for call in slack.calls}
    assert not called & {"agents.sessions.setStatus", "assistant.threads.setSuggestedPrompts"}


def test_a_session_is_shown_as_worked_on_and_open_again_before_the_answer(
    agent: FakeSlack, work: Callable[[], None]
) -> None:
    post(direct_message("How much is the hotel limit?"))
    work()
    question = Question.objects.get(surface=Surface.SLACK_DM)
    statuses = agent.calls_of("agents.sessions.setStatus")
    assert [call["status"] for call in statuses] == ["processing", "active"]
    assert {(call["channel_id"], call["thread_ts"]) for call in statuses} == {(DM, question.slack_ts)}
    methods = [call.method for call in agent.calls]
    last_status = len(methods) - 1 - methods[::-1].index("agents.sessions.setStatus")
    assert "chat.postMessage" in methods[last_status:], "no status after the terminal message"
    assert "assistant.threads.setStatus" not in methods, "they write to the same place; the last would win"
    (message,) = agent.messages[DM]
    assert message["thread_ts"] == question.slack_ts, "the question is the root of its thread"


def test_a_status_that_cannot_be_set_costs_nobody_an_answer(
    agent: FakeSlack, work: Callable[[], None]
) -> None:
    agent.script("agents.sessions.setStatus", Failure(error="internal_error"), Failure(is_dropped=True))
    post(direct_message("How much is the hotel limit?"))
    work()
    assert SlackDelivery.objects.get().state == DeliveryState.DELIVERED


def stop(**event: object) -> None:
    values = {"type": "agent_session_stopped", "user": ASKER, "channel": DM, "thread_ts": "1.5", **event}
    assert post(event_body({**values, "streaming_message_ts": []}, "EvStop")).status_code == 200


def test_stop_ends_the_question_with_one_message_that_says_so(
    agent: FakeSlack, finished: Callable[..., Question], work: Callable[[], None]
) -> None:
    question = finished("The limit is 180 EUR.", surface=Surface.SLACK_DM, ts="1.5")
    stop()
    work()
    assert [call["status"] for call in agent.calls_of("agents.sessions.setStatus")] == ["active"]
    assert deliver(question).state == DeliveryState.DELIVERED
    (message,) = agent.messages[DM]
    assert texts_of(message)[0] == wording.STOPPED
    assert "180 EUR" not in str(message)
    assert question.answer.outcome == QuestionState.ANSWERED, "the answer stays in the console"
    assert deliver(question).state == DeliveryState.DELIVERED
    assert len(agent.posts) == 1


@pytest.mark.parametrize("event", [{"user": "U0OTHER"}, {"thread_ts": "9.9"}, {"channel": "D0OTHER"}])
def test_stop_is_for_the_askers_own_question_in_that_thread(
    agent: FakeSlack, finished: Callable[..., Question], event: dict
) -> None:
    question = finished("The limit is 180 EUR.", surface=Surface.SLACK_DM, ts="1.5")
    stop(**event)
    deliver(question)
    assert "180 EUR" in str(agent.messages[DM])


def test_stop_after_the_answer_changes_nothing(agent: FakeSlack, finished: Callable[..., Question]) -> None:
    question = finished("The limit is 180 EUR.", surface=Surface.SLACK_DM, ts="1.5")
    deliver(question)
    stop()
    assert SlackDelivery.objects.get().stopped_at is None
    assert len(agent.posts) == 1


def test_it_is_no_default_because_it_locks_guests_out() -> None:
    assert "agent_view" not in manifest()["features"]
    body = manifest(agent=True)
    assert body["features"]["agent_view"]["agent_description"]
    assert AGENT_SCOPE in body["oauth_config"]["scopes"]["bot"]
    assert set(AGENT_EVENTS) <= set(body["settings"]["event_subscriptions"]["bot_events"])


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared payloads do not lie beside this checkout")
@pytest.mark.parametrize("number", ["06", "12", "13", "15", "18", "27"])
def test_recorded_events_of_the_surface_are_taken(agent: FakeSlack, work: Callable, number: str) -> None:
    (path,) = (Path(SHARED) / "slack" / "payloads").glob(f"{number}_*.json")
    assert post(json.loads(path.read_text(encoding="utf-8"))).status_code == 200
    work()
