"""Each span of a generated PDF leads back to its page, as another reader of the file sees it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, islice

import pypdfium2
from drawn_pdf import LEADING, LEFT, Draw, lines, pdf, wrapped
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from rag.chunk import chunk_document
from rag.types import Extraction

Page = tuple[list[tuple[str, int]], int]
"""Blocks as (kind, number of words), and the rotation in degrees."""

BLOCKS = st.one_of(
    st.tuples(st.just("heading"), st.integers(1, 4)),
    st.tuples(st.just("paragraph"), st.integers(1, 60)),
    st.tuples(st.just("table"), st.just(9)),
)
PAGES = st.lists(
    st.tuples(st.lists(BLOCKS, max_size=4), st.sampled_from([0, 90, 180, 270])), min_size=1, max_size=5
)


def file_of(pages: list[Page]) -> bytes:
    """Every word stands once in the file: what repeats would be taken for running lines."""
    words = (f"w{number:06d}" for number in count())
    return pdf(*[drawn([(kind, list(islice(words, n))) for kind, n in parts], turn) for parts, turn in pages])


def drawn(parts: list[tuple[str, list[str]]], rotation: int) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(rotation)
        # reportlab swaps the sides of a page on its side, and keeps both for the pages that follow.
        canvas.setPageSize(A4 if rotation % 180 == 0 else (A4[1], A4[0]))
        y = 780.0
        for kind, words in parts:
            if kind == "heading":
                y = lines(canvas, [" ".join(words).capitalize()], y=y - 20, size=16)
            elif kind == "paragraph":
                y = lines(canvas, wrapped(" ".join(words), 80), y=y - 10)
            else:
                for row in range(3):
                    for column in range(3):
                        x = LEFT + 160 * column
                        lines(canvas, [words[3 * row + column]], x=x, y=y - 10 - row * LEADING)
                y -= 10 + 3 * LEADING

    return draw


def words_of_pages(data: bytes) -> list[list[str]]:
    """The words of each page, read by PDFium alone in the order in which they were drawn."""
    document = pypdfium2.PdfDocument(data)
    try:
        return [page.get_textpage().get_text_bounded().lower().split() for page in document]
    finally:
        document.close()


def words_in(extraction: Extraction, start: int, end: int) -> list[str]:
    return [word for word in extraction.text[start:end].lower().split() if word != "|"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PAGES)
def test_each_span_holds_words_of_its_page(read: Callable[..., Extraction], pages: list[Page]) -> None:
    data = file_of(pages)
    on_page = words_of_pages(data)
    if not any(on_page):
        return
    extraction = read(data, "a.pdf")
    found: list[list[str]] = [[] for _ in pages]
    for span in extraction.spans:
        assert span.locator.page is not None
        found[span.locator.page - 1] += words_in(extraction, span.start, span.end)
    # A sentence that runs over the end of a page stands whole on the page where it begins.
    whole = [word for words in found for word in words]
    assert sorted(whole) == sorted(word for words in on_page for word in words)
    for number, words in enumerate(found):
        here = on_page[number] + (on_page[number + 1] if number + 1 < len(pages) else [])
        assert set(words) <= set(here)
        if words:
            assert words[0] in on_page[number]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PAGES)
def test_each_chunk_is_a_stretch_of_the_text_on_one_page(
    read: Callable[..., Extraction], pages: list[Page]
) -> None:
    data = file_of(pages)
    if not any(words_of_pages(data)):
        return
    extraction = read(data, "a.pdf")
    chunks = chunk_document(
        extraction,
        count_tokens=lambda texts: [len(text.split()) for text in texts],
        window_tokens=64,
        budget_chars=200,
    ).chunks
    assert chunks
    for chunk in chunks:
        assert extraction.text[chunk.start : chunk.end] == chunk.content
        assert {span.locator.page for span in chunk.spans} == {chunk.locator.page}
