"""`manage.py ingest`: put a file or a folder of files into a document folder and wait for the result."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import rag
from console import engine
from console.access import Rejected
from console.sources.ingest import ingest_document
from console.sources.models import ATTENTION_STATES, WORKING_STATES, Document, DocumentState, Folder
from console.sources.services import create_folder
from workers.files import files_below, links_out_of, upload_file
from workers.first_start import require_tables
from workers.ownership import DataFolderOwnership

POLL_EVERY_S = 0.2


class Command(BaseCommand):
    """Ingest files from disk."""

    help = (
        "Upload a file or every file of a directory into a folder, and show how each one ended. "
        "The exit status is 1 when a file could not be read."
    )

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
        require_tables()
        if not path.exists():
            raise CommandError(f"{path} does not exist. Give a file or a folder on this machine.")
        files = files_below(path)
        for link in links_out_of(path):
            self.stderr.write(f"{link}: left out, it is a link to a file outside {path}")
        if not files:
            raise CommandError(f"{path} holds no files (hidden ones are left out).")
        target = Folder.objects.filter(name=folder).first()
        if target is not None and options["open"] and not target.is_open:
            self.stderr.write(f"{folder} exists and stays closed; open it on its page in the console.")
        target = target or create_folder(actor=None, name=folder, is_open=options["open"])
        owner = DataFolderOwnership()
        is_owner = owner.claim()
        ids: list[int] = []
        try:
            ids, n_unchanged = self._upload(target, files)
            if is_owner:
                self._work(ids)
            else:
                # The owner's queue cannot be reached from here; its sweep finds a row without a message.
                Document.objects.filter(pk__in=ids, state__in=WORKING_STATES).update(queued_at=None)
                self._watch(ids, timeout)
        except KeyboardInterrupt as error:
            raise CommandError(
                "Interrupted. What was stored is kept: `make run` reads the rest, and so does the same command."
            ) from error
        except rag.RagError as error:
            raise CommandError(f"{error.message} {error.next_step}") from error
        finally:
            if is_owner:
                engine.close()
                owner.release()
        if self._report(target, ids, n_unchanged):
            raise SystemExit(1)

    def _upload(self, folder: Folder, files: list[tuple[Path, str]]) -> tuple[list[int], int]:
        """Ids of what has to be read, in order, and how many files need nothing."""
        name_of: dict[int, str] = {}
        n_unchanged = 0
        with _progress() as progress:
            for path, name in progress.track(files, description="storing"):
                try:
                    document_id, has_changed = upload_file(actor=None, folder=folder, path=path, name=name)
                except Rejected as error:
                    self.stderr.write(f"{name!r}: {error}")
                    continue
                if document_id in name_of:
                    self.stderr.write(f"{name!r} replaced {name_of[document_id]!r}: both have one name here")
                # The same bytes may still wait from a run that was interrupted.
                if has_changed or Document.objects.filter(pk=document_id, state__in=WORKING_STATES).exists():
                    name_of[document_id] = name
                else:
                    n_unchanged += 1
        return list(name_of), n_unchanged

    def _work(self, ids: list[int]) -> None:
        # This process owns the work: whoever claimed one of these before is gone.
        Document.objects.filter(pk__in=ids).update(lease_until=None)
        with _progress() as progress:
            for document_id in progress.track(ids, description="indexing"):
                ingest_document(document_id)

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

    def _report(self, folder: Folder, ids: list[int], n_unchanged: int) -> bool:
        """Say how each file ended; True when one could not be read."""
        documents = list(Document.objects.filter(pk__in=ids))
        counts = Counter(document.get_state_display().lower() for document in documents)
        parts = [f"{n} {state}" for state, n in sorted(counts.items())]
        if n_unchanged:
            parts.append(f"{n_unchanged} unchanged")
        self.stdout.write(f"{folder.name}: {', '.join(parts) or 'nothing to do'}.")
        trouble = [document for document in documents if document.state in ATTENTION_STATES]
        if not trouble:
            return False
        table = Table("document", "state", "why", "what to do", title="Needs attention")
        for document in trouble:
            table.add_row(
                document.name,
                f"{document.state} ({document.reason_code})",
                document.reason,
                document.next_step,
            )
        Console(width=None if sys.stdout.isatty() else 140).print(table)
        return any(document.state != DocumentState.PARTIAL for document in trouble)


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description:>9}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        transient=True,
    )
