"""Posting what became of a question: once, whole, and with every fault of Slack kept apart from the answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from bot import delivery
from bot.delivery import deliver_answer, pick_up_undelivered
from console.access import Rejected
from console.channels import outbox
from console.channels.models import DeliveryState, SlackDelivery
from console.channels.services import redeliver_answer
from console.questions.models import Question, QuestionState, Surface
from tests.bot.fake_slack import ALL_SCOPES, BASE_URL, Failure, FakeSlack
from tests.bot.limits import texts_of
from tests.bot.payloads import CHANNEL, DM, TS

Finished = Callable[..., Question]
LIMIT = "The nightly hotel limit is 180 EUR."
DROPPED_AFTER = Failure(is_taken=True, is_dropped=True)


def deliver(question: Question) -> SlackDelivery:
    deliver_answer(str(question.pk))
    return SlackDelivery.objects.get(question=question)


def make_due(question: Question) -> None:
    """Time passes: neither a lease nor a wait stands in the way."""
    past = timezone.now() - timedelta(seconds=1)
    SlackDelivery.objects.filter(question=question).update(not_before=past)
    SlackDelivery.objects.filter(question=question).exclude(lease_until=None).update(lease_until=past)


def shown(message: dict) -> str:
    return "\n".join(texts_of(message)[1:])


def unlinked(text: str) -> str:
    """The sources as they are read, without addresses and ages."""
    return re.sub(r"<http[^|>]*\|([^>]*)>(?: · added today)?", r"\1", text)


def test_an_answer_goes_to_the_thread_of_its_question(slack: FakeSlack, finished: Finished) -> None:
    row = deliver(finished(LIMIT))
    (message,) = slack.messages[CHANNEL]
    assert message["thread_ts"] == TS
    assert (row.state, row.message_ts) == (DeliveryState.DELIVERED, message["ts"])
    assert row.delivered_at is not None
    assert message["text"] == "The nightly hotel limit is 180 EUR. · 1 source"
    assert unlinked(shown(message)) == (
        "The nightly hotel limit is 180 EUR. [1]\n"
        "*Sources*\n[1] Travel policy › Hotels › Limits · page 4\n"
        "From the documents this channel can see."
    )
    assert message["unfurl_links"] is False
    assert message["unfurl_media"] is False


def test_an_answer_in_a_thread_stays_in_it(slack: FakeSlack, finished: Finished) -> None:
    deliver(finished(LIMIT, thread_ts="1767370000.000001"))
    assert slack.messages[CHANNEL][0]["thread_ts"] == "1767370000.000001"


def test_metadata_holds_ids_only(slack: FakeSlack, finished: Finished) -> None:
    question = finished(LIMIT)
    deliver(question)
    assert slack.messages[CHANNEL][0]["metadata"] == {
        "event_type": "footnote_answer",
        "event_payload": {"question": str(question.pk), "part": 0},
    }


def test_delivering_twice_posts_once(slack: FakeSlack, finished: Finished) -> None:
    question = finished(LIMIT)
    deliver(question)
    make_due(question)
    deliver(question)
    assert len(slack.posts) == 1


def test_a_pending_question_has_nothing_to_deliver(slack: FakeSlack, finished: Finished) -> None:
    question = finished(LIMIT)
    Question.objects.update(state=QuestionState.ANSWERING)
    assert deliver(question).state == DeliveryState.PENDING
    assert slack.calls == []


class TestACrashBetweenPostAndRecord:
    """Slack has the message, the database does not know it."""

    @pytest.fixture
    def crashed(self, slack: FakeSlack, finished: Finished, monkeypatch: pytest.MonkeyPatch) -> Question:
        question = finished(LIMIT)

        def die(*_: object) -> None:
            raise SystemExit

        with monkeypatch.context() as patch:
            patch.setattr(outbox, "record_message", die)
            with pytest.raises(SystemExit):
                deliver(question)
        assert SlackDelivery.objects.get().state == DeliveryState.POSTING
        return question

    def test_no_second_message_after_the_lease(self, slack: FakeSlack, crashed: Question) -> None:
        deliver(crashed)
        assert len(slack.posts) == 1, "the lease still runs"
        make_due(crashed)
        row = deliver(crashed)
        assert len(slack.posts) == 1
        assert (row.state, row.message_ts) == (DeliveryState.DELIVERED, slack.posts[0]["ts"])

    def test_no_second_message_after_a_restart(
        self, slack: FakeSlack, crashed: Question, work: Callable[[], None]
    ) -> None:
        assert pick_up_undelivered(at_start=True) == 1
        work()
        assert len(slack.posts) == 1
        assert SlackDelivery.objects.get().state == DeliveryState.DELIVERED

    def test_a_mark_on_a_later_page_is_found(self, slack: FakeSlack, crashed: Question, monkeypatch) -> None:
        monkeypatch.setattr("bot.posting._PAGE_SIZE", 1)
        ours = slack.messages[CHANNEL].pop()
        other = {"ts": ours["ts"], "thread_ts": TS, "bot_id": "B2", "metadata": {"event_type": "other"}}
        slack.messages[CHANNEL] += [other, other, ours]
        make_due(crashed)
        deliver(crashed)
        assert len(slack.calls_of("chat.postMessage")) == 1

    def test_without_the_scope_it_is_posted_again(
        self, slack: FakeSlack, crashed: Question, caplog: pytest.LogCaptureFixture
    ) -> None:
        slack.scopes = ALL_SCOPES - {"channels:history"}
        make_due(crashed)
        assert deliver(crashed).state == DeliveryState.DELIVERED
        first, second = slack.calls_of("chat.postMessage")
        assert first["client_msg_id"] == second["client_msg_id"], "lets Slack drop the double"
        assert "grant channels:history" in caplog.text

    def test_slack_away_during_the_look_up_posts_nothing(self, slack: FakeSlack, crashed: Question) -> None:
        slack.script("conversations.replies", Failure(status=503))
        make_due(crashed)
        row = deliver(crashed)
        assert (row.state, len(slack.posts)) == (DeliveryState.POSTING, 1)
        make_due(crashed)
        assert deliver(crashed).state == DeliveryState.DELIVERED
        assert len(slack.posts) == 1


@pytest.mark.parametrize(
    "failure",
    [
        Failure(is_dropped=True),
        DROPPED_AFTER,
        Failure(status=502, body="<html>bad gateway</html>"),
        Failure(status=504, body="", is_taken=True),
        Failure(error="internal_error"),
        Failure(error="fatal_error", is_taken=True),
    ],
)
def test_a_lost_response_never_doubles_or_loses_the_answer(
    slack: FakeSlack, finished: Finished, failure: Failure
) -> None:
    question = finished(LIMIT)
    slack.script("chat.postMessage", failure)
    row = deliver(question)
    assert row.state == DeliveryState.POSTING
    assert row.not_before > timezone.now()
    assert row.last_error
    deliver(question)
    assert len(slack.calls_of("chat.postMessage")) == 1, "it waits"
    make_due(question)
    assert deliver(question).state == DeliveryState.DELIVERED
    assert len(slack.posts) == 1


HTML = "<html>SECRET of a document</html>"
NO_ANSWERS = {
    "html": Failure(body=HTML),
    "truncated": Failure(body='{"ok": true, "message": {"text": "SECRET of a docu'),
    "empty": Failure(body=""),
    "list": Failure(body="[]"),
    "full list": Failure(body="[1]"),
    "text": Failure(body='"SECRET of a document"'),
    "no ok": Failure(body='{"error": "channel_not_found"}'),
    "no ts": Failure(body='{"ok": true}'),
    "html 404": Failure(status=404, body=HTML),
    "html 407": Failure(status=407, body=HTML),
    "html 408": Failure(status=408, body=HTML),
    "text as the error": Failure(body='{"ok": false, "error": "SECRET of a document"}'),
}


@pytest.mark.parametrize("is_taken", [True, False], ids=["taken", "lost"])
@pytest.mark.parametrize("failure", NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_what_is_no_answer_of_slack_leaves_it_unsure(
    slack: FakeSlack,
    finished: Finished,
    caplog: pytest.LogCaptureFixture,
    failure: Failure,
    is_taken: bool,
) -> None:
    question = finished(LIMIT)
    slack.script("chat.postMessage", replace(failure, is_taken=is_taken))
    row = deliver(question)
    assert row.state == DeliveryState.POSTING
    assert row.last_error in {
        "not_json",
        "http_404",
        "http_407",
        "http_408",
        "internal",
        "IncompleteAnswerError",
    }
    # The lookup too can meet such a page; it is no reason to post again.
    slack.script("conversations.replies", failure)
    make_due(question)
    row = deliver(question)
    make_due(question)
    assert deliver(question).state == DeliveryState.DELIVERED
    assert len(slack.posts) == 1
    ours = [record for record in caplog.records if not record.name.startswith("slack_")]
    assert ours
    assert not any("SECRET" in f"{record.getMessage()} {record.exc_text}" for record in ours)


@pytest.mark.parametrize(
    ("value", "least", "most"),
    [("inf", 1, 60), ("nan", 1, 60), ("1e12", 3_590, 3_601), ("-5", 0, 2), ("abc", 1, 60), ("", 1, 60)],
)
def test_a_wait_that_is_no_sensible_number_ends(
    slack: FakeSlack, finished: Finished, value: str, least: int, most: int
) -> None:
    question = finished(LIMIT)
    slack.script("chat.postMessage", Failure(status=429, headers={"Retry-After": value}))
    started = timezone.now()
    row = deliver(question)
    assert (row.state, row.last_error) == (DeliveryState.PENDING, "ratelimited")
    assert timedelta(seconds=least) <= row.not_before - started <= timedelta(seconds=most)


@pytest.mark.parametrize("wait_s", [float("inf"), float("nan"), 1e300, -1e300])
def test_no_wait_overflows(slack: FakeSlack, finished: Finished, wait_s: float) -> None:
    claim = outbox.claim_delivery(str(finished(LIMIT).pk))
    assert claim is not None
    outbox.put_off(claim, wait_s=wait_s, error="x", may_be_posted=True)
    assert SlackDelivery.objects.get().not_before <= timezone.now() + timedelta(hours=1)


def test_waiting_for_slack_slows_down_and_ends(slack: FakeSlack, finished: Finished) -> None:
    question = finished(LIMIT)
    wait = Failure(status=429, headers={"Retry-After": "1"})
    slack.script("chat.postMessage", wait, wait)
    SlackDelivery.objects.update(n_attempts=outbox.MAX_ATTEMPTS)
    assert deliver(question).not_before > timezone.now() + timedelta(seconds=outbox.LONGEST_BACKOFF_S - 10)
    make_due(question)
    SlackDelivery.objects.update(n_attempts=outbox.MAX_LIMITED_ATTEMPTS - 1)
    row = deliver(question)
    assert (row.state, row.last_error) == (DeliveryState.UNDELIVERABLE, "ratelimited")


def test_tries_that_never_end_are_counted(slack: FakeSlack, finished: Finished) -> None:
    question = finished(LIMIT)
    SlackDelivery.objects.update(n_attempts=outbox.MAX_LIMITED_ATTEMPTS, state=DeliveryState.POSTING)
    row = deliver(question)
    assert (row.state, row.last_error) == (DeliveryState.UNDELIVERABLE, "too_many_attempts")
    assert slack.calls == []
    assert outbox.resume_delivery(str(question.pk))


def test_429_is_honoured_without_sleeping(slack: FakeSlack, finished: Finished) -> None:
    question = finished(LIMIT)
    slack.script("chat.postMessage", Failure(status=429, error="ratelimited", headers={"Retry-After": "37"}))
    started = timezone.now()
    row = deliver(question)
    assert timezone.now() - started < timedelta(seconds=5)
    assert (row.state, row.last_error) == (DeliveryState.PENDING, "ratelimited")
    assert timedelta(seconds=36) < row.not_before - started < timedelta(seconds=40)
    assert pick_up_undelivered(at_start=True) == 0
    assert deliver(question).state == DeliveryState.PENDING
    make_due(question)
    assert pick_up_undelivered(at_start=True) == 1
    assert deliver(question).state == DeliveryState.DELIVERED
    assert len(slack.posts) == 1


@pytest.mark.parametrize("error", ["channel_not_found", "is_archived", "invalid_auth", "account_inactive"])
def test_a_refusal_of_slack_is_the_deliverys_fault_not_the_answers(
    slack: FakeSlack,
    finished: Finished,
    work: Callable[[], None],
    caplog: pytest.LogCaptureFixture,
    error: str,
) -> None:
    question = finished(LIMIT)
    slack.script("chat.postMessage", Failure(error=error))
    row = deliver(question)
    assert (row.state, row.last_error) == (DeliveryState.UNDELIVERABLE, error)
    assert f"delivery of question {question.pk} is given up: {error}" in caplog.text
    question.refresh_from_db()
    assert question.state == QuestionState.ANSWERED
    assert pick_up_undelivered(at_start=True) == 0
    redeliver_answer(actor=None, question_id=str(question.pk))
    work()
    assert len(slack.posts) == 1
    with pytest.raises(Rejected):
        redeliver_answer(actor=None, question_id=str(question.pk))


def test_a_missing_scope_is_named(slack: FakeSlack, finished: Finished) -> None:
    slack.scopes = ALL_SCOPES - {"chat:write"}
    assert deliver(finished(LIMIT)).last_error == "missing_scope: chat:write"


def test_without_a_token_the_message_waits_for_one(
    slack: FakeSlack, finished: Finished, work: Callable[[], None], settings: object
) -> None:
    token, settings.SLACK_BOT_TOKEN = settings.SLACK_BOT_TOKEN, ""
    row = deliver(finished(LIMIT))
    assert (row.state, row.n_attempts, slack.calls) == (DeliveryState.PENDING, 0, [])
    assert pick_up_undelivered(at_start=True) == 0
    settings.SLACK_BOT_TOKEN = token
    assert pick_up_undelivered(at_start=True) == 1
    work()
    assert len(slack.posts) == 1


def test_a_limit_is_no_reason_to_give_up_but_silence_is(slack: FakeSlack, finished: Finished) -> None:
    question = finished(LIMIT)
    SlackDelivery.objects.update(n_attempts=outbox.MAX_ATTEMPTS)
    slack.script("chat.postMessage", Failure(status=429, headers={"Retry-After": "1"}), Failure(status=503))
    assert deliver(question).state == DeliveryState.PENDING
    make_due(question)
    row = deliver(question)
    assert (row.state, row.last_error) == (DeliveryState.UNDELIVERABLE, "http_503")


@pytest.mark.parametrize("error", ["invalid_blocks", "msg_blocks_too_long", "msg_too_long"])
def test_what_slack_finds_too_large_is_sent_simpler(slack: FakeSlack, finished: Finished, error: str) -> None:
    slack.script("chat.postMessage", Failure(error=error))
    assert deliver(finished(LIMIT)).state == DeliveryState.DELIVERED
    (message,) = slack.posts
    assert "blocks" not in message
    assert "180 EUR. [1]" in message["text"]
    assert re.search(r"\[1\] (<\S+\|)?Travel policy › Hotels", message["text"])


def test_an_answer_slack_takes_in_no_form_is_pointed_to(slack: FakeSlack, finished: Finished) -> None:
    question = finished(LIMIT)
    slack.script("chat.postMessage", Failure(error="invalid_blocks"), Failure(error="msg_too_long"))
    assert deliver(question).state == DeliveryState.DELIVERED
    (message,) = slack.posts
    assert message["text"] == (
        "I have an answer, but Slack did not take it: "
        f"<{BASE_URL}/questions/{question.pk}|read it in the console>."
    )


def test_an_answer_and_a_pointer_that_slack_takes_in_no_form_are_undeliverable(
    slack: FakeSlack, finished: Finished
) -> None:
    slack.script("chat.postMessage", *[Failure(error="invalid_blocks")] * 3)
    row = deliver(finished(LIMIT))
    assert (row.state, row.last_error) == (DeliveryState.UNDELIVERABLE, "invalid_blocks")
    assert len(slack.calls_of("chat.postMessage")) == 3


@pytest.mark.parametrize("n_sentences", [1, 60, 700])
def test_an_answer_of_any_length_arrives_whole_and_in_order(
    slack: FakeSlack, finished: Finished, n_sentences: int
) -> None:
    sentences = [
        f"Sentence {number} & <more> of a long answer that is about hotels, and trains."
        for number in range(n_sentences)
    ]
    assert deliver(finished(*sentences, n_sources=40)).state == DeliveryState.DELIVERED
    assert [message["thread_ts"] for message in slack.posts] == [TS] * len(slack.posts)
    text = unlinked(" ".join(shown(message) for message in slack.posts))
    assert (
        text.split()
        == (
            " ".join(
                f"Sentence {n} &amp; &lt;more&gt; of a long answer that is about hotels, and trains. [1]"
                for n in range(n_sentences)
            )
            + " *Sources* "
            + " ".join(f"[{n}] Travel policy › Hotels › Limits · page 4" for n in range(1, 41))
            + " From the documents this channel can see."
        ).split()
    )
    assert [message["metadata"]["event_payload"]["part"] for message in slack.posts] == list(
        range(len(slack.posts))
    )


def test_a_limit_in_the_middle_of_a_long_answer_continues_where_it_stopped(
    slack: FakeSlack, finished: Finished
) -> None:
    question = finished(*["A sentence that fills the page with words." for _ in range(600)])
    slack.script(
        "chat.postMessage", None, Failure(status=429, headers={"Retry-After": "1"}), None, DROPPED_AFTER
    )
    assert deliver(question).state == DeliveryState.POSTING
    make_due(question)
    assert deliver(question).state == DeliveryState.POSTING
    make_due(question)
    assert deliver(question).state == DeliveryState.DELIVERED
    parts = [message["metadata"]["event_payload"]["part"] for message in slack.posts]
    assert parts == list(range(len(parts)))
    assert len(parts) > 3


def test_documents_can_never_ping(slack: FakeSlack, finished: Finished) -> None:
    deliver(finished("Write to <!channel> or <@U1> & <https://evil.example|click> in <#C1>."))
    assert "&lt;!channel&gt; or &lt;@U1&gt; &amp; &lt;https://evil.example|click&gt;" in shown(slack.posts[0])


def test_a_bug_in_posting_is_tried_again_and_ends(
    slack: FakeSlack, finished: Finished, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("SECRET of a document")

    monkeypatch.setattr(delivery, "messages_of", broken)
    question = finished(LIMIT)
    assert deliver(question).last_error == "internal"
    assert "RuntimeError in test_delivery.py" in caplog.text
    assert "SECRET" not in caplog.text
    SlackDelivery.objects.update(n_attempts=outbox.MAX_ATTEMPTS - 1)
    make_due(question)
    assert deliver(question).state == DeliveryState.UNDELIVERABLE


def test_a_worker_that_was_overtaken_records_nothing(slack: FakeSlack, finished: Finished) -> None:
    question = finished(LIMIT)
    claim = outbox.claim_delivery(str(question.pk))
    assert claim is not None
    assert outbox.claim_delivery(str(question.pk)) is None
    make_due(question)
    assert outbox.claim_delivery(str(question.pk)) is not None
    with pytest.raises(outbox.LostLeaseError):
        outbox.record_delivered(claim)


@pytest.mark.parametrize(
    ("surface", "channel", "audience"),
    [(Surface.SLACK_MENTION, CHANNEL, "this channel"), (Surface.SLACK_DM, DM, "you")],
)
def test_a_refusal_says_why_what_was_near_and_what_could_not_be_read(
    slack: FakeSlack, finished: Finished, surface: Surface, channel: str, audience: str
) -> None:
    deliver(
        finished(
            outcome=QuestionState.REFUSED,
            surface=surface,
            reason="Nothing was close enough.",
            distance_cut=0.52,
            nearest=[{"title": "Travel policy", "label": "Flights", "distance": 0.58}],
            unreadable=[{"folder": "Travel", "count": 2}],
        )
    )
    (message,) = slack.messages[channel]
    assert shown(message) == (
        f"I can't answer that from the documents {audience} can see.\n"
        "Nothing was close enough (closest: *Travel policy › Flights*, 0.58; limit 0.52). "
        "2 files in Travel could not be read.\n"
        "Ask it in other words, or ask a human."
    )


def test_not_allowed_and_broken_read_differently(slack: FakeSlack, finished: Finished) -> None:
    deliver(
        finished(outcome=QuestionState.NOT_ALLOWED, reason="I can't answer this here: outsiders.", ts="1.1")
    )
    deliver(
        finished(
            outcome=QuestionState.BROKEN,
            reason="Something failed on our side.",
            error_reference="AB12",
            ts="1.2",
        )
    )
    not_allowed, broken = (shown(message) for message in slack.posts)
    assert not_allowed == "I can't answer this here: outsiders."
    assert broken == "Something failed on our side. Reference AB12."


def test_a_worker_from_before_a_delivery_was_given_up_changes_nothing_after(
    slack: FakeSlack, finished: Callable[..., Question]
) -> None:
    question = finished("The limit is 180 EUR.")
    late = outbox.claim_delivery(str(question.pk))
    assert late is not None
    SlackDelivery.objects.update(state=DeliveryState.UNDELIVERABLE, lease_until=None)
    assert outbox.resume_delivery(str(question.pk))
    assert outbox.claim_delivery(str(question.pk)) is not None
    with pytest.raises(outbox.LostLeaseError):
        outbox.record_delivered(late)


def test_a_message_without_blocks_links_and_pings_no_more_than_one_with_them(
    slack: FakeSlack, finished: Finished
) -> None:
    slack.script("chat.postMessage", Failure(error="invalid_blocks"))
    deliver(finished("Ask @channel at https://evil.example.com or www.evil.example.com."))
    call = slack.calls_of("chat.postMessage")[-1]
    assert "blocks" not in call
    assert (call["parse"], call["link_names"]) in {("none", False), ("none", "0")}
    assert "https:\u2060//evil.\u2060example.\u2060com" in call["text"]
    assert "@\u2060channel" in call["text"]
