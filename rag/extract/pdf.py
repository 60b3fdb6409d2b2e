"""PDF: text layer, or OCR where a page has none; columns, running lines, headings, tables."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, EncryptedDocument, NoText, ResourceLimit
from rag.extract.canonical import Reading
from rag.extract.layout.margins import drop_running_lines
from rag.extract.layout.segments import PageText, Segment
from rag.extract.pdf_blocks import assemble
from rag.extract.pdf_text import read_page_text
from rag.extract.wording import count_of, listed_pages
from rag.types import Coverage, ExtractionWarning

if TYPE_CHECKING:
    import pypdfium2 as pdfium

_PASSWORD_ERROR = 4  # FPDF_ERR_PASSWORD
_SECURITY_ERROR = 5  # FPDF_ERR_SECURITY: an encryption PDFium does not know
# Pages up to A4 at 200 dpi, larger ones at fewer: at 140 dpi the spaces between words get lost in places.
_OCR_SCALE = 200 / 72
_OCR_MAX_PIXELS = 2_340
_MIN_PIXELS = 16
# A page with fewer letters than this has at most a stamp or a page number over a scan.
_MIN_LETTERS = 12
# What is left for the rest when scans would use up the time of the whole document.
_OCR_TIME_SHARE = 0.6
_MAX_MISSING = 50
_TAIL_BYTES = 2_048


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The pages' text in reading order.

    Raises:
        EncryptedDocument: a password is needed to open it.
        DamagedDocument: PDFium cannot open it, or its end is missing and no text is left.
        NoText: no page has text, also not after OCR.
        ResourceLimit: more pages or characters than the limits.
    """
    deadline = time.monotonic() + _OCR_TIME_SHARE * limits.time_s
    document = _open(path)
    is_cut_off = not _has_end(path)
    try:
        if len(document) > limits.max_pages:
            raise ResourceLimit(
                f"The PDF has {len(document):,} pages; at most {limits.max_pages:,} are read."
            )
        scan = _read_pages(document, deadline)
        metadata_title = document.get_metadata_dict().get("Title")
    finally:
        document.close()
    if not any(page.segments for page in scan.pages):
        if is_cut_off or len(scan.damaged) == len(scan.pages):
            raise DamagedDocument("The PDF is damaged; no page of it can be read.")
        raise NoText(f"No text was found in {count_of(len(scan.pages), 'page')}, also not by OCR.")
    pages, n_running = drop_running_lines(scan.pages)
    content = assemble(pages, metadata_title=metadata_title, filename=filename, max_chars=limits.max_chars)
    missing = [str(page.number) for page in scan.pages if not page.segments]
    return Reading(
        title=content.title,
        text=content.text,
        spans=content.spans,
        coverage=Coverage("page", len(pages) - len(missing), len(pages), tuple(missing[:_MAX_MISSING])),
        is_partial=bool(missing) or is_cut_off,
        ocr_confidence=sum(scan.scores) / len(scan.scores) if scan.scores else None,
        warnings=tuple(_warnings(scan, n_running, is_cut_off=is_cut_off)),
    )


@dataclass(slots=True)
class _Scan:
    """What reading the pages one by one found."""

    pages: list[PageText] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    recognised: list[int] = field(default_factory=list)
    blank: list[int] = field(default_factory=list)
    unreadable: list[int] = field(default_factory=list)
    skipped: list[int] = field(default_factory=list)
    damaged: list[int] = field(default_factory=list)


def _open(path: Path) -> pdfium.PdfDocument:
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(path)
        if len(document) == 0:
            document.close()
            raise DamagedDocument("The PDF has no pages; its page list is missing or broken.")
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


def _read_pages(document: pdfium.PdfDocument, deadline: float) -> _Scan:
    import pypdfium2 as pdfium

    scan = _Scan()
    for number in range(1, len(document) + 1):
        try:
            page = document[number - 1]
        except pdfium.PdfiumError:
            scan.damaged.append(number)
            scan.pages.append(PageText(number, (), 0.0, 0.0))
            continue
        try:
            text = read_page_text(page, number)
            if _n_letters(text.segments) < _MIN_LETTERS:
                text = _recognised_or(text, page, scan, deadline)
            scan.pages.append(text)
        finally:
            page.close()
    return scan


def _n_letters(segments: Sequence[Segment]) -> int:
    return sum(char.isalnum() for segment in segments for char in segment.text)


def _recognised_or(text: PageText, page: pdfium.PdfPage, scan: _Scan, deadline: float) -> PageText:
    """The page's text by OCR where that finds more than the few letters of `text`."""
    if not _has_graphics(page):
        if not text.segments:
            scan.blank.append(text.number)
        return text
    if time.monotonic() > deadline:
        scan.skipped.append(text.number)
        return text
    from rag.extract import ocr

    width, height = page.get_size()
    scale = min(_OCR_SCALE, _OCR_MAX_PIXELS / max(width, height, 1.0))
    if min(width, height) * scale < _MIN_PIXELS:
        scan.blank.append(text.number)
        return text
    image = page.render(scale=scale, rev_byteorder=True).to_numpy()
    if ocr.is_blank(image):
        if not text.segments:
            scan.blank.append(text.number)
        return text
    found = ocr.recognise(image)
    if _n_letters(found.segments) <= _n_letters(text.segments):
        if not text.segments:
            scan.unreadable.append(text.number)
        return text
    scan.recognised.append(text.number)
    scan.scores += found.scores
    points = tuple(
        Segment(item.text, item.x0 / scale, item.x1 / scale, item.top / scale, item.bottom / scale)
        for item in found.segments
    )
    return PageText(text.number, points, width, height, is_ocr=True)


def _has_graphics(page: pdfium.PdfPage) -> bool:
    """The page draws something other than text, so that a picture of it may show words."""
    from pypdfium2 import raw

    return any(item.type != raw.FPDF_PAGEOBJ_TEXT for item in page.get_objects(max_depth=1))


def _warnings(scan: _Scan, n_running: int, *, is_cut_off: bool) -> Iterator[ExtractionWarning]:
    if n_running:
        count = count_of(n_running, "line")
        yield ExtractionWarning(
            "repeated_lines_removed", f"Repeated headers, footers and page numbers: {count} removed."
        )
    if scan.recognised:
        mean = sum(scan.scores) / len(scan.scores)
        yield ExtractionWarning(
            "ocr_used",
            f"Text recognised by OCR on {listed_pages(scan.recognised)}; mean confidence {mean:.2f}.",
        )
    if scan.skipped:
        yield ExtractionWarning(
            "ocr_time", f"No time was left to recognise the text of {listed_pages(scan.skipped)}."
        )
    if scan.unreadable:
        yield ExtractionWarning(
            "pages_without_text", f"No text was recognised on {listed_pages(scan.unreadable)}."
        )
    if scan.blank:
        yield ExtractionWarning("blank_pages", f"Nothing is printed on {listed_pages(scan.blank)}.")
    if scan.damaged:
        yield ExtractionWarning("damaged_pages", f"Damaged and not read: {listed_pages(scan.damaged)}.")
    if is_cut_off:
        yield ExtractionWarning(
            "file_cut_off", "The end of the file is missing; what could be read was kept."
        )
