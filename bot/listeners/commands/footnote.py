"""`/footnote`: about the bot itself. Any other command of the app asks a question."""

from __future__ import annotations

import re

from slack_bolt import Ack, App

from bot.channel_status import StatusRequest
from bot.incoming import Json, response_url_of, team_of, usable_id
from console import queue

USAGE = (
    "`/footnote status` shows what this channel is answered from and what is wrong. Questions go after `/ask`, or "
    "after a mention of me."
)


def register(app: App) -> None:
    """Add the listener, before the one for every command."""
    app.command(re.compile("^/footnote$"))(on_footnote)


def on_footnote(body: Json, ack: Ack) -> None:
    """Have the status told, or say what there is."""
    words = str(body.get("text") or "").split()
    request = StatusRequest(
        team_id=team_of(body) or usable_id(body.get("enterprise_id")),
        channel_id=usable_id(body.get("channel_id")),
        user_id=usable_id(body.get("user_id")),
        response_url=response_url_of(body),
    )
    if words[:1] != ["status"] or not request.channel_id or not request.response_url:
        ack(text=USAGE, response_type="ephemeral")
        return
    queue.tell_channel_status(request.to_json())
    ack(text="Looking…", response_type="ephemeral")
