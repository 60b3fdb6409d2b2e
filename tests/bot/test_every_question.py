"""Channels where every question is answered, also one that mentions nobody: only where an admin chose that."""

from __future__ import annotations

import pytest

from console.channels.models import SlackChannel
from console.questions.models import Question, Surface
from tests.bot.fake_slack import FakeSlack
from tests.bot.payloads import BOT, CHANNEL, TEAM, channel_message, mention, post

pytestmark = pytest.mark.usefixtures("transactional_db", "sent", "slack")


@pytest.fixture
def hears_all(transactional_db: None) -> SlackChannel:
    return SlackChannel.objects.create(team_id=TEAM, channel_id=CHANNEL, hears="all", answers_from="open")


def plain(text: str, **event: object) -> dict:
    """A message that mentions nobody."""
    body = channel_message("", **event)
    body["event"]["text"] = text
    return body


def test_a_question_without_a_mention_is_taken_in(hears_all: SlackChannel) -> None:
    assert post(plain("How much is the hotel limit?")).status_code == 200
    question = Question.objects.get()
    assert (question.text, question.surface) == ("How much is the hotel limit?", Surface.SLACK_MENTION)


@pytest.mark.parametrize("text", ["酒店限额是多少？", "ما هو الحد؟"])
def test_question_marks_of_other_scripts_count(hears_all: SlackChannel, text: str) -> None:
    post(plain(text))
    assert Question.objects.get().text == text


@pytest.mark.parametrize(
    "text",
    [
        "Is <https://intranet.example/hotels?id=1> the list for St. Gallen?",
        "how much is it? thanks",
        "*How much is it?* :pray:",
    ],
)
def test_a_question_with_a_link_or_among_other_words_counts(hears_all: SlackChannel, text: str) -> None:
    post(plain(text))
    assert Question.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        plain("The hotel was fine."),
        plain("See <https://jira.example/browse?id=1> please."),
        plain("See <https://jira.example/search?>"),
        plain("See <https://jira.example/browse|Is it fine?>"),
        plain("Run `SELECT a FROM b WHERE c = ?`"),
        plain("Did you see it?", thread_ts="1767370000.000001"),
        plain("Is it?", subtype="channel_join"),
        plain("Is it?", bot_id="B1"),
        plain("Is it?", user=BOT),
    ],
    ids=[
        "no question",
        "in a link",
        "a link's end",
        "a link's name",
        "code",
        "in somebody's thread",
        "a join",
        "a bot",
        "itself",
    ],
)
def test_what_asks_nobody_anything_is_left_alone(hears_all: SlackChannel, body: dict) -> None:
    assert post(body).status_code == 200
    assert not Question.objects.exists()


def test_elsewhere_a_mention_is_needed(slack: FakeSlack) -> None:
    post(plain("How much is the hotel limit?"))
    SlackChannel.objects.create(team_id=TEAM, channel_id=CHANNEL, answers_from="open")
    post(plain("How much is the hotel limit?", event_id="Ev9", ts="1767376988.000009"))
    SlackChannel.objects.update(hears="all", team_id="T0OTHER")
    post(plain("How much is the hotel limit?", event_id="Ev8", ts="1767376988.000008"))
    assert not Question.objects.exists()


def test_a_mention_there_is_still_one_question(hears_all: SlackChannel) -> None:
    post(channel_message("How much is the hotel limit?"))
    post(mention("How much is the hotel limit?"))
    assert Question.objects.get().text == "How much is the hotel limit?"
