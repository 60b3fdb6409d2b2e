"""Where the answer to `/ask` may appear: before its asker alone, until the asker shares it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.utils import timezone

from bot.delivery import deliver_answer, pick_up_undelivered
from bot.phrases import ENGLISH
from bot.posting import is_response_url
from bot.simulator.failures import rate_limited
from console.channels import outbox
from console.channels.models import DeliveryState, SlackDelivery
from console.questions.models import Question, Surface
from console.sources.models import Folder
from tests.bot.fake_slack import Failure, FakeSlack
from tests.bot.limits import texts_of
from tests.bot.payloads import ASKER, CHANNEL, DM, command, post_form
from tests.bot.test_delivery import deliver, make_due

LIMIT = "The nightly hotel limit is 180 EUR."
Asked = Callable[..., Question]


@pytest.fixture
def asked(slack: FakeSlack, finished: Asked) -> Asked:
    def make(*sentences: str) -> Question:
        return finished(
            *(sentences or (LIMIT,)),
            surface=Surface.SLACK_COMMAND,
            ts="cmd-1.2.abc",
            response_url=f"{slack.url}/commands/T1/1/x",
        )

    return make


def test_only_the_asker_sees_the_answer(slack: FakeSlack, asked: Asked) -> None:
    assert deliver(asked()).state == DeliveryState.DELIVERED
    (message,) = slack.private_messages
    assert message["response_type"] == "ephemeral"
    assert "180 EUR. [1]" in texts_of(message)[1]
    assert "From the documents you can see." in texts_of(message)
    assert slack.posts == []


def test_where_the_bot_is_no_member_it_answers_all_the_same(slack: FakeSlack, asked: Asked) -> None:
    slack.joined_channels = set()
    assert deliver(asked()).state == DeliveryState.DELIVERED
    assert len(slack.private_messages) == 1


@pytest.mark.parametrize("status", [404, 403, 410])
def test_where_the_response_url_is_used_up_it_writes_to_the_asker(
    slack: FakeSlack, asked: Asked, status: int
) -> None:
    slack.script("response_url", Failure(status=status, body="used_url"))
    row = deliver(asked())
    assert row.state == DeliveryState.DELIVERED
    (message,) = slack.messages[ASKER]
    assert texts_of(message)[1] == "You asked: How much is the hotel limit?"
    assert "180 EUR. [1]" in texts_of(message)[2]
    assert slack.messages[CHANNEL] == []
    make_due(row.question)
    deliver(row.question)
    assert len(slack.posts) == 1


def test_what_the_response_url_took_is_not_said_again(slack: FakeSlack, asked: Asked) -> None:
    slack.script("response_url", None, Failure(status=404, body="used_url"))
    deliver(asked(*["A sentence that fills the page with words." for _ in range(200)]))
    assert len(slack.private_messages) == 1
    (rest,) = slack.messages[ASKER]
    assert rest["text"] == "Part 2 of 2"


def test_without_any_way_to_the_asker_slacks_word_is_kept(slack: FakeSlack, asked: Asked) -> None:
    question = asked()
    SlackDelivery.objects.update(response_url="")
    slack.script("chat.postMessage", Failure(error="messages_tab_disabled"))
    row = deliver(question)
    assert (row.state, row.last_error) == (DeliveryState.UNDELIVERABLE, "messages_tab_disabled")


def test_a_long_answer_arrives_whole_as_a_direct_message(slack: FakeSlack, asked: Asked) -> None:
    sentences = [f"Sentence {number} fills the page with words." for number in range(900)]
    deliver(asked(*sentences))
    assert slack.private_messages == []
    root, *rest = slack.messages[ASKER]
    assert {part["thread_ts"] for part in rest} == {root["ts"]}
    said = "\n".join(text for message in slack.posts for text in texts_of(message)[1:])
    assert all(sentence in said for sentence in sentences)


@pytest.mark.parametrize(
    ("status", "state"),
    [(408, DeliveryState.POSTING), (429, DeliveryState.PENDING), (503, DeliveryState.POSTING)],
)
def test_a_slack_that_is_away_is_waited_for(
    slack: FakeSlack, asked: Asked, status: int, state: DeliveryState
) -> None:
    slack.script("response_url", Failure(status=status))
    question = asked()
    row = deliver(question)
    assert (row.state, row.last_error) == (state, f"response_url http_{status}")
    make_due(question)
    assert deliver(question).state == DeliveryState.DELIVERED
    assert len(slack.private_messages) == 1


def test_it_waits_as_long_as_slack_says(slack: FakeSlack, asked: Asked) -> None:
    slack.script("response_url", rate_limited(120))
    row = deliver(asked())
    assert row.not_before is not None
    assert 110 < (row.not_before - timezone.now()).total_seconds() <= 120


def test_being_told_to_wait_is_no_fault_that_is_given_up(slack: FakeSlack, asked: Asked) -> None:
    question = asked()
    SlackDelivery.objects.update(n_attempts=outbox.MAX_ATTEMPTS)
    slack.script("response_url", rate_limited(1))
    row = deliver(question)
    assert row.state == DeliveryState.PENDING
    assert row.not_before is not None
    assert (row.not_before - timezone.now()).total_seconds() > outbox.LONGEST_BACKOFF_S - 10
    make_due(question)
    assert deliver(question).state == DeliveryState.DELIVERED


FOUR_PARTS = [f"Sentence {number} fills the page with words." for number in range(550)]


class TestAfterAFaultInTheMiddle:
    """What the asker was shown already is not shown again."""

    def read(self, slack: FakeSlack) -> str:
        return "\n".join(
            text for message in slack.private_messages + slack.posts for text in texts_of(message)[1:]
        )

    @pytest.mark.parametrize("n_taken", [1, 2, 3])
    def test_the_response_url_goes_on_behind_it(self, slack: FakeSlack, asked: Asked, n_taken: int) -> None:
        slack.script("response_url", *[None] * n_taken, rate_limited(1))
        question = asked(*FOUR_PARTS)
        row = deliver(question)
        assert (row.state, row.n_shown) == (DeliveryState.POSTING, n_taken)
        make_due(question)
        assert deliver(question).state == DeliveryState.DELIVERED
        assert len(slack.private_messages) == 4
        assert slack.posts == []
        assert [self.read(slack).count(sentence) for sentence in FOUR_PARTS] == [1] * len(FOUR_PARTS)

    @pytest.mark.parametrize("n_taken", [1, 2])
    def test_the_direct_message_goes_on_behind_it(self, slack: FakeSlack, asked: Asked, n_taken: int) -> None:
        slack.script("response_url", None, Failure(status=404, body="used_url"))
        slack.script("chat.postMessage", *[None] * n_taken, rate_limited(1))
        question = asked(*FOUR_PARTS)
        assert deliver(question).n_shown == 1 + n_taken
        make_due(question)
        assert deliver(question).state == DeliveryState.DELIVERED
        assert len(slack.private_messages) == 1
        root, *rest = slack.messages[ASKER]
        assert {part["thread_ts"] for part in rest} == {root["ts"]}
        assert [self.read(slack).count(sentence) for sentence in FOUR_PARTS] == [1] * len(FOUR_PARTS)

    def test_one_whose_outcome_is_unknown_is_shown_again(self, slack: FakeSlack, asked: Asked) -> None:
        slack.script("response_url", None, Failure(is_taken=True, is_dropped=True))
        question = asked(*FOUR_PARTS)
        deliver(question)
        make_due(question)
        assert deliver(question).state == DeliveryState.DELIVERED
        assert [message["text"] for message in slack.private_messages][1:3] == ["Part 2 of 4"] * 2
        assert len(slack.private_messages) == 5

    def test_a_right_that_went_meanwhile_is_told_whole(self, slack: FakeSlack, asked: Asked) -> None:
        slack.script("response_url", None, rate_limited(1))
        question = asked(*FOUR_PARTS)
        deliver(question)
        Folder.objects.update(is_open=False)
        make_due(question)
        assert deliver(question).state == DeliveryState.DELIVERED
        assert [m["text"] for m in slack.private_messages][1:] == [ENGLISH.not_allowed_chosen]

    def test_what_is_asked_for_again_later_is_told_whole(self, slack: FakeSlack, asked: Asked) -> None:
        slack.script("response_url", None, Failure(status=404, body="used_url"))
        slack.script("chat.postMessage", Failure(error="messages_tab_disabled"))
        question = asked(*FOUR_PARTS)
        assert deliver(question).state == DeliveryState.UNDELIVERABLE
        assert outbox.resume_delivery(str(question.pk))
        slack.private_messages.clear()
        slack.script("response_url", Failure(status=404, body="used_url"))
        assert deliver(question).state == DeliveryState.DELIVERED
        assert [self.read(slack).count(sentence) for sentence in FOUR_PARTS] == [1] * len(FOUR_PARTS)


class TestAQuestionWithoutAMessage:
    """Asked with a button of the App Home: the answer hangs on a message with the question."""

    @pytest.fixture
    def clicked(self, slack: FakeSlack, finished: Asked) -> Asked:
        def make(*sentences: str) -> Question:
            return finished(*(sentences or (LIMIT,)), surface=Surface.SLACK_DM, ts="home-1.2.abc")

        return make

    def test_the_answer_hangs_on_a_message_with_the_question(self, slack: FakeSlack, clicked: Asked) -> None:
        row = deliver(clicked())
        root, answer = slack.messages[DM]
        assert root["text"] == "<@U00000USR01> asked: How much is the hotel limit?"
        assert root["metadata"]["event_type"] == "footnote_question"
        assert answer["thread_ts"] == root["ts"] == row.thread_ts
        assert row.state == DeliveryState.DELIVERED

    @pytest.mark.parametrize("dies_at", ["record_thread", "record_message", "record_delivered"])
    def test_a_crash_anywhere_doubles_neither_message(
        self, slack: FakeSlack, clicked: Asked, monkeypatch: pytest.MonkeyPatch, work, dies_at: str
    ) -> None:
        question = clicked()

        def die(*_: object) -> None:
            raise SystemExit

        with monkeypatch.context() as patch:
            patch.setattr(outbox, dies_at, die)
            with pytest.raises(SystemExit):
                deliver_answer(str(question.pk))
        assert pick_up_undelivered(at_start=True) == 1
        work()
        root, answer = slack.messages[DM]
        assert answer["thread_ts"] == root["ts"]
        assert SlackDelivery.objects.get().state == DeliveryState.DELIVERED

    def test_a_question_slack_will_not_show_is_left_out(self, slack: FakeSlack, clicked: Asked) -> None:
        slack.script("chat.postMessage", Failure(error="invalid_blocks"), Failure(error="msg_too_long"))
        assert deliver(clicked()).state == DeliveryState.DELIVERED
        root, answer = slack.posts
        assert root["text"] == "<@U00000USR01> asked: …"
        assert answer["thread_ts"] == root["ts"]

    @pytest.mark.parametrize("failure", [Failure(body="<html>"), Failure(status=404, body="<html>")])
    @pytest.mark.parametrize("is_taken", [True, False])
    def test_an_unread_response_doubles_no_question(
        self, slack: FakeSlack, clicked: Asked, failure: Failure, is_taken: bool
    ) -> None:
        question = clicked()
        slack.script("chat.postMessage", replace(failure, is_taken=is_taken))
        for _ in range(3):
            row = deliver(question)
            make_due(question)
        assert row.state == DeliveryState.DELIVERED
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


def test_a_command_that_only_begins_like_footnote_asks(
    slack: FakeSlack, transactional_db: None, sent: list
) -> None:
    post_form(command("How much is a hotel?", command="/footnote-ask"))
    assert Question.objects.get().text == "How much is a hotel?"
