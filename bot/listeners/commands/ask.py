"""`/ask`, under whatever name the workspace gave it."""

from __future__ import annotations

import re

from slack_bolt import Ack, App
from slack_sdk import WebClient

from bot.incoming import Json, question_of_command, team_of, usable_id
from bot.people import person_before_ack
from bot.text import escape
from console.channels.services import receive_slack_question


def register(app: App) -> None:
    """Add the listener. Slack command names are per workspace, so any command but /footnote asks."""
    app.command(re.compile("^/"))(on_ask)


def on_ask(body: Json, ack: Ack, client: WebClient) -> None:
    """Take the question in, then tell the asker alone that it is being looked up."""
    incoming = question_of_command(body)
    if incoming is not None:
        receive_slack_question(incoming)
    phrases = person_before_ack(client, team_of(body), usable_id(body.get("user_id"))).phrases
    if incoming is None:
        usage = phrases.replies.usage.format(command=escape(str(body["command"])))
        ack(text=usage, response_type="ephemeral")
        return
    ack(text=phrases.replies.looking, response_type="ephemeral")
