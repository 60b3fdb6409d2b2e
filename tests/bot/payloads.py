"""What Slack sends, as small as it can be and still be true; `shared/slack` holds the full ones."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.test import Client

SECRET = "signing-secret-of-the-tests"
TEAM, BOT, ASKER = "T00000TEAM1", "U00000BOT01", "U00000USR01"
CHANNEL, DM = "C00000CHN01", "D00000DM001"
TS = "1767376988.871629"


def event_body(event: dict[str, Any], event_id: str = "Ev1", **envelope: Any) -> dict[str, Any]:
    return {
        "type": "event_callback",
        "team_id": TEAM,
        "api_app_id": "A1",
        "event_id": event_id,
        "event_time": 1767376988,
        "authorizations": [{"enterprise_id": None, "team_id": TEAM, "user_id": BOT, "is_bot": True}],
        "is_ext_shared_channel": False,
        "event": event,
        **envelope,
    }


def mention(
    text: str, *, event_id: str = "Ev1", ts: str = TS, envelope: dict | None = None, **event: Any
) -> dict:
    values = {"type": "app_mention", "user": ASKER, "ts": ts, "channel": CHANNEL, "team": TEAM}
    return event_body({**values, "text": f"<@{BOT}> {text}", **event}, event_id, **(envelope or {}))


def channel_message(text: str, *, event_id: str = "Ev2", ts: str = TS, **event: Any) -> dict:
    """The same post as a `message` event, which comes along where the bot is a member."""
    body = mention(text, event_id=event_id, ts=ts, **event)
    body["event"] |= {"type": "message", "channel_type": "channel"}
    return body


def direct_message(text: str, *, event_id: str = "Ev3", ts: str = TS, **event: Any) -> dict:
    values = {"type": "message", "channel_type": "im", "user": ASKER, "ts": ts, "channel": DM, "team": TEAM}
    return event_body({**values, "text": text, **event}, event_id)


def command(
    text: str, *, response_url: str = "", trigger_id: str = "1.2.abc", **fields: str
) -> dict[str, str]:
    return {
        "command": "/ask",
        "text": text,
        "team_id": TEAM,
        "channel_id": CHANNEL,
        "channel_name": "help",
        "user_id": ASKER,
        "user_name": "user1",
        "trigger_id": trigger_id,
        "response_url": response_url,
        **fields,
    }


def click(
    action_id: str,
    value: str,
    *,
    user: str = ASKER,
    channel: str = CHANNEL,
    response_url: str = "",
    **more: Any,
) -> dict[str, Any]:
    """A click on a button; `more` replaces parts of the payload."""
    container = {"type": "message", "channel_id": channel, "message_ts": TS}
    return {
        "type": "block_actions",
        "user": {"id": user, "team_id": TEAM},
        "team": {"id": TEAM, "domain": "example"},
        "channel": {"id": channel},
        "container": container,
        "trigger_id": "9.9.click",
        "response_url": response_url,
        "actions": [{"type": "button", "action_id": action_id, "block_id": "b", "value": value}],
        **more,
    }


def sent_form(
    view: dict[str, Any], values: dict[str, Any], *, user: str = ASKER, view_id: str = "V1"
) -> dict[str, Any]:
    """A form that was opened, sent with these values: ``{block id: the state of its element}``."""
    state = {"values": {block: {block: value} for block, value in values.items()}}
    return {
        "type": "view_submission",
        "user": {"id": user, "team_id": TEAM},
        "team": {"id": TEAM, "domain": "example"},
        "trigger_id": "9.9.form",
        "view": {**view, "id": view_id, "state": state},
    }


def message_shortcut(text: str, *, ts: str = TS, response_url: str = "", **message: Any) -> dict[str, Any]:
    """A click on the app's entry in a message's menu."""
    return {
        "type": "message_action",
        "callback_id": "ask_about_message",
        "user": {"id": ASKER},
        "team": {"id": TEAM, "domain": "example"},
        "channel": {"id": CHANNEL, "name": "help"},
        "message": {"type": "message", "user": "U00000OTHER", "text": text, "ts": ts, **message},
        "message_ts": ts,
        "trigger_id": "9.9.shortcut",
        "response_url": response_url,
    }


def post_interaction(payload: dict[str, Any]) -> HttpResponse:
    """Interactions come as a form with JSON in it."""
    return post_form({"payload": json.dumps(payload)})


def post_raw(body: bytes, content_type: str = "application/json", **headers: str) -> HttpResponse:
    """Post a body with a true signature; headers given replace those of the request."""
    timestamp = str(int(time.time()))
    # By hand: the SDK cannot sign what is no UTF-8, and a test has to send that too.
    digest = hmac.new(SECRET.encode(), b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    signed = {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": f"v0={digest}", **headers}
    return Client().post("/slack/events", data=body, content_type=content_type, headers=signed)


def post(body: dict[str, Any], **headers: str) -> HttpResponse:
    return post_raw(json.dumps(body).encode(), **headers)


def post_form(fields: dict[str, str], **headers: str) -> HttpResponse:
    return post_raw(urlencode(fields).encode(), "application/x-www-form-urlencoded", **headers)
