"""Edits and deletions among Slack's message events."""

from __future__ import annotations

from dataclasses import dataclass

from bot.fields import Json, id_of, object_of, text_of
from bot.incoming import own_user_id_of, team_id_of
from bot.text import plain_question


@dataclass(frozen=True, slots=True)
class Edit:
    """A person's message that says something else than before."""

    team_id: str
    channel_id: str
    ts: str
    text: str
    at: str
    """When, as Slack says: of the message's mark, which is in seconds, and of the event."""


@dataclass(frozen=True, slots=True)
class Deletion:
    """A message that is gone."""

    team_id: str
    channel_id: str
    ts: str


def edit_of(body: Json) -> Edit | None:
    """The edit in a `message_changed` event; None when no person changed the words.

    Slack sends the same event when a reply lands in the thread, a link unfurls or an attachment is added.
    """
    event = object_of(body.get("event"))
    message, before = object_of(event.get("message")), object_of(event.get("previous_message"))
    if event.get("subtype") != "message_changed" or not object_of(message.get("edited")):
        return None
    if message.get("bot_id") or message.get("text") == before.get("text"):
        return None
    text = plain_question(text_of(message.get("text")), own_user_id=own_user_id_of(body))
    channel_id, ts = id_of(event.get("channel")), id_of(message.get("ts"))
    at = f"{id_of(object_of(message['edited']).get('ts'))} {id_of(event.get('ts'))}"
    return Edit(team_id_of(body), channel_id, ts, text, at) if text and channel_id and ts else None


def deletion_of(body: Json) -> Deletion | None:
    """The deletion in a `message_deleted` event, also where replies keep an empty message in its place."""
    event = object_of(body.get("event"))
    channel_id, ts = id_of(event.get("channel")), id_of(event.get("deleted_ts"))
    if event.get("subtype") == "message_changed":
        message = object_of(event.get("message"))
        # A message with replies is not removed: its place is taken by a tombstone.
        ts = id_of(message.get("ts")) if message.get("subtype") == "tombstone" else ""
    elif event.get("subtype") != "message_deleted":
        return None
    return Deletion(team_id_of(body), channel_id, ts) if channel_id and ts else None
