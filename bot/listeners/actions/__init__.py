"""Clicks, shortcuts and forms."""

from __future__ import annotations

from slack_bolt import App

from bot.listeners.actions import other


def register(app: App) -> None:
    """Add the listeners."""
    other.register(app)
