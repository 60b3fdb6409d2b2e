"""Both ways Slack reaches the bot, over real sockets: the same test runs by each."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Protocol

import pytest

from bot.simulator.deliveries import Ack, HttpTransport, Kind, Retry, SocketTransport
from bot.socket_mode import SlackConnection, start_socket_mode
from tests.bot.fake_slack import FakeSlack
from tests.bot.fake_socket import FakeSocket
from tests.bot.payloads import SECRET


class Way(Protocol):
    """Hands one event, command or click over, as Slack would."""

    name: str

    def send(self, body: dict, *, kind: Kind = "events_api", retry: Retry | None = None) -> Ack: ...


class _Way:
    def __init__(self, name: str, transport: HttpTransport | SocketTransport) -> None:
        self.name = name
        self._transport = transport

    def send(self, body: dict, *, kind: Kind = "events_api", retry: Retry | None = None) -> Ack:
        return self._transport.send(kind, body, retry=retry)


@pytest.fixture(params=["http", "socket"])
def way(
    request: pytest.FixtureRequest, slack: FakeSlack, sent: list, transactional_db: None
) -> Iterator[Way]:
    """By HTTP to a served product, and by Socket Mode over the SDK's own connection."""
    if request.param == "http":
        server = request.getfixturevalue("live_server")
        yield _Way("http", HttpTransport(f"{server.url}/slack/events", SECRET, timeout_s=30))
        return
    socket = FakeSocket()
    slack.socket_url = socket.url
    connection = start_socket_mode()
    assert connection is not None
    assert socket.wait_until_connected(10)
    yield _Way("socket", SocketTransport(socket, timeout_s=30))
    close(connection, socket)
    socket.close()


def close(connection: SlackConnection, socket: FakeSocket) -> None:
    """Close; frames meanwhile spare us the SDK's wait of up to three seconds for its reading thread."""
    closing = threading.Thread(target=connection.close)
    closing.start()
    while closing.is_alive():
        socket.nudge()
        closing.join(0.02)
