"""Socket Mode against a real websocket: the same rows before the same acknowledgement."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from bot.socket_mode import SlackConnection, start_socket_mode
from console.channels.instances import duplicate_sentence
from console.channels.models import SlackEvent, SlackInstance
from console.questions.models import Question, Surface
from tests.bot.fake_slack import Failure, FakeSlack
from tests.bot.fake_socket import FakeSocket
from tests.bot.payloads import command, direct_message, mention

pytestmark = pytest.mark.usefixtures("transactional_db", "sent")


@pytest.fixture
def socket(slack: FakeSlack) -> Iterator[FakeSocket]:
    socket = FakeSocket()
    slack.socket_url = socket.url
    yield socket
    socket.close()


@pytest.fixture
def connection(socket: FakeSocket) -> Iterator[SlackConnection]:
    connection = start_socket_mode()
    assert connection is not None
    yield connection
    close(connection, socket)


def close(connection: SlackConnection, socket: FakeSocket) -> None:
    """Close; frames meanwhile spare us the SDK's wait of up to three seconds for its reading thread."""
    closing = threading.Thread(target=connection.close)
    closing.start()
    while closing.is_alive():
        socket.nudge()
        closing.join(0.02)


def envelope(payload: dict, *, number: int = 1, kind: str = "events_api", **retry: object) -> dict:
    accepts = kind != "events_api"
    return {
        "envelope_id": f"env-{number}",
        "type": kind,
        "payload": payload,
        "accepts_response_payload": accepts,
        **retry,
    }


def test_a_mention_is_acknowledged_after_its_rows(socket: FakeSocket, connection: SlackConnection) -> None:
    socket.send(envelope(mention("How much?")))
    assert socket.next_ack() == {"envelope_id": "env-1"}
    assert Question.objects.get().text == "How much?"
    assert connection.is_connected


def test_a_redelivered_envelope_is_acknowledged_and_no_second_question(
    socket: FakeSocket, connection: SlackConnection
) -> None:
    for number, retry in enumerate(({}, {"retry_attempt": 1, "retry_reason": "timeout"}), start=1):
        socket.send(envelope(mention("How much?"), number=number, **retry))
        assert socket.next_ack() == {"envelope_id": f"env-{number}"}
    assert Question.objects.count() == SlackEvent.objects.count() == 1


def test_rows_that_could_not_be_written_are_not_acknowledged(
    socket: FakeSocket, connection: SlackConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("database is away")

    with monkeypatch.context() as patch:
        patch.setattr("bot.listeners.events.app_mention.receive_slack_question", fail)
        socket.send(envelope(mention("How much?")))
        assert socket.next_ack(0.5) is None
    socket.send(envelope(mention("How much?"), number=2, retry_attempt=1, retry_reason="timeout"))
    assert socket.next_ack() == {"envelope_id": "env-2"}
    assert Question.objects.count() == 1


def test_direct_messages_and_commands_come_the_same_way(
    socket: FakeSocket, connection: SlackConnection
) -> None:
    socket.send(envelope(direct_message("How much?")))
    assert socket.next_ack() is not None
    socket.send(envelope(command("the payload limit?"), number=2, kind="slash_commands"))
    ack = socket.next_ack()
    assert ack["payload"] == {"text": "Looking in the documents…", "response_type": "ephemeral"}
    assert set(Question.objects.values_list("surface", flat=True)) == {
        Surface.SLACK_DM,
        Surface.SLACK_COMMAND,
    }


def test_without_both_tokens_there_is_no_connection(slack: FakeSlack, settings: object) -> None:
    settings.SLACK_APP_TOKEN = ""
    assert start_socket_mode() is None
    assert slack.calls == []


def test_slack_being_away_at_the_start_is_waited_for(
    slack: FakeSlack, socket: FakeSocket, caplog: pytest.LogCaptureFixture
) -> None:
    slack.script("apps.connections.open", Failure(status=503))
    connection = start_socket_mode()
    assert connection is not None
    try:
        assert socket.wait_until_connected()
        assert "Slack cannot be reached (http_503)" in caplog.text
    finally:
        close(connection, socket)


def test_a_refused_token_ends_the_tries_and_names_the_doctor(
    slack: FakeSlack, socket: FakeSocket, caplog: pytest.LogCaptureFixture
) -> None:
    slack.script("apps.connections.open", Failure(error="invalid_auth"))
    connection = start_socket_mode()
    assert connection is not None
    deadline = time.monotonic() + 5
    while "manage.py doctor" not in caplog.text and time.monotonic() < deadline:
        time.sleep(0.01)
    connection.close()
    assert [
        r.getMessage() for r in caplog.records if r.name == "bot.socket_mode" and r.levelno == logging.ERROR
    ] == ["Slack refused the connection (invalid_auth); run `manage.py doctor`."]
    assert len(slack.calls) == 1


def test_how_many_connections_slack_counts_is_kept_while_this_one_is_open(
    socket: FakeSocket, connection: SlackConnection
) -> None:
    wait_until(lambda: SlackInstance.objects.filter(n_connections=1).exists())
    assert duplicate_sentence() == ""
    socket.send({"type": "hello", "num_connections": 2, "connection_info": {"app_id": "A1"}})
    wait_until(lambda: SlackInstance.objects.filter(app_id="A1").exists())
    assert duplicate_sentence() == "", "a renewed connection may be counted beside the one it replaces"
    socket.send({"type": "hello", "num_connections": 3})
    wait_until(lambda: SlackInstance.objects.filter(n_connections=2).exists())
    assert "another Footnote runs with the same token" in duplicate_sentence()
    close(connection, socket)
    assert not SlackInstance.objects.exists()


def wait_until(is_so: Callable[[], bool], timeout_s: float = 10) -> None:
    deadline = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)
