"""`manage.py slack_socket`: receive Slack's events by Socket Mode (server mode's bot process)."""

from __future__ import annotations

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from bot import socket_mode


class Command(BaseCommand):
    """Run the Socket Mode connection until it is told to stop."""

    help = "Receive Slack's events by Socket Mode and queue the questions; the workers answer them."

    def handle(self, **_: Any) -> None:
        """Connect, then wait for SIGTERM or SIGINT."""
        handler = socket_mode.start_socket_mode()
        if handler is None:
            raise CommandError(
                "Socket Mode needs SLACK_APP_TOKEN and SLACK_BOT_TOKEN (or SLACK_CLIENT_ID); docs/slack.md says how."
            )
        stop = threading.Event()
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: stop.set())
        self.stdout.write("Connecting to Slack by Socket Mode.")
        self.stdout.flush()
        stop.wait()
        handler.close()
