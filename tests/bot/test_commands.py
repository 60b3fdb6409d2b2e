"""Where the answer to `/ask` may appear."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.delivery import deliver_answer, pick_up_undelivered
from bot.posting import is_response_url
from console.channels import outbox
from console.channels.models import DeliveryState, SlackDelivery
from console.questions.models import Question, Surface
from tests.bot.fake_slack import ALL_SCOPES, Failure, FakeSlack
from tests.bot.limits import texts_of
from tests.bot.payloads import CHANNEL
from tests.bot.test_delivery import deliver, make_due

LIMIT = "The nightly hotel limit is 180 EUR."


@pytest.fixture
def asked(slack: FakeSlack, finished: Callable[..., Question]) -> Callable[..., Question]:
    def make(*sentences: str) -> Question:
        return finished(
            *(sentences or (LIMIT,)),
            surface=Surface.SLACK_COMMAND,
            ts="cmd-1.2.abc",
            response_url=f"{slack.url}/commands/T1/1/x",
        )

    return make


def test_the_answer_hangs_on_a_message_with_the_question(
    slack: FakeSlack, asked: Callable[..., Question]
) -> None:
    row = deliver(asked())
    root, answer = slack.messages[CHANNEL]
    assert root["text"] == "<@U00000USR01> asked: How much is the hotel limit?"
    assert root["metadata"]["event_type"] == "footnote_question"
    assert answer["thread_ts"] == root["ts"] == row.thread_ts
    assert row.state == DeliveryState.DELIVERED
    assert slack.private_messages == []


@pytest.mark.parametrize("dies_at", ["record_thread", "record_message", "record_delivered"])
def test_a_crash_anywhere_doubles_neither_message(
    slack: FakeSlack, asked: Callable[..., Question], monkeypatch: pytest.MonkeyPatch, work, dies_at: str
) -> None:
    question = asked()

    def die(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(outbox, dies_at, die)
        with pytest.raises(SystemExit):
            deliver_answer(str(question.pk))
    assert pick_up_undelivered(at_start=True) == 1
    work()
    root, answer = slack.messages[CHANNEL]
    assert answer["thread_ts"] == root["ts"]
    assert SlackDelivery.objects.get().state == DeliveryState.DELIVERED


def test_where_the_bot_is_no_member_only_the_asker_is_answered(
    slack: FakeSlack, asked: Callable[..., Question]
) -> None:
    slack.joined_channels = set()
    assert deliver(asked()).state == DeliveryState.DELIVERED
    (message,) = slack.private_messages
    assert message["response_type"] == "ephemeral"
    assert "180 EUR. [1]" in texts_of(message)[1]
    assert slack.posts == []


def test_where_posting_is_refused_only_the_asker_is_answered(
    slack: FakeSlack, asked: Callable[..., Question]
) -> None:
    slack.script("chat.postMessage", Failure(error="not_in_channel"))
    assert deliver(asked()).state == DeliveryState.DELIVERED
    assert len(slack.private_messages) == 1


def test_where_outsiders_read_along_only_the_asker_is_answered(
    slack: FakeSlack, asked: Callable[..., Question]
) -> None:
    slack.shared_channels = {CHANNEL}
    assert deliver(asked()).state == DeliveryState.DELIVERED
    assert slack.posts == []
    assert len(slack.private_messages) == 1


def test_without_the_scope_to_know_only_the_asker_is_answered(
    slack: FakeSlack, asked: Callable[..., Question]
) -> None:
    slack.scopes = ALL_SCOPES - {"channels:read"}
    deliver(asked())
    assert slack.posts == []
    assert len(slack.private_messages) == 1


def test_a_long_private_answer_says_where_the_rest_is(
    slack: FakeSlack, asked: Callable[..., Question]
) -> None:
    slack.joined_channels = set()
    deliver(asked(*["A sentence that fills the page with words." for _ in range(900)]))
    assert len(slack.private_messages) == 4
    assert texts_of(slack.private_messages[-1])[-1].startswith("The answer goes on.")


@pytest.mark.parametrize(
    ("status", "state"), [(404, DeliveryState.UNDELIVERABLE), (503, DeliveryState.POSTING)]
)
def test_an_expired_response_url_is_recorded(
    slack: FakeSlack, asked: Callable[..., Question], status: int, state: DeliveryState
) -> None:
    slack.joined_channels = set()
    slack.script("response_url", Failure(status=status, body="expired_url"))
    question = asked()
    row = deliver(question)
    assert (row.state, row.last_error) == (state, f"response_url http_{status}")
    make_due(question)
    deliver(question)
    assert len(slack.private_messages) == (state == DeliveryState.POSTING)


def test_slack_away_before_the_first_message_is_waited_for(
    slack: FakeSlack, asked: Callable[..., Question]
) -> None:
    slack.script("conversations.info", Failure(status=429, headers={"Retry-After": "5"}))
    question = asked()
    assert deliver(question).state == DeliveryState.PENDING
    make_due(question)
    assert deliver(question).state == DeliveryState.DELIVERED
    assert len(slack.posts) == 2


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://hooks.slack.com/commands/T1/1/x", True),
        ("https://hooks.slack-gov.com/commands/T1/1/x", True),
        ("http://hooks.slack.com/commands/T1/1/x", False),
        ("https://hooks.slack.com.evil.example/x", False),
        ("https://evil.example/x", False),
        ("http://169.254.169.254/latest", False),
        ("file:///etc/passwd", False),
        ("", False),
    ],
)
def test_answers_go_to_slack_only(url: str, expected: bool) -> None:
    assert is_response_url(url) is expected
