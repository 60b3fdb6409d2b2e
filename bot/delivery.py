"""Post what became of a question, exactly once as far as Slack lets that be known.

A message is claimed (`posting`), posted, recorded (`delivered`). Whoever finds one in `posting` after
a crash or a lost response looks in the thread for the mark it was posted with. Without the scope to
look (`channels:history`, `groups:history`) it posts again: a doubled answer is a nuisance, a missing
one leaves somebody without an answer, and `client_msg_id` may let Slack itself drop the double.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from django.conf import settings
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot import posting
from bot.answers import AnswerView, answer_view
from bot.client import web_client
from bot.faults import CALL_FAILED, Kind, fault_of, place_of
from bot.messages import Message, asked_message, asked_text, messages_of, not_taken_text, with_note
from bot.statuses import StatusBusyError, take_down_status
from console.channels import outbox
from console.channels.outbox import Claim, LostLeaseError
from console.channels.selectors import search_scope
from console.questions import wording
from console.questions.models import Answer, Question, QuestionState, Surface

log = logging.getLogger(__name__)

LONGEST_BACKOFF_S = 300
STATUS_WAIT_S = 1
PRIVATE_MESSAGES = 4
"""A `response_url` takes five messages in thirty minutes; one stays in reserve for a repeated try."""

TOO_LONG_NOTE = "The answer goes on. Ask in a channel that I am a member of to read all of it."


class _AnswerPrivatelyError(Exception):
    """The channel is not ours to post in, or outsiders read it: only the asker is answered.

    Its argument is the code to record where the asker cannot be answered alone either.
    """


def pick_up_undelivered(at_start: bool = False) -> int:
    """Queue what is finished and not yet posted; gives back how many. Without a token all of it waits."""
    if not settings.SLACK_BOT_TOKEN:
        return 0
    return outbox.pick_up_undelivered(at_start=at_start)


def deliver_answer(question_id: str) -> None:
    """Post the terminal message of a finished question, unless it is posted or another worker is at it.

    A fault of Slack never becomes a fault of the answer: it is kept with the delivery, which is put off
    or, when waiting would not help, given up until somebody asks for it again.
    """
    if not settings.SLACK_BOT_TOKEN:
        return
    claim = outbox.claim_delivery(question_id)
    if claim is None:
        return
    try:
        _try_to_deliver(claim)
    except LostLeaseError:
        log.warning("delivery of question %s: another worker took over", question_id)
    else:
        outbox.queue_following(claim)


def _try_to_deliver(claim: Claim) -> None:
    """Deliver, or record why not.

    Raises:
        LostLeaseError: the delivery is another worker's by now.
    """
    try:
        _deliver(claim)
    except LostLeaseError:
        raise
    except StatusBusyError:
        outbox.put_off(claim, wait_s=STATUS_WAIT_S, error="status_busy", may_be_posted=claim.was_posting)
    except CALL_FAILED as error:
        _record_fault(claim, error)
    except Exception as error:  # noqa: BLE001 - whatever it is, the delivery goes on later
        log.error("delivery of question %s broke: %s", claim.delivery.question_id, place_of(error))  # noqa: TRY400
        outbox.put_off(claim, wait_s=_backoff_s(claim), error="internal", may_be_posted=True)


def _record_fault(claim: Claim, error: Exception) -> None:
    fault = fault_of(error)
    match fault.kind:
        case Kind.RATE_LIMITED:
            # Parts posted before this one, or by an earlier try, are found again by their mark.
            may_be_posted = claim.was_posting or bool(claim.delivery.message_ts)
            is_stuck = claim.delivery.n_attempts > outbox.MAX_ATTEMPTS
            outbox.put_off(
                claim,
                wait_s=max(fault.wait_s, LONGEST_BACKOFF_S) if is_stuck else fault.wait_s,
                error=fault.code,
                may_be_posted=may_be_posted,
                max_attempts=outbox.MAX_LIMITED_ATTEMPTS,
            )
        case Kind.UNSURE:
            outbox.put_off(claim, wait_s=_backoff_s(claim), error=fault.code, may_be_posted=True)
        case _:
            outbox.record_undeliverable(claim, fault.code)


def _backoff_s(claim: Claim) -> float:
    return float(min(LONGEST_BACKOFF_S, 2 ** min(claim.delivery.n_attempts, 10)))


def _deliver(claim: Claim) -> None:
    client = web_client()
    take_down_status(claim.delivery.question)
    try:
        thread_ts = _thread_ts(client, claim)
    except _AnswerPrivatelyError as refusal:
        _answer_privately(claim, _messages_now(claim.delivery.question), refused=str(refusal))
        return
    posted = _already_posted(client, claim, thread_ts) if claim.was_posting else {}
    messages = _messages_now(claim.delivery.question)
    for part, message in enumerate(messages):
        if part in posted:
            continue
        try:
            _post_part(client, claim, message, thread_ts=thread_ts, part=part)
        except SlackApiError as error:
            fault = fault_of(error)
            if fault.kind is not Kind.PERMANENT:
                raise
            _answer_privately(claim, messages[part:], refused=fault.code)
            return
    outbox.record_delivered(claim)


def _post_part(client: WebClient, claim: Claim, message: Message, *, thread_ts: str, part: int) -> None:
    question = claim.delivery.question
    ts = posting.post_message(
        client,
        message,
        channel=question.slack_channel_id,
        thread_ts=thread_ts,
        event_type=posting.ANSWER,
        question_id=str(question.pk),
        part=part,
        last_resort=not_taken_text(str(question.pk)),
        about_to_post=lambda: outbox.renew_lease(claim),
    )
    if part == 0:
        outbox.record_message(claim, ts)


def _messages_now(question: Question) -> list[Message]:
    """The messages as the folder rights of this moment allow them.

    A delivery can wait for hours; a folder that was closed meanwhile must not be read from after that.
    """
    scope = search_scope(question)
    view = answer_view(question)
    if view.outcome == QuestionState.ANSWERED and not _folders_of(question.answer) <= set(scope.folder_ids):
        log.warning("question %s: a cited folder was closed before its answer was posted", question.pk)
        reason = scope.denial or wording.NOT_ALLOWED_CHOSEN
        view = AnswerView(QuestionState.NOT_ALLOWED, view.audience, reason=reason)
    elif not set(question.answer.folder_ids) <= set(scope.folder_ids):
        # A refusal names the closest document and the folders with unreadable files.
        view = replace(view, closest=None, unreadable="")
    return messages_of(view)


def _folders_of(answer: Answer) -> set[int]:
    """Where the cited documents lay when they were quoted, and where they lie now."""
    folder_ids: set[int] = set()
    for citation in answer.citations.select_related("document"):
        if citation.folder_id is not None:
            folder_ids.add(citation.folder_id)
        if citation.document is not None:
            folder_ids.add(citation.document.folder_id)
        elif citation.folder_id is None:
            folder_ids.update(answer.folder_ids)
    return folder_ids


def _already_posted(client: WebClient, claim: Claim, thread_ts: str) -> dict[int, str]:
    question = claim.delivery.question
    recorded = {0: claim.delivery.message_ts} if claim.delivery.message_ts else {}
    found = posting.posted_parts(
        client,
        channel=question.slack_channel_id,
        thread_ts=thread_ts,
        event_type=posting.ANSWER,
        question_id=str(question.pk),
        oldest=thread_ts if question.surface == Surface.SLACK_COMMAND else question.slack_ts,
    )
    if found is None:
        log.warning(
            "question %s: cannot see whether its answer is posted; grant channels:history", question.pk
        )
        return recorded
    if 0 in found and not recorded:
        outbox.record_message(claim, found[0])
    return recorded | found


def _thread_ts(client: WebClient, claim: Claim) -> str:
    """The thread the answer goes to; for a slash command the message it hangs on is posted first."""
    question, delivery = claim.delivery.question, claim.delivery
    if question.surface != Surface.SLACK_COMMAND:
        return question.slack_thread_ts or question.slack_ts
    if delivery.thread_ts:
        return delivery.thread_ts
    try:
        if posting.is_shared(client, question.slack_channel_id):
            raise _AnswerPrivatelyError("shared_channel")
        root_ts = _posted_root(client, question) if claim.was_posting else ""
        root_ts = root_ts or posting.post_message(
            client,
            asked_message(question.slack_user_id, question.text),
            channel=question.slack_channel_id,
            thread_ts="",
            event_type=posting.ASKED,
            question_id=str(question.pk),
            part=0,
            last_resort=asked_text(question.slack_user_id, "a question."),
            about_to_post=lambda: outbox.renew_lease(claim),
        )
    except SlackApiError as error:
        fault = fault_of(error)
        if fault.kind is Kind.PERMANENT:
            raise _AnswerPrivatelyError(fault.code) from error
        raise
    outbox.record_thread(claim, root_ts)
    return root_ts


def _posted_root(client: WebClient, question: Question) -> str:
    found = posting.posted_parts(
        client,
        channel=question.slack_channel_id,
        thread_ts="",
        event_type=posting.ASKED,
        question_id=str(question.pk),
        oldest=f"{question.received_at.timestamp() - 60:.6f}",
    )
    return (found or {}).get(0, "")


def _answer_privately(claim: Claim, messages: list[Message], *, refused: str) -> None:
    """Answer by `response_url`. Such messages carry no mark, so a repeated try shows them again."""
    url = claim.delivery.response_url
    if not posting.is_response_url(url):
        outbox.record_undeliverable(claim, refused)
        return
    if len(messages) > PRIVATE_MESSAGES:
        messages = [
            *messages[: PRIVATE_MESSAGES - 1],
            with_note(messages[PRIVATE_MESSAGES - 1], TOO_LONG_NOTE),
        ]
    for message in messages:
        outbox.renew_lease(claim)
        status = posting.answer_privately(url, message)
        if status in {408, 429} or status >= 500:
            outbox.put_off(
                claim, wait_s=_backoff_s(claim), error=f"response_url http_{status}", may_be_posted=True
            )
            return
        if status != 200:
            # Used up, or older than half an hour.
            outbox.record_undeliverable(claim, f"response_url http_{status}")
            return
    outbox.record_delivered(claim)
