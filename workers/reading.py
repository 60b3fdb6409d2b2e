"""Documents that a command has read, in this process or by the one that owns the data folder."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from console import engine
from console.sources.ingest import ingest_documents
from console.sources.models import ATTENTION_STATES, WORKING_STATES, Document, DocumentState
from console.sources.upkeep import purge_document
from workers.ownership import DataFolderOwnership

POLL_EVERY_S = 0.2


class FilesPerMinute(ProgressColumn):
    """``41 files/min``, from the first file that was finished on."""

    def render(self, task: Task) -> Text:
        """The column's text."""
        if not task.completed or not task.elapsed:
            return Text("")
        return Text(f"{task.completed / task.elapsed * 60:.0f} files/min")


def file_progress() -> Progress:
    """A bar of files done and due, with files a minute."""
    return Progress(
        TextColumn("{task.description:>9}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("files"),
        FilesPerMinute(),
        TimeElapsedColumn(),
        transient=True,
    )


@contextmanager
def data_folder_claimed() -> Iterator[bool]:
    """True while this process owns the data folder and does the work; False when another one has to."""
    owner = DataFolderOwnership()
    is_owner = owner.claim()
    try:
        yield is_owner
    finally:
        if is_owner:
            engine.close()
            owner.release()


def have_read(ids: list[int], *, is_owner: bool, timeout_s: float) -> None:
    """Bring these documents, and the files found inside them, to their end state.

    Raises:
        CommandError: another process has to read them and did not within `timeout_s`.
        rag.RagError: the store or the model cannot work.
    """
    if is_owner:
        _read_here(ids)
    else:
        # The owner's queue cannot be reached from here; its sweep finds a row without a message.
        Document.objects.filter(pk__in=ids, state__in=WORKING_STATES).update(queued_at=None)
        _wait(ids, timeout_s)


def have_purged(ids: list[int], *, is_owner: bool) -> None:
    """Remove deleted documents from the indexes, when this process is the one that can."""
    if is_owner:
        for document_id in ids:
            purge_document(document_id)


def _read_here(ids: list[int]) -> None:
    # This process owns the work: whoever claimed one of these before is gone.
    Document.objects.filter(pk__in=ids).update(lease_until=None)
    with file_progress() as progress:
        bar = progress.add_task("indexing", total=len(ids))
        due, n_due = list(ids), len(ids)
        while due:
            ingest_documents(due, lambda: progress.advance(bar))
            inside = Document.objects.filter(parent__in=due, state__in=WORKING_STATES, deleted_at=None)
            due = list(inside.values_list("pk", flat=True))
            n_due += len(due)
            progress.update(bar, total=n_due)


def _wait(ids: list[int], timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    with file_progress() as progress:
        bar = progress.add_task("indexing", total=len(ids))
        while time.monotonic() < deadline:
            n_left = Document.objects.filter(pk__in=ids, state__in=WORKING_STATES).count()
            progress.update(bar, completed=len(ids) - n_left)
            if not n_left:
                return
            time.sleep(POLL_EVERY_S)
    raise CommandError("Documents are still queued. Is a worker running? `manage.py doctor` looks.")


def states_of(ids: Iterable[int]) -> str:
    """``12 indexed, 1 failed``; empty when there is none."""
    documents = Document.objects.filter(pk__in=list(ids))
    counts = Counter(document.get_state_display().lower() for document in documents)
    return ", ".join(f"{n} {state}" for state, n in sorted(counts.items()))


def print_trouble(ids: Iterable[int]) -> bool:
    """A table of what needs attention; True when a document could not be read at all."""
    trouble = list(Document.objects.filter(pk__in=list(ids), state__in=ATTENTION_STATES).order_by("name"))
    if not trouble:
        return False
    table = Table("document", "state", "why", "what to do", title="Needs attention")
    for document in trouble:
        state = f"{document.state} ({document.reason_code})"
        table.add_row(document.name, state, document.reason, document.next_step)
    print_table(table)
    return any(document.state != DocumentState.PARTIAL for document in trouble)


def print_table(table: Table) -> None:
    """In full width on a terminal, 140 characters wide in a log."""
    Console(width=None if sys.stdout.isatty() else 140).print(table)
