"""The one way work is handed to the workers: by task name and id, after the commit.

A lost message loses nothing: the row stays pending in the database and is picked up again by
`workers` (at start, and every few seconds).
"""

from __future__ import annotations

from django.db import transaction

from console.celery import app


def _send(name: str, argument: int | str) -> None:
    app.send_task(name, args=[argument])


def _enqueue(name: str, argument: int | str) -> None:
    def send() -> None:
        _send(name, argument)

    # Robust: a broker that is away is logged and must not fail the request. The row is pending, the sweep sends it.
    transaction.on_commit(send, robust=True)


def ingest_document(document_id: int) -> None:
    """Have a queued document extracted and indexed."""
    _enqueue("footnote.ingest_document", document_id)


def purge_document(document_id: int) -> None:
    """Have a deleted document removed from every index."""
    _enqueue("footnote.purge_document", document_id)


def answer_question(question_id: str) -> None:
    """Have a received question answered."""
    _enqueue("footnote.answer_question", question_id)


def send_notice(notice_id: int) -> None:
    """Have Slack told something beside an answer."""
    _enqueue("footnote.send_notice", notice_id)


def publish_home(team_id: str, user_id: str, dm_id: str) -> None:
    """Have a person's App Home made anew; `dm_id` is the direct message it stands beside, if that is known."""
    _enqueue("footnote.publish_home", f"{team_id}:{user_id}:{dm_id}")


def evaluate_slice(run_id: int) -> None:
    """Have the next questions of an evaluation asked."""
    _enqueue("footnote.evaluate_slice", run_id)


def show_status(question_id: str) -> None:
    """Have Slack show that a question is being looked up."""
    _enqueue("footnote.show_status", question_id)


def take_down_statuses(*, at_start: bool) -> None:
    """Have the statuses taken down in Slack that were left standing."""
    _enqueue("footnote.take_down_statuses", at_start)


def deliver_answer(question_id: str) -> None:
    """Have a finished question's answer posted to Slack."""
    _enqueue("footnote.deliver_answer", question_id)


def tell_channel_status(argument: str) -> None:
    """Have somebody told how a Slack channel stands; `argument` is the JSON of `bot.channel_status.StatusRequest`."""
    _enqueue("footnote.tell_channel_status", argument)


def tell_who_clicked(argument: str) -> None:
    """Have somebody told what came of a click in Slack; `argument` is the JSON of `bot.clicks.tell_later`."""
    _enqueue("footnote.tell_who_clicked", argument)


def greet_agent_reader(argument: str) -> None:
    """Have prompts suggested to somebody in Slack's agent view; `argument` is the JSON of `bot.agent.Opened`."""
    _enqueue("footnote.greet_agent_reader", argument)


def end_agent_session(argument: str) -> None:
    """Have a session of Slack's agent view shown as stopped; `argument` is the JSON of `bot.agent.Opened`."""
    _enqueue("footnote.end_agent_session", argument)
