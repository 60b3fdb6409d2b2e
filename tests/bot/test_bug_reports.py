"""What 25 public bug reports of Slack bots teach, a test each; named after the lesson, the report in its docstring."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections
from slack_bolt import BoltRequest, BoltResponse

from bot.app import build_app
from bot.delivery import deliver_answer, pick_up_undelivered
from bot.messages import NOTIFICATION_CHARS, SECTION_CHARS
from bot.simulator.failures import Failure, rate_limited
from bot.simulator.rates import RateLimiter
from bot.statuses import show_status
from bot.text import escape, plain_question
from console.channels.models import DeliveryState, SlackDelivery
from console.channels.services import redeliver_answer
from console.questions import services, wording
from console.questions.models import Answer, Question, QuestionState
from console.questions.services import answer_question
from tests.bot.fake_slack import ALL_SCOPES, FakeSlack
from tests.bot.limits import slack_would_refuse, texts_of
from tests.bot.payloads import (
    BOT,
    CHANNEL,
    TS,
    channel_message,
    command,
    direct_message,
    mention,
    post,
    post_form,
    post_raw,
)
from tests.bot.test_delivery import deliver, make_due
from tests.bot.test_malformed import CLICK

pytestmark = pytest.mark.usefixtures("transactional_db")

LIMIT = "What is the nightly hotel limit in capital cities?"
Work = Callable[[], None]
Finished = Callable[..., Question]
SENTENCE = "The nightly hotel limit is 180 EUR."


def shown(slack: FakeSlack) -> str:
    return "\n".join(text for message in slack.posts for text in texts_of(message)[1:])


def slowly(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Answers take a while, as a language model does."""
    ready = services._answer

    def answer(question: Question, *_: object) -> services.AnswerRow:
        time.sleep(seconds)
        return ready(question, *_)

    monkeypatch.setattr(services, "_answer", answer)


def in_threads(*jobs: Callable[[], object]) -> None:
    def run(job: Callable[[], object]) -> None:
        try:
            job()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(jobs)) as pool:
        list(pool.map(run, jobs))


