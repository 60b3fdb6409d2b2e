"""PDF: text layer, or OCR where a page has none; columns, running lines, headings, tables."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, EncryptedDocument, NoText, ResourceLimit
from rag.extract.canonical import CanonicalBuilder, Reading
from rag.extract.layout.margins import drop_running_lines
from rag.extract.layout.segments import PageText
from rag.extract.left_out import comments_left_out, end_missing, hidden_text_left_out, left_out
from rag.extract.page_warnings import PARTIAL_CODES, mean_confidence, page_coverage
from rag.extract.pdf_blocks import Content, assemble
from rag.extract.pdf_extras import attached_files
from rag.extract.pdf_pages import Scan, pages_to_read, text_pages
from rag.extract.wording import count_of
from rag.types import Attachment, ExtractionWarning, Locator

if TYPE_CHECKING:
    import pypdfium2 as pdfium

_PASSWORD_ERROR = 4  # FPDF_ERR_PASSWORD
_SECURITY_ERROR = 5  # FPDF_ERR_SECURITY: an encryption PDFium does not know
# Of the time limit: what scans may use while other pages wait, and what reading may use before the
# rest is left out, so that a long file ends partial instead of being stopped without a result.
_OCR_TIME_SHARE = 0.6
_READ_TIME_SHARE = 0.8
# Around a page range as many pages are read along, without OCR: they tell what runs on every page,
# which font is the body's, and under which heading the first page stands.
_CONTEXT_PAGES = 10
_TAIL_BYTES = 2_048


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The pages' text in reading order; with `limits.pages` that of these pages alone.

    Raises:
        EncryptedDocument: a password is needed to open it.
        DamagedDocument: PDFium cannot open it, or its end is missing and no text is left.
        NoText: no page has text, also not after OCR, or the range is beyond the last page.
        ResourceLimit: more pages or characters than the limits.
    """
    started = time.monotonic()
    document = _open(path)
    is_cut_off = not _has_end(path)
    attachments: list[Attachment] = []
    n_lost_files = 0
    try:
        numbers = pages_to_read("The PDF", len(document), limits)
        scan = _scan(document, numbers, started, limits)
        context = _context(document, numbers, limits)
        metadata_title = document.get_metadata_dict().get("Title")
        if limits.pages is None:
            attachments, n_lost_files = attached_files(document, max_mib=limits.max_attachment_mib)
    finally:
        document.close()
    if not attachments and not any(page.segments for page in scan.pages):
        raise _reason_without_text(scan, is_cut_off=is_cut_off)
    pages, n_running = _without_running_lines(sorted([*scan.pages, *context], key=_number), numbers)
    content = assemble(
        pages, kept=numbers, metadata_title=metadata_title, filename=filename, max_chars=limits.max_chars
    )
    if not content.spans:
        content = _names_of(attachments, content, limits)
    missing = scan.missing
    has_unread = any(scan.named[code] for code in PARTIAL_CODES)
    return Reading(
        title=content.title,
        text=content.text,
        spans=content.spans,
        coverage=page_coverage(len(numbers), missing),
        is_partial=bool(missing) or has_unread or is_cut_off or n_lost_files > 0,
        ocr_confidence=mean_confidence(scan.confidence) if scan.confidence else None,
        page_confidence=tuple(scan.confidence),
        warnings=tuple(_warnings(scan, n_running, n_lost_files, is_cut_off=is_cut_off)),
        attachments=tuple(attachments),
    )


def _number(page: PageText) -> int:
    return page.number


def _open(path: Path) -> pdfium.PdfDocument:
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(path)
        if len(document) == 0:
            document.close()
            raise DamagedDocument("The PDF has no pages; its page list is missing or broken.")
        document.init_forms()
    except pdfium.PdfiumError as exc:
        if exc.err_code == _PASSWORD_ERROR:
            raise EncryptedDocument("The PDF needs a password to be opened.") from exc
        if exc.err_code == _SECURITY_ERROR:
            raise EncryptedDocument("The PDF is encrypted in a way that cannot be opened here.") from exc
        raise DamagedDocument("The PDF is damaged and cannot be opened.") from exc
    return document


def _has_end(path: Path) -> bool:
    """The end mark is there: a PDF without it was cut off, though PDFium may repair what is left."""
    with path.open("rb") as file:
        size = path.stat().st_size
        file.seek(max(0, size - _TAIL_BYTES))
        return b"%%EOF" in file.read()


def _scan(document: pdfium.PdfDocument, numbers: range, started: float, limits: ExtractionLimits) -> Scan:
    # A range is read for its scans: nothing else waits for their time.
    ocr_share = _OCR_TIME_SHARE if limits.pages is None else _READ_TIME_SHARE
    scan = Scan(
        ocr_deadline=started + ocr_share * limits.time_s,
        read_deadline=started + _READ_TIME_SHARE * limits.time_s,
        max_chars=limits.max_chars,
    )
    scan.read(document, numbers)
    return scan


def _context(document: pdfium.PdfDocument, numbers: range, limits: ExtractionLimits) -> list[PageText]:
    first, last = max(1, numbers[0] - _CONTEXT_PAGES), min(len(document), numbers[-1] + _CONTEXT_PAGES)
    around = [number for number in range(first, last + 1) if number not in numbers]
    return text_pages(document, around, max_chars=limits.max_chars)


def _reason_without_text(scan: Scan, *, is_cut_off: bool) -> DamagedDocument | NoText | ResourceLimit:
    n_pages = len(scan.pages)
    if is_cut_off or len(scan.named["damaged_pages"]) == n_pages:
        return DamagedDocument("The PDF is damaged; no page of it can be read.")
    n_late = len(scan.named["ocr_time"]) + len(scan.named["read_time"])
    if n_late:
        return ResourceLimit(f"The time was too short to read {count_of(n_late, 'page')}; no text was found.")
    if len(scan.named["blank_pages"]) == n_pages:
        return NoText(f"Nothing is printed on {'its page' if n_pages == 1 else f'any of {n_pages:,} pages'}.")
    return NoText(f"No text was found in {count_of(n_pages, 'page')}, also not by OCR.")


def _names_of(attachments: Sequence[Attachment], content: Content, limits: ExtractionLimits) -> Content:
    """A portfolio whose cover is blank says which files it holds, so that they are read at all."""
    builder = CanonicalBuilder(max_chars=limits.max_chars)
    for file in attachments:
        builder.add(file.name, "list_item", Locator(page=1))
    return Content(content.title, builder.text(), builder.spans())


def _without_running_lines(pages: list[PageText], numbers: range) -> tuple[list[PageText], int]:
    """The pages without running lines, and how many lines of the pages `numbers` were removed."""
    cleaned, _ = drop_running_lines(pages)
    n_removed = sum(
        len(page.segments) - len(clean.segments)
        for page, clean in zip(pages, cleaned, strict=True)
        if page.number in numbers
    )
    return cleaned, n_removed


def _warnings(
    scan: Scan, n_running: int, n_lost_files: int, *, is_cut_off: bool
) -> Iterator[ExtractionWarning]:
    yield from scan.warnings(n_running)
    yield from hidden_text_left_out(scan.n_hidden)
    yield from left_out(
        "alternate_text_dropped",
        scan.n_alternates,
        "alternate text",
        detail=" that says other words than the page shows",
    )
    yield from comments_left_out(scan.n_comments)
    yield from left_out(
        "attachments_left_out", n_lost_files, "file", detail=" inside the PDF, too many, too large or damaged"
    )
    yield from end_missing(is_cut_off=is_cut_off)
