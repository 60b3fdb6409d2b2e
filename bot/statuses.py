"""Say in the thread that a question is being looked up, and take that down on every way out.

A status is a courtesy: whatever goes wrong with it, the answer is neither lost nor kept waiting for long.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress

from bot import agent
from bot.client import NotInstalledError, client_of, impatient, is_set_up
from bot.faults import CALL_FAILED, Kind, fault_of
from bot.people import person_of
from bot.phrases import Phrases
from console import queue
from console.channels import statuses
from console.channels.models import SlackStatus
from console.questions.models import Question

log = logging.getLogger(__name__)

PATIENCE_S = 1.0
_LOOK_EVERY_S = 0.05
ASK_LANGUAGE_S = 1


class StatusBusyError(Exception):
    """A call that shows a status in this thread is still under way; the message must not overtake it."""


def show_status(question_id: str) -> None:
    """Show that a question is being looked up, unless its answer is on its way already."""
    if not is_set_up():
        return
    question = Question.objects.filter(pk=question_id).first()
    if question is None or not statuses.thread_of(question):
        return
    status = statuses.begin_status(question)
    if status is None:
        return
    try:
        _set(status, _language_of(question).status)
    except NotInstalledError:
        statuses.forget_status(status)
    except CALL_FAILED as error:
        fault = fault_of(error)
        log.info("no status for question %s: %s", question_id, fault.code)
        if fault.kind in {Kind.PERMANENT, Kind.RATE_LIMITED}:
            statuses.forget_status(status)
    finally:
        statuses.end_status_call(status)


def _language_of(question: Question) -> Phrases:
    """The asker's language.

    Raises:
        NotInstalledError: no token belongs to the workspace.
        SlackApiError, OSError, HTTPException: whose token it is could not be asked just now.
    """
    client = impatient(client_of(question.slack_team_id), ASK_LANGUAGE_S)
    return person_of(client, question.slack_team_id, question.slack_user_id).phrases


def take_down_status(question: Question) -> None:
    """Before the terminal message: nothing is written to the thread's status after it.

    What cannot be taken down now is left to the sweep, and to Slack, which takes it down with the message.

    Raises:
        StatusBusyError: the call that shows it takes longer than a second.
    """
    status = statuses.status_for(question)
    if status is None:
        return
    deadline = time.monotonic() + PATIENCE_S
    while statuses.is_busy(status):
        if time.monotonic() > deadline:
            raise StatusBusyError
        time.sleep(_LOOK_EVERY_S)
    _take_down(status)


def take_down_unneeded(question: Question) -> None:
    """After a question was deleted: unless another one waits in its thread. What is busy is left to the sweep."""
    status = statuses.status_for(question)
    if status is not None and not statuses.is_waited_under(status):
        with suppress(StatusBusyError):
            take_down_status(question)


def pick_up_statuses(*, at_start: bool = False) -> None:
    """Queue the taking down of what is left standing, if anything is; nothing here waits for Slack."""
    if not is_set_up():
        return
    if at_start:
        statuses.void_calls()
    if at_start or statuses.statuses_to_take_down():
        queue.take_down_statuses(at_start=at_start)


def take_down_statuses(at_start: bool = False) -> int:
    """Take down what a crash or a fault of Slack left standing; gives back how many.

    A workspace in which one fails is left alone until the next sweep, so that a Slack that hangs holds up the other
    deliveries once only. At a start statuses are shown again for the questions that are still being looked up.
    """
    if not is_set_up():
        return 0
    n_taken, failing = 0, set[str]()
    for status in statuses.statuses_to_take_down(at_start=at_start):
        if status.team_id in failing:
            statuses.put_off(status)
        elif statuses.claim_to_take_down(status):
            is_taken = _take_down(status)
            n_taken += is_taken
            if not is_taken:
                failing.add(status.team_id)
    if at_start:
        statuses.show_again()
    return n_taken


def _take_down(status: SlackStatus) -> bool:
    try:
        _set(status, "")
    except NotInstalledError:
        log.info("a status was not taken down: no token belongs to its workspace")
    except CALL_FAILED as error:
        fault = fault_of(error)
        log.info("a status was not taken down: %s", fault.code)
        if fault.kind is not Kind.PERMANENT:
            statuses.put_off(status, wait_s=fault.wait_s)
            return False
    statuses.forget_status(status)
    return True


def _set(status: SlackStatus, text: str) -> None:
    """In the words of the thread's status or, in Slack's agent view, as the session's.

    Raises:
        NotInstalledError: no token belongs to the workspace.
        SlackApiError, OSError, HTTPException: Slack did not take it.
    """
    client = client_of(status.team_id)
    if agent.is_session(status.team_id, status.channel_id):
        agent.set_session(client, status.channel_id, status.thread_ts, is_working=bool(text))
        return
    client.assistant_threads_setStatus(channel_id=status.channel_id, thread_ts=status.thread_ts, status=text)
