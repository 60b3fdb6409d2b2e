"""Clicks on what is gone, or from another place or person: who clicks is looked at anew each time."""

from __future__ import annotations

import uuid

import pytest
from django.utils import timezone

from bot.blocks import Action
from bot.phrases import Problem
from console.channels.models import SlackNotice
from console.questions.models import (
    Feedback,
    HelpRequest,
    Question,
    Surface,
)
from tests.bot.clicks.conftest import OTHER, PROBLEMS, Asked, told
from tests.bot.fake_slack import Failure, FakeSlack
from tests.bot.payloads import ASKER, CHANNEL, DM, click, post_interaction

VALUES = ["", "abc", "{}", "1", str(uuid.uuid4()), "helpful:abc", f"helpful:{uuid.uuid4()}", "'; DROP TABLE"]


MESSAGE_ACTIONS = sorted(set(Action) - {Action.OPEN_CONSOLE, Action.ASK_SUGGESTED})


def test_a_button_of_nothing_is_refused_politely(slack: FakeSlack, transactional_db: None, url: str) -> None:
    for action in MESSAGE_ACTIONS:
        for value in VALUES:
            slack.private_messages.clear()
            assert post_interaction(click(action, value, response_url=url)).status_code == 200
            assert told(slack) == [PROBLEMS[Problem.GONE]], (action, value)
    assert slack.views == slack.posts == []


def value_of(action: Action, question: Question) -> str:
    return f"helpful:{question.pk}" if action == Action.FEEDBACK else str(question.pk)


@pytest.mark.parametrize(
    "place",
    [
        {"channel": {"id": "C00000OTHER"}, "container": {"channel_id": "C00000OTHER"}},
        {"channel": {"id": "D00000OTHER"}, "container": {"channel_id": "D00000OTHER"}},
        {"team": {"id": "T00000OTHER"}, "user": {"id": ASKER, "team_id": "T00000OTHER"}},
    ],
    ids=["other channel", "direct message", "other workspace"],
)
def test_a_button_taken_elsewhere_is_refused_politely(
    slack: FakeSlack, answered: Asked, refused: Asked, url: str, place: dict
) -> None:
    for question in (answered(), refused(ts="2.2")):
        for action in MESSAGE_ACTIONS:
            slack.private_messages.clear()
            payload = click(action, value_of(action, question), response_url=url)
            assert post_interaction({**payload, **place}).status_code == 200
            assert told(slack) == [PROBLEMS[Problem.GONE]], action
    assert slack.views == slack.posts == []
    for model in (Feedback, HelpRequest, SlackNotice):
        assert not model.objects.exists()


@pytest.mark.parametrize("surface", [Surface.SLACK_DM, Surface.SLACK_COMMAND, Surface.SLACK_SHORTCUT])
def test_what_was_told_to_one_person_alone_answers_nobody_else(
    slack: FakeSlack, answered: Asked, url: str, surface: Surface
) -> None:
    question = answered(surface=surface, ts="form-1")
    for action in MESSAGE_ACTIONS:
        slack.private_messages.clear()
        for channel in (question.slack_channel_id, CHANNEL, DM):
            value = value_of(action, question)
            post_interaction(click(action, value, user=OTHER, channel=channel, response_url=url))
        assert told(slack) == [PROBLEMS[Problem.GONE]] * 3, action
    assert slack.views == []


def test_buttons_of_a_deleted_question_do_nothing(slack: FakeSlack, answered: Asked, url: str) -> None:
    question = answered()
    Question.objects.update(withdrawn_at=timezone.now())
    for action in MESSAGE_ACTIONS:
        post_interaction(click(action, value_of(action, question), response_url=url))
    assert told(slack) == [PROBLEMS[Problem.GONE]] * len(MESSAGE_ACTIONS)


BROKEN = [
    {"actions": []},
    {"actions": 5},
    {"user": {}},
    {"user": {"id": 5}},
    {"team": None},
    {"channel": None, "container": None},
    {"actions": [{"action_id": "share", "type": "button", "value": 7}]},
    {"response_url": "https://evil.example/x"},
    {"trigger_id": 5},
]


def test_a_payload_of_another_shape_is_no_fault_of_ours(slack: FakeSlack, answered: Asked, url: str) -> None:
    payload = click("view_sources", str(answered().pk), response_url=url)
    for broken in BROKEN:
        assert post_interaction({**payload, **broken}).status_code < 500, broken
    assert slack.posts == []


def test_who_clicked_is_told_nothing_where_slack_is_away(
    slack: FakeSlack, transactional_db: None, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    slack.script("response_url", Failure(is_dropped=True))
    assert post_interaction(click("share", "abc", response_url=url)).status_code == 200
    assert "could not be told" in caplog.text
