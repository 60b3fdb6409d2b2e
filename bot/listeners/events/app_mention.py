"""Somebody mentioned the bot in a channel."""

from __future__ import annotations

from slack_bolt import App

from bot.incoming import Json, question_of_event
from console.channels.services import receive_slack_question
from console.questions.models import Surface


def register(app: App) -> None:
    """Add the listener."""
    app.event("app_mention")(on_app_mention)


def on_app_mention(body: Json) -> None:
    """Take the question in; the acknowledgement follows when this returns."""
    incoming = question_of_event(body, Surface.SLACK_MENTION)
    if incoming is not None:
        receive_slack_question(incoming)
