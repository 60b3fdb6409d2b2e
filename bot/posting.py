"""Single messages to Slack: posted with a mark of ours, found again by it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.web import SlackResponse
from slack_sdk.webhook import WebhookClient

from bot.client import TIMEOUT_S
from bot.faults import IncompleteAnswerError, Kind, fault_of, wait_of
from bot.fields import id_of
from bot.messages import Message
from bot.text import unlinked

ANSWER = "footnote_answer"
ASKED = "footnote_question"
SHARED = "footnote_shared"
HUMAN = "footnote_human"
DELETED = "footnote_deleted"
_PAGES = 5
_PAGE_SIZE = 200


class Posted(NamedTuple):
    """Where a message stands: to a person's id it goes into their direct message, which has an id of its own."""

    ts: str
    channel: str


def post_message(
    client: WebClient,
    message: Message,
    *,
    channel: str,
    thread_ts: str,
    event_type: str,
    question_id: str,
    part: int,
    last_resort: str,
    about_to_post: Callable[[], None] | None = None,
) -> Posted:
    """Post one message and give back where it stands.

    What Slack will not take is sent without blocks; what it will not take then either is replaced by
    the short text of `last_resort`. `about_to_post` is called before each of these: a call that was refused
    after a minute leaves a lease that another worker may have taken over.

    Raises:
        SlackApiError, OSError, HTTPException: it was refused, or it is not known whether it was taken.
    """
    arguments: dict[str, Any] = {
        "channel": channel,
        "thread_ts": thread_ts or None,
        "unfurl_links": False,
        "unfurl_media": False,
        "parse": "none",
        "link_names": False,
        # Readable by everybody in the workspace, so it holds ids and nothing else.
        "metadata": {"event_type": event_type, "event_payload": {"question": question_id, "part": part}},
        # Undocumented as an argument, named in the documented errors: Slack drops a repeated id.
        "client_msg_id": str(uuid.uuid5(uuid.UUID(question_id), f"{event_type}:{part}")),
    }
    forms: list[dict[str, Any]] = [
        {"text": message.text, "blocks": message.blocks},
        {"text": unlinked(message.plain)},
        {"text": unlinked(last_resort)},
    ]
    for form in forms:
        if about_to_post is not None:
            about_to_post()
        try:
            return _place_of(client.chat_postMessage(**form, **arguments), channel)
        except SlackApiError as error:
            if fault_of(error).kind is not Kind.TOO_LARGE:
                raise
            refusal = error
    raise refusal


def _place_of(posted: SlackResponse, sent_to: str) -> Posted:
    ts = posted.get("ts")
    if not isinstance(ts, str) or not ts:
        raise IncompleteAnswerError
    return Posted(ts, id_of(posted.get("channel")) or sent_to)


def posted_parts(
    client: WebClient, *, channel: str, thread_ts: str, event_type: str, question_id: str, oldest: str
) -> dict[int, str] | None:
    """The ts of each part that is already posted; None when this bot may not look.

    Raises:
        SlackApiError, OSError, HTTPException: Slack could not be asked just now.
    """
    found = own_messages(
        client,
        channel=channel,
        thread_ts=thread_ts,
        event_types={event_type},
        question_id=question_id,
        oldest=oldest,
    )
    return None if found is None else dict(found)


def own_messages(
    client: WebClient,
    *,
    channel: str,
    thread_ts: str,
    event_types: Collection[str],
    question_id: str,
    oldest: str,
) -> list[tuple[int, str]] | None:
    """Part and ts of each of our messages about a question, also of one that stands there twice.

    None when this bot may not look.

    Raises:
        SlackApiError, OSError, HTTPException: Slack could not be asked just now.
    """
    found: list[tuple[int, str]] = []
    arguments: dict[str, Any] = {
        "channel": channel,
        "oldest": oldest,
        "inclusive": True,
        "limit": _PAGE_SIZE,
        "include_all_metadata": True,
    }
    try:
        for _ in range(_PAGES):
            page = (
                client.conversations_replies(ts=thread_ts, **arguments)
                if thread_ts
                else client.conversations_history(**arguments)
            )
            messages = page.get("messages")
            if not isinstance(messages, list):
                raise IncompleteAnswerError
            for message in messages:
                metadata = message.get("metadata") or {}
                payload = metadata.get("event_payload") or {}
                is_ours = metadata.get("event_type") in event_types and message.get("bot_id")
                if is_ours and payload.get("question") == question_id:
                    found.append((int(payload.get("part") or 0), str(message["ts"])))
            arguments["cursor"] = (page.get("response_metadata") or {}).get("next_cursor")
            if not arguments["cursor"]:
                break
    except SlackApiError as error:
        if fault_of(error).kind is Kind.PERMANENT:
            return None
        raise
    return found


class Reply(NamedTuple):
    """What came of an answer by `response_url`: the HTTP status and, where that is 429, how long Slack says to wait."""

    status: int
    wait_s: float = 0.0


class TellAgainError(Exception):
    """What one person was to be told has to be told again, in `wait_s` seconds."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"to be told again in {wait_s} s")
        self.wait_s = wait_s


def answer_privately(response_url: str, message: Message, timeout_s: int = TIMEOUT_S) -> Reply:
    """Show a message to the asker of a slash command, or to who clicked, alone."""
    webhook = WebhookClient(response_url, timeout=timeout_s, retry_handlers=[])
    response = webhook.send(
        text=message.text,
        blocks=message.blocks,
        response_type="ephemeral",
        replace_original=False,
        unfurl_links=False,
        unfurl_media=False,
    )
    status = int(response.status_code)
    return Reply(status, wait_of(response.headers) if status == 429 else 0.0)


def is_response_url(url: str) -> bool:
    """True for an address of Slack's, or of the one that stands in for it (`SLACK_API_URL`)."""
    parts = urlsplit(url)
    api = urlsplit(settings.SLACK_API_URL)
    if (parts.scheme, parts.netloc) == (api.scheme, api.netloc):
        return True
    return parts.scheme == "https" and parts.hostname in {"hooks.slack.com", "hooks.slack-gov.com"}
