"""A queue that nobody works on turns health red, and its documents are stalled until a worker comes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from console import queue
from console.index.health import health
from console.sources.models import Document, DocumentState, ExtractionAttempt
from console.sources.stalled import mark_stalled, revive_stalled
from tests.console.conftest import World
from workers import tasks

As = Callable[..., Client]


def ago(minutes: float) -> object:
    return timezone.now() - timedelta(minutes=minutes)


@pytest.fixture
def waiting(world: World) -> Document:
    """A document that was queued an hour ago, its message sent again ten minutes ago; nobody came."""
    document = Document.objects.create(
        folder=world.travel, name="waiting.md", sha256="0" * 64, size_bytes=1, state=DocumentState.QUEUED
    )
    ExtractionAttempt.objects.all().delete()
    ExtractionAttempt.objects.create(document=document, trigger="upload", sha256=document.sha256)
    Document.objects.filter(pk=document.pk).update(state_changed_at=ago(60), queued_at=ago(10))
    document.refresh_from_db()
    return document


def test_health_is_red_when_documents_wait_and_nothing_moves(
    world: World, waiting: Document, as_role: As
) -> None:
    state = as_role("support_lead").get("/api/v1/health").json()
    assert state["status"] == "attention"
    (problem,) = state["problems"]
    assert problem == (
        "1 document waits, and no worker has made progress for 60 minutes. "
        "Start a worker: `make run`, or on a server `celery -A console worker -B`."
    )
    assert "no worker has made progress" in as_role("support_lead").get("/").content.decode()
    assert "no worker has made progress" not in as_role("viewer").get("/").content.decode()
    Document.objects.filter(pk=waiting.pk).update(state_changed_at=ago(1))
    assert health().problems == []


def began(waiting: Document) -> None:
    ExtractionAttempt.objects.create(
        document=waiting, trigger="upload", sha256="1" * 64, started_at=ago(1), finished_at=ago(0.5)
    )


def claimed(waiting: Document) -> None:
    Document.objects.create(
        folder=waiting.folder,
        name="busy.md",
        sha256="1" * 64,
        size_bytes=1,
        state=DocumentState.INDEXING,
        lease_until=ago(-5),
    )


@pytest.mark.parametrize("moves", [began, claimed])
def test_a_long_queue_that_moves_is_no_fault(
    world: World, waiting: Document, moves: Callable[[Document], None]
) -> None:
    moves(waiting)
    assert health().problems == []
    assert mark_stalled() == 0


def test_what_nobody_came_for_is_stalled_with_a_reason_and_a_next_step(
    world: World, waiting: Document
) -> None:
    assert mark_stalled() == 1
    waiting.refresh_from_db()
    assert (waiting.state, waiting.reason_code) == (DocumentState.STALLED, "no_worker")
    assert waiting.reason == "It waited 60 minutes, and no worker made progress with any document."
    assert "Start a worker" in waiting.next_step
    assert waiting.attempts.get().outcome == DocumentState.STALLED
    assert mark_stalled() == 0
    assert health().problems[0].startswith("1 document stalled because no worker came.")


@pytest.mark.parametrize(
    ("field", "minutes"),
    [("state_changed_at", 20), ("queued_at", 1)],
    ids=["not for long enough", "the machine slept, the message is new"],
)
def test_nothing_is_stalled_too_early(world: World, waiting: Document, field: str, minutes: int) -> None:
    Document.objects.filter(pk=waiting.pk).update(**{field: ago(minutes)})
    assert mark_stalled() == 0


def test_a_dead_workers_document_is_stalled_when_no_other_comes(world: World, waiting: Document) -> None:
    Document.objects.filter(pk=waiting.pk).update(state=DocumentState.EXTRACTING, lease_until=ago(40))
    assert mark_stalled() == 1


def test_a_worker_that_is_there_again_revives_them_all(
    world: World,
    waiting: Document,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: object,
) -> None:
    mark_stalled()
    sent: list[tuple[str, object]] = []
    monkeypatch.setattr(queue, "_send", lambda name, argument: sent.append((name, argument)))
    with django_capture_on_commit_callbacks(execute=True):
        assert revive_stalled() == 1
    waiting.refresh_from_db()
    assert (waiting.state, waiting.reason_code) == (DocumentState.QUEUED, "")
    assert sent == [("footnote.ingest_document", waiting.pk)]
    assert revive_stalled() == 0
    other = world.broken
    other.refresh_from_db()
    assert other.state == DocumentState.FAILED, "what failed for another reason stays"


def test_the_worker_calls_it_with_any_message(
    world: World, waiting: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark_stalled()
    monkeypatch.setattr(tasks.ingest, "ingest_due", lambda document_id: None)
    tasks.ingest_document(world.policy.pk)
    waiting.refresh_from_db()
    assert waiting.state == DocumentState.QUEUED
