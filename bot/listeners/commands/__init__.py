"""Slash commands."""

from __future__ import annotations

from slack_bolt import App

from bot.listeners.commands import ask, footnote


def register(app: App) -> None:
    """Add the listeners."""
    footnote.register(app)
    ask.register(app)
