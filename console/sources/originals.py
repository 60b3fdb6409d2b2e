"""The original beside the canonical text: a drawn page, or the file's own text."""

from __future__ import annotations

import logging
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator
from pathlib import Path

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import FileResponse

from console import storage
from console.sources.models import Document

log = logging.getLogger(__name__)

RENDER_TIMEOUT_S = 30
MAX_SOURCE_CHARS = 20_000
TEXT_FORMATS = frozenset({"text", "markdown", "html", "csv", "eml", "vtt", "srt"})
_renderers = threading.BoundedSemaphore(2)


class OriginalResponse(FileResponse):
    """A file as an attachment, read piece by piece also under ASGI.

    Django's own response would read the whole file into memory there (100 MB a download), and warn.
    """

    block_size = 256 * 1024

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The file's pieces, each read in a thread."""
        pieces = iter(self)
        read = sync_to_async(lambda: next(pieces, b""), thread_sensitive=False)
        while piece := await read():
            yield piece


def page_image(document: Document, page: int) -> Path | None:
    """A PNG of a PDF's page (from 1), drawn once and kept; None when it cannot be drawn."""
    target = Path(settings.HOME) / "pages" / document.sha256[:2] / document.sha256 / f"{page}.png"
    if target.exists():
        return target
    source = storage.original_path(document.sha256)
    if not source.exists():
        return None
    target.parent.mkdir(parents=True, exist_ok=True)
    with _renderers, tempfile.TemporaryDirectory(dir=target.parent) as folder:
        drawn = Path(folder) / "page.png"
        command = [sys.executable, "-m", "console.sources.page_renderer", str(source), str(page), str(drawn)]
        try:
            done = subprocess.run(  # noqa: S603 - our own module, paths made of hashes and numbers
                command, cwd=settings.BASE_DIR, timeout=RENDER_TIMEOUT_S, check=False, capture_output=True
            )
        except subprocess.TimeoutExpired:
            log.warning(
                "page %s of document %s took longer than %s s to draw", page, document.pk, RENDER_TIMEOUT_S
            )
            return None
        if done.returncode != 0 or not drawn.exists():
            log.warning(
                "page %s of document %s could not be drawn (exit %s)", page, document.pk, done.returncode
            )
            return None
        drawn.replace(target)
    return target


def source_text(document: Document) -> str:
    """The beginning of a text file as it was uploaded; empty for other formats."""
    if document.format not in TEXT_FORMATS:
        return ""
    path = storage.original_path(document.sha256)
    if not path.exists():
        return ""
    with path.open("rb") as file:
        head = file.read(MAX_SOURCE_CHARS * 4)
    try:
        text = head.decode(document.encoding or "utf-8", "replace")
    except LookupError:
        text = head.decode("utf-8", "replace")
    return text[:MAX_SOURCE_CHARS]
