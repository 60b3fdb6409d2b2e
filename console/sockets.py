"""Live messages to open pages.

`publish` may be called from any thread. The in-memory channel layer belongs to the event loop of
the ASGI server (its queues are not thread-safe), so the server registers that loop here and messages
of other threads are handed over to it.
"""

from __future__ import annotations

import asyncio

from asgiref.sync import async_to_sync
from channels.layers import InMemoryChannelLayer, get_channel_layer
from django.db import transaction

_server_loop: asyncio.AbstractEventLoop | None = None

DOCUMENTS = "documents"
QUESTIONS = "questions"
EVALUATIONS = "evaluations"


def register_server_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Called once by the in-process server, with the loop that serves the sockets."""
    global _server_loop  # noqa: PLW0603 - one server loop a process, known only when it runs
    _server_loop = loop


def _send(group: str, payload: dict[str, str | int | float | None]) -> None:
    layer = get_channel_layer()
    message = {"type": "live.message", "payload": payload}
    if not isinstance(layer, InMemoryChannelLayer):
        async_to_sync(layer.group_send)(group, message)
    elif _server_loop is not None and _server_loop.is_running():
        asyncio.run_coroutine_threadsafe(layer.group_send(group, message), _server_loop)


def publish(group: str, **payload: str | int | float | None) -> None:
    """Send `payload` to the pages subscribed to `group`, after the commit."""

    def send() -> None:
        _send(group, payload)

    # Robust: a page that misses a message reloads; the work must not fail.
    transaction.on_commit(send, robust=True)
