"""The one list of formats: name, version, words and usual endings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be read. Raise `version` when its output changes: documents become stale."""

    name: str
    version: int
    label: str
    suffixes: tuple[str, ...]
    is_text: bool = False
    """Bytes that are plain text; the file's ending has a say in which of these formats it is."""

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
        Format("html", 1, "an HTML page", (".html", ".htm", ".xhtml"), is_text=True),
        Format("markdown", 1, "Markdown", (".md", ".markdown", ".mdx"), is_text=True),
        Format("csv", 1, "a CSV table", (".csv", ".tsv"), is_text=True),
        Format("text", 1, "plain text", (".txt", ".text", ".log", ".rst"), is_text=True),
    )
}


def supported_suffixes() -> tuple[str, ...]:
    """The endings a picker may offer, lower case with the dot."""
    return tuple(suffix for entry in FORMATS.values() for suffix in entry.suffixes)


def current_extractors() -> dict[str, str]:
    """Format to the extractor that reads it now, e.g. ``{"pdf": "pdf/1"}``."""
    return {name: entry.extractor for name, entry in FORMATS.items()}
