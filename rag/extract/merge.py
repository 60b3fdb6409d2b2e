"""Some pages of a document read again, put in the place of the old ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rag.extract.canonical import CanonicalBuilder
from rag.extract.page_warnings import (
    MISSING_CODES,
    PAGE_CODES,
    PARTIAL_CODES,
    mean_confidence,
    ocr_warning,
    page_coverage,
    page_warning,
    pages_of,
)
from rag.types import Extraction, ExtractionWarning, Span


def merge_pages(old: Extraction, new: Extraction, first: int, last: int) -> Extraction:
    """`old` with its pages `first` to `last` (from 1, both included) taken from `new`.

    `new` is what `rag.extract_file` gave with ``ExtractionLimits(pages=(first, last))``; its other
    pages are ignored, and a page that it could not read though `old` did stays as it was. The text is
    laid out anew, so all offsets from page `first` on may differ. Title, attachments and extractor
    stay the old ones: the other pages were read by that version. What is counted for the whole file
    only (removed lines, hidden characters) keeps the larger count.

    Raises:
        ValueError: the range is empty, the formats differ, or a span has no page.
    """
    if not 1 <= first <= last:
        raise ValueError("the range of pages is empty")
    if old.format != new.format or old.coverage.unit != "page" or new.coverage.unit != "page":
        raise ValueError("only pages of one format can be merged")
    old_missing, new_missing = _missing_pages(old), _missing_pages(new)
    renewed = frozenset(range(first, last + 1)) - (new_missing - old_missing)
    text, spans = _laid_out(old, new, renewed)
    missing = sorted((old_missing - renewed) | (new_missing & renewed))
    page_confidence = tuple(
        sorted(
            [page for page in old.page_confidence if page[0] not in renewed]
            + [page for page in new.page_confidence if page[0] in renewed]
        )
    )
    warnings = tuple(_warnings(old, new, renewed, page_confidence))
    return replace(
        old,
        text=text,
        spans=spans,
        coverage=page_coverage(old.coverage.total, missing),
        is_partial=bool(missing) or _is_partial_otherwise(old, new, warnings),
        ocr_confidence=mean_confidence(page_confidence) if page_confidence else None,
        page_confidence=page_confidence,
        warnings=warnings,
    )


def _laid_out(old: Extraction, new: Extraction, renewed: frozenset[int]) -> tuple[str, tuple[Span, ...]]:
    kept = [(old, at) for at, span in enumerate(old.spans) if _page(span) not in renewed]
    fresh = [(new, at) for at, span in enumerate(new.spans) if _page(span) in renewed]
    builder = CanonicalBuilder(2 * (len(old.text) + len(new.text)) + 4)
    table, previous = 0, (old, -1)
    for source, at in sorted([*kept, *fresh], key=lambda place: _page(place[0].spans[place[1]])):
        span = source.spans[at]
        follows = previous[0] is source and previous[1] == at - 1 >= 0
        # Rows of one table are parted by a line end, everything else by a blank line.
        if not follows or source.text[source.spans[at - 1].end : span.start] != "\n":
            table += 1
        text = source.text[span.start : span.end]
        builder.add(text, span.kind, span.locator, table_header=span.table_header, table=table)
        previous = (source, at)
    return builder.text(), builder.spans()


def _page(span: Span) -> int:
    if span.locator.page is None:
        raise ValueError("a span has no page")
    return span.locator.page


def _missing_pages(extraction: Extraction) -> frozenset[int]:
    """The pages without text; its coverage names at most 50 of them."""
    return frozenset(page for code in MISSING_CODES for page in pages_of(extraction.warnings, code))


def _warnings(
    old: Extraction, new: Extraction, renewed: frozenset[int], page_confidence: Sequence[tuple[int, float]]
) -> Iterator[ExtractionWarning]:
    """As a reader tells them: what was removed, what was recognised, pages by code, the rest."""
    rest = _larger_by_code([*old.warnings, *new.warnings])
    removed = rest.pop("repeated_lines_removed", None)
    if removed is not None:
        yield removed
    rest.pop("ocr_used", None)
    if page_confidence:
        yield ocr_warning(page_confidence)
    for code in PAGE_CODES:
        rest.pop(code, None)
        pages = _pages(old, new, renewed, code)
        if pages:
            yield page_warning(code, pages)
    yield from rest.values()


def _pages(old: Extraction, new: Extraction, renewed: frozenset[int], code: str) -> list[int]:
    kept = (page for page in pages_of(old.warnings, code) if page not in renewed)
    return sorted({*kept, *(page for page in pages_of(new.warnings, code) if page in renewed)})


def _larger_by_code(warnings: Iterable[ExtractionWarning]) -> dict[str, ExtractionWarning]:
    larger: dict[str, ExtractionWarning] = {}
    for warning in warnings:
        known = larger.get(warning.code)
        if known is None or (known.count or 0) < (warning.count or 0):
            larger[warning.code] = warning
    return larger


def _is_partial_otherwise(old: Extraction, new: Extraction, warnings: Sequence[ExtractionWarning]) -> bool:
    """Something other than pages is missing, such as the end of the file."""
    codes = {warning.code for warning in warnings}
    if codes & PARTIAL_CODES:
        return True
    return (
        any(
            extraction.is_partial
            and extraction.coverage.read == extraction.coverage.total
            and not {warning.code for warning in extraction.warnings} & PARTIAL_CODES
            for extraction in (old, new)
        )
        or "file_cut_off" in codes
    )
