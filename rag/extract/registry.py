"""From a file's format to the module that reads it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Protocol, cast

from rag.config import ExtractionLimits
from rag.errors import DocumentError, NoText
from rag.extract.canonical import Reading
from rag.extract.formats import FORMATS, Format, supported_suffixes
from rag.extract.sniff import sniff_format
from rag.types import Extraction, ExtractionWarning


class ReaderModule(Protocol):
    """A module of this package that reads one format."""

    def read(self, path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
        """The canonical text of the file at `path`."""
        ...


def extract_in_process(path: Path, *, filename: str, limits: ExtractionLimits) -> Extraction:
    """`rag.extract.extract_file` without its process: for the sub-process itself.

    Raises:
        DocumentError: as `rag.extract.extract_file` does, but limits on time and memory are not set.
    """
    entry = FORMATS[sniff_format(path, filename=filename)]
    reader = cast("ReaderModule", importlib.import_module(f"rag.extract.{entry.name}"))
    try:
        reading = reader.read(path, filename=filename, limits=limits)
        if not reading.spans:
            raise NoText("The file opened, but it holds no text.")
    except DocumentError as error:
        error.extractor = entry.extractor
        raise
    return Extraction(
        title=reading.title,
        text=reading.text,
        spans=reading.spans,
        format=entry.name,
        extractor=entry.extractor,
        coverage=reading.coverage,
        is_partial=reading.is_partial,
        encoding=reading.encoding,
        ocr_confidence=reading.ocr_confidence,
        page_confidence=reading.page_confidence,
        warnings=_mismatch_warnings(entry, filename) + reading.warnings,
        attachments=reading.attachments,
    )


def _mismatch_warnings(entry: Format, filename: str) -> tuple[ExtractionWarning, ...]:
    suffix = Path(filename).suffix.lower()
    if not suffix or suffix in entry.suffixes or suffix not in supported_suffixes():
        return ()
    return (
        ExtractionWarning(
            "extension_mismatch",
            f"The name ends in {suffix}, but the content is {entry.label}; it was read as that.",
        ),
    )
