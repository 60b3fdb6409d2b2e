"""Answer the asker alone: by the command's `response_url`, else by direct message.

Neither can be looked up afterwards, so a message whose outcome is unknown is shown again. Those that Slack surely took
are counted with the delivery (`n_shown`); a later try goes on behind them.
"""

from __future__ import annotations

from slack_sdk import WebClient

from bot import posting
from bot.messages import Message, not_taken_text, with_question
from bot.phrases import Phrases
from bot.posting import Reply
from console.channels import outbox
from console.channels.outbox import Claim

PRIVATE_MESSAGES = 4
"""A `response_url` takes five messages in thirty minutes; one stays in reserve for a repeated try."""


def answer_asker_alone(client: WebClient, claim: Claim, messages: list[Message], phrases: Phrases) -> None:
    """Show the messages to the asker and to nobody else.

    Where the answer is longer than a `response_url` carries, or that address is used up or missing, it is sent as a
    direct message, which also outlasts a reload.

    Raises:
        SlackApiError, OSError, HTTPException: Slack refused, or could not be asked just now.
    """
    delivery = claim.delivery
    n_before = delivery.n_shown
    # No more of them than were shown: something else is told by now, and that is told whole.
    parts = list(enumerate(messages[n_before:] or messages, start=n_before))
    is_short = len(messages) <= PRIVATE_MESSAGES and not delivery.message_ts
    if is_short and posting.is_response_url(delivery.response_url):
        refusal = _show_by_url(claim, parts)
        if refusal is not None and _is_passing(refusal):
            _put_off(claim, refusal)
            return
    _send_directly(client, claim, parts, phrases)
    outbox.record_delivered(claim)


def _show_by_url(claim: Claim, parts: list[tuple[int, Message]]) -> Reply | None:
    """Take from `parts` what Slack takes; gives back how it refused the next one, None when all were taken."""
    while parts:
        outbox.renew_lease(claim)
        reply = posting.answer_privately(claim.delivery.response_url, parts[0][1])
        if reply.status != 200:
            return reply
        _record_first(claim, parts, message_ts="")
    return None


def _is_passing(refusal: Reply) -> bool:
    """False where the address is used up, or older than half an hour."""
    return refusal.status in {408, 429} or refusal.status >= 500


def _put_off(claim: Claim, refusal: Reply) -> None:
    error = f"response_url http_{refusal.status}"
    if refusal.status == 429:
        may_be_posted = claim.was_posting or claim.delivery.n_shown > 0
        outbox.put_off_as_told(claim, wait_s=refusal.wait_s, error=error, may_be_posted=may_be_posted)
    else:
        outbox.put_off(claim, wait_s=outbox.backoff_s(claim), error=error, may_be_posted=True)


def _send_directly(
    client: WebClient, claim: Claim, parts: list[tuple[int, Message]], phrases: Phrases
) -> None:
    """Post `parts` to the asker's direct message with the bot, all in one thread."""
    question, root_ts = claim.delivery.question, claim.delivery.message_ts
    while parts:
        part, message = parts[0]
        posted = posting.post_message(
            client,
            message if root_ts else with_question(message, question.text, phrases),
            channel=question.slack_user_id,
            thread_ts=root_ts,
            event_type=posting.ANSWER,
            question_id=str(question.pk),
            part=part,
            last_resort=not_taken_text(str(question.pk), phrases),
            about_to_post=lambda: outbox.renew_lease(claim),
        )
        root_ts = root_ts or posted.ts
        _record_first(claim, parts, message_ts=root_ts)


def _record_first(claim: Claim, parts: list[tuple[int, Message]], *, message_ts: str) -> None:
    """The first of `parts` was taken. That the last one was, `record_delivered` says."""
    part, _ = parts.pop(0)
    outbox.record_shown(claim, part + 1 if parts else claim.delivery.n_shown, message_ts=message_ts)
