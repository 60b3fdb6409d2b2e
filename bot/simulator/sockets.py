"""Slack's end of Socket Mode: sends envelopes over a websocket and waits for their acknowledgements."""

from __future__ import annotations

import contextlib
import json
import logging
import threading
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from bot.simulator.workspace import Json

_quiet = logging.getLogger("bot.simulator.websockets")
_quiet.setLevel(logging.WARNING)  # it tells of every connection


class SocketServer:
    """Listens on the loopback. An app may hold several connections; each envelope goes to one of them."""

    def __init__(self) -> None:
        self._connections: list[ServerConnection] = []
        self._acks: dict[str, Json] = {}
        self._changed = threading.Condition()
        self._server = serve(self._serve, "127.0.0.1", 0, ping_interval=None, logger=_quiet)
        host, port = self._server.socket.getsockname()[:2]
        self.url = f"ws://{host}:{port}/link"
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="simulator-socket", daemon=True
        )
        self._thread.start()

    @property
    def is_connected(self) -> bool:
        """True while the app holds a connection."""
        return bool(self._connections)

    def wait_until_connected(self, timeout_s: float = 5.0) -> bool:
        """True as soon as the app is there; False at the timeout."""
        with self._changed:
            return self._changed.wait_for(lambda: bool(self._connections), timeout_s)

    def send(self, envelope: Json) -> None:
        """Send an envelope and wait for nothing.

        Raises:
            ConnectionError: nobody is connected.
        """
        with self._changed:
            connection = self._connections[-1] if self._connections else None
        if connection is None:
            raise ConnectionError("no app is connected")
        with contextlib.suppress(ConnectionClosed):
            connection.send(json.dumps(envelope))

    def wait_for_ack(self, envelope_id: str, timeout_s: float) -> Json | None:
        """The acknowledgement, with its payload where it has one; None when there is none in time."""
        with self._changed:
            self._changed.wait_for(lambda: envelope_id in self._acks, timeout_s)
            return self._acks.pop(envelope_id, None)

    def next_ack(self, timeout_s: float = 5.0) -> Json | None:
        """Whichever acknowledgement comes next."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._acks), timeout_s)
            return self._acks.pop(next(iter(self._acks))) if self._acks else None

    def disconnect(self, reason: str = "refresh_requested") -> None:
        """Tell the app to connect anew, as Slack does every few hours."""
        for connection in list(self._connections):
            with contextlib.suppress(ConnectionClosed):
                connection.send(json.dumps({"type": "disconnect", "reason": reason}))

    def close(self) -> None:
        """Cut every connection and stop listening."""
        self._server.shutdown()
        for connection in list(self._connections):
            connection.close()
        self._thread.join(5)

    def nudge(self) -> None:
        """Let the app's reading thread return, which otherwise waits up to three seconds before it closes."""
        for connection in list(self._connections):
            with contextlib.suppress(ConnectionClosed):
                connection.send(json.dumps({"type": "hello"}))

    def _serve(self, connection: ServerConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            connection.send(json.dumps({"type": "hello", "num_connections": 1}))
            with self._changed:
                self._connections.append(connection)
                self._changed.notify_all()
            for message in connection:
                self._take(message)
        with self._changed:
            if connection in self._connections:
                self._connections.remove(connection)
            self._changed.notify_all()

    def _take(self, message: Any) -> None:
        try:
            ack = json.loads(message)
        except ValueError:
            return
        if isinstance(ack, dict) and isinstance(ack.get("envelope_id"), str):
            with self._changed:
                self._acks[ack["envelope_id"]] = ack
                self._changed.notify_all()
