"""The one way work is handed to the workers: by task name and id, after the commit.

A lost message loses nothing: the row stays pending in the database and is picked up again by
`workers` (at start, and every few seconds).
"""

from __future__ import annotations

import logging
from functools import partial

from django.db import transaction

from console.celery import app

log = logging.getLogger(__name__)


def _send(name: str, argument: int | str) -> None:
    try:
        app.send_task(name, args=[argument])
    except Exception:
        # The broker being away must not fail the request: the row is pending and will be swept up.
        log.exception("could not enqueue %s %s; it stays pending", name, argument)


def _enqueue(name: str, argument: int | str) -> None:
    transaction.on_commit(partial(_send, name, argument))


def ingest_document(document_id: int) -> None:
    """Have a queued document extracted and indexed."""
    _enqueue("footnote.ingest_document", document_id)


def purge_document(document_id: int) -> None:
    """Have a deleted document removed from every index."""
    _enqueue("footnote.purge_document", document_id)


def answer_question(question_id: str) -> None:
    """Have a received question answered."""
    _enqueue("footnote.answer_question", question_id)


def deliver_answer(question_id: str) -> None:
    """Have a finished question's answer posted to Slack."""
    _enqueue("footnote.deliver_answer", question_id)
