"""Somebody wrote to the bot directly."""

from __future__ import annotations

from slack_bolt import App

from bot.incoming import Json, is_direct_message, question_of_event
from console.channels.services import receive_slack_question
from console.questions.models import Surface


def register(app: App) -> None:
    """Add the listener. It is for every subtype: one without a listener would be answered 404."""
    app.event("message")(on_message)


def on_message(body: Json, event: Json) -> None:
    """Take a direct message in; in channels only a mention asks, and that comes as `app_mention`."""
    incoming = question_of_event(body, Surface.SLACK_DM) if is_direct_message(event) else None
    if incoming is not None:
        receive_slack_question(incoming)
