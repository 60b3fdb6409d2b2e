"""Clicks, shortcuts and forms that nothing of ours offers."""

from __future__ import annotations

import re

from slack_bolt import Ack, App


def register(app: App) -> None:
    """Add the listener to all three, so that a stray click is no failed delivery."""
    anything = re.compile(".*")
    app.action(anything)(on_other_action)
    app.shortcut(anything)(on_other_action)
    app.view(anything)(on_other_action)


def on_other_action(ack: Ack) -> None:
    """Acknowledge and do nothing."""
    ack()
