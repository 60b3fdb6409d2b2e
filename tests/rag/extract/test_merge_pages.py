"""Pages read again take the place of the old ones; every number is that of the whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from drawn_pdf import LOREM, lines, pdf, scan, wrapped
from extraction_checks import assert_sound, blocks
from hypothesis import given
from hypothesis import strategies as st

import rag
from rag.config import ExtractionLimits
from rag.extract.canonical import CanonicalBuilder
from rag.extract.page_warnings import mean_confidence, ocr_warning, page_coverage, page_warning
from rag.types import Coverage, Extraction, Locator

READ, BLANK, LATE = "read", "blank", "late"
Page = tuple[str, list[tuple[str, str]], float | None]
"""State, blocks as (kind, words), and confidence where it was recognised."""

PAGES = st.one_of(
    st.tuples(
        st.just(READ),
        st.lists(
            st.tuples(
                st.sampled_from(["heading", "paragraph", "table_row"]), st.text("abcé. ", min_size=1)
            ).filter(lambda block: block[1].strip()),
            min_size=1,
            max_size=4,
        ),
        st.none() | st.sampled_from([0.5, 0.75, 1.0]),
    ),
    st.tuples(st.sampled_from([BLANK, LATE]), st.just([]), st.none()),
)


def extraction_of(pages: dict[int, Page]) -> Extraction:
    """What a reader gives for pages of these numbers."""
    builder = CanonicalBuilder(100_000)
    for number, (_, parts, _) in sorted(pages.items()):
        for kind, words in parts:
            table = number if kind == "table_row" else None
            builder.add(words, kind, Locator(page=number), table=table)  # type: ignore[arg-type]
    late = [number for number, page in sorted(pages.items()) if page[0] == LATE]
    blank = [number for number, page in sorted(pages.items()) if page[0] == BLANK]
    confidence = tuple((number, page[2]) for number, page in sorted(pages.items()) if page[2] is not None)
    warnings = [ocr_warning(confidence)] if confidence else []
    warnings += [page_warning("ocr_time", late)] if late else []
    warnings += [page_warning("blank_pages", blank)] if blank else []
    return Extraction(
        "Handbook",
        builder.text(),
        builder.spans(),
        "pdf",
        "pdf/2",
        page_coverage(len(pages), late),
        is_partial=bool(late),
        ocr_confidence=mean_confidence(confidence) if confidence else None,
        page_confidence=confidence,
        warnings=tuple(warnings),
    )


@st.composite
def rereadings(draw: st.DrawFn) -> tuple[list[Page], dict[int, Page], int, int]:
    pages = draw(st.lists(PAGES, min_size=1, max_size=8))
    first = draw(st.integers(1, len(pages)))
    last = draw(st.integers(first, len(pages)))
    return pages, {number: draw(PAGES) for number in range(first, last + 1)}, first, last


@given(rereadings())
def test_the_merged_reading_is_that_of_the_merged_pages(
    rereading: tuple[list[Page], dict[int, Page], int, int],
) -> None:
    pages, again, first, last = rereading
    old = dict(enumerate(pages, start=1))
    # A page that was read and now is late keeps what it had.
    renewed = {number: page for number, page in again.items() if page[0] != LATE or old[number][0] == LATE}
    merged = rag.merge_pages(extraction_of(old), extraction_of(again), first, last)
    assert merged == extraction_of(old | renewed)
    if merged.spans:
        assert_sound(merged)


@given(st.lists(PAGES, min_size=1, max_size=8))
def test_merging_a_reading_with_itself_changes_nothing(pages: list[Page]) -> None:
    whole = extraction_of(dict(enumerate(pages, start=1)))
    assert rag.merge_pages(whole, whole, 1, len(pages)) == whole


def test_more_than_fifty_missing_pages_are_still_counted() -> None:
    late: Page = (LATE, [], None)
    old = extraction_of({1: (READ, [("paragraph", "a")], None)} | dict.fromkeys(range(2, 101), late))
    new = extraction_of({90: (READ, [("paragraph", "b")], 0.9), 91: late})
    merged = rag.merge_pages(old, new, 90, 91)
    assert (merged.coverage.read, merged.coverage.total) == (2, 100)
    assert len(merged.coverage.missing) == 50
    assert merged.is_partial


def test_pages_that_a_sentence_has_no_room_for_are_not_forgotten() -> None:
    late, page = (LATE, [], None), (READ, [("paragraph", "a")], None)
    pages: dict[int, Page] = {number: late if number % 2 else page for number in range(1, 241)}
    merged = rag.merge_pages(extraction_of(pages), extraction_of({1: page}), 1, 1)
    assert merged == extraction_of(pages | {1: page})
    assert merged.warnings[0].count == 119


def test_what_is_missing_beside_pages_stays_missing() -> None:
    cut_off = rag.ExtractionWarning("file_cut_off", "The end of the file is missing.")
    old = extraction_of({1: (READ, [("paragraph", "a")], None), 2: (LATE, [], None)})
    old = replace(old, warnings=(*old.warnings, cut_off))
    merged = rag.merge_pages(old, extraction_of({2: (READ, [("paragraph", "b")], None)}), 2, 2)
    assert merged.coverage.missing == ()
    assert merged.is_partial
    assert merged.warnings == (cut_off,)


def test_what_cannot_be_merged_is_a_fault_of_the_caller() -> None:
    page = extraction_of({1: (READ, [("paragraph", "a")], None)})
    with pytest.raises(ValueError, match="empty"):
        rag.merge_pages(page, page, 2, 1)
    with pytest.raises(ValueError, match="one format"):
        rag.merge_pages(page, replace(page, format="image"), 1, 1)
    with pytest.raises(ValueError, match="pages of one format"):
        rag.merge_pages(replace(page, coverage=Coverage("row", 1, 1)), page, 1, 1)


def test_a_scan_that_had_no_time_is_added_later(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def page(canvas: Any) -> None:
        lines(canvas, wrapped(LOREM, 80))

    data = pdf(page, scan(["Hotel limit is 120 euros"]), page)
    whole = read(data, "a.pdf")
    with monkeypatch.context() as patch:
        patch.setattr("rag.extract.pdf._OCR_TIME_SHARE", 0)
        late = read(data, "a.pdf")
    assert late.coverage.missing == ("2",)
    merged = rag.merge_pages(late, read(data, "a.pdf", ExtractionLimits(pages=(2, 2))), 2, 2)
    # Which headings stand over the pages after it is not told anew.
    assert [span.locator.page for span in merged.spans] == [span.locator.page for span in whole.spans]
    assert replace(merged, spans=whole.spans) == whole
    assert blocks(merged)[1].replace(" ", "") == "Hotellimitis120euros"
