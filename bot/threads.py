"""Read a thread that the bot is called into, so that a question in it can lean on what people asked there before.

What they wrote only completes the question ("and for contractors?"); it is never evidence. The completed question is
kept, for it says what was searched for; nothing else of the thread is.
"""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor

from slack_sdk import WebClient

import rag
from bot.client import punctual, token_for_listener, web_client
from bot.faults import CALL_FAILED, IncompleteAnswerError, fault_of
from bot.fields import Json, id_of, object_of, text_of
from bot.incoming import is_by_outsider, reason_to_ignore
from bot.text import words_said
from console.channels import threads
from console.channels.audience import known_people
from console.channels.models import SlackWorkspace
from console.questions.conversation import N_TURNS, message_ts
from console.questions.models import Question

log = logging.getLogger(__name__)

MESSAGES = 15
"""All that Slack gives in one call to apps that are sold and not in its directory; no second call is made."""
TIMEOUT_S = 3
"""The answer waits for it."""
TURN_CHARS = 600
"""Of a longer sentence the beginning is taken."""
_reading = ThreadPoolExecutor(max_workers=16, thread_name_prefix="thread-reading")
"""Not the threads of what is asked before an acknowledgement, which a Slack that hangs here would take up."""


def read_thread(question: Question) -> list[rag.Turn]:
    """What people asked in the question's thread before it, oldest first; the first message where none of them asks.

    One call to Slack. Where it fails, or Slack said not long ago to wait, that is recorded, and the question is taken
    by itself.
    """
    team_id = question.slack_team_id
    if not threads.may_be_read(team_id):
        threads.record_unread(question, fault="ratelimited")
        return []
    token = token_for_listener(team_id)
    if not token:
        threads.record_unread(question, fault="not_installed")
        return []
    try:
        messages, is_whole = _messages_before(punctual(web_client(token), TIMEOUT_S, _reading), question)
    except CALL_FAILED as error:
        fault = fault_of(error)
        log.warning("question %s: its thread could not be read: %s", question.pk, fault.code)
        threads.record_unread(question, fault=fault.code, wait_s=fault.wait_s)
        return []
    threads.record_read(question, n_messages=len(messages), is_whole=is_whole)
    leant_on = _leant_on(messages, question.slack_thread_ts, is_whole=is_whole)
    # Where nobody asks, the core reads the first sentence alone of what another wrote.
    return [rag.Turn(text[:TURN_CHARS], (), (), is_of_another=True) for text in leant_on]


def _messages_before(client: WebClient, question: Question) -> tuple[dict[str, str], bool]:
    """What people wrote in the thread before the question, by its ts, oldest first, and whether that is all of it.

    What somebody else from outside wrote is left out: it would become part of a question that is not theirs.
    """
    page = client.conversations_replies(
        channel=question.slack_channel_id,
        ts=question.slack_thread_ts,
        latest=message_ts(question),
        inclusive=False,
        limit=MESSAGES,
    )
    found = page.get("messages")
    if not isinstance(found, list):
        raise IncompleteAnswerError
    own_user_id = _own_user_id(client, question.slack_team_id)
    messages = [
        message for message in map(object_of, found) if _is_of_people_before(message, question, own_user_id)
    ]
    outsiders = _outsiders_among(messages, question.slack_team_id) - {question.slack_user_id}
    texts = {
        id_of(message["ts"]): words_said(text_of(message.get("text")), own_user_id=own_user_id)
        for message in messages
        if id_of(message["user"]) not in outsiders
    }
    return {ts: text for ts, text in texts.items() if any(map(str.isalnum, text))}, not page.get("has_more")


def _own_user_id(client: WebClient, team_id: str) -> str:
    """The bot's user id; of a workspace that was never called before, one call more tells it."""
    workspace = SlackWorkspace.objects.filter(team_id=team_id).first()
    return (workspace and workspace.bot_user_id) or id_of(client.auth_test().get("user_id"))


def _outsiders_among(messages: list[Json], team_id: str) -> set[str]:
    """Who of the authors is from outside, by what the messages say or what is known of them, without another call."""
    known = known_people(team_id, {id_of(message["user"]) for message in messages})
    marked = {id_of(message["user"]) for message in messages if is_by_outsider(message, team_id)}
    return marked | {user_id for user_id, is_outsider in known.items() if is_outsider}


def _is_of_people_before(message: Json, question: Question, own_user_id: str) -> bool:
    is_before = id_of(message.get("ts")) < message_ts(question)
    in_place = {**message, "channel": question.slack_channel_id}
    return is_before and not reason_to_ignore(in_place, own_user_id)


def _leant_on(messages: dict[str, str], thread_ts: str, *, is_whole: bool) -> list[str]:
    """The last sentence that asks of each of the last messages that do; else the message that began the thread.

    Nothing else of them becomes part of somebody's question. Of a longer thread only its beginning was given: what was
    said right before the question is not known, so it is taken to be about what the thread began with. What a bot or
    an outsider began is about nothing that is known.
    """
    asking = [questions[-1] for text in messages.values() if (questions := rag.questions_in(text))]
    if is_whole and asking:
        return asking[-N_TURNS:]
    began = messages.get(thread_ts, "")
    return (rag.questions_in(began)[-1:] or [began]) if began else []