def test_01_a_slow_model_and_three_redeliveries_make_one_answer(
    slack: FakeSlack, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """slackapi/python-slack-sdk#1487: two to four identical replies."""
    slowly(monkeypatch, 0.5)
    worker = threading.Thread(target=lambda: in_threads(work))
    assert post(mention(LIMIT)).status_code == 200
    worker.start()
    for number in (1, 2, 3):
        headers = {"X-Slack-Retry-Num": str(number), "X-Slack-Retry-Reason": "http_timeout"}
        assert post(mention(LIMIT), **headers).status_code == 200
    worker.join()
    work()
    assert len(slack.calls_of("chat.postMessage")) == 1


def test_02_an_acknowledgement_does_not_wait_for_the_work(
    slack: FakeSlack, sent: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    """slackapi/bolt-python#1027: `process_before_response` with slow work in the listener."""
    monkeypatch.setattr(services, "_answer", lambda *_: pytest.fail("answered within the request"))
    assert post(mention(LIMIT)).status_code == 200
    assert sent[0][0] == "footnote.answer_question"
    assert slack.calls == [], "and it calls nobody"


def test_03_a_mention_and_its_message_twin_at_once_are_one_answer(slack: FakeSlack, work: Work) -> None:
    """slackapi/bolt-python#764: both listeners answer."""
    in_threads(
        lambda: post(mention(LIMIT)),
        lambda: post(channel_message(LIMIT)),
        lambda: post(mention(LIMIT, event_id="E9")),
    )
    work()
    assert len(slack.posts) == 1


def test_04_ignored_events_answer_200_and_one_message_is_one_question(slack: FakeSlack, sent: list) -> None:
    """antiwork/helper#256: not-200 for what is ignored makes Slack send it again."""
    assert post(channel_message(LIMIT, thread_ts="1767370000.000001")).status_code == 200
    assert post(mention(LIMIT, event_id="Ev1", thread_ts="1767370000.000001")).status_code == 200
    assert post(mention(LIMIT, event_id="Ev2", thread_ts="1767370000.000001")).status_code == 200
    assert Question.objects.count() == 1


def _through_bolt(body: dict, **envelope: object) -> BoltResponse:
    """As the Socket Mode adapter hands an envelope over."""
    from slack_bolt.adapter.socket_mode.internals import run_bolt_app
    from slack_sdk.socket_mode.request import SocketModeRequest

    values = {"type": "events_api", "envelope_id": "e1", "payload": body, **envelope}
    return run_bolt_app(build_app(), SocketModeRequest.from_dict(values))


def test_05_a_repeated_envelope_is_acknowledged_and_starts_nothing(slack: FakeSlack, sent: list) -> None:
    """slackapi/bolt-python#868: Socket Mode delivers again after three seconds."""
    assert _through_bolt(mention(LIMIT)).status == 200
    n_sent = len(sent)
    assert _through_bolt(mention(LIMIT), retry_attempt=1, retry_reason="timeout").status == 200
    assert len(sent) == n_sent


def test_06_the_retry_number_is_seen_by_either_way(slack: FakeSlack, sent: list) -> None:
    """slackapi/bolt-python#1484: older Bolt dropped it in Socket Mode."""
    from slack_bolt.adapter.socket_mode.internals import run_bolt_app
    from slack_sdk.socket_mode.request import SocketModeRequest

    seen: list[list[str]] = []

    def note(req: BoltRequest, next: Callable[[], object]) -> None:  # noqa: A002 - Bolt's name
        seen.append(req.headers["x-slack-retry-num"])
        next()

    app = build_app()
    app.middleware(note)
    envelope = {"type": "events_api", "envelope_id": "e1", "payload": mention(LIMIT), "retry_attempt": 2}
    run_bolt_app(app, SocketModeRequest.from_dict({**envelope, "retry_reason": "timeout"}))
    app.dispatch(BoltRequest(body=mention(LIMIT), mode="socket_mode", headers={"x-slack-retry-num": ["2"]}))
    assert seen == [["2"], ["2"]]


def test_07_two_workers_with_one_question_make_one_answer(slack: FakeSlack, sent: list) -> None:
    """seratch/ChatGPT-in-Slack#27: back-to-back replies in production."""
    post(mention(LIMIT))
    question_id = str(Question.objects.get().pk)
    in_threads(*[lambda: answer_question(question_id)] * 4)
    in_threads(*[lambda: deliver_answer(question_id)] * 4)
    assert len(slack.calls_of("chat.postMessage")) == 1


def test_08_a_long_answer_is_posted_whole_and_never_by_update(slack: FakeSlack, finished: Finished) -> None:
    """seratch/ChatGPT-in-Slack#102: `chat.update` refuses more than 4,000 characters."""
    assert slack_would_refuse({"text": "x" * 4_001}, "chat.update") == (
        "msg_too_long",
        "/text: more than 4000 characters",
    )
    sentences = [f"Rule {number} is about berths and cranes." for number in range(520)]
    assert deliver(finished(*sentences)).state == DeliveryState.DELIVERED
    assert all(sentence in shown(slack) for sentence in sentences)
    assert slack.calls_of("chat.update") == []


def test_09_the_fallback_text_is_short_and_no_fault_leaves_the_status_standing(
    slack: FakeSlack, sent: list, work: Work, finished: Finished
) -> None:
    """pymc-labs/daimon#106: the fallback repeats the blocks, the update fails, "thinking…" stays."""
    assert NOTIFICATION_CHARS < 3_000
    question = finished("A long first sentence about berths " * 300)
    show_status(str(question.pk))
    assert slack.workspace.statuses
    slack.script("chat.postMessage", *[Failure(error="msg_too_long")] * 2)
    assert deliver(question).state == DeliveryState.DELIVERED
    assert not slack.workspace.statuses
    assert "read it in the console" in slack.posts[0]["text"], "the failure is visible to the asker"


def test_10_no_section_is_longer_than_slack_takes_after_escaping(
    slack: FakeSlack, finished: Finished
) -> None:
    """metabase/metabase#80105: more than 3,000 characters in a section, and silence."""
    deliver(finished("&" * 2_000 + " <b> " * 500))
    lengths = [
        len(block["text"]["text"]) for m in slack.posts for block in m["blocks"] if block["type"] == "section"
    ]
    assert max(lengths) <= SECTION_CHARS == 3_000
    assert sum(lengths) > 10_000, "escaping made it that long"


def test_11_an_answer_whose_delivery_failed_is_kept_and_delivered_again(
    slack: FakeSlack, finished: Finished, work: Work
) -> None:
    """lightdash/lightdash#24512: the user is told that the answer failed."""
    question = finished(SENTENCE)
    slack.script("chat.postMessage", Failure(error="is_archived"))
    assert deliver(question).state == DeliveryState.UNDELIVERABLE
    question.refresh_from_db()
    assert question.state == QuestionState.ANSWERED
    redeliver_answer(actor=None, question_id=str(question.pk))
    work()
    assert SENTENCE in shown(slack)


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_12_an_empty_answer_is_told_as_a_fault_and_not_sent_empty(
    slack: FakeSlack, finished: Finished, text: str
) -> None:
    """Taytay/slack-langchain#4: `no_text`."""
    assert deliver(finished(text)).state == DeliveryState.DELIVERED
    assert wording.BROKEN in shown(slack)


def test_13_a_follow_up_in_a_channel_thread_needs_a_mention_and_in_a_direct_message_none(
    slack: FakeSlack, work: Work
) -> None:
    """onyx-dot-app/onyx#1496: follow-ups ignored. Ours are documented: docs/slack.md, "Try it"."""
    thread = {"thread_ts": TS}
    post(mention(LIMIT, event_id="Ev1"))
    post(channel_message("And in Rome?", event_id="Ev2", ts="1767376999.000001", **thread))
    post(mention("And in Bern?", event_id="Ev3", ts="1767376999.000002", **thread))
    post(direct_message("And in Oslo?", event_id="Ev4", ts="1767376999.000003"))
    work()
    texts = set(Question.objects.values_list("text", flat=True))
    assert texts == {LIMIT, "And in Bern?", "And in Oslo?"}
    assert len(slack.posts) == 3


@pytest.mark.model
def test_14_a_mention_in_a_thread_it_does_not_know_reads_it_once_or_says_that_it_cannot(
    slack: FakeSlack, work: Work, handbook: object
) -> None:
    """chenhg5/cc-connect#1749, agentric#789: mentioned mid-thread it answers from nothing.

    What was asked before completes the question, what was said is no evidence (`test_threads`).
    """
    root = {"type": "message", "user": "U00000OTHER", "text": LIMIT, "ts": "1767370000.000001"}
    slack.messages[CHANNEL].append(root)
    post(mention("and in other cities?", thread_ts=root["ts"]))
    work()
    [call] = slack.calls_of("conversations.replies")
    assert int(call["limit"]) <= 15
    [route] = [s for s in Answer.objects.get().trace["stages"] if s["name"] == "route"]
    assert "nightly hotel limit" in route["detail"]["asked_as"]
    slack.script("conversations.replies", Failure(error="not_in_channel"))
    post(
        mention("and for EU tenants?", event_id="Ev8", ts="1767376989.000001", thread_ts="1767370000.000009")
    )
    work()
    assert slack.posts[-1]["thread_ts"] == "1767370000.000009"
    assert "I could not read this thread" in shown(slack)


@pytest.mark.parametrize("thread_ts", ["", "1767370000.000001"])
def test_15_every_answer_in_a_channel_is_in_the_thread_of_its_question(
    slack: FakeSlack, work: Work, thread_ts: str
) -> None:
    """amazon-bedrock-slack-gateway#17: answers in the channel."""
    post(mention(LIMIT, **({"thread_ts": thread_ts} if thread_ts else {})))
    work()
    assert [(m["channel"], m["thread_ts"]) for m in slack.posts] == [(CHANNEL, thread_ts or TS)]


def test_16_a_missing_scope_costs_no_answer_and_is_named(
    slack: FakeSlack, finished: Finished, caplog: pytest.LogCaptureFixture
) -> None:
    """alex000kim/slack-gpt-bot#7: `missing_scope` on reading the thread."""
    question = finished(SENTENCE)
    slack.scopes = ALL_SCOPES - {"channels:history"}
    slack.script("chat.postMessage", Failure(status=502))
    deliver(question)
    make_due(question)
    assert deliver(question).state == DeliveryState.DELIVERED
    assert "grant channels:history" in caplog.text
    slack.scopes = ALL_SCOPES - {"chat:write"}
    assert deliver(finished(SENTENCE, ts="1.2")).last_error == "missing_scope: chat:write"


def test_17_a_shared_channel_gets_a_polite_answer_and_no_exception(
    slack: FakeSlack, work: Work, folder: object, caplog: pytest.LogCaptureFixture
) -> None:
    """OpenHands/OpenHands-Cloud#64: crashes in Slack Connect channels."""
    post(
        mention(
            LIMIT, user_team="T00000TEAM2", envelope={"is_ext_shared_channel": True, "context_team_id": "T2"}
        )
    )
    work()
    assert wording.NOT_ALLOWED_EXTERNAL in shown(slack)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize(
    "message",
    [
        {"user": BOT, "bot_id": "B00000BOT01", "text": "ours", "attachments": [{"from_url": "https://x"}]},
        {"user": "U00000USR01", "text": LIMIT, "reply_count": 3, "latest_reply": "1767377000.1"},
    ],
    ids=["unfurled own message", "a reply came in"],
)
def test_18_a_message_changed_that_nobody_edited_is_no_question(
    slack: FakeSlack, work: Work, message: dict
) -> None:
    """CopilotKit/CopilotKit#6717: one question, about fifty answers."""
    body = direct_message("", subtype="message_changed", hidden=True)
    body["event"] |= {"message": {**message, "ts": TS}, "previous_message": {**message, "ts": TS}}
    for number in range(5):
        assert post({**body, "event_id": f"Ev{number}"}).status_code == 200
    work()
    assert slack.posts == []


def test_19_an_event_without_a_text_never_reaches_the_answering(slack: FakeSlack, sent: list) -> None:
    """nearform/slack-knowledgebase-chatgpt-responder#983: the unfurl answers a default question."""
    assert post(direct_message("", subtype="file_share", files=[{"id": "F1"}])).status_code == 200
    body = direct_message("x")
    del body["event"]["text"]
    body["event"] |= {"subtype": "message_changed", "hidden": True}
    assert post({**body, "event_id": "Ev9"}).status_code == 200
    assert sent == []


def test_20_two_bots_that_mention_each_other_stop_after_no_round(slack: FakeSlack, work: Work) -> None:
    """slackapi/python-slack-sdk#390, CopilotKit/OpenTag#29: bot-to-bot loops."""
    assert post(mention(LIMIT, bot_id="B00000OTHER", user="U00000OTHER")).status_code == 200
    assert (
        post(mention(LIMIT, event_id="Ev2", subtype="bot_message", bot_id="B00000OTHER")).status_code == 200
    )
    assert post(direct_message(LIMIT, user=BOT, bot_id="B00000BOT01")).status_code == 200
    work()
    assert slack.posts == []


@pytest.mark.parametrize("token", ["<!channel>", "<!here>", "<!everyone>", "<@U00000USR02>", "<!subteam^S1>"])
def test_21_what_a_model_or_a_document_says_pings_nobody(
    slack: FakeSlack, finished: Finished, token: str
) -> None:
    """NousResearch/hermes-agent#26869: `<!channel>` in the model's output."""
    deliver(finished(f"Tell {token} about it."))
    everything = str(slack.posts)
    assert token not in everything
    assert escape(token) in everything


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("a&lt;b &amp; c&gt;d", "a<b & c>d"),
        ("<https://x?a=1&amp;b=2|y>", "y"),
        ("it's &amp;copy;", "it's &copy;"),
        ("`List&lt;T&gt;`", "`List<T>`"),
    ],
)
def test_22_text_survives_the_way_in_and_out(typed: str, meant: str) -> None:
    """slackify-markdown-python#14, slack-mcp-client#147, slack-ruby-bot#237, tryfabric/mack#21."""
    assert plain_question(typed, own_user_id=BOT) == meant
    assert plain_question(escape(meant), own_user_id=BOT) == meant
    assert "&#39;" not in escape(meant)


