"""What is told of pages: coverage and warnings."""

from __future__ import annotations

from collections.abc import Sequence

from rag.extract.wording import count_of, listed_pages
from rag.types import Coverage, ExtractionWarning

_SENTENCES = {
    "ocr_time": "No time was left to recognise the text of {pages}.",
    "read_time": "No time was left to read {pages}.",
    "pages_without_text": "No text was recognised on {pages}.",
    "damaged_pages": "Damaged and not read: {pages}.",
    "undecoded_text": "The fonts do not tell all letters of {pages}; what could be read was kept.",
    "blank_pages": "Nothing is printed on {pages}.",
}
PAGE_CODES = tuple(_SENTENCES)
"""Codes of the warnings that name pages, in the order in which they are told."""
MISSING_CODES = frozenset(("ocr_time", "read_time", "pages_without_text", "damaged_pages"))
"""Pages whose text is missing."""
PARTIAL_CODES = frozenset(("undecoded_text",))
"""Pages that were read in part."""


def page_coverage(n_pages: int, missing: Sequence[int]) -> Coverage:
    """How many of `n_pages` were read; at most 50 of the missing ones are named."""
    named = tuple(str(page) for page in missing[: Coverage.MAX_MISSING])
    return Coverage("page", n_pages - len(missing), n_pages, named)


def page_warning(code: str, pages: Sequence[int]) -> ExtractionWarning:
    """The warning that names these pages; its count is their number."""
    return ExtractionWarning(
        code, _SENTENCES[code].format(pages=listed_pages(pages)), len(pages), tuple(pages)
    )


def pages_of(warnings: Sequence[ExtractionWarning], code: str) -> tuple[int, ...]:
    """The pages that the warnings of this code speak of."""
    return tuple(page for warning in warnings if warning.code == code for page in warning.pages)


def ocr_warning(page_confidence: Sequence[tuple[int, float]]) -> ExtractionWarning:
    """Which pages were recognised, and how surely."""
    pages = [page for page, _ in page_confidence]
    mean = mean_confidence(page_confidence)
    message = f"Text recognised by OCR on {listed_pages(pages)}; mean confidence {mean:.2f}."
    return ExtractionWarning("ocr_used", message, len(pages))


def mean_confidence(page_confidence: Sequence[tuple[int, float]]) -> float:
    """Mean over pages, in [0, 1]."""
    return sum(score for _, score in page_confidence) / len(page_confidence)


def running_lines_warning(n_lines: int) -> ExtractionWarning:
    """Headers, footers and page numbers that are no content."""
    return ExtractionWarning(
        "repeated_lines_removed",
        f"Repeated headers, footers and page numbers: {count_of(n_lines, 'line')} removed.",
        n_lines,
    )
