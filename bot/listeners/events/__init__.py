"""Events: mentions and direct messages are questions, everything else is acknowledged."""

from __future__ import annotations

from slack_bolt import App

from bot.listeners.events import agent, app_home, app_mention, message, other, uninstalled


def register(app: App) -> None:
    """Add the listeners, the one for everything else last."""
    app_mention.register(app)
    message.register(app)
    agent.register(app)
    app_home.register(app)  # after `agent`, which takes the Messages tab
    uninstalled.register(app)
    other.register(app)
