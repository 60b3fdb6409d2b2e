"""Celery tasks: take an id, call one service, post what is finished. All may run twice."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from celery import Task, shared_task

import rag
from bot import agent
from bot.audience import learn_before_answering
from bot.channel_status import tell_status
from bot.clicks import tell_who_clicked as tell_clicker
from bot.delivery import deliver_answer as deliver_to_slack
from bot.delivery import pick_up_undelivered
from bot.home_tab import publish_home as publish_to_slack
from bot.notices import pick_up_unsent
from bot.notices import send_notice as send_to_slack
from bot.posting import TellAgainError
from bot.statuses import pick_up_statuses
from bot.statuses import show_status as show_in_slack
from bot.statuses import take_down_statuses as take_down_in_slack
from bot.threads import read_thread
from console.channels.pruning import prune_events
from console.evaluation import runs
from console.questions import services as questions
from console.sources import ingest, stalled, upkeep

log = logging.getLogger(__name__)

MOST_TELLS = 3
LONGEST_TELL_WAIT_S = 600
"""Three such waits are within the half hour for which Slack takes replies to a click or a command."""


def _retry_in_s(task: Task[Any, Any]) -> float:
    """1, 4, 16, then 60 seconds."""
    return float(min(60, 4**task.request.retries))


def _tell(task: Task[Any, Any], tell: Callable[[str], None], argument: str) -> None:
    """Tell one person something; where Slack says to wait, later, while it still takes it."""
    try:
        tell(argument)
    except TellAgainError as error:
        if error.wait_s > LONGEST_TELL_WAIT_S or task.request.retries >= MOST_TELLS:
            log.warning("%s: nobody is told, Slack says to wait for %.0f s", task.name, error.wait_s)
            return
        raise task.retry(exc=error, countdown=error.wait_s) from error


@shared_task(name="footnote.ingest_document", bind=True, max_retries=8, soft_time_limit=1_800)
def ingest_document(self: Task[Any, Any], document_id: int) -> None:
    """Extract and index one document, and others that wait."""
    try:
        stalled.revive_stalled()  # there is a worker again
        ingest.ingest_due(document_id)
    except rag.Unavailable as error:
        raise self.retry(exc=error, countdown=_retry_in_s(self)) from error


@shared_task(name="footnote.purge_document", bind=True, max_retries=8)
def purge_document(self: Task[Any, Any], document_id: int) -> None:
    """Remove one deleted or left-out document from every index."""
    try:
        upkeep.purge_document(document_id)
    except rag.Unavailable as error:
        raise self.retry(exc=error, countdown=_retry_in_s(self)) from error


@shared_task(name="footnote.answer_question")
def answer_question(question_id: str) -> None:
    """Answer one question."""
    learn_before_answering(question_id)
    try:
        questions.answer_question(question_id, read_thread=read_thread)
    except rag.Unavailable as error:
        # The row holds the pause; the sweep sends it again.
        log.warning("question %s waits: %s (%s)", question_id, error.message, error.code)


@shared_task(name="footnote.evaluate_slice", soft_time_limit=1_800)
def evaluate_slice(run_id: int) -> None:
    """Ask the next few questions of an evaluation."""
    try:
        runs.evaluate_slice(run_id)
    except rag.Unavailable as error:
        # The row holds the pause; the sweep sends it again.
        log.warning("evaluation %s waits: %s (%s)", run_id, error.message, error.code)


@shared_task(name="footnote.deliver_answer")
def deliver_answer(question_id: str) -> None:
    """Post one finished question's terminal message to Slack."""
    deliver_to_slack(question_id)


@shared_task(name="footnote.send_notice")
def send_notice(notice_id: int) -> None:
    """Tell Slack something beside an answer."""
    send_to_slack(notice_id)


@shared_task(name="footnote.publish_home")
def publish_home(key: str) -> None:
    """Make one person's App Home anew."""
    publish_to_slack(key)


@shared_task(name="footnote.tell_channel_status", bind=True, max_retries=MOST_TELLS)
def tell_channel_status(self: Task[Any, Any], argument: str) -> None:
    """Tell one person in Slack how a channel stands, as it stands then."""
    _tell(self, tell_status, argument)


@shared_task(name="footnote.tell_who_clicked", bind=True, max_retries=MOST_TELLS)
def tell_who_clicked(self: Task[Any, Any], argument: str) -> None:
    """Tell one person in Slack what came of a click."""
    _tell(self, tell_clicker, argument)


@shared_task(name="footnote.greet_agent_reader")
def greet_agent_reader(argument: str) -> None:
    """Suggest prompts to one person in Slack's agent view."""
    agent.greet(argument)


@shared_task(name="footnote.end_agent_session")
def end_agent_session(argument: str) -> None:
    """Show one session of Slack's agent view as not being worked on any more."""
    agent.end_session(argument)


@shared_task(name="footnote.show_status")
def show_status(question_id: str) -> None:
    """Show in Slack that a question is being looked up."""
    show_in_slack(question_id)


@shared_task(name="footnote.take_down_statuses")
def take_down_statuses(at_start: bool = False) -> None:
    """Take down in Slack what says that something is being looked up, and is not any more."""
    take_down_in_slack(at_start)


@shared_task(name="footnote.pick_up_pending")
def pick_up_pending(at_start: bool = False) -> None:
    """Queue again what a lost message, a restart or a dead worker left pending."""
    if at_start:
        upkeep.remove_forgotten_files()
        stalled.revive_stalled()
    upkeep.pick_up_pending(at_start=at_start)
    stalled.mark_stalled()
    questions.pick_up_pending(at_start=at_start)
    runs.pick_up_pending(at_start=at_start)
    pick_up_undelivered(at_start=at_start)
    pick_up_unsent(at_start=at_start)
    pick_up_statuses(at_start=at_start)
    prune_events()
