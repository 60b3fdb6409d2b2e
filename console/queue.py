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


def deliver_answer(question_id: str) -> None:
    """Have a finished question's answer posted to Slack."""
    _enqueue("footnote.deliver_answer", question_id)
