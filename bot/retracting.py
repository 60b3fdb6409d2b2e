"""Take back the answer to a question that its asker deleted."""

from __future__ import annotations

from django.utils import timezone
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot import posting
from bot.blocks import section
from bot.faults import Kind, fault_of
from bot.phrases import Phrases
from console.channels.models import DeliveryState, SlackDelivery
from console.channels.notices import NotYetError
from console.questions.models import Question

GONE = {"message_not_found", "thread_not_found"}


def retract_answer(client: WebClient, question: Question, phrases: Phrases) -> None:
    """Delete every part of the answer; where Slack does not let that be, strike its words.

    Raises:
        NotYetError: another worker is posting it.
        SlackApiError, OSError, HTTPException: Slack refused, or could not be asked just now.
    """
    delivery = SlackDelivery.objects.get(question=question)
    if (
        delivery.state == DeliveryState.POSTING
        and delivery.lease_until
        and delivery.lease_until > timezone.now()
    ):
        raise NotYetError
    if delivery.state in {DeliveryState.POSTING, DeliveryState.DELIVERED, DeliveryState.UNDELIVERABLE}:
        for ts in _posted(client, question, delivery):
            take_back(client, question.slack_channel_id, ts, phrases.replies.withdrawn)
    SlackDelivery.objects.filter(pk=delivery.pk).update(
        state=DeliveryState.RETRACTED, lease_until=None, not_before=None
    )


def _posted(client: WebClient, question: Question, delivery: SlackDelivery) -> list[str]:
    """What is known and what can be found, the last part first."""
    thread_ts = delivery.thread_ts or question.slack_thread_ts or question.slack_ts
    found = posting.posted_parts(
        client,
        channel=question.slack_channel_id,
        thread_ts=thread_ts,
        event_type=posting.ANSWER,
        question_id=str(question.pk),
        oldest=thread_ts,
    )
    known = {delivery.message_ts} if delivery.message_ts else set()
    return sorted(known | set((found or {}).values()), reverse=True)


def take_back(client: WebClient, channel: str, ts: str, said: str) -> None:
    """Delete a message of ours; where Slack does not let that be, `said` takes the place of its words.

    Raises:
        SlackApiError, OSError, HTTPException: Slack refused, or could not be asked just now.
    """
    try:
        client.chat_delete(channel=channel, ts=ts)
    except SlackApiError as error:
        fault = fault_of(error)
        if fault.code in GONE:
            return
        if fault.kind is not Kind.PERMANENT:
            raise
        client.chat_update(
            channel=channel,
            ts=ts,
            text=said,
            blocks=[section(said)],
            unfurl_links=False,
            unfurl_media=False,
        )
