"""The in-process workers: tasks run in their threads, answers overtake documents, stopping is clean."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

import rag
from console import engine
from console.index.selectors import active_version
from console.people.models import User
from console.questions.models import Answer, QuestionState
from console.questions.services import ask_question
from console.sources import claims
from console.sources.models import Document, DocumentState, Folder
from console.sources.services import delete_document
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
    claims.claim(left_over.pk)  # a process that died while it read the file
    is_open = threading.Event()
    workers = EmbeddedWorkers()
    workers.start()
    try:
        wait_until(lambda: Document.objects.get(pk=left_over.pk).state == DocumentState.INDEXED)

        real = rag.extract_file

        def slow(*arguments: object, **more: object) -> rag.Extraction:
            is_open.wait(20)
            return real(*arguments, **more)

        monkeypatch.setattr(rag, "extract_file", slow)
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


def test_documents_come_and_go_while_questions_run(admin: User, folder: Folder) -> None:
    """Two more documents are indexed under running questions; one is deleted and never cited again."""
    hotels = "What is the nightly hotel limit in capital cities?"
    workers = EmbeddedWorkers()
    workers.start()
    try:
        policy = upload(admin, folder, "policy.md", HOTELS)
        wait_until(lambda: Document.objects.get(pk=policy.pk).state == DocumentState.INDEXED)
        under_way = [ask_question(actor=admin, text=hotels) for _ in range(6)]
        laptops = upload(admin, folder, "laptops.md", LAPTOPS)
        bikes = upload(admin, folder, "bikes.md", b"# Bikes\n\nCargo bikes are lent for 14 days at most.\n")
        under_way += [ask_question(actor=admin, text=hotels) for _ in range(6)]
        wait_until(lambda: not any(_fresh(question).is_pending for question in under_way))
        for new in (laptops, bikes):
            wait_until(lambda new=new: Document.objects.get(pk=new.pk).state == DocumentState.INDEXED)
        assert {_fresh(question).state for question in under_way} == {QuestionState.ANSWERED}
        assert _ask(admin, "For how many days are cargo bikes lent?").citations.get().document == bikes

        index = engine.index_of(active_version())
        only_policy = rag.Scope(folder_ids=(folder.pk,), document_ids=(policy.pk,))
        assert rag.retrieve(hotels, index=index, scope=only_policy)
        delete_document(actor=admin, document=policy)
        after = [_ask(admin, hotels) for _ in range(3)]
        assert {answer.outcome for answer in after} == {QuestionState.REFUSED}
        assert all(near["document_id"] != policy.pk for answer in after for near in answer.nearest)
        wait_until(lambda: not Document.objects.filter(pk=policy.pk).exists())
        assert rag.retrieve(hotels, index=index, scope=only_policy) == ()
        assert rag.count_chunks(index, document_id=policy.pk) == rag.ChunkCounts(vectors=0, lexical=0)
    finally:
        assert workers.stop()


def _ask(actor: User, text: str) -> Answer:
    question = ask_question(actor=actor, text=text)
    wait_until(lambda: not _fresh(question).is_pending)
    return Answer.objects.get(question=question)


def _fresh(question: object) -> object:
    question.refresh_from_db()
    return question
