"""A broker that is away: no request fails or waits for it, and no question is lost."""

from __future__ import annotations

import time

import pytest
from celery import Celery

from console import queue
from console.people.models import User
from console.questions import services
from console.questions.models import Question, Surface
from tests.contracts.services import free_port


def test_a_broker_that_is_away_fails_no_request_and_loses_no_question(
    admin: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    app = Celery("away", broker=f"redis://127.0.0.1:{free_port()}/0", set_as_current=False)
    app.conf.update(task_publish_retry_policy=queue.app.conf.task_publish_retry_policy)
    started = time.monotonic()
    with monkeypatch.context() as away:
        away.setattr(queue, "app", app)
        services.ask_question(actor=admin, text="What is the hotel limit?", surface=Surface.CLI)
    assert time.monotonic() - started < 2
    assert "OperationalError" in caplog.text
    sent: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(queue.app, "send_task", lambda name, args: sent.append((name, args)))
    assert services.pick_up_pending() == 1
    assert sent == [("footnote.answer_question", [str(Question.objects.get().pk)])]
