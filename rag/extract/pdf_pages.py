"""The pages of a PDF one by one: the text layer, or OCR where that says less than the page shows."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rag.config import ExtractionLimits
from rag.errors import NoText, ResourceLimit
from rag.extract.layout.segments import PageText, Segment
from rag.extract.ocr import RecognisedText
from rag.extract.page_warnings import (
    MISSING_CODES,
    PAGE_CODES,
    ocr_warning,
    page_warning,
    running_lines_warning,
)
from rag.extract.pdf_extras import count_comments, filled_fields, typed_on
from rag.extract.pdf_text import read_text_layer
from rag.extract.wording import count_of, listed_pages
from rag.types import ExtractionWarning

if TYPE_CHECKING:
    import pypdfium2 as pdfium

# Pages up to A4 at 200 dpi, larger ones at fewer: at 140 dpi the spaces between words get lost in places.
_OCR_SCALE = 200 / 72
_OCR_MAX_PIXELS = 2_340
_MIN_PIXELS = 16
# A page with fewer letters than this has at most a stamp or a page number over a scan.
_MIN_LETTERS = 12
# Over a scan: a stamp on each page, a filing number. With more letters the picture is a background.
_MIN_LETTERS_OVER_SCAN = 200
# What OCR must find beyond a stamp: it reads the stamp as well, with a wrong letter here and there.
_MORE_THAN_STAMP = 5


@dataclass(slots=True)
class Scan:
    """What reading pages one by one found. Each page is in `pages`, also one without text."""

    ocr_deadline: float
    read_deadline: float
    max_chars: int
    pages: list[PageText] = field(default_factory=list)
    confidence: list[tuple[int, float]] = field(default_factory=list)
    named: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Code of a page warning to its pages, see `rag.extract.page_warnings`."""
    n_hidden: int = 0
    n_comments: int = 0
    n_alternates: int = 0

    @property
    def missing(self) -> list[int]:
        """Pages whose text is missing, in order; a blank page misses nothing."""
        return sorted(page for code in MISSING_CODES for page in self.named[code])

    def warnings(self, n_running_lines: int) -> Iterator[ExtractionWarning]:
        """What is told of the pages: lines that were removed, pages that were recognised, pages by code."""
        if n_running_lines:
            yield running_lines_warning(n_running_lines)
        if self.confidence:
            yield ocr_warning(self.confidence)
        for code in PAGE_CODES:
            if self.named[code]:
                yield page_warning(code, self.named[code])

    def read(self, document: pdfium.PdfDocument, numbers: Sequence[int]) -> None:
        """Read these pages, with OCR where needed, until the time is up."""
        import pypdfium2 as pdfium

        for number in numbers:
            if time.monotonic() > self.read_deadline:
                self.leave(number, "read_time")
                continue
            try:
                page = document[number - 1]
            except pdfium.PdfiumError:
                self.leave(number, "damaged_pages")
                continue
            try:
                self.pages.append(self._read_page(page, number))
            finally:
                page.close()

    def leave(self, number: int, code: str) -> None:
        """Give the page no text, and say why with the code of a page warning."""
        self.named[code].append(number)
        self.pages.append(PageText(number, (), 0.0, 0.0))

    def _read_page(self, page: pdfium.PdfPage, number: int) -> PageText:
        fields = [*filled_fields(page), *typed_on(page)]
        layer = read_text_layer(page, number, max_chars=self.max_chars, fields=fields)
        self.n_hidden += layer.n_hidden
        self.n_alternates += layer.n_alternates
        self.n_comments += count_comments(page)
        text = layer.page
        n_enough = _MIN_LETTERS_OVER_SCAN if layer.is_scan else _MIN_LETTERS
        if _n_letters(text.segments) < n_enough or layer.is_undecoded:
            text = self._recognised_or(text, page)
        if layer.is_undecoded and not text.is_ocr:
            self.named["undecoded_text"].append(number)
        return text

    def _recognised_or(self, text: PageText, page: pdfium.PdfPage) -> PageText:
        """The page's text by OCR where that finds more than the few letters of `text`."""
        from rag.extract import ocr

        if not _may_show_more(page, text):
            return self._without_ocr(text, "blank_pages")
        if time.monotonic() > self.ocr_deadline:
            # Also where a few letters were read: what the picture says is not known.
            self.named["ocr_time"].append(text.number)
            return text
        width, height = page.get_size()
        scale = min(_OCR_SCALE, _OCR_MAX_PIXELS / max(width, height, 1.0))
        if min(width, height) * scale < _MIN_PIXELS:
            return self._without_ocr(text, "blank_pages")
        image = page.render(scale=scale, rev_byteorder=True).to_numpy()
        if ocr.is_blank(image):
            return self._without_ocr(text, "blank_pages")
        found = ocr.recognise(image)
        n_letters = _n_letters(text.segments)
        n_needed = n_letters + (_MORE_THAN_STAMP if n_letters >= _MIN_LETTERS else 0)
        if _n_letters(found.segments) <= n_needed:
            return self._without_ocr(text, "pages_without_text")
        self.confidence.append((text.number, round(found.confidence, 4)))
        return recognised_page(found, text.number, scale)

    def _without_ocr(self, text: PageText, code: str) -> PageText:
        if not text.segments:
            self.named[code].append(text.number)
        return text


def pages_to_read(document: str, n_pages: int, limits: ExtractionLimits) -> range:
    """The pages that the limits ask for, from 1; `document` names the file in sentences: ``The PDF``.

    Raises:
        NoText: none of them is there.
        ResourceLimit: more pages than the limit.
    """
    first, last = limits.pages or (1, n_pages)
    numbers = range(max(1, first), min(last, n_pages) + 1)
    if not numbers:
        wanted = listed_pages(range(first, last + 1))
        raise NoText(
            f"{document} has {count_of(n_pages, 'page')}; {wanted} {'is' if first == last else 'are'} not there.",
            next_step=f"Choose pages between 1 and {n_pages:,}.",
        )
    if len(numbers) > limits.max_pages:
        raise ResourceLimit(
            f"{document} has {count_of(n_pages, 'page')}; at most {limits.max_pages:,} are read."
        )
    return numbers


def recognised_page(found: RecognisedText, number: int, scale: float) -> PageText:
    """A recognised picture of `scale` pixels a point as a page in points."""
    segments = tuple(
        Segment(item.text, item.x0 / scale, item.x1 / scale, item.top / scale, item.bottom / scale)
        for item in found.segments
    )
    return PageText(number, segments, found.width / scale, found.height / scale, is_ocr=True)


def _n_letters(segments: Sequence[Segment]) -> int:
    """Letters and digits of the segments."""
    return sum(char.isalnum() for segment in segments for char in segment.text)


def text_pages(document: pdfium.PdfDocument, numbers: Sequence[int], *, max_chars: int) -> list[PageText]:
    """The text layers of pages around those that are read, without OCR; damaged ones left out."""
    import pypdfium2 as pdfium

    pages = []
    for number in numbers:
        try:
            page = document[number - 1]
        except pdfium.PdfiumError:
            continue
        try:
            pages.append(read_text_layer(page, number, max_chars=max_chars).page)
        finally:
            page.close()
    return pages


def _may_show_more(page: pdfium.PdfPage, text: PageText) -> bool:
    """The page draws something that its text layer does not say: a picture of it may show words."""
    from pypdfium2 import raw

    if not text.segments:
        return bool(raw.FPDFPage_CountObjects(page.raw) > 0)
    return any(item.type != raw.FPDF_PAGEOBJ_TEXT for item in page.get_objects(max_depth=1))
