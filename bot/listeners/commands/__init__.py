"""Slash commands."""

from __future__ import annotations

from slack_bolt import App

from bot.listeners.commands import ask


def register(app: App) -> None:
    """Add the listeners."""
    ask.register(app)
