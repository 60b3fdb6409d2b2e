"""The in-process workers: tasks run in their threads, answers overtake documents, stopping is clean."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from console.people.models import User
from console.questions.models import QuestionState
from console.questions.services import ask_question
from console.sources import ingest
from console.sources.models import Document, DocumentState, Folder
from tests.workers.conftest import HOTELS, LAPTOPS, upload
from workers.embedded import EmbeddedWorkers

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("data_folder")]


def wait_until(is_true: Callable[[], bool], timeout_s: float = 20.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not is_true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def test_pending_rows_are_picked_up_at_start_and_new_ones_answered_while_documents_run(
    admin: User, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_over = upload(admin, folder, "policy.md", HOTELS)
    ingest._claim(left_over.pk)  # a process that died while it read the file
    is_open = threading.Event()
    workers = EmbeddedWorkers()
    workers.start()
    try:
        wait_until(lambda: Document.objects.get(pk=left_over.pk).state == DocumentState.INDEXED)

        real = ingest._extract_and_index

        def slow(document: Document) -> None:
            is_open.wait(20)
            real(document)

        monkeypatch.setattr(ingest, "_extract_and_index", slow)
        slow_document = upload(admin, folder, "laptops.md", LAPTOPS)
        question = ask_question(actor=admin, text="What is the nightly hotel limit in capital cities?")
        started = time.monotonic()
        wait_until(lambda: not _fresh(question).is_pending)
        assert time.monotonic() - started < 5
        assert _fresh(question).state == QuestionState.ANSWERED
        assert Document.objects.get(pk=slow_document.pk).state == DocumentState.EXTRACTING
        is_open.set()
        wait_until(lambda: Document.objects.get(pk=slow_document.pk).state == DocumentState.INDEXED)
    finally:
        is_open.set()
        assert workers.stop()


def _fresh(question: object) -> object:
    question.refresh_from_db()
    return question
