"""Answer the asker alone: by the command's `response_url`, else by direct message.

Neither can be looked up afterwards, so a try whose outcome is unknown shows the answer again.
"""

from __future__ import annotations

from slack_sdk import WebClient

from bot import posting
from bot.messages import Message, not_taken_text, with_question
from bot.phrases import Phrases
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
    url = claim.delivery.response_url
    n_shown = 0
    if posting.is_response_url(url) and len(messages) <= PRIVATE_MESSAGES and not claim.delivery.message_ts:
        for message in messages:
            outbox.renew_lease(claim)
            status = posting.answer_privately(url, message).status
            if status in {408, 429} or status >= 500:
                error = f"response_url http_{status}"
                outbox.put_off(claim, wait_s=outbox.backoff_s(claim), error=error, may_be_posted=True)
                return
            if status != 200:
                break  # used up, or older than half an hour
            n_shown += 1
    if n_shown < len(messages):
        _send_directly(client, claim, messages, phrases, first=n_shown)
    outbox.record_delivered(claim)


def _send_directly(
    client: WebClient, claim: Claim, messages: list[Message], phrases: Phrases, *, first: int
) -> None:
    """Post from part `first` on to the asker's direct message with the bot, all in one thread."""
    question, root_ts = claim.delivery.question, claim.delivery.message_ts
    for part, message in enumerate(messages[first:], start=first):
        if part == first and root_ts:
            continue  # an earlier try got this far
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
        if not root_ts:
            root_ts = posted.ts
            outbox.record_message(claim, root_ts)
