"""What a PDF page holds beside its text layer: filled form fields, comments, attached files."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rag.extract.pdf_hidden import Box
from rag.types import Attachment

if TYPE_CHECKING:
    import pypdfium2 as pdfium

_MAX_ANNOTATIONS = 10_000
_MAX_VALUE_BYTES = 64 * 1024
_MAX_ATTACHMENTS = 500
_PASSWORD_FIELD = 1 << 13  # PDF 32000-1, table 228: what is typed there must not be shown
_UNSEEN_FLAGS = 1 << 1 | 1 << 5  # table 165: hidden, not shown on a screen
_FIELD_HEIGHT_PT = 14.0
_FIELD_PADDING_PT = 2.0
_LETTER_WIDTH = 0.45  # of the height: only to keep the next column from seeming joined
_MIB = 1024 * 1024


def filled_fields(page: pdfium.PdfPage) -> list[tuple[str, Box]]:
    """The values of a page's text and choice fields and where they stand; a ticked box is ``☒``."""
    if page.formenv is None:
        return []
    from pypdfium2 import raw

    fields = []
    for annotation in _annotations(raw, page):
        if raw.FPDFAnnot_GetSubtype(annotation) == raw.FPDF_ANNOT_WIDGET:
            fields += [
                (line, box)
                for line, box in _lines_in(_field_value(raw, page, annotation), _rectangle(raw, annotation))
                if line.strip()
            ]
    return fields


def typed_on(page: pdfium.PdfPage) -> list[tuple[str, Box]]:
    """Words that were typed onto the page as annotations, as forms without fields are filled in, and where."""
    from pypdfium2 import raw

    return [
        (line, box)
        for annotation in _annotations(raw, page)
        if raw.FPDFAnnot_GetSubtype(annotation) == raw.FPDF_ANNOT_FREETEXT and not _is_unseen(raw, annotation)
        for line, box in _lines_in(_contents(raw, annotation), _rectangle(raw, annotation))
        if line.strip()
    ]


def count_comments(page: pdfium.PdfPage) -> int:
    """Notes, highlights and stamps with words of their own, which are no part of the page."""
    from pypdfium2 import raw

    kinds = (
        raw.FPDF_ANNOT_TEXT,
        raw.FPDF_ANNOT_FREETEXT,
        raw.FPDF_ANNOT_HIGHLIGHT,
        raw.FPDF_ANNOT_UNDERLINE,
        raw.FPDF_ANNOT_SQUIGGLY,
        raw.FPDF_ANNOT_STRIKEOUT,
        raw.FPDF_ANNOT_STAMP,
        raw.FPDF_ANNOT_CARET,
        raw.FPDF_ANNOT_INK,
        raw.FPDF_ANNOT_LINE,
        raw.FPDF_ANNOT_SQUARE,
        raw.FPDF_ANNOT_CIRCLE,
        raw.FPDF_ANNOT_POLYGON,
    )
    n_comments = 0
    for annotation in _annotations(raw, page):
        kind = raw.FPDFAnnot_GetSubtype(annotation)
        is_typed = kind == raw.FPDF_ANNOT_FREETEXT and not _is_unseen(raw, annotation)
        if kind in kinds and not is_typed:
            n_comments += _contents(raw, annotation) != ""
    return n_comments


def _is_unseen(raw: ctypes.CDLL, annotation: object) -> bool:
    return bool(raw.FPDFAnnot_GetFlags(annotation) & _UNSEEN_FLAGS)


def _contents(raw: ctypes.CDLL, annotation: object) -> str:
    return utf16_text(
        lambda buffer, size: raw.FPDFAnnot_GetStringValue(annotation, b"Contents", buffer, size)
    )


def attached_files(document: pdfium.PdfDocument, *, max_mib: int) -> tuple[list[Attachment], int]:
    """The files inside the PDF, and how many were left out: too many, too large or broken."""
    import pypdfium2 as pdfium

    files: list[Attachment] = []
    room = max_mib * _MIB
    n_files = document.count_attachments()
    for index in range(min(n_files, _MAX_ATTACHMENTS)):
        try:
            attachment = document.get_attachment(index)
            if _size_of(attachment) > room:
                continue
            content = bytes(attachment.get_data())
        except pdfium.PdfiumError:
            continue
        if content:
            room -= len(content)
            files.append(Attachment(_name_of(attachment) or f"attachment {index + 1}", content))
    return files, n_files - len(files)


def _name_of(attachment: pdfium.PdfAttachment) -> str:
    """The file's name; empty where it has none that can be read."""
    import pypdfium2 as pdfium

    try:
        return str(attachment.get_name())
    except (pdfium.PdfiumError, UnicodeDecodeError):
        return ""


def _size_of(attachment: pdfium.PdfAttachment) -> int:
    from pypdfium2 import raw

    size = ctypes.c_ulong()
    raw.FPDFAttachment_GetFile(attachment.raw, None, 0, size)
    return size.value


def _annotations(raw: ctypes.CDLL, page: pdfium.PdfPage) -> Iterator[object]:
    for index in range(min(raw.FPDFPage_GetAnnotCount(page.raw), _MAX_ANNOTATIONS)):
        with _closing(raw, raw.FPDFPage_GetAnnot(page.raw, index)) as annotation:
            if annotation:
                yield annotation


@contextmanager
def _closing(raw: ctypes.CDLL, annotation: object) -> Iterator[object]:
    try:
        yield annotation
    finally:
        if annotation:
            raw.FPDFPage_CloseAnnot(annotation)


def _field_value(raw: ctypes.CDLL, page: pdfium.PdfPage, annotation: object) -> str:
    form = page.formenv.raw
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        return "☒" if raw.FPDFAnnot_IsChecked(form, annotation) else ""
    if kind not in (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
        return ""
    if raw.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD_FIELD:
        return ""
    return utf16_text(lambda buffer, size: raw.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size))


def utf16_text(fill: Callable[[object, int], int]) -> str:
    """What PDFium writes as UTF-16 with a closing zero into a buffer of the size it asks for."""
    n_bytes = min(int(fill(None, 0)), _MAX_VALUE_BYTES)
    if n_bytes <= 0:
        return ""
    buffer = (ctypes.c_ushort * (n_bytes // 2))()
    fill(buffer, n_bytes)
    return bytes(buffer).decode("utf-16-le", errors="replace").rstrip("\0")


def _rectangle(raw: ctypes.CDLL, annotation: object) -> Box:
    rect = raw.FS_RECTF()
    if not raw.FPDFAnnot_GetRect(annotation, ctypes.byref(rect)):
        return (0.0, 0.0, 0.0, 0.0)
    return (rect.left, rect.bottom, rect.right, rect.top)


def _lines_in(value: str, box: Box) -> Iterator[tuple[str, Box]]:
    """The lines of a field's value, each with the stretch of the field that it fills."""
    lines = value.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    left, bottom, right, top = box
    height = min(_FIELD_HEIGHT_PT, (top - bottom) / len(lines))
    # A single line stands in the middle of its field, several from its top.
    y = (top + bottom + height) / 2 if len(lines) == 1 else top
    for line in lines:
        x = left + _FIELD_PADDING_PT
        yield line, (x, y - height, min(right, x + _LETTER_WIDTH * height * len(line)), y)
        y -= height
