"""`manage.py sync`: keep a document folder in step with a directory, or with a ZIP archive."""

from __future__ import annotations

import threading
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from rich.table import Table
from watchfiles import Change, watch

import rag
from console.access import Rejected
from console.sources.archives import is_archive, sync_archive
from console.sources.models import Folder
from console.sources.names import is_system_file
from console.sources.sync import sync_files
from console.sources.sync_report import RESULT_WORDS, SyncReport, SyncResult
from workers.files import WatchedDirectory, links_out_of
from workers.first_start import require_tables
from workers.reading import (
    data_folder_claimed,
    file_progress,
    have_purged,
    have_read,
    print_table,
    print_trouble,
    states_of,
)
from workers.target_folder import INTERRUPTED, add_folder_options, closed_notice, target_folder

DEBOUNCE_MS = 1_600
"""Changes that follow each other faster are one: an editor writes a file in several steps."""
SHOWN_ROWS = 200


class Command(BaseCommand):
    """Sync a directory."""

    help = (
        "Make a folder hold exactly what a directory (or a ZIP archive) holds: new, changed, renamed and deleted "
        "files. Documents that came another way stay. The exit status is 1 when a file was not taken or could not "
        "be read."
    )

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.stopping = threading.Event()
        """Set to end `--watch`, as Ctrl+C does."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to sync and where to."""
        parser.add_argument("path", type=Path)
        add_folder_options(parser)
        parser.add_argument("--watch", action="store_true", help="stay and sync whenever something changes")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")

    def handle(self, *, path: Path, folder: str, watch: bool, **options: Any) -> None:
        """Sync once, or again and again until Ctrl+C."""
        require_tables()
        source = self._source(path, is_watched=watch)
        if notice := closed_notice(folder, is_open=options["open"]):
            self.stderr.write(notice)
        try:
            is_good = self._sync(source, folder, **options)
            if watch:
                self._follow(source, folder, path, **options)
        except KeyboardInterrupt as error:
            if not watch:
                raise CommandError(INTERRUPTED) from error
        if watch:
            self.stdout.write("Stopped.")
        elif not is_good:
            raise SystemExit(1)

    def _source(self, path: Path, *, is_watched: bool) -> Callable[[Folder, bool], SyncReport]:
        """What brings a folder in step with `path`.

        Raises:
            CommandError: it is neither a directory nor an archive.
        """
        if path.is_dir():
            directory = WatchedDirectory(path)
            for link in links_out_of(path):
                self.stderr.write(f"{link}: left out, it is a link to a file outside {path}")

            def sync_directory(folder: Folder, dry_run: bool) -> SyncReport:
                origin = f"directory:{path.resolve()}"[:500]
                with file_progress() as progress:
                    files = progress.track(directory.files(), description="looking")
                    return sync_files(
                        actor=None,
                        folder=folder,
                        origin=origin,
                        files=files,
                        unlisted=directory.unlisted,
                        dry_run=dry_run,
                    )

            return sync_directory
        if path.is_file() and is_archive(path.name) and not is_watched:
            return lambda folder, dry_run: sync_archive(
                actor=None, folder=folder, name=path.name, path=path, dry_run=dry_run
            )
        if not path.exists():
            raise CommandError(f"{path} does not exist. Give a directory or a ZIP archive on this machine.")
        raise CommandError(
            f"{path} is no directory{'' if is_watched else ' and no ZIP archive'}. "
            "`manage.py ingest` takes single files."
        )

    def _sync(
        self,
        source: Callable[[Folder, bool], SyncReport],
        folder_name: str,
        *,
        dry_run: bool,
        timeout: float,
        **options: Any,
    ) -> bool:
        """One round; False when a file was not taken or could not be read."""
        try:
            if dry_run:
                with transaction.atomic():
                    report = source(target_folder(folder_name, is_open=options["open"]), True)
                    # A folder that does not exist was made only to be compared.
                    transaction.set_rollback(True)
                self._tell(report)
                return not report.counts.get(SyncResult.REJECTED)
            with data_folder_claimed() as is_owner:
                report = source(target_folder(folder_name, is_open=options["open"]), False)
                self._tell(report)
                have_purged(report.deleted_ids, is_owner=is_owner)
                have_read(report.unread_ids, is_owner=is_owner, timeout_s=timeout)
        except Rejected as error:
            raise CommandError(str(error)) from error
        except rag.RagError as error:
            raise CommandError(f"{error.message} {error.next_step}") from error
        if states := states_of(report.unread_ids):
            self.stdout.write(f"{folder_name}: {states}.")
        has_trouble = print_trouble(report.unread_ids)
        return not has_trouble and not report.counts.get(SyncResult.REJECTED)

    def _follow(
        self, source: Callable[[Folder, bool], SyncReport], folder: str, path: Path, **options: Any
    ) -> None:
        self.stdout.write(f"Watching {path}. Ctrl+C ends it.")

        def counts(_change: Change, changed: str) -> bool:
            inside = Path(changed).relative_to(path.resolve()).as_posix()
            return not is_system_file(inside)

        rounds = watch(path.resolve(), debounce=DEBOUNCE_MS, watch_filter=counts, stop_event=self.stopping)
        for _ in rounds:
            try:
                self._sync(source, folder, **options)
            except CommandError as error:
                # A share that is away, or a worker: the next change tries again.
                self.stderr.write(str(error))

    def _tell(self, report: SyncReport) -> None:
        would = "Would be: " if report.is_dry_run else ""
        self.stdout.write(f"{would}{report.summary}.")
        rows = [row for row in report.rows if row.result is not SyncResult.UNCHANGED]
        if not rows:
            return
        table = Table("file", "what", "detail")
        for row in rows[:SHOWN_ROWS]:
            table.add_row(row.name, RESULT_WORDS[row.result], row.detail)
        if len(rows) > SHOWN_ROWS:
            table.add_row(f"and {len(rows) - SHOWN_ROWS:,} more", "", "")
        print_table(table)
