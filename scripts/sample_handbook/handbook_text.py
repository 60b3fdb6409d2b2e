"""Read the text that a reader sees out of each document of the sample handbook."""

from __future__ import annotations

import re
from email import message_from_bytes, policy
from html.parser import HTMLParser
from pathlib import Path

import docx
import pypdfium2
import webvtt
from openpyxl import load_workbook
from pptx import Presentation

CHROME = {"script", "style", "nav", "header", "footer", "button"}
CHROME_CLASSES = {"topbar", "breadcrumb", "feedback", "draft"}
_VOICE = re.compile(r"<v[^>]*>")
VOID = {"br", "hr", "img", "input", "link", "meta"}
INLINE = {"a", "abbr", "b", "code", "em", "i", "span", "strong"}


class UnreadableError(Exception):
    """The document is locked or broken."""


class _Page(HTMLParser):
    """Collects the visible text of the body and leaves out chrome and hidden elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.skipping = 0  # depth inside an element that is left out
        self.in_head = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        if tag == "head":
            self.in_head = True
        values = dict(attrs)
        left_out = (
            tag in CHROME
            or "hidden" in values
            or "display:none" in (values.get("style") or "").replace(" ", "")
            or bool(CHROME_CLASSES & set((values.get("class") or "").split()))
        )
        if self.skipping or left_out:
            self.skipping += 1
        if tag not in INLINE:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "head":
            self.in_head = False
        if self.skipping:
            self.skipping -= 1
        if tag not in INLINE:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.skipping and not self.in_head:
            self.parts.append(data)


def read_document(path: Path) -> str:
    """Return the text of a document; an empty text means a PDF without text layer."""
    suffix = path.suffix.lower()
    if suffix == ".pdf":
        return _read_pdf(path)
    if suffix == ".docx":
        return _read_docx(path)
    if suffix == ".xlsx":
        return _read_xlsx(path)
    if suffix == ".pptx":
        return _read_pptx(path)
    if suffix == ".eml":
        return _read_mail(path)
    text = decode(path.read_bytes())
    if suffix == ".html":
        page = _Page()
        page.feed(text)
        return "".join(page.parts)
    if suffix == ".vtt":
        return "\n".join(_VOICE.sub("", caption.text) for caption in webvtt.from_string(text))
    if suffix in (".md", ".txt"):
        return text
    raise UnreadableError(f"no reader for {suffix}")


def decode(data: bytes) -> str:
    """Decode UTF-8, or else the Windows code page."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252")


def _read_pdf(path: Path) -> str:
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        raise UnreadableError(str(error)) from error
    with document:
        return "\n".join(page.get_textpage().get_text_bounded() for page in document)


def _read_docx(path: Path) -> str:
    document = docx.Document(str(path))
    lines = [paragraph.text for paragraph in document.paragraphs]
    for table in document.tables:
        lines.extend(cell.text for row in table.rows for cell in row.cells)
    return "\n".join(lines)


def _read_xlsx(path: Path) -> str:
    book = load_workbook(path, data_only=True)
    return "\n".join(
        str(cell)
        for sheet in book.worksheets
        for row in sheet.iter_rows(values_only=True)
        for cell in row
        if cell is not None
    )


def _read_pptx(path: Path) -> str:
    lines: list[str] = []
    for slide in Presentation(str(path)).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                lines.append(shape.text_frame.text)
            elif shape.has_table:
                lines.extend(cell.text for row in shape.table.rows for cell in row.cells)
        lines.append(slide.notes_slide.notes_text_frame.text)
    return "\n".join(lines)


def _read_mail(path: Path) -> str:
    mail = message_from_bytes(path.read_bytes(), policy=policy.default)
    return f"{mail['Subject']}\n{mail.get_body().get_content()}"


def one_line(text: str) -> str:
    """Collapse all white space to single spaces."""
    return " ".join(text.split())
