"""Clicks and forms: who clicked what, whether they may, and how they are told that it came to nothing.

Whatever a button carries is looked up anew with the rights of who clicks; it is never taken for true.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core import signing
from slack_sdk import WebClient

from bot.blocks import section
from bot.client import BEFORE_ACK_S, punctual
from bot.faults import CALL_FAILED, fault_of
from bot.fields import Json, id_of, object_of, text_of, url_of
from bot.messages import Message
from bot.people import LOOK_UP_S, Person, person_of
from bot.phrases import Phrases, Problem
from bot.posting import TellAgainError, answer_privately, is_response_url
from console import queue
from console.access import Rejected
from console.questions.models import Question, Surface

log = logging.getLogger(__name__)

TELL_S = 5
FORM_S = 86_400
"""How long an open form may be sent."""
_SALT = "footnote.slack.form"
_TOO_LATE = {"expired_trigger_id", "trigger_expired", "exchanged_trigger_id", "trigger_exchanged"}


@dataclass(frozen=True, slots=True)
class Click:
    """One click on something of ours. Ids that are not shaped as Slack's are empty."""

    team_id: str
    user_id: str
    channel_id: str
    value: str
    trigger_id: str
    response_url: str
    is_foreign: bool
    """True for somebody of another workspace, as in a shared channel."""


Act = Callable[[Click, Question, Person], str]
"""What a click does; gives back what the person who clicked is told, or nothing.

May raise `Rejected` with the code of a `Problem`."""


def click_of(body: Json) -> Click:
    """The click in a `block_actions` or `message_action` payload."""
    user, team = object_of(body.get("user")), object_of(body.get("team"))
    team_id, home = id_of(team.get("id")), id_of(user.get("team_id"))
    actions = body.get("actions")
    action = object_of(actions[0]) if isinstance(actions, list) and actions else {}
    container, channel = object_of(body.get("container")), object_of(body.get("channel"))
    return Click(
        team_id=team_id or home,
        user_id=id_of(user.get("id")),
        channel_id=id_of(channel.get("id")) or id_of(container.get("channel_id")),
        value=text_of(action.get("value")),
        trigger_id=id_of(body.get("trigger_id"), 200),
        response_url=url_of(body.get("response_url")),
        is_foreign=bool(home and team_id and home != team_id),
    )


def act_on_click(body: Json, client: WebClient, act: Act, *, value_prefix: str = "") -> None:
    """Find the question of a click, check that it may be spoken of there, act, and tell who clicked."""
    click = click_of(body)
    person = who_clicked(client, click)
    try:
        said = act(click, question_of(click, value_prefix), person)
    except Rejected as error:
        said = problem_text(error, person.phrases)
    if said:
        tell_later(click.response_url, said)


def who_clicked(client: WebClient, click: Click) -> Person:
    """The person who clicked, looked up anew when it is not known by today."""
    person = person_of(punctual(client, LOOK_UP_S), click.team_id, click.user_id)
    return Person(person.phrases, is_outsider=person.is_outsider or click.is_foreign)


def question_of(click: Click, value_prefix: str = "") -> Question:
    """The question that a button belongs to, for somebody who could read it where it stands.

    Raises:
        Rejected: `gone`, also for what is another workspace's, another channel's or another person's.
    """
    try:
        question_id = uuid.UUID(click.value.removeprefix(value_prefix))
    except ValueError as error:
        raise Rejected(Problem.GONE, "The value is no id.") from error
    question = (
        Question.objects.filter(pk=question_id, slack_team_id=click.team_id, withdrawn_at=None)
        .exclude(slack_team_id="")
        .select_related("answer")
        .first()
    )
    if question is None or not _stands_where(question, click):
        raise Rejected(Problem.GONE, "There is no such question there.")
    return question


def _stands_where(question: Question, click: Click) -> bool:
    """True when the person who clicks could read the question at that place."""
    is_asker = click.user_id == question.slack_user_id
    if question.is_private and is_asker:
        return click.channel_id == question.slack_channel_id or click.channel_id.startswith("D")
    if question.surface == Surface.SLACK_DM and not is_asker:
        return False
    is_secret = question.is_private and question.shared_at is None
    return not is_secret and click.channel_id == question.slack_channel_id


def place_of_reading(question: Question, click: Click) -> str:
    """Where what is shown belongs: of a private answer, the channel it was asked in, wherever its asker reads it."""
    is_own = question.is_private and click.user_id == question.slack_user_id
    return question.slack_channel_id if is_own else click.channel_id


def problem_text(error: Rejected, phrases: Phrases) -> str:
    """The sentence for what came to nothing; a code that is none of ours is told as gone."""
    code = error.code if error.code in list(Problem) else Problem.GONE
    return phrases.replies.problems[Problem(code)]


def tell_later(response_url: str, text: str) -> None:
    """Have the person who clicked told by the workers: a Slack that hangs must not hold up the acknowledgement."""
    if is_response_url(response_url):
        queue.tell_who_clicked(json.dumps({"response_url": response_url, "text": text}))


def tell_who_clicked(argument: str) -> None:
    """What `tell_later` has queued.

    Raises:
        TellAgainError: Slack says to wait.
    """
    wait_s = tell(**json.loads(argument))
    if wait_s:
        raise TellAgainError(wait_s)


def tell(response_url: str, text: str) -> float:
    """Tell the person who clicked, alone; gives back how many seconds Slack says to wait first, 0 where it is over.

    What Slack does not take for another reason is lost, and logged.
    """
    if not is_response_url(response_url):
        return 0.0
    try:
        reply = answer_privately(response_url, Message(text, [section(text)]), timeout_s=TELL_S)
    except CALL_FAILED as error:
        log.warning("who clicked could not be told: %s", fault_of(error).code)
        return 0.0
    if reply.status != 200:
        log.warning("who clicked could not be told: http_%s", reply.status)
    return reply.wait_s


def open_form(client: WebClient, trigger_id: str, view: Mapping[str, object]) -> None:
    """Open a form while the trigger lives.

    Raises:
        Rejected: `too_late` when it lives no more, `slack_refused` for everything else.
    """
    try:
        punctual(client, BEFORE_ACK_S).views_open(trigger_id=trigger_id, view=dict(view))
    except CALL_FAILED as error:
        fault = fault_of(error)
        log.warning("a form was not opened: %s", fault.code)
        is_late = fault.code in _TOO_LATE or isinstance(error, OSError)
        raise Rejected(Problem.TOO_LATE if is_late else Problem.SLACK_REFUSED, fault.code) from error


def sealed(**values: str) -> str:
    """Ids that a form brings back; signed, so that they are ours, and dated."""
    return signing.dumps(values, salt=_SALT)


def unsealed(token: object, *, user_id: str, max_age_s: int = FORM_S) -> dict[str, str] | None:
    """What `sealed` was given, for the same user; None when it is too old, another person's or not ours."""
    try:
        values: Any = signing.loads(text_of(token), salt=_SALT, max_age=max_age_s)
    except signing.BadSignature:
        return None
    is_theirs = isinstance(values, dict) and values.get("user") == user_id and bool(user_id)
    return {str(name): str(value) for name, value in values.items()} if is_theirs else None
