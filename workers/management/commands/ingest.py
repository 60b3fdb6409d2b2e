"""`manage.py ingest`: put a file or a folder of files into a document folder and wait for the result."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

import rag
from console.access import Rejected
from console.sources.models import WORKING_STATES, Document, Folder
from console.sources.uploads import UploadOutcome
from workers.files import files_below, links_out_of, unlisted_below, upload_file
from workers.first_start import require_tables
from workers.reading import data_folder_claimed, file_progress, have_read, print_trouble, states_of
from workers.target_folder import INTERRUPTED, add_folder_options, closed_notice, target_folder


class Command(BaseCommand):
    """Ingest files from disk."""

    help = (
        "Upload a file or every file of a directory into a folder, and show how each one ended. "
        "The exit status is 1 when a file could not be read."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to ingest and where to."""
        parser.add_argument("path", type=Path)
        add_folder_options(parser)

    def handle(self, *, path: Path, folder: str, timeout: float, **options: Any) -> None:
        """Upload, then work in this process or watch the process that owns the data folder."""
        require_tables()
        if not path.exists():
            raise CommandError(f"{path} does not exist. Give a file or a folder on this machine.")
        files = files_below(path)
        for name in unlisted_below(path):
            self.stderr.write(f"{name}: left out, the directory cannot be listed")
        for link in links_out_of(path):
            self.stderr.write(f"{link}: left out, it is a link to a file outside {path}")
        if not files:
            raise CommandError(f"{path} holds no files (hidden ones are left out).")
        if notice := closed_notice(folder, is_open=options["open"]):
            self.stderr.write(notice)
        target = target_folder(folder, is_open=options["open"])
        with data_folder_claimed() as is_owner:
            try:
                ids, n_unchanged = self._upload(target, files)
                have_read(ids, is_owner=is_owner, timeout_s=timeout)
            except KeyboardInterrupt as error:
                raise CommandError(INTERRUPTED) from error
            except rag.RagError as error:
                raise CommandError(f"{error.message} {error.next_step}") from error
        parts = [states_of(ids), f"{n_unchanged} unchanged" if n_unchanged else ""]
        self.stdout.write(f"{target.name}: {', '.join(filter(None, parts)) or 'nothing to do'}.")
        if print_trouble(ids):
            raise SystemExit(1)

    def _upload(self, folder: Folder, files: list[tuple[Path, str]]) -> tuple[list[int], int]:
        """Ids of what has to be read, in order, and how many files need nothing."""
        name_of: dict[int, str] = {}
        n_unchanged = 0
        with file_progress() as progress:
            for path, name in progress.track(files, description="storing"):
                try:
                    uploaded = upload_file(actor=None, folder=folder, path=path, name=name)
                except Rejected as error:
                    self.stderr.write(f"{name!r}: {error}")
                    continue
                document = uploaded.document
                if uploaded.outcome is UploadOutcome.SAME_BYTES:
                    self.stderr.write(f"{name!r}: the same bytes as {document.name!r}, kept once")
                elif document.pk in name_of:
                    self.stderr.write(f"{name!r} replaced {name_of[document.pk]!r}: both have one name here")
                # The same bytes may still wait from a run that was interrupted.
                if (
                    uploaded.has_changed
                    or Document.objects.filter(pk=document.pk, state__in=WORKING_STATES).exists()
                ):
                    name_of.setdefault(document.pk, name)
                else:
                    n_unchanged += 1
        return list(name_of), n_unchanged
