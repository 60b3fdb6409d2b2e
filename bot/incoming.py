"""Which messages are questions, and who could read the answer."""

from __future__ import annotations

import uuid
from typing import Any, TypeAlias

from bot.text import plain_question
from console.channels.services import IncomingQuestion
from console.questions.models import Surface

Json: TypeAlias = dict[str, Any]

TYPED_SUBTYPES = {None, "file_share", "thread_broadcast"}
"""Subtypes of messages that a person wrote; every other one tells of an edit, a join, a deletion, …"""

SLACK_ITSELF = {"USLACK", "USLACKBOT"}
"""Slack's own users write messages without a subtype or a bot id, such as "archived the channel"."""


def question_of_event(body: Json, surface: Surface) -> IncomingQuestion | None:
    """The question in an event, or None when it is not one that anybody waits to see answered."""
    event: Json = body["event"]
    own_user_id = _own_user_id(body)
    if _reason_to_ignore(event, own_user_id):
        return None
    text = plain_question(str(event.get("text") or ""), own_user_id=own_user_id)
    if not text and event.get("files"):
        return None
    team_id = _team_id(body)
    return IncomingQuestion(
        team_id=team_id,
        event_id=str(body.get("event_id") or f"{event['channel']}:{event['ts']}"),
        kind=str(event["type"]),
        surface=surface,
        channel_id=str(event["channel"]),
        user_id=str(event["user"]),
        ts=str(event["ts"]),
        thread_ts=str(event.get("thread_ts") or ""),
        text=text,
        is_external=_is_external(body, event, team_id),
    )


def question_of_command(body: Json) -> IncomingQuestion | None:
    """The question in a slash command, or None when nothing follows the command."""
    text = plain_question(str(body.get("text") or ""), own_user_id="")
    if not text:
        return None
    trigger_id = str(body.get("trigger_id") or uuid.uuid4())[:60]
    return IncomingQuestion(
        team_id=str(body.get("team_id") or body.get("enterprise_id") or ""),
        event_id=f"cmd:{trigger_id}",
        kind="command",
        surface=Surface.SLACK_COMMAND,
        channel_id=str(body["channel_id"]),
        user_id=str(body["user_id"]),
        ts=f"cmd-{trigger_id}",
        thread_ts="",
        text=text,
        response_url=str(body.get("response_url") or ""),
    )


def is_direct_message(event: Json) -> bool:
    """A conversation of one person with the bot; a group message has many readers and is a channel."""
    return event.get("channel_type") == "im"


def _reason_to_ignore(event: Json, own_user_id: str) -> str:
    """Why nobody waits for an answer; empty when somebody does."""
    if event.get("subtype") not in TYPED_SUBTYPES:
        return "not typed by a person"
    if event.get("bot_id") or event.get("bot_profile"):
        # Also our own posts. Bots that mention each other stop here, after no round.
        return "written by a bot"
    if event.get("hidden"):
        return "hidden"
    user = event.get("user")
    if not user or user in SLACK_ITSELF or user == own_user_id:
        return "written by Slack or by the bot"
    if not event.get("channel") or not event.get("ts"):
        return "no place to answer"
    return ""


def _own_user_id(body: Json) -> str:
    authorizations = body.get("authorizations") or [{}]
    return str(authorizations[0].get("user_id") or "")


def _team_id(body: Json) -> str:
    """The workspace the app is installed in; with Slack Connect `team_id` can be the other one."""
    authorization = (body.get("authorizations") or [{}])[0]
    return str(
        authorization.get("team_id") or body.get("team_id") or authorization.get("enterprise_id") or ""
    )


def _is_external(body: Json, event: Json, team_id: str) -> bool:
    """True when people from outside the workspace, or guests of it, read along.

    A member of another workspace of the same Enterprise Grid counts as outside: the event does not
    always say which organisation the author is from, and the doubt goes against showing.
    """
    if body.get("is_ext_shared_channel"):
        return True
    homes = [event.get(name) for name in ("user_team", "source_team", "team")]
    if any(home and home != team_id for home in homes):
        return True
    profile = event.get("user_profile") or {}
    return any(profile.get(name) for name in ("is_restricted", "is_ultra_restricted", "is_stranger"))
