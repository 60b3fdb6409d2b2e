"""`/footnote`: about the bot itself. Any other command of the app asks a question."""

from __future__ import annotations

import re

from slack_bolt import Ack, App
from slack_sdk import WebClient

from bot.channel_status import StatusRequest
from bot.incoming import Json, response_url_of, team_of, usable_id
from bot.people import person_before_ack
from console import queue


def register(app: App) -> None:
    """Add the listener, before the one for every command."""
    app.command(re.compile("^/footnote$"))(on_footnote)


def on_footnote(body: Json, ack: Ack, client: WebClient) -> None:
    """Have the status told, or say what there is."""
    words = str(body.get("text") or "").split()
    request = StatusRequest(
        team_id=team_of(body) or usable_id(body.get("enterprise_id")),
        channel_id=usable_id(body.get("channel_id")),
        user_id=usable_id(body.get("user_id")),
        response_url=response_url_of(body),
    )
    says = person_before_ack(client, request.team_id, request.user_id).phrases.channel
    if words[:1] != ["status"] or not request.channel_id or not request.response_url:
        ack(text=says.usage, response_type="ephemeral")
        return
    queue.tell_channel_status(request.to_json())
    ack(text=says.looking, response_type="ephemeral")
