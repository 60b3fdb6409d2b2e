"""The one list of formats: name, version, module and usual endings."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from rag.config import ExtractionLimits
from rag.errors import NoText
from rag.extract.canonical import Reading
from rag.extract.sniff import sniff_format
from rag.types import Extraction, ExtractionWarning


class ReaderModule(Protocol):
    """A module of this package that reads one format."""

    def read(self, path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
        """The canonical text of the file at `path`."""
        ...


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be read. Raise `version` when its output changes: documents become stale."""

    name: str
    version: int
    label: str
    suffixes: tuple[str, ...]

    @property
    def extractor(self) -> str:
        """Name and version, e.g. ``pdf/1``."""
        return f"{self.name}/{self.version}"


FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in (
        Format("pdf", 1, "a PDF", (".pdf",)),
        Format("docx", 1, "a Word document (DOCX)", (".docx", ".docm", ".dotx", ".dotm")),
        Format("xlsx", 1, "an Excel workbook (XLSX)", (".xlsx", ".xlsm", ".xltx", ".xltm")),
        Format("html", 1, "an HTML page", (".html", ".htm", ".xhtml")),
        Format("markdown", 1, "Markdown", (".md", ".markdown", ".mdx")),
        Format("csv", 1, "a CSV table", (".csv", ".tsv")),
        Format("text", 1, "plain text", (".txt", ".text", ".log", ".rst")),
    )
}


def supported_suffixes() -> tuple[str, ...]:
    """The endings a picker may offer, lower case with the dot."""
    return tuple(suffix for entry in FORMATS.values() for suffix in entry.suffixes)


def current_extractors() -> dict[str, str]:
    """Format to the extractor that reads it now, e.g. ``{"pdf": "pdf/1"}``."""
    return {name: entry.extractor for name, entry in FORMATS.items()}


def extract_in_process(path: Path, *, filename: str, limits: ExtractionLimits) -> Extraction:
    """`rag.extract.extract_file` without its process: for the sub-process itself.

    Raises:
        DocumentError: as `rag.extract.extract_file` does, but limits on time and memory are not set.
    """
    entry = FORMATS[sniff_format(path, filename=filename)]
    reader = cast("ReaderModule", importlib.import_module(f"rag.extract.{entry.name}"))
    reading = reader.read(path, filename=filename, limits=limits)
    if not reading.spans:
        raise NoText("The file opened, but it holds no text.")
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
        warnings=_mismatch_warnings(entry, filename) + reading.warnings,
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
