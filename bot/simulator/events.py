"""What Slack sends for what people do, in the shapes of its documentation."""

from __future__ import annotations

import itertools
import time
from typing import Any

from bot.simulator.workspace import Channel, Json, Workspace

_numbers = itertools.count(1)


def event_callback(workspace: Workspace, event: Json, **envelope: Any) -> Json:
    """The envelope around an event, with an id of its own."""
    return {
        "token": "deprecated",
        "type": "event_callback",
        "team_id": workspace.team_id,
        "context_team_id": workspace.team_id,
        "api_app_id": workspace.app_id,
        "event_id": f"Ev{next(_numbers):09d}{int(workspace.clock() * 1000):x}",
        "event_time": int(workspace.clock()),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": workspace.team_id,
                "user_id": workspace.bot_user_id,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": False,
        "event": event,
        **envelope,
    }


def message_event(channel: Channel, message: Json) -> Json:
    """A `message` event: what somebody wrote."""
    event = {**message, "type": "message", "channel": channel.id, "channel_type": channel.kind}
    event["event_ts"] = message["ts"]
    return event


def mention_event(channel: Channel, message: Json) -> Json:
    """The `app_mention` twin of a message; it has no `channel_type`."""
    event = message_event(channel, message)
    del event["channel_type"]
    return {**event, "type": "app_mention"}


def changed_event(channel: Channel, message: Json, previous: Json, ts: str) -> Json:
    """`message_changed`: an edit, a reply that came in, an unfurled link."""
    return {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "channel": channel.id,
        "channel_type": channel.kind,
        "ts": ts,
        "event_ts": ts,
        "message": message,
        "previous_message": previous,
    }


def deleted_event(channel: Channel, previous: Json, ts: str) -> Json:
    """`message_deleted`."""
    return {
        "type": "message",
        "subtype": "message_deleted",
        "hidden": True,
        "channel": channel.id,
        "channel_type": channel.kind,
        "ts": ts,
        "event_ts": ts,
        "deleted_ts": previous["ts"],
        "previous_message": previous,
    }


def home_opened_event(workspace: Workspace, user_id: str, channel_id: str, tab: str = "home") -> Json:
    """`app_home_opened`; the view is told only when one was published before."""
    event: Json = {
        "type": "app_home_opened",
        "user": user_id,
        "channel": channel_id,
        "tab": tab,
        "event_ts": workspace.next_ts(),
    }
    if tab == "home" and user_id in workspace.homes:
        event["view"] = workspace.homes[user_id]
    return event


def stopped_event(workspace: Workspace, user_id: str, channel_id: str, thread_ts: str) -> Json:
    """`agent_session_stopped`: somebody pressed Stop."""
    return {
        "type": "agent_session_stopped",
        "user": user_id,
        "channel": channel_id,
        "thread_ts": thread_ts,
        "streaming_message_ts": [],
        "event_ts": workspace.next_ts(),
    }


def command_form(
    workspace: Workspace, channel: Channel, *, user_id: str, command: str, text: str, base_url: str
) -> Json:
    """The form of a slash command."""
    return {
        "token": "deprecated",
        "team_id": workspace.team_id,
        "team_domain": "footnote-tests",
        "channel_id": channel.id,
        "channel_name": "directmessage" if channel.kind == "im" else channel.name,
        "user_id": user_id,
        "user_name": workspace.people[user_id].name,
        "command": command,
        "text": text,
        "api_app_id": workspace.app_id,
        "is_enterprise_install": "false",
        "response_url": base_url + workspace.new_response_url(user_id, channel.id),
        "trigger_id": workspace.new_trigger(user_id),
    }


def click_payload(
    workspace: Workspace,
    user_id: str,
    action: Json,
    *,
    base_url: str,
    channel: Channel | None = None,
    message: Json | None = None,
    view: Json | None = None,
) -> Json:
    """`block_actions`: a click in a message, a modal or the Home tab."""
    payload: Json = {
        "type": "block_actions",
        **_who(workspace, user_id),
        "actions": [{**action, "action_ts": f"{time.time():.6f}"}],
    }
    if view is not None:
        payload |= {"view": view, "container": {"type": "view", "view_id": view["id"]}}
    if channel is not None and message is not None:
        is_ephemeral = "message_ts" in message
        ts = message.get("message_ts") or message["ts"]
        thread_ts = message.get("thread_ts") or ""
        payload |= {
            "channel": {"id": channel.id, "name": channel.name},
            "container": {
                "type": "message",
                "message_ts": ts,
                "channel_id": channel.id,
                "is_ephemeral": is_ephemeral,
                **({"thread_ts": thread_ts} if thread_ts else {}),
            },
            "response_url": base_url
            + workspace.new_response_url(
                user_id, channel.id, message_ts=ts, thread_ts=thread_ts, is_ephemeral=is_ephemeral
            ),
        }
        if not is_ephemeral:
            payload["message"] = message
    return payload


def submission_payload(workspace: Workspace, user_id: str, view: Json, values: Json) -> Json:
    """`view_submission`: the filled form of a modal."""
    filled = {**view, "state": {"values": values}}
    return {"type": "view_submission", **_who(workspace, user_id), "view": filled, "response_urls": []}


def closed_payload(workspace: Workspace, user_id: str, view: Json) -> Json:
    """`view_closed`; Slack sends it only for views that asked with `notify_on_close`."""
    return {"type": "view_closed", **_who(workspace, user_id), "view": view, "is_cleared": False}


def shortcut_payload(
    workspace: Workspace,
    user_id: str,
    callback_id: str,
    *,
    base_url: str,
    channel: Channel | None = None,
    message: Json | None = None,
) -> Json:
    """A shortcut: of the whole app, or of one message."""
    payload = {"callback_id": callback_id, **_who(workspace, user_id), "action_ts": f"{time.time():.6f}"}
    if channel is None or message is None:
        return {"type": "shortcut", **payload}
    response_url = base_url + workspace.new_response_url(
        user_id, channel.id, message_ts=message["ts"], thread_ts=message.get("thread_ts") or ""
    )
    return {
        "type": "message_action",
        **payload,
        "channel": {"id": channel.id, "name": channel.name},
        "message_ts": message["ts"],
        "message": message,
        "response_url": response_url,
    }


def _who(workspace: Workspace, user_id: str) -> Json:
    person = workspace.people[user_id]
    return {
        "team": {"id": workspace.team_id, "domain": "footnote-tests"},
        "user": {"id": user_id, "name": person.name, "username": person.name, "team_id": workspace.team_id},
        "api_app_id": workspace.app_id,
        "enterprise": None,
        "is_enterprise_install": False,
        "trigger_id": workspace.new_trigger(user_id),
    }
