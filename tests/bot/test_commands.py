"""Where the answer to `/ask` may appear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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


@pytest.mark.parametrize("error", ["is_archived", "not_in_channel", "token_revoked"])
def test_where_only_the_question_could_be_posted_the_asker_is_answered(
    slack: FakeSlack, asked: Callable[..., Question], error: str
) -> None:
    slack.script("chat.postMessage", None, Failure(error=error))
    assert deliver(asked()).state == DeliveryState.DELIVERED
    (message,) = slack.private_messages
    assert "180 EUR. [1]" in texts_of(message)[1]


def test_where_a_part_could_be_posted_the_asker_gets_the_others(
    slack: FakeSlack, asked: Callable[..., Question]
) -> None:
    slack.script("chat.postMessage", None, None, Failure(error="is_archived"))
    question = asked(*["A sentence that fills the page with words." for _ in range(200)])
    assert deliver(question).state == DeliveryState.DELIVERED
    assert len(slack.posts) == 2
    assert [message["text"] for message in slack.private_messages] == ["Part 2 of 2"]


def test_without_a_way_to_the_asker_slacks_word_is_kept(
    slack: FakeSlack, asked: Callable[..., Question]
) -> None:
    question = asked()
    SlackDelivery.objects.update(response_url="")
    slack.script("chat.postMessage", None, Failure(error="is_archived"))
    row = deliver(question)
    assert (row.state, row.last_error) == (DeliveryState.UNDELIVERABLE, "is_archived")


def test_a_question_slack_will_not_show_is_left_out(slack: FakeSlack, asked: Callable[..., Question]) -> None:
    slack.script("chat.postMessage", Failure(error="invalid_blocks"), Failure(error="msg_too_long"))
    assert deliver(asked()).state == DeliveryState.DELIVERED
    root, answer = slack.posts
    assert root["text"] == "<@U00000USR01> asked: a question."
    assert answer["thread_ts"] == root["ts"]


@pytest.mark.parametrize("failure", [Failure(body="<html>"), Failure(status=404, body="<html>")])
@pytest.mark.parametrize("is_taken", [True, False])
def test_an_unread_response_doubles_no_question(
    slack: FakeSlack, asked: Callable[..., Question], failure: Failure, is_taken: bool
) -> None:
    question = asked()
    slack.script("chat.postMessage", replace(failure, is_taken=is_taken))
    slack.script("conversations.info", None, failure)
    for _ in range(3):
        row = deliver(question)
        make_due(question)
    assert row.state == DeliveryState.DELIVERED
    assert len(slack.posts) == 2
    assert slack.private_messages == []


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


def test_without_scope_and_way_to_the_asker_the_missing_scope_is_named(
    slack: FakeSlack, asked: Callable[..., Question]
) -> None:
    slack.scopes = ALL_SCOPES - {"channels:read"}
    question = asked()
    SlackDelivery.objects.update(response_url="")
    row = deliver(question)
    assert (row.state, row.last_error) == (DeliveryState.UNDELIVERABLE, "missing_scope: channels:read")


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
