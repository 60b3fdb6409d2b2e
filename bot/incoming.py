"""Which messages are questions, and who could read the answer."""

from __future__ import annotations

import uuid

import rag
from bot.fields import Json
from bot.fields import id_of as _id
from bot.fields import object_of as _object
from bot.fields import text_of as _text
from bot.fields import url_of as _url
from bot.text import plain_question, words_said
from console.channels.services import IncomingQuestion
from console.questions.models import Surface

TYPED_SUBTYPES = {None, "file_share", "thread_broadcast"}
"""Subtypes of messages that a person wrote; every other one tells of an edit, a join, a deletion, …"""

SLACK_ITSELF = {"USLACK", "USLACKBOT"}
"""Slack's own users write messages without a subtype or a bot id, such as "archived the channel"."""

__all__ = [
    "Json",
    "MalformedError",
    "is_by_outsider",
    "is_direct_message",
    "own_user_id_of",
    "question_of_command",
    "question_of_event",
    "question_unasked",
    "reason_to_ignore",
    "response_url_of",
    "team_id_of",
    "team_of",
    "usable_id",
]


class MalformedError(ValueError):
    """A signed request that is not shaped as Slack shapes it."""


def question_of_event(body: Json, surface: Surface) -> IncomingQuestion | None:
    """The question in an event, or None when it is not one that anybody waits to see answered.

    An event of another shape than Slack's is none: nobody could be answered.
    """
    event = _object(body.get("event"))
    own_user_id = own_user_id_of(body)
    if reason_to_ignore(event, own_user_id):
        return None
    text = plain_question(_text(event.get("text")), own_user_id=own_user_id)
    if not text and event.get("files"):
        return None
    team_id = team_id_of(body)
    return IncomingQuestion(
        team_id=team_id,
        event_id=_id(body.get("event_id"), 80) or f"{event['channel']}:{event['ts']}",
        surface=surface,
        channel_id=_id(event["channel"]),
        user_id=_id(event["user"]),
        ts=_id(event["ts"]),
        thread_ts=_id(event.get("thread_ts")),
        text=text,
        is_external=_is_external(body, event, team_id),
    )


def question_of_command(body: Json) -> IncomingQuestion | None:
    """The question in a slash command, or None when nothing follows the command.

    Raises:
        MalformedError: it does not say who asked, or where.
    """
    text = plain_question(_text(body.get("text")), own_user_id="")
    if not text:
        return None
    channel_id, user_id = _id(body.get("channel_id")), _id(body.get("user_id"))
    if not channel_id or not user_id:
        raise MalformedError("a command without channel_id or user_id")
    trigger_id = _id(body.get("trigger_id"), 200)[:60] or str(uuid.uuid4())
    return IncomingQuestion(
        team_id=_id(body.get("team_id")) or _id(body.get("enterprise_id")),
        event_id=f"cmd:{trigger_id}",
        surface=Surface.SLACK_COMMAND,
        channel_id=channel_id,
        user_id=user_id,
        ts=f"cmd-{trigger_id}",
        thread_ts="",
        text=text,
        response_url=_url(body.get("response_url")),
    )


def is_direct_message(event: Json) -> bool:
    """A conversation of one person with the bot; a group message has many readers and is a channel."""
    return event.get("channel_type") == "im"


def question_unasked(body: Json) -> IncomingQuestion | None:
    """The question in a channel message that mentions nobody, where an admin wants every question answered.

    Only what holds a sentence with a question mark at its end and begins a conversation counts; replies in threads
    belong to others.
    """
    incoming = question_of_event(body, Surface.SLACK_MENTION)
    if incoming is None or incoming.thread_ts:
        return None
    said = words_said(_text(_object(body.get("event")).get("text")), own_user_id=own_user_id_of(body))
    return incoming if rag.questions_in(said) else None


def team_of(body: Json) -> str:
    """The workspace that an event belongs to; empty when it does not say."""
    return team_id_of(body)


def usable_id(value: object) -> str:
    """An id or a ts as it can be kept and sent back; empty when it cannot be one of Slack's."""
    return _id(value)


def response_url_of(body: Json) -> str:
    """Where the person who sent a command can be answered alone; empty when it does not say."""
    return _url(body.get("response_url"))


def reason_to_ignore(event: Json, own_user_id: str) -> str:
    """Why nobody waits for an answer; empty when somebody does."""
    subtype = event.get("subtype")
    if subtype is not None and _text(subtype) not in TYPED_SUBTYPES:
        return "not typed by a person"
    if event.get("bot_id") or event.get("bot_profile"):
        # Also our own posts. Bots that mention each other stop here, after no round.
        return "written by a bot"
    if event.get("hidden"):
        return "hidden"
    user = _id(event.get("user"))
    if not user or user in SLACK_ITSELF or user == own_user_id:
        return "written by Slack or by the bot"
    if not _id(event.get("channel")) or not _id(event.get("ts")):
        return "no place to answer"
    return ""


def own_user_id_of(body: Json) -> str:
    """The bot's own user id, as the envelope tells it."""
    return _id(_authorization(body).get("user_id"))


def team_id_of(body: Json) -> str:
    """The workspace the app is installed in; with Slack Connect `team_id` can be the other one."""
    authorization = _authorization(body)
    return (
        _id(authorization.get("team_id"))
        or _id(body.get("team_id"))
        or _id(authorization.get("enterprise_id"))
    )


def _authorization(body: Json) -> Json:
    authorizations = body.get("authorizations")
    first = authorizations[0] if isinstance(authorizations, list) and authorizations else None
    return _object(first)


def _is_external(body: Json, event: Json, team_id: str) -> bool:
    """True when people from outside the workspace, or guests of it, read along."""
    return bool(body.get("is_ext_shared_channel")) or is_by_outsider(event, team_id)


def is_by_outsider(event: Json, team_id: str) -> bool:
    """True when a message says that its author is from outside the workspace, or a guest of it.

    A member of another workspace of the same Enterprise Grid counts as outside: the event does not
    always say which organisation the author is from, and the doubt goes against showing.
    """
    homes = [event.get(name) for name in ("user_team", "source_team", "team")]
    if any(home and home != team_id for home in homes):
        return True
    profile = event.get("user_profile") or {}
    if not isinstance(profile, dict):
        return True
    return any(profile.get(name) for name in ("is_restricted", "is_ultra_restricted", "is_stranger"))
