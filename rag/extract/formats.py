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
        Format("pdf", 2, "a PDF", (".pdf",)),
        Format("docx", 2, "a Word document (DOCX)", (".docx", ".docm", ".dotx", ".dotm")),
        Format("xlsx", 2, "an Excel workbook (XLSX)", (".xlsx", ".xlsm", ".xltx", ".xltm")),
        Format("pptx", 2, "a PowerPoint presentation (PPTX)", (".pptx", ".pptm", ".potx", ".ppsx")),
        Format("xls", 1, "an old Excel workbook (XLS)", (".xls", ".xlt")),
        Format("xlsb", 1, "a binary Excel workbook (XLSB)", (".xlsb",)),
        Format("odt", 2, "an OpenDocument text (ODT)", (".odt", ".ott")),
        Format("ods", 2, "an OpenDocument spreadsheet (ODS)", (".ods", ".ots")),
        Format("odp", 2, "an OpenDocument presentation (ODP)", (".odp", ".otp")),
        Format("rtf", 2, "an RTF document", (".rtf",)),
        Format("epub", 3, "an EPUB book", (".epub",)),
        Format("msg", 3, "an Outlook message (MSG)", (".msg",)),
        Format("image", 1, "a picture", (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp")),
        Format(
            "recording",
            1,
            "a recording",
            (".mp3", ".wav", ".m4a", ".ogg", ".opus", ".flac", ".mp4", ".mov", ".mkv", ".webm", ".avi"),
        ),
        Format("eml", 3, "an e-mail message", (".eml", ".mht", ".mhtml"), is_text=True),
        Format("vtt", 2, "a WebVTT transcript", (".vtt",), is_text=True),
        Format("srt", 2, "an SRT transcript", (".srt",), is_text=True),
        Format("html", 3, "an HTML page", (".html", ".htm", ".xhtml"), is_text=True),
        Format("markdown", 3, "Markdown", (".md", ".markdown", ".mdx"), is_text=True),
        Format("csv", 2, "a CSV table", (".csv", ".tsv"), is_text=True),
        Format("text", 2, "plain text", (".txt", ".text", ".log", ".rst"), is_text=True),
    )
}


def supported_suffixes() -> tuple[str, ...]:
    """The endings a picker may offer, lower case with the dot."""
    return tuple(suffix for entry in FORMATS.values() for suffix in entry.suffixes)


def current_extractors() -> dict[str, str]:
    """Format to the extractor that reads it now, e.g. ``{"pdf": "pdf/1"}``."""
    return {name: entry.extractor for name, entry in FORMATS.items()}
