"""`manage.py rebuild_words`: the word search made anew from the stored passages, without reading a file again."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from rich.progress import Progress

import rag
from console import engine
from console.index.selectors import active_version
from console.index.words import rebuild_words
from workers.first_start import require_tables
from workers.ownership import DataFolderOwnership


class Command(BaseCommand):
    """Rebuild the word search."""

    help = (
        "Index the words of all stored passages again, after an update or where the word search is damaged."
    )

    def handle(self, **_: Any) -> None:
        """Rebuild it for the active version; in embedded mode this process has to own the data folder."""
        require_tables()
        version = active_version()
        if version is None:
            raise CommandError("There is no index yet, so there are no words to index.")
        owner = DataFolderOwnership()
        if settings.IS_EMBEDDED and not owner.claim():
            raise CommandError("The running server has the index open; stop it first.")
        try:
            with Progress(transient=True) as progress:
                bar = progress.add_task("documents", total=None)
                n_chunks = rebuild_words(
                    version, lambda done, total: progress.update(bar, completed=done, total=total)
                )
        except rag.RagError as error:
            raise CommandError(f"{error.message} {error.next_step}") from error
        finally:
            engine.close()
            owner.release()
        passages = "passage" if n_chunks == 1 else "passages"
        self.stdout.write(f"The words of {n_chunks} {passages} of index v{version.pk} are indexed.")
