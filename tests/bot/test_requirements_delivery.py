"""Requirements 4, 5 and 8 to 12 of the Slack bot, each by HTTP and by Socket Mode."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone

from bot import statuses as bot_statuses
from bot.delivery import deliver_answer, pick_up_undelivered
from bot.phrases import ENGLISH, GERMAN
from bot.simulator.failures import rate_limited
from bot.statuses import pick_up_statuses, show_status, take_down_statuses
from console.celery import app
from console.channels.models import DeliveryState, SlackDelivery, SlackEvent, SlackStatus
from console.channels.services import redeliver_answer
from console.questions import services, wording
from console.questions.models import Answer, Question, QuestionState
from console.questions.recording import AnswerRow
from tests.bot.fake_slack import ALL_SCOPES, Failure, FakeSlack
from tests.bot.limits import texts_of
from tests.bot.payloads import ASKER, BOT, CHANNEL, TEAM, TS, command, direct_message, mention
from tests.bot.test_delivery import make_due
from tests.bot.ways import Way, way  # noqa: F401 - the fixture
from workers.tasks import pick_up_pending

Work = Callable[[], None]
LIMIT = "What is the nightly hotel limit?"
STATUS = "assistant.threads.setStatus"
LOOKING = ENGLISH.status


def shown(message: dict) -> str:
    return "\n".join(texts_of(message)[1:])


def answer_with(monkeypatch: pytest.MonkeyPatch, *sentences: str) -> None:
    """The core's part done: what Slack makes of it is looked at here."""

    def row(*_: object) -> AnswerRow:
        told = [{"text": sentence, "citations": []} for sentence in sentences]
        return AnswerRow(Answer(outcome=QuestionState.ANSWERED, sentences=told))

    monkeypatch.setattr(services, "_answer", row)


# --- 4: one terminal message whatever breaks, and the four outcomes never blur


