"""What a reader left out, told in one way for all formats."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator

from rag.extract.wording import count_of
from rag.types import ExtractionWarning


def left_out(code: str, count: int, noun: str, *, detail: str = "") -> Iterator[ExtractionWarning]:
    """``Left out: 3 comments.`` with its count; nothing for 0."""
    if count:
        yield ExtractionWarning(code, f"Left out: {count_of(count, noun)}{detail}.", count)


def comments_left_out(count: int) -> Iterator[ExtractionWarning]:
    """Remarks of readers and editors, which are no part of the text."""
    return left_out("comments_dropped", count, "comment")


def deletions_left_out(count: int) -> Iterator[ExtractionWarning]:
    """Text that is still stored, but was deleted with changes tracked."""
    return left_out("deleted_text_dropped", count, "tracked deletion")


def struck_text_left_out(count: int) -> Iterator[ExtractionWarning]:
    """Text with a line through it: what it says no longer holds."""
    return left_out("struck_text_dropped", count, "crossed-out passage")


def hidden_text_left_out(n_chars: int) -> Iterator[ExtractionWarning]:
    """Text formatted as hidden."""
    if n_chars:
        message = f"Left out: hidden text of {count_of(n_chars, 'character')}."
        yield ExtractionWarning("hidden_text_dropped", message, n_chars)


def pictures_not_read(count: int) -> Iterator[ExtractionWarning]:
    """Pictures, charts and embedded objects between the text; no OCR looks at them."""
    if count:
        message = f"Words inside {count_of(count, 'picture')} were not read."
        yield ExtractionWarning("pictures_not_read", message, count)


def headers_left_out(n_paragraphs: int) -> Iterator[ExtractionWarning]:
    """Page headers and footers, which would stand between any two sentences."""
    return left_out(
        "headers_footers_dropped", n_paragraphs, "paragraph", detail=" in page headers and footers"
    )


def macros_ignored(container: zipfile.ZipFile) -> Iterator[ExtractionWarning]:
    """Programs inside an Office file."""
    if any(name.lower().endswith("vbaproject.bin") for name in container.namelist()):
        yield ExtractionWarning("macros_ignored", "The file has macros; they were not run.")


def end_missing(*, is_cut_off: bool) -> Iterator[ExtractionWarning]:
    """The file was cut off."""
    if is_cut_off:
        yield ExtractionWarning(
            "file_cut_off", "The end of the file is missing; what could be read was kept."
        )
