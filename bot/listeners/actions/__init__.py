"""Clicks, shortcuts and forms."""

from __future__ import annotations

from slack_bolt import App

from bot.listeners.actions import asking, feedback, other, sharing, sources


def register(app: App) -> None:
    """Add the listeners, the one for everything else last."""
    sources.register(app)
    feedback.register(app)
    sharing.register(app)
    asking.register(app)
    other.register(app)
