"""What the owners of folders are written when somebody wants a human to see a question, and where that stands.

A message goes to a person's id; in which conversation it landed only Slack's response says. Where that was lost, the
conversation is known from what else was written there, or else from a message that is sent to find out.
"""

from __future__ import annotations

from slack_sdk import WebClient

from bot import posting
from bot.blocks import section
from bot.messages import Message
from bot.offers import owner_message
from bot.people import person_of
from bot.phrases import Phrases
from bot.posting import Posted
from console.channels import notices
from console.channels.models import SlackNotice
from console.sources.models import Folder


class NotAnOwnerError(Exception):
    """Who was to be written to is by now the owner of none of the folders, or may not sign in any more."""


def tell_owner(client: WebClient, notice: SlackNotice) -> str:
    """Write to one owner of the folders, in that person's language; gives back the message's ts.

    Raises:
        NotAnOwnerError: that person is none any more; nothing was written by this try.
        SlackApiError, OSError, HTTPException: it was refused, or it is not known whether it was taken.
    """
    question = notice.question
    if question.withdrawn_at is not None:
        return ""
    channel = notices.direct_message_with(question.slack_team_id, notice.recipient)
    is_retry = notice.n_claims > 1
    found = _found(client, notice, channel) if is_retry and channel else []
    posted = found[0] if found else _post(client, notice, _message(client, notice), posting.HUMAN)
    notices.record_place(notice, posted.channel)
    if is_retry and not channel:
        # An earlier try may have got through; only now is it known where to look.
        found = _found(client, notice, posted.channel)
    for double in found:
        if double.ts != posted.ts:
            client.chat_delete(channel=double.channel, ts=double.ts)
    return posted.ts


def messages_to_owner(client: WebClient, notice: SlackNotice, phrases: Phrases) -> list[Posted]:
    """Where the words of a notice stand or may stand; a message that was sent to find out comes last.

    Raises:
        SlackApiError, OSError, HTTPException: Slack could not be asked just now.
    """
    team_id = notice.question.slack_team_id
    channel = notice.message_channel or notices.direct_message_with(team_id, notice.recipient)
    if channel:
        known = [Posted(notice.message_ts, channel)] if notice.message_ts else []
        is_all = bool(known) and notice.n_claims == 1
        return known if is_all else list(dict.fromkeys([*known, *_found(client, notice, channel)]))
    told = phrases.replies.question_deleted
    sent = _post(client, notice, Message(told, [section(told)]), posting.DELETED)
    notices.record_place(notice, sent.channel)
    return [place for place in _found(client, notice, sent.channel) if place != sent] + [sent]


def _message(client: WebClient, notice: SlackNotice) -> Message:
    """The question as its owner is written it.

    Raises:
        NotAnOwnerError: looked at here, right before it is posted; a notice can wait for hours.
    """
    question = notice.question
    phrases = person_of(client, question.slack_team_id, notice.recipient).phrases
    owned = Folder.objects.filter(
        pk__in=question.answer.folder_ids,
        owners__slack_user_id=notice.recipient,
        owners__slack_team_id=question.slack_team_id,
        owners__is_active=True,
    )
    names = list(owned.order_by("name").values_list("name", flat=True))
    if not names:
        raise NotAnOwnerError
    return owner_message(
        str(question.pk), who_id=notice.by_user_id, question=question.text, folders=names, phrases=phrases
    )


def _post(client: WebClient, notice: SlackNotice, message: Message, event_type: str) -> Posted:
    return posting.post_message(
        client,
        message,
        channel=notice.recipient,
        thread_ts="",
        event_type=_mark(event_type, notice),
        question_id=str(notice.question_id),
        part=0,
        last_resort=message.text,
    )


def _found(client: WebClient, notice: SlackNotice, channel: str) -> list[Posted]:
    """What of this notice stands in a conversation; [] also where this bot may not look."""
    found = posting.own_messages(
        client,
        channel=channel,
        thread_ts="",
        event_types={_mark(posting.HUMAN, notice), _mark(posting.DELETED, notice)},
        question_id=str(notice.question_id),
        oldest=f"{notice.created_at.timestamp() - 60:.6f}",
    )
    return [Posted(ts, channel) for _, ts in found or []]


def _mark(event_type: str, notice: SlackNotice) -> str:
    return f"{event_type}_{notice.recipient.lower()}"
