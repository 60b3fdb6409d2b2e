"""Somebody wrote to the bot directly, or changed or deleted what they had asked."""

from __future__ import annotations

from slack_bolt import App

from bot.changes import deletion_of, edit_of, question_edited_early
from bot.fields import text_of
from bot.incoming import (
    Json,
    is_direct_message,
    own_user_id_of,
    question_of_event,
    question_unasked,
    team_of,
    usable_id,
)
from console.channels.changes import receive_edited, record_edit, withdraw_question
from console.channels.hearing import note_message_event
from console.channels.selectors import hears_all_of
from console.channels.services import receive_slack_question
from console.questions.models import Surface


def register(app: App) -> None:
    """Add the listener. It is for every subtype: one without a listener would be answered 404."""
    app.event("message")(on_message)


def on_message(body: Json, event: Json) -> None:
    """Take a direct message in; in channels a mention asks, and that comes as `app_mention`.

    Where an admin wants every question of a channel answered, one without a mention counts as well.
    """
    note_message_event(team_of(body), text_of(event.get("channel_type")))
    if (edit := edit_of(body)) is not None:
        is_known = record_edit(
            team_id=edit.team_id, channel_id=edit.channel_id, ts=edit.ts, text=edit.text, edited_at=edit.at
        )
        early = None if is_known else question_edited_early(body, edit)
        if early is not None:
            receive_edited(early, edited_at=edit.at)
    if (deletion := deletion_of(body)) is not None:
        withdraw_question(team_id=deletion.team_id, channel_id=deletion.channel_id, ts=deletion.ts)
    if is_direct_message(event):
        incoming = question_of_event(body, Surface.SLACK_DM)
    elif hears_all_of(team_of(body), usable_id(event.get("channel"))):
        incoming = question_unasked(body)
    elif _is_mention_in_group_message(body, event):
        incoming = question_of_event(body, Surface.SLACK_MENTION)
    else:
        incoming = None
    if incoming is not None:
        receive_slack_question(incoming)


def _is_mention_in_group_message(body: Json, event: Json) -> bool:
    """A mention in a group direct message. Slack leaves open whether it comes as `app_mention` too, as its twin."""
    mention = f"<@{own_user_id_of(body)}>"
    return event.get("channel_type") == "mpim" and mention in text_of(event.get("text"))
