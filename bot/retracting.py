"""Take back the answer to a question that its asker deleted, and what its owners were written of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.utils import timezone
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot import posting
from bot.blocks import section
from bot.faults import CALL_FAILED, Kind, fault_of
from bot.owners import messages_to_owner
from bot.people import person_of
from bot.phrases import Phrases
from console.channels.models import DeliveryState, SlackDelivery, SlackNotice
from console.channels.notices import NotYetError, owners_written_to
from console.questions.models import Question

GONE = {"message_not_found", "thread_not_found"}


class _Failures:
    """What went wrong with some messages while the others were tried all the same."""

    def __init__(self) -> None:
        self._errors: list[Exception] = []

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Go on after a failure, but not where Slack says to wait: the next call would meet the same."""
        try:
            yield
        except NotYetError as error:
            self._errors.append(error)
        except CALL_FAILED as error:
            if fault_of(error).kind is Kind.RATE_LIMITED:
                raise
            self._errors.append(error)

    def raise_one(self) -> None:
        """Raise what a later try may mend, if there is such; else the first."""
        for error in sorted(self._errors, key=_is_for_good):
            raise error


def _is_for_good(error: Exception) -> bool:
    return not isinstance(error, NotYetError) and fault_of(error).kind is not Kind.UNSURE


def retract_question(client: WebClient, question: Question, *, about_to_call: Callable[[], None]) -> None:
    """Delete every message about the question; where Slack does not let that be, strike its words.

    Each message is tried by itself. `about_to_call` is called before each: many that Slack hangs on outlast a lease.

    Raises:
        NotYetError: another worker is posting one of them.
        SlackApiError, OSError, HTTPException: Slack refused one, or could not be asked just now.
    """
    failures = _Failures()
    phrases = person_of(client, question.slack_team_id, question.slack_user_id).phrases
    with failures.kept():
        _retract_answer(client, question, phrases, about_to_call)
    for written in owners_written_to(question):
        with failures.kept():
            _retract_from_owner(client, written, about_to_call)
    failures.raise_one()


def _retract_answer(
    client: WebClient, question: Question, phrases: Phrases, about_to_call: Callable[[], None]
) -> None:
    delivery = SlackDelivery.objects.get(question=question)
    if (
        delivery.state == DeliveryState.POSTING
        and delivery.lease_until
        and delivery.lease_until > timezone.now()
    ):
        raise NotYetError
    if delivery.state in {DeliveryState.POSTING, DeliveryState.DELIVERED, DeliveryState.UNDELIVERABLE}:
        failures = _Failures()
        for ts in _posted(client, question, delivery):
            about_to_call()
            with failures.kept():
                take_back(client, question.slack_channel_id, ts, phrases.replies.withdrawn)
        failures.raise_one()
    SlackDelivery.objects.filter(pk=delivery.pk).update(
        state=DeliveryState.RETRACTED, lease_until=None, not_before=None
    )


def _posted(client: WebClient, question: Question, delivery: SlackDelivery) -> list[str]:
    """What is known and what can be found, the last part first."""
    thread_ts = delivery.thread_ts or question.slack_thread_ts or question.slack_ts
    found = posting.own_messages(
        client,
        channel=question.slack_channel_id,
        thread_ts=thread_ts,
        event_types={posting.ANSWER},
        question_id=str(question.pk),
        oldest=thread_ts,
    )
    known = {delivery.message_ts} if delivery.message_ts else set()
    return sorted(known | {ts for _, ts in found or []}, reverse=True)


def _retract_from_owner(client: WebClient, written: SlackNotice, about_to_call: Callable[[], None]) -> None:
    if written.lease_until is not None and written.lease_until > timezone.now():
        raise NotYetError
    phrases = person_of(client, written.question.slack_team_id, written.recipient).phrases
    failures = _Failures()
    about_to_call()
    for place in messages_to_owner(client, written, phrases):
        about_to_call()
        with failures.kept():
            take_back(client, place.channel, place.ts, phrases.replies.question_deleted)
    failures.raise_one()


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
