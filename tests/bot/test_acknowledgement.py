"""What is asked of Slack before an acknowledgement shares one deadline; what a click came to is told afterwards."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from celery.exceptions import Retry
from slack_sdk import WebClient

import bot.app
import bot.client
from bot import clicks, threads
from bot.client import BEFORE_ACK_S, punctual, web_client
from bot.phrases import ENGLISH, Problem
from bot.simulator.failures import Failure
from console import queue
from console.questions.models import Feedback, Question, Surface
from tests.bot.fake_slack import TOKEN, FakeSlack
from tests.bot.payloads import ASKER, CHANNEL, TEAM, click, message_shortcut, post_interaction
from workers import tasks

ACK_S = 3.0
HANGS = Failure(wait_s=3.2, is_dropped=True)
Finished = Callable[..., Question]
really_queued = queue.tell_who_clicked


@pytest.fixture
def slack_hangs(slack: FakeSlack, told_at_once: None, monkeypatch: pytest.MonkeyPatch) -> FakeSlack:
    """Everything that a click asks of Slack is held back for longer than Slack waits."""
    monkeypatch.setattr(queue, "tell_who_clicked", really_queued)
    # Less than in truth: on a machine that is busy with other tests the rest of a request takes its time too.
    monkeypatch.setattr(bot.app, "BEFORE_ACK_S", 0.8)
    for method in ("users.info", "views.open", "response_url"):
        slack.script(method, HANGS)
    return slack


def test_the_time_before_an_acknowledgement_leaves_some_for_the_rest() -> None:
    assert clicks.LOOK_UP_S < BEFORE_ACK_S <= ACK_S - 0.5


def timed(payload: dict) -> tuple[int, float]:
    started = time.monotonic()
    return post_interaction(payload).status_code, time.monotonic() - started


def test_a_click_is_acknowledged_where_all_of_slack_hangs(
    slack_hangs: FakeSlack, finished: Finished, sent: list
) -> None:
    question = finished("The limit is 180 EUR.")
    url = f"{slack_hangs.url}/commands/T1/1/click"
    status, elapsed_s = timed(click("feedback", f"not_helpful:{question.pk}", response_url=url))
    assert status == 200
    assert elapsed_s < ACK_S
    assert Feedback.objects.count() == 1, "the verdict stands"
    [(name, argument)] = [(n, a) for n, a in sent if n == "footnote.tell_who_clicked"]
    assert name
    assert json.loads(argument) == {
        "response_url": url,
        "text": ENGLISH.replies.problems[Problem.TOO_LATE],
    }


def test_a_shortcut_is_acknowledged_where_all_of_slack_hangs(
    slack_hangs: FakeSlack, transactional_db: None, sent: list
) -> None:
    url = f"{slack_hangs.url}/commands/T1/1/click"
    status, elapsed_s = timed(message_shortcut("How much?", response_url=url))
    assert (status, elapsed_s < ACK_S) == (200, True)
    assert [name for name, _ in sent] == ["footnote.tell_who_clicked"]


def test_what_is_queued_is_told(slack: FakeSlack) -> None:
    url = f"{slack.url}/commands/T1/1/click"
    clicks.tell_who_clicked(json.dumps({"response_url": url, "text": "Thanks."}))
    assert slack.replies == ["Thanks."]


@pytest.fixture
def put_off(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """For how many seconds the task was put off."""
    waits: list[float] = []

    def retry(*, exc: Exception, countdown: float) -> Retry:
        waits.append(countdown)
        return Retry(exc=exc)

    monkeypatch.setattr(tasks.tell_who_clicked, "retry", retry)
    return waits


def test_what_slack_is_too_busy_for_is_told_later(slack: FakeSlack, put_off: list[float]) -> None:
    argument = json.dumps({"response_url": f"{slack.url}/commands/T1/1/click", "text": "Thanks."})
    slack.script("response_url", Failure(status=429, headers={"Retry-After": "7"}))
    with pytest.raises(Retry):
        tasks.tell_who_clicked(argument)
    assert put_off == [7.0]
    tasks.tell_who_clicked(argument)
    assert slack.replies == ["Thanks."]


@pytest.mark.parametrize(
    "failure", [Failure(status=404), Failure(status=429, headers={"Retry-After": "1e9"})]
)
def test_what_cannot_be_told_in_time_is_not_put_off(
    slack: FakeSlack, put_off: list[float], failure: Failure
) -> None:
    slack.script("response_url", failure)
    tasks.tell_who_clicked(
        json.dumps({"response_url": f"{slack.url}/commands/T1/1/click", "text": "Thanks."})
    )
    assert put_off == []


def test_nobody_but_slack_is_told(slack: FakeSlack, sent: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "tell_who_clicked", really_queued)
    clicks.tell_later("https://evil.example/x", "Thanks.")
    assert sent == []


def test_a_thread_that_hangs_while_it_is_read_holds_up_no_look_up(
    slack: FakeSlack, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "TIMEOUT_S", 0.1)
    monkeypatch.setattr(bot.client, "_calls", ThreadPoolExecutor(1))  # as if all but one were taken up
    slack.script("conversations.replies", Failure(wait_s=2.9))
    question = Question.objects.create(
        text="How much?",
        surface=Surface.SLACK_MENTION,
        slack_team_id=TEAM,
        slack_channel_id=CHANNEL,
        slack_ts="1767376988.871629",
        slack_thread_ts="1767370000.000001",
    )
    assert threads.read_thread(question) == []
    assert question.thread_reading.fault == "TimeoutError"
    assert punctual(web_client(TOKEN), 1.5).users_info(user=ASKER)["ok"]


@pytest.fixture
def trickling() -> Iterator[str]:
    """A server that sends a byte every 0.2 s for 10 s: no single step of a call takes long."""
    listener = socket.create_server(("127.0.0.1", 0))
    is_over = threading.Event()

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            for byte in b"HTTP/1.1 200 OK\r\nX-Filler: " + b"x" * 30:
                if is_over.wait(0.2):
                    return
                connection.sendall(bytes([byte]))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/api/"
    is_over.set()
    thread.join(5)
    listener.close()


def test_a_slack_that_trickles_is_left_behind_in_time(trickling: str) -> None:
    client = punctual(WebClient(token="xoxb-1", base_url=trickling), 0.5)
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        client.users_info(user="U1")
    assert time.monotonic() - started < 1.5
    with pytest.raises(TimeoutError):
        client.users_info(user="U1")
    assert time.monotonic() - started < 1.5, "there is no second helping"
