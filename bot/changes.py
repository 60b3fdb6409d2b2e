"""Edits and deletions among Slack's message events."""

from __future__ import annotations

import time
from dataclasses import dataclass

from bot.fields import Json, id_of, object_of, text_of
from bot.incoming import is_direct_message, own_user_id_of, question_of_event, question_unasked, team_id_of
from bot.text import plain_question
from console.channels.selectors import hears_all_of
from console.channels.services import IncomingQuestion
from console.questions.models import Surface

EARLY_S = 86_400
"""Slack repeats an event for a day at most; an older message that is not known was never asked."""


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
    """The edit in a `message_changed` event, to no words also; None when no person changed them.

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
    return Edit(team_id_of(body), channel_id, ts, text, at) if channel_id and ts else None


def question_edited_early(body: Json, edit: Edit) -> IncomingQuestion | None:
    """The question in an edit of a message that was never delivered: one that asked before it was edited, lately."""
    event = object_of(body.get("event"))
    message, before = object_of(event.get("message")), object_of(event.get("previous_message"))
    if time.time() - float(edit.ts if edit.ts.replace(".", "", 1).isdecimal() else 0) > EARLY_S:
        return None
    place = {name: event.get(name) for name in ("channel", "channel_type")}
    now, then = ({**body, "event": {**words, **place}} for words in (message, before))
    if is_direct_message(event):
        return question_of_event(now, Surface.SLACK_DM)
    mention = f"<@{own_user_id_of(body)}>"
    is_asking = all(mention in text_of(words.get("text")) for words in (message, before))
    if not is_asking and hears_all_of(edit.team_id, edit.channel_id):
        is_asking = bool(question_unasked(now) or question_unasked(then))
    return question_of_event(now, Surface.SLACK_MENTION) if is_asking else None


def deletion_of(body: Json) -> Deletion | None:
    """The deletion in a `message_deleted` event, also where replies keep an empty message in its place."""
    event = object_of(body.get("event"))
    if object_of(event.get("previous_message")).get("bot_id"):
        return None  # among them what we take back ourselves
    channel_id, ts = id_of(event.get("channel")), id_of(event.get("deleted_ts"))
    if event.get("subtype") == "message_changed":
        message = object_of(event.get("message"))
        # A message with replies is not removed: its place is taken by a tombstone.
        ts = id_of(message.get("ts")) if message.get("subtype") == "tombstone" else ""
    elif event.get("subtype") != "message_deleted":
        return None
    return Deletion(team_id_of(body), channel_id, ts) if channel_id and ts else None