@pytest.mark.parametrize(
    "place",
    ["search_scope", "active_version", "folder_ids"],
)
def test_requirement_4_whatever_breaks_is_told_once_and_never_as_nothing_found(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    work: Work,
    folder: object,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("SECRET of a document")

    name = {"folder_ids": "threshold_in_force"}.get(place, place)
    with monkeypatch.context() as patch:
        patch.setattr(services, name, fail)
        if name == "threshold_in_force":
            patch.setattr(services, "active_version", object)
        assert way.send(mention(LIMIT)).ok
        work()
    (message,) = slack.posts
    assert wording.BROKEN.split(".")[0] in shown(message)
    assert "can't answer" not in shown(message)
    assert "SECRET" not in shown(message)
    assert Question.objects.get().state == QuestionState.BROKEN


def test_requirement_4_refused_and_not_allowed_and_broken_read_differently(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    work: Work,
    folder: object,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert way.send(mention(LIMIT, event_id="Ev1", ts="1767376988.000001")).ok
    outside = {"is_ext_shared_channel": True}
    assert way.send(mention(LIMIT, event_id="Ev2", ts="1767376988.000002", envelope=outside)).ok
    work()
    monkeypatch.setattr(services, "_answer", lambda *_: 1 / 0)
    assert way.send(mention(LIMIT, event_id="Ev3", ts="1767376988.000003")).ok
    work()
    refused, not_allowed, broken = (shown(message) for message in slack.posts)
    assert refused.startswith("I can't answer that from")
    assert not_allowed.startswith("I can't answer this here")
    assert broken.startswith("Something failed on our side")


# --- 5: what nobody asked


@pytest.mark.parametrize(
    "event",
    [
        {"bot_id": "B00000OTHER"},
        {"user": BOT, "bot_id": "B00000BOT01"},
        {"user": "USLACK"},
        {"user": "USLACKBOT"},
        {"hidden": True},
        {"subtype": "message_deleted", "deleted_ts": TS},
        {"subtype": "channel_join"},
        {"subtype": "message_changed", "hidden": True, "message": {"user": BOT, "text": "x"}},
    ],
    ids=lambda event: "-".join(str(value) for value in event.values())[:40],
)
@pytest.mark.parametrize("make", [mention, direct_message])
def test_requirement_5_what_nobody_asked_is_acknowledged_and_not_answered(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    work: Work,
    make: Callable[..., dict],
    event: dict,
) -> None:
    body = make(LIMIT)
    body["event"] |= event
    assert way.send(body).ok
    work()
    assert slack.posts == []
    assert not Question.objects.exists()


# --- 8: the status


def statuses_set(slack: FakeSlack) -> list[tuple[str, str]]:
    return [(call["thread_ts"], call["status"]) for call in slack.calls_of(STATUS)]


def work_in_order(sent: list, *names: str) -> None:
    """Run the queued tasks of these names, in this order, whatever else is queued."""
    tasks = {
        "answer": services.answer_question,
        "deliver": deliver_answer,
        "status": show_status,
    }
    full = {
        "answer": "footnote.answer_question",
        "deliver": "footnote.deliver_answer",
        "status": "footnote.show_status",
    }
    for name in names:
        entry = next(item for item in sent if item[0] == full[name])
        sent.remove(entry)
        tasks[name](entry[1])


def test_requirement_15_the_status_speaks_the_askers_language(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    sent: list,
) -> None:
    slack.knows(ASKER, locale="de-DE")
    assert way.send(mention(LIMIT)).ok
    work_in_order(sent, "status")
    assert statuses_set(slack) == [(TS, GERMAN.status)]


@pytest.mark.parametrize(
    ("make", "thread_ts"), [(mention, ""), (direct_message, ""), (mention, "1767370000.000001")]
)
def test_requirement_8_a_status_appears_at_once_in_the_thread_and_is_gone_before_the_answer(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    sent: list,
    make: Callable[..., dict],
    thread_ts: str,
) -> None:
    assert way.send(make(LIMIT, **({"thread_ts": thread_ts} if thread_ts else {}))).ok
    work_in_order(sent, "status")
    thread = thread_ts or TS
    assert statuses_set(slack) == [(thread, LOOKING)]
    assert [text for _, _, text in slack.workspace.shown_statuses()] == [LOOKING]
    work_in_order(sent, "answer", "deliver")
    assert statuses_set(slack) == [(thread, LOOKING), (thread, "")]
    writes = [call.method for call in slack.calls if call.method in {STATUS, "chat.postMessage"}]
    assert writes[-2:] == [STATUS, "chat.postMessage"], "nothing is written to the status after the message"
    assert not slack.workspace.statuses
    assert not SlackStatus.objects.exists()


def test_requirement_8_no_status_is_shown_once_the_answer_is_on_its_way(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    sent: list,
) -> None:
    assert way.send(mention(LIMIT)).ok
    work_in_order(sent, "answer", "deliver", "status")
    assert statuses_set(slack) == []
    assert len(slack.posts) == 1


@pytest.mark.parametrize(
    "failure",
    [
        Failure(error="missing_scope"),
        Failure(error="channel_type_not_supported"),
        Failure(status=500, body="x"),
        Failure(is_dropped=True),
        Failure(is_dropped=True, is_taken=True),
        rate_limited(30),
        Failure(body="<html>"),
    ],
)
def test_requirement_8_a_failing_status_never_loses_or_delays_the_answer(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    work: Work,
    failure: Failure,
) -> None:
    slack.script(STATUS, failure, failure)
    assert way.send(mention(LIMIT)).ok
    work()
    assert len(slack.posts) == 1
    assert SlackDelivery.objects.get().state == DeliveryState.DELIVERED
    take_down_statuses()
    assert not slack.workspace.statuses


@pytest.mark.parametrize("error", ["is_archived", "invalid_auth"])
def test_requirement_8_a_status_is_taken_down_also_where_nothing_can_be_posted(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    sent: list,
    error: str,
) -> None:
    slack.script("chat.postMessage", Failure(error=error))
    assert way.send(mention(LIMIT)).ok
    work_in_order(sent, "status", "answer", "deliver")
    assert slack.posts == []
    assert statuses_set(slack)[-1] == (TS, "")
    assert not slack.workspace.statuses


def test_requirement_8_a_status_of_a_process_that_died_is_taken_down_at_the_next_start(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    sent: list,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def die(*_: object) -> None:
        raise SystemExit

    assert way.send(mention(LIMIT)).ok
    with monkeypatch.context() as patch:
        patch.setattr(bot_statuses.statuses, "end_status_call", die)
        with pytest.raises(SystemExit):
            work_in_order(sent, "status")
    assert slack.workspace.statuses
    Question.objects.update(state=QuestionState.BROKEN)
    SlackDelivery.objects.update(state=DeliveryState.UNDELIVERABLE)
    assert take_down_statuses() == 0, "the call may be under way in another process"
    pick_up_statuses(at_start=True)
    assert take_down_statuses(at_start=True) == 1
    assert not slack.workspace.statuses
    assert not SlackStatus.objects.exists()


def test_requirement_8_a_message_waits_for_a_status_that_is_being_written(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    sent: list,
) -> None:
    """Slack takes them in the order they arrive: a status that overtook the answer would stay."""
    slack.script(STATUS, Failure(is_taken=True, wait_s=0.5, body='{"ok": true}'))
    assert way.send(mention(LIMIT)).ok

    def show() -> None:
        try:
            work_in_order(sent, "status")
        finally:
            connections.close_all()

    showing = threading.Thread(target=show)
    showing.start()
    while not slack.calls_of(STATUS):
        showing.join(0.01)
    work_in_order(sent, "answer", "deliver")
    showing.join()
    if not slack.posts:  # it was put off by a second rather than wait longer
        make_due(Question.objects.get())
        deliver_answer(str(Question.objects.get().pk))
    writes = [call.method for call in slack.calls if call.method in {STATUS, "chat.postMessage"}]
    assert writes == [STATUS, STATUS, "chat.postMessage"]
    assert statuses_set(slack) == [(TS, LOOKING), (TS, "")]


# --- 9: text


def test_requirement_9_what_an_answer_says_can_neither_ping_nor_link(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    work: Work,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer_with(
        monkeypatch, "Tell <!channel>, <!here> and <@U1> of a<b & c>d, see <https://evil.example|this>."
    )
    assert way.send(mention(LIMIT)).ok
    work()
    text = "Tell &lt;!channel&gt;, &lt;!here&gt; and &lt;@U1&gt; of a&lt;b &amp; c&gt;d, see"
    assert text in shown(slack.posts[0])


def test_requirement_9_a_command_that_contains_the_word_payload_is_answered(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    work: Work,
) -> None:
    form = command("what is the payload limit?", response_url=f"{slack.url}/commands/T1/1/x")
    assert way.send(form, kind="slash_commands").ok
    work()
    assert Question.objects.get().text == "what is the payload limit?"
    assert slack.posts or slack.private_messages


# --- 10: length


@pytest.mark.parametrize("n_chars", [0, 1, 2_999, 3_001, 8_000, 60_000])
def test_requirement_10_an_answer_of_any_length_arrives_whole(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    work: Work,
    monkeypatch: pytest.MonkeyPatch,
    n_chars: int,
) -> None:
    words = ("rule & berth " * (n_chars // 10 + 1))[:n_chars]
    answer_with(monkeypatch, *([words] if words else []))
    assert way.send(mention(LIMIT)).ok
    work()
    told = " ".join(shown(message) for message in slack.posts).replace("&amp;", "&")
    assert words.split() == told.split()[: len(words.split())]
    assert all(message["thread_ts"] == TS for message in slack.posts)
    assert len(slack.posts) >= n_chars / 8_000
    if not words:
        assert wording.BROKEN in told


@pytest.mark.parametrize("error", ["invalid_blocks", "msg_blocks_too_long", "msg_too_long"])
def test_requirement_10_what_slack_finds_too_large_is_sent_smaller(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    work: Work,
    monkeypatch: pytest.MonkeyPatch,
    error: str,
) -> None:
    answer_with(monkeypatch, "The limit is 180 EUR.")
    slack.script("chat.postMessage", Failure(error=error))
    assert way.send(mention(LIMIT)).ok
    work()
    (message,) = slack.posts
    assert "The limit is 180 EUR." in message["text"]


# --- 11: limits, scopes, and an answer that can be delivered again


def test_requirement_11_a_limit_is_obeyed_and_holds_up_no_acknowledgement(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    work: Work,
) -> None:
    slack.script("chat.postMessage", rate_limited(30))
    assert way.send(mention(LIMIT, event_id="Ev1", ts="1767376988.000001")).ok
    work()
    row = SlackDelivery.objects.get()
    assert 25 < (row.not_before - timezone.now()).total_seconds() <= 31
    assert way.send(mention(LIMIT, event_id="Ev2", ts="1767376988.000002")).ok
    assert pick_up_undelivered(at_start=True) == 0
    work()
    assert [message["thread_ts"] for message in slack.posts] == ["1767376988.000002"], "others go on"
    make_due(row.question)
    assert pick_up_undelivered(at_start=True) == 1
    work()
    assert len(slack.posts) == 2


def test_requirement_11_a_missing_scope_costs_the_extra_and_not_the_answer(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    work: Work,
) -> None:
    slack.scopes = ALL_SCOPES - {"channels:history", "channels:read"}
    slack.script("chat.postMessage", Failure(status=502, body="x"))
    assert way.send(mention(LIMIT)).ok
    work()
    make_due(Question.objects.get())
    pick_up_undelivered(at_start=True)
    work()
    assert len(slack.posts) == 1


def test_requirement_11_a_fault_of_the_delivery_is_none_of_the_answer(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    work: Work,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer_with(monkeypatch, "The limit is 180 EUR.")
    slack.script("chat.postMessage", Failure(error="is_archived"))
    assert way.send(mention(LIMIT)).ok
    work()
    question = Question.objects.get()
    assert (question.state, question.delivery.state) == (QuestionState.ANSWERED, DeliveryState.UNDELIVERABLE)
    redeliver_answer(actor=None, question_id=str(question.pk))
    work()
    assert "180 EUR" in shown(slack.posts[0])


# --- 12: the notification


def test_requirement_12_the_notification_is_the_first_sentence_and_nothing_unfurls(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    work: Work,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer_with(monkeypatch, "The limit is 180 EUR.", "Book early.")
    assert way.send(mention(LIMIT)).ok
    work()
    (message,) = slack.posts
    assert message["text"] == "The limit is 180 EUR. · 0 sources"
    assert (message["unfurl_links"], message["unfurl_media"]) == (False, False)
    assert message["channel"] == CHANNEL


# --- one conversation in order


@pytest.mark.parametrize("make", [mention, direct_message])
def test_one_conversation_is_answered_in_order(
    slack: FakeSlack,
    way: Way,  # noqa: F811
    sent: list,
    work: Work,
    make: Callable[..., dict],
) -> None:
    thread = {"thread_ts": "1767370000.000001"}
    for number in (1, 2, 3):
        assert way.send(
            make(f"{LIMIT} {number}", event_id=f"Ev{number}", ts=f"1767376988.00000{number}", **thread)
        ).ok
    sent.reverse()  # the workers take the last one first
    work()
    times = dict(Question.objects.values_list("pk", "slack_ts"))
    marks = [message["metadata"]["event_payload"]["question"] for message in slack.posts]
    assert [str(times[key]) for key in map(type(next(iter(times))), marks)] == sorted(times.values())
    assert SlackEvent.objects.count() == 3


@pytest.fixture
def left_standing(slack: FakeSlack, transactional_db: None) -> None:
    """Four threads that say that something is being looked up, and nobody waits under them."""
    for number in range(4):
        SlackStatus.objects.create(
            team_id=TEAM, channel_id=CHANNEL, thread_ts=f"17.{number}", shown_at=timezone.now()
        )


def test_requirement_8_the_sweep_waits_as_long_as_slack_says(slack: FakeSlack, left_standing: None) -> None:
    slack.script(STATUS, *[rate_limited(30)] * 10)
    for _ in range(5):
        take_down_statuses()
    assert len(slack.calls_of(STATUS)) == 1, "of one workspace not even the others"
    pauses = sorted(row.not_before - timezone.now() for row in SlackStatus.objects.all())
    assert timedelta(seconds=28) < pauses[-1] <= timedelta(seconds=30)


def test_requirement_8_neither_a_start_nor_the_sweep_waits_for_slack(
    slack: FakeSlack, left_standing: None, sent: list
) -> None:
    for at_start in (True, False):
        pick_up_pending(at_start=at_start)
    assert slack.calls == []
    assert [argument for name, argument in sent if name == "footnote.take_down_statuses"] == [True, False]
    assert app.amqp.router.route({}, "footnote.take_down_statuses")["queue"].name == "deliveries"