def test_23_nothing_is_streamed_so_no_stream_can_expire(slack: FakeSlack, finished: Finished) -> None:
    """slackapi/python-slack-sdk#1859, vercel/chat#637: a stream ends after five minutes and its text is lost.

    Nothing unverified is streamed here: the whole text goes out in ordered messages.
    """
    sentences = [f"Rule {number} is about berths." for number in range(600)]
    deliver(finished(*sentences))
    told = shown(slack)
    places = [told.index(sentence) for sentence in sentences]
    assert places == sorted(places)
    assert not [call for call in slack.calls if "Stream" in call.method]


def test_24_thirty_answers_at_once_meet_slacks_limit_and_all_arrive(
    slack: FakeSlack, finished: Finished, monkeypatch: pytest.MonkeyPatch
) -> None:
    """dust-tt/dust#5701: progress by `chat.update` meets the limit. There is none; the limit is obeyed."""
    now = [0.0]
    slack.limiter = RateLimiter(lambda: now[0])
    questions = [finished(SENTENCE, ts=f"1767376988.{number:06d}") for number in range(30)]
    for question in questions:
        deliver(question)
    waiting = SlackDelivery.objects.filter(state=DeliveryState.PENDING)
    assert 0 < waiting.count() < 30, "a channel takes a burst, then one message a second"
    assert all(row.last_error == "ratelimited" and row.not_before for row in waiting)
    for _ in range(30):
        now[0] += 1
        for row in waiting.all()[:1]:
            make_due(row.question)
            deliver(row.question)
    assert len(slack.posts) == 30
    assert slack.calls_of("chat.update") == []


