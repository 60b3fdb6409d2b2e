"""`manage.py ingest`: put a file or a folder of files into a document folder and wait for the result."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from console import engine
from console.access import Rejected
from console.sources.ingest import ingest_document
from console.sources.models import ATTENTION_STATES, WORKING_STATES, Document, Folder
from console.sources.services import create_folder
from workers.ownership import DataFolderOwnership
from workers.sample import files_below, upload_file

POLL_EVERY_S = 0.2


class Command(BaseCommand):
    """Ingest files from disk."""

    help = "Upload a file or every file of a directory into a folder, and show how each one ended."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to ingest and where to."""
        parser.add_argument("path", type=Path)
        parser.add_argument(
            "--folder", required=True, help="name of the folder; created when it does not exist"
        )
        parser.add_argument(
            "--open", action="store_true", help="a folder created now may be asked by everyone"
        )
        parser.add_argument(
            "--timeout", type=float, default=3_600.0, help="seconds to wait for a running server"
        )

    def handle(self, *, path: Path, folder: str, timeout: float, **options: Any) -> None:
        """Upload, then work in this process or watch the process that owns the data folder."""
        if not path.exists():
            raise CommandError(f"{path} does not exist.")
        files = files_below(path)
        if not files:
            raise CommandError(f"{path} holds no files (hidden ones are left out).")
        target = Folder.objects.filter(name=folder).first() or create_folder(
            actor=None, name=folder, is_open=options["open"]
        )
        ids, n_unchanged = self._upload(target, files)
        owner = DataFolderOwnership()
        if owner.claim():
            try:
                self._work(ids)
            finally:
                engine.close()
                owner.release()
        else:
            # The owner's own queue cannot be reached from here; a row without a message is found by its sweep.
            Document.objects.filter(pk__in=ids, state__in=WORKING_STATES).update(queued_at=None)
            self._watch(ids, timeout)
        self._report(target, ids, n_unchanged)

    def _upload(self, folder: Folder, files: list[tuple[Path, str]]) -> tuple[list[int], int]:
        ids, n_unchanged = [], 0
        with _progress() as progress:
            bar = progress.add_task("storing", total=len(files))
            for path, name in files:
                try:
                    document_id, has_changed = upload_file(actor=None, folder=folder, path=path, name=name)
                except Rejected as error:
                    self.stderr.write(f"{name}: {error}")
                    progress.advance(bar)
                    continue
                if has_changed:
                    ids.append(document_id)
                n_unchanged += not has_changed
                progress.advance(bar)
        return ids, n_unchanged

    def _work(self, ids: list[int]) -> None:
        with _progress() as progress:
            bar = progress.add_task("indexing", total=len(ids))
            for document_id in ids:
                ingest_document(document_id)
                progress.advance(bar)

    def _watch(self, ids: list[int], timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        with _progress() as progress:
            bar = progress.add_task("indexing", total=len(ids))
            while time.monotonic() < deadline:
                n_left = Document.objects.filter(pk__in=ids, state__in=WORKING_STATES).count()
                progress.update(bar, completed=len(ids) - n_left)
                if not n_left:
                    return
                time.sleep(POLL_EVERY_S)
        raise CommandError("Documents are still queued. Is a worker running? `manage.py doctor` looks.")

    def _report(self, folder: Folder, ids: list[int], n_unchanged: int) -> None:
        documents = list(Document.objects.filter(pk__in=ids))
        counts = Counter(document.get_state_display().lower() for document in documents)
        parts = [f"{n} {state}" for state, n in sorted(counts.items())]
        if n_unchanged:
            parts.append(f"{n_unchanged} unchanged")
        self.stdout.write(f"{folder.name}: {', '.join(parts) or 'nothing to do'}.")
        trouble = [document for document in documents if document.state in ATTENTION_STATES]
        if not trouble:
            return
        table = Table("document", "state", "why", "what to do", title="Needs attention")
        for document in trouble:
            table.add_row(
                document.name,
                f"{document.state} ({document.reason_code})",
                document.reason,
                document.next_step,
            )
        Console().print(table)


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description:>9}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        transient=True,
    )
