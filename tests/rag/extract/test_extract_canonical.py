from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag.errors import ResourceLimit
from rag.extract.canonical import CanonicalBuilder, block_text, code_text, line_text, visible_text
from rag.extract.outline import HeadingTrail, choose_title
from rag.extract.wording import count_of, listed_pages
from rag.lexical import stems
from rag.types import Locator

WHERE = Locator()


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("Ａｂ１２：　ｶﾞ", "Ab12: ガ"),
        ("\U0001d400\U0001d7cf \u210e", "A1 h"),
        ("\ufefc \ufb2a", "\u0644\u0627 \u05e9\u05c1"),
        ("5㎞ 3㎡", "5km 3m²"),
        ("1\u202f200\u2009€ well\u2011known", "1 200 € well\u2010known"),
        ("cafe\u0301", "café"),
        ("reim\u00adburse\u200bment", "reimbursement"),
        ("a \t b\u00a0c", "a b c"),
        ("first  \n\n  second", "first\nsecond"),
        ("ignore\U000e0041\U000e0042 this", "ignore this"),
        ("\u202eevil\u202c", "evil"),
        ("of\ufb01ce", "office"),
        ("a\x00b\x07c", "abc"),
        ("line\u2028two\r\nthree\rfour", "line\ntwo\nthree\nfour"),
        ("na\u200dme", "name"),
        ("\u0645\u06cc\u200c\u0631\u0648\u062f", "\u0645\u06cc\u200c\u0631\u0648\u062f"),
    ],
)
def test_what_is_stored_is_normalised(raw: str, clean: str) -> None:
    assert block_text(raw) == clean


@pytest.mark.parametrize("kept", ["10² CO₂", "½ cup", "① then ②", "№ 4 ™", "90 ℃ …", "Ⅳ", "ª º", "µm", "⁇"])
def test_what_changes_the_meaning_is_kept(kept: str) -> None:
    assert block_text(kept) == kept
    assert unicodedata.normalize("NFKC", kept) != kept


ANY_TEXT = st.text(
    st.characters()
    | st.sampled_from(
        "\u00a0\u00ad\u200b\u200d\u200c\u2011\ufb01\uff21\u3000\ufe8d\u0301\u3099\u2126\r\n\t ab"
    )
)


@given(ANY_TEXT)
@example("\u2000")
@example("a\u2001\u0301b")
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    for normalise in (visible_text, block_text, line_text, code_text):
        once = normalise(text)
        assert normalise(once) == once
    assert unicodedata.is_normalized("NFC", visible_text(text))


@given(ANY_TEXT)
def test_nothing_invisible_is_left(text: str) -> None:
    clean = block_text(text)
    kinds = {unicodedata.category(char) for char in clean if char not in "\n\u200c\u200d"}
    assert not kinds & {"Cc", "Cs", "Zl", "Zp"}
    assert not set(clean) & set("\u00ad\u00a0\u200b\u200e\u202e\u2060\ufeff\U000e0041")
    assert all(char == " " or not char.isspace() for char in clean if char != "\n")


@given(ANY_TEXT)
def test_a_search_finds_each_word_however_it_was_written(text: str) -> None:
    assert stems(block_text(text)) == stems(text)


def test_emoji_sequences_stay_together() -> None:
    assert line_text("\U0001f469\u200d\U0001f4bb") == "\U0001f469\u200d\U0001f4bb"


def test_code_keeps_its_indentation() -> None:
    assert code_text("\n\ndef f():  \n\treturn 1\n\n") == "def f():\n    return 1"


def test_blocks_are_parted_by_a_blank_line_and_rows_of_one_table_by_a_line_end() -> None:
    builder = CanonicalBuilder(1000)
    builder.add("Limits", "heading", WHERE)
    builder.add("a | b", "table_row", WHERE, table=1)
    builder.add("1 | 2", "table_row", WHERE, table_header="a |  b ", table=1)
    builder.add("3 | 4", "table_row", WHERE, table=2)
    assert builder.text() == "Limits\n\na | b\n1 | 2\n\n3 | 4"
    assert builder.spans()[2].table_header == "a | b"


def test_invisible_blocks_are_not_added() -> None:
    builder = CanonicalBuilder(1000)
    assert not builder.add(" \u200b\n", "paragraph", WHERE)
    assert builder.spans() == ()


def test_the_length_limit_is_a_resource_limit() -> None:
    builder = CanonicalBuilder(20)
    builder.add("x" * 15, "paragraph", WHERE)
    with pytest.raises(ResourceLimit):
        builder.add("y" * 10, "paragraph", WHERE)


@given(
    st.lists(
        st.tuples(st.text(max_size=60), st.sampled_from(["paragraph", "code", "table_row"])), max_size=20
    )
)
def test_spans_cover_the_text_in_order(items: list[tuple[str, str]]) -> None:
    builder = CanonicalBuilder(100_000)
    for text, kind in items:
        builder.add(text, kind, WHERE, table=1 if kind == "table_row" else None)  # type: ignore[arg-type]
    text = builder.text()
    position = 0
    for span in builder.spans():
        assert text[position : span.start] in (("",) if position == 0 else ("\n", "\n\n"))
        block = text[span.start : span.end]
        assert block == block.strip() != ""
        position = span.end
    assert position == len(text)
    text.encode()  # no lone surrogate is left


def test_a_heading_closes_those_of_its_level_and_below() -> None:
    trail = HeadingTrail()
    trail.enter(1, "Travel")
    trail.enter(2, "Hotels")
    assert trail.enter(3, "Limits") == ("Travel", "Hotels", "Limits")
    assert trail.enter(2, "Trains") == ("Travel", "Trains")


@pytest.mark.parametrize(
    "placeholder", ["Untitled", "Microsoft Word - Document1", "policy.docx", "", None, "--"]
)
def test_placeholders_are_no_titles(placeholder: str | None) -> None:
    assert choose_title((placeholder, "Travel policy"), "x.pdf") == "Travel policy"
    assert choose_title((placeholder,), "travel_policy.pdf") == "travel policy"


def test_a_program_prefix_is_cut_from_a_title() -> None:
    assert choose_title(("Microsoft Word - Travel policy",), "x.pdf") == "Travel policy"


def test_counts_read_well() -> None:
    assert (count_of(1, "page"), count_of(1200, "page")) == ("1 page", "1,200 pages")
    assert listed_pages([4]) == "page 4"
    assert listed_pages([1, 2, 3, 7, 9, 10]) == "pages 1–3, 7, 9–10"
    assert listed_pages([*range(1, 100, 2), 200, 201]).endswith("97, 99 and 2 more")