def test_25_files_sent_with_a_question_are_never_fetched(slack: FakeSlack, work: Work) -> None:
    """vercel/eve#1531, bolt-js#2585, cc-connect#204: a sign-in page is read in the file's place.

    Files are not read at all: no call leaves for one, and nothing of it is in the question.
    """
    files = [{"id": "F1", "url_private": "https://files.slack.com/secret.png", "mimetype": "image/png"}]
    post(direct_message(LIMIT, subtype="file_share", files=files))
    work()
    assert Question.objects.get().text == LIMIT
    assert not [call for call in slack.calls if call.method.startswith("files") or "secret.png" in str(call)]


def test_own_finding_the_word_payload_in_a_command_is_no_interaction(slack: FakeSlack, sent: list) -> None:
    """Bolt 1.30 takes a form that contains the word for an interaction and drops it."""
    assert post_form(command("what is the payload limit?")).status_code == 200
    assert Question.objects.get().text == "what is the payload limit?"


def test_own_finding_clicks_and_commands_are_acknowledged_while_ten_answers_are_made(
    slack: FakeSlack, sent: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bolt's default pool has five threads: with five answers under way the sixth request is a 404."""
    done = threading.Event()
    begun = threading.Semaphore(0)

    def wait(*_: object) -> services.AnswerRow:
        begun.release()
        assert done.wait(60)
        return services.broken_row("X")

    monkeypatch.setattr(services, "_answer", wait)
    for number in range(10):
        post(mention(LIMIT, event_id=f"Ev{number}", ts=f"1767376988.{number:06d}"))
    ids = [argument for name, argument in sent if name == "footnote.answer_question"]
    with ThreadPoolExecutor(10) as pool:
        answers = [pool.submit(in_threads, lambda i=question_id: answer_question(i)) for question_id in ids]
        for _ in ids:
            assert begun.acquire(timeout=30)
        statuses = [post_form(command(f"question {n}", trigger_id=f"t{n}")).status_code for n in range(10)]
        statuses.append(_through_bolt(CLICK, type="interactive").status)
        done.set()
        for answer in answers:
            answer.result(60)
    assert statuses == [200] * 11


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"{}", {"X-Slack-Request-Timestamp": "abc"}),
        (b"{}", {"X-Slack-Signature": "v0=é"}),
        (b"{bad", {}),
        (b"\xff\xfe", {}),
    ],
)
def test_own_finding_what_strangers_send_is_a_4xx(
    slack: FakeSlack, body: bytes, headers: dict[str, str]
) -> None:
    """Bolt alone fails with a 500, or an exception, on each of these."""
    assert 400 <= post_raw(body, **headers).status_code < 500


def test_a_429_is_never_slept_through_in_the_worker(slack: FakeSlack, finished: Finished) -> None:
    """The SDK's own handler sleeps in the calling thread for as long as Slack says."""
    slack.script("chat.postMessage", rate_limited(60))
    started = time.monotonic()
    assert deliver(finished(SENTENCE)).last_error == "ratelimited"
    assert time.monotonic() - started < 30
    assert pick_up_undelivered(at_start=True) == 0
