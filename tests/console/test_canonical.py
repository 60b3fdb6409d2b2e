"""The text window loses no character, marks exactly the cited ones, and never grows with the text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import rag
from console.sources import canonical
from console.sources.canonical import page_at, text_window
from tests.console.conftest import extraction

BLOCKS = st.lists(st.text("ab \n", min_size=1, max_size=12).filter(str.strip), min_size=1, max_size=8)


def made_of(blocks: list[str]) -> rag.Extraction:
    spans, at = [], 0
    for number, block in enumerate(blocks):
        spans.append(rag.Span(at, at + len(block), "paragraph", rag.Locator(page=number // 2 + 1)))
        at += len(block) + 2
    return extraction("\n\n".join(blocks), spans)


def pieces(window: canonical.TextWindow) -> list[canonical.Piece]:
    return [piece for block in window.blocks for piece in block.pieces]


@given(blocks=BLOCKS, data=st.data())
def test_every_block_is_shown_once_and_only_the_cited_is_marked(
    blocks: list[str], data: st.DataObject
) -> None:
    text = made_of(blocks)
    start = data.draw(st.integers(0, len(text.text) - 1))
    end = data.draw(st.integers(start + 1, len(text.text)))
    border = data.draw(st.integers(0, len(text.text) - 1))
    window = text_window(text, chunks=[(0, border), (border, len(text.text))], cited=(start, end), at=None)
    assert ["".join(piece.text for piece in block.pieces) for block in window.blocks] == blocks
    marked = "".join(piece.text for piece in pieces(window) if piece.is_cited)
    in_blocks = "".join(
        text.text[max(s.start, start) : min(s.end, end)]
        for s in text.spans
        if s.end > start and s.start < end
    )
    assert marked == in_blocks


def test_chunk_borders_are_numbered_where_they_begin() -> None:
    text = made_of(["One. Two.", "Three."])
    window = text_window(text, chunks=[(0, 5), (5, 9), (11, 17)], cited=(5, 9), at=None)
    assert [(p.border, p.text) for p in pieces(window)] == [(1, "One. "), (2, "Two."), (3, "Three.")]
    assert [p.is_cited_chunk for p in pieces(window)] == [False, True, False]


def test_places_are_said_where_they_change() -> None:
    window = text_window(made_of(["a", "b", "c"]), chunks=[], cited=None, at=None)
    assert [block.place for block in window.blocks] == ["page 1", "", "page 2"]
    assert page_at(made_of(["a", "b", "c"]), 6) == 2


def test_a_span_outside_the_text_is_no_error() -> None:
    for cited in ((0, 99), (5, 5), (9, 3)):
        assert not text_window(made_of(["short"]), chunks=[], cited=cited, at=None).is_cited_found


def test_a_huge_text_is_cut_to_a_window_around_the_citation() -> None:
    text = made_of([f"Paragraph {n} " + "word " * 40 for n in range(2_000)])
    middle = text.spans[1_000]
    window = text_window(text, chunks=[], cited=(middle.start, middle.end), at=None)
    assert window.is_cited_found
    assert sum(len(piece.text) for piece in pieces(window)) <= canonical.WINDOW_CHARS
    assert any(piece.is_first_cited for piece in pieces(window))
    assert window.before is not None
    assert window.after is not None


def test_the_windows_of_a_huge_text_cover_it_without_a_gap() -> None:
    text = made_of([f"Paragraph {n} " + "word " * 40 for n in range(700)])
    at, seen = 0, []
    while at is not None:
        window = text_window(text, chunks=[], cited=None, at=at)
        seen += [block.start for block in window.blocks]
        at = window.after
    assert {span.start for span in text.spans} <= set(seen)


def test_text_without_spans_is_shown() -> None:
    window = text_window(extraction("bare", []), chunks=[], cited=(1, 3), at=None)
    assert [(p.text, p.is_cited) for p in pieces(window)] == [("b", False), ("ar", True), ("e", False)]
