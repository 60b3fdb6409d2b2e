"""Socket Mode: Slack's events over a socket that we open, so that no public address is needed."""

from __future__ import annotations

import logging
import threading
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import DatabaseError, connections
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk.socket_mode.client import BaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest

from bot.app import build_app
from bot.client import is_set_up
from bot.faults import CALL_FAILED, Kind, fault_of
from console.channels import instances

log = logging.getLogger(__name__)

LONGEST_WAIT_S = 60
SAY_ALIVE_EVERY_S = 30


class _Handler(SocketModeHandler):
    """Hands each envelope to the app in a thread of its own, with a database connection of its own.

    An envelope is acknowledged only when the app answered 200, which it does after the rows are
    written; Slack sends every other one again.
    """

    def handle(self, client: BaseSocketModeClient, req: SocketModeRequest) -> None:
        try:
            super().handle(client, req)  # type: ignore[arg-type]
        finally:
            # The SDK's threads come and go unseen by Django, which would leave their connections open.
            connections.close_all()


class SlackConnection:
    """A connection that is being made or kept up in the background."""

    def __init__(self) -> None:
        self._handler = _Handler(build_app(), settings.SLACK_APP_TOKEN)
        self._handler.client.message_listeners.append(self._on_message)
        self._id = uuid4()
        self._was_counted = False
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._connect, name="slack-connect", daemon=True)

    def start(self) -> None:
        """Begin to connect and return at once: Slack being away must not keep the console down."""
        self._thread.start()

    def close(self) -> None:
        """Disconnect for good."""
        self._stopped.set()
        self._thread.join(timeout=5)
        self._handler.close()  # type: ignore[no-untyped-call]
        instances.gone(self._id)

    @property
    def is_connected(self) -> bool:
        """True while the socket is up."""
        return bool(self._handler.client.is_connected())

    def _connect(self) -> None:
        """Try until it works; from then on the SDK renews the connection by itself."""
        wait_s = 1
        while not self._stopped.is_set():
            try:
                self._handler.connect()  # type: ignore[no-untyped-call]
            except CALL_FAILED as error:
                fault = fault_of(error)
                if fault.kind is Kind.PERMANENT:
                    log.error("Slack refused the connection (%s); run `manage.py doctor`.", fault.code)  # noqa: TRY400
                    return
                log.warning("Slack cannot be reached (%s); next try in %s s", fault.code, wait_s)
            else:
                log.info("connected to Slack by Socket Mode")
                self._say_alive()
                return
            self._stopped.wait(wait_s)
            wait_s = min(LONGEST_WAIT_S, wait_s * 2)

    def _say_alive(self) -> None:
        while not self._stopped.wait(SAY_ALIVE_EVERY_S):
            try:
                instances.still_there(self._id)
            except DatabaseError as error:
                log.warning("could not record that the connection is alive: %s", type(error).__name__)
            finally:
                connections.close_all()

    def _on_message(self, _: BaseSocketModeClient, message: dict[str, Any], __: str | None = None) -> None:
        """Keep how many connections of the app Slack counts; it says so when one opens."""
        n_connections = message.get("num_connections")
        if message.get("type") != "hello" or not isinstance(n_connections, int):
            return
        if self._was_counted:
            n_connections -= 1  # the connection that this one replaces may still be counted
        self._was_counted = True
        app_id = str((message.get("connection_info") or {}).get("app_id") or "")
        try:
            instances.report_connection(self._id, app_id=app_id, n_connections=max(1, n_connections))
            if duplicate := instances.duplicate_sentence(app_id):
                log.error("%s Stop one of them, or give it an app of its own.", duplicate)
        finally:
            connections.close_all()


def start_socket_mode() -> SlackConnection | None:
    """Open the connection and give back its handle; None when one of its two tokens is not set.

    Where workspaces are installed by OAuth the app-level token alone is needed.
    """
    if not is_set_up() or not settings.SLACK_APP_TOKEN:
        return None
    connection = SlackConnection()
    connection.start()
    return connection
