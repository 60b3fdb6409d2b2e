"""Everything that looks like a question and is none: acknowledged, so that it is not sent again, and dropped."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from console.questions.models import Question
from tests.bot.fake_slack import FakeSlack
from tests.bot.payloads import BOT, channel_message, direct_message, mention, post

pytestmark = pytest.mark.usefixtures("transactional_db")

LIMIT = "What is the nightly hotel limit in capital cities?"


@pytest.mark.parametrize(
    "event",
    [
        {"bot_id": "B00000OTHER"},
        {"bot_profile": {"id": "B00000OTHER"}},
        {"subtype": "bot_message", "bot_id": "B00000OTHER", "user": None},
        {"user": BOT},
        {"user": "USLACK"},
        {"user": "USLACKBOT"},
        {"hidden": True},
        {"subtype": "message_changed"},
        {"subtype": "message_deleted"},
        {"subtype": "channel_join"},
        {"subtype": "assistant_app_thread"},
        {"subtype": "file_share", "text": "", "files": [{"id": "F1"}]},
    ],
)
@pytest.mark.parametrize("make", [mention, direct_message, channel_message])
def test_what_nobody_asked_is_acknowledged_and_not_answered(
    slack: FakeSlack, sent: list, make: Callable[..., dict], event: dict
) -> None:
    body = make(LIMIT)
    body["event"] |= event
    assert post(body).status_code == 200
    assert not Question.objects.exists()
    assert sent == slack.calls == []


def test_the_same_posts_by_a_person_are_questions(slack: FakeSlack, sent: list) -> None:
    for position, make in enumerate((mention, direct_message)):
        assert post(make(LIMIT, event_id=f"Ev{position}")).status_code == 200
    assert Question.objects.count() == 2
    assert [name for name, _ in sent] == ["footnote.answer_question", "footnote.show_status"] * 2


def test_two_bots_that_mention_each_other_stop_after_none(slack: FakeSlack, sent: list) -> None:
    assert post(mention(LIMIT, bot_id="B00000OTHER", user="U00000OTHER")).status_code == 200
    assert sent == []


@pytest.mark.parametrize("channel_type", ["channel", "group", None])
def test_a_channel_message_is_not_answered_only_its_mention_is(
    slack: FakeSlack, sent: list, channel_type: str | None
) -> None:
    body = channel_message(LIMIT)
    body["event"]["channel_type"] = channel_type
    assert post(body).status_code == 200
    assert sent == []
