"""What the app listens to. Every listener only writes rows: Slack waits for its acknowledgement."""

from __future__ import annotations

from slack_bolt import App

from bot.listeners import actions, commands, events


def register(app: App) -> None:
    """Add every listener; Bolt runs the first that matches."""
    events.register(app)
    commands.register(app)
    actions.register(app)
