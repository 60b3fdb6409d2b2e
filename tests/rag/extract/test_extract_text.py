from __future__ import annotations

import codecs
from typing import Any

import pytest
from extraction_checks import blocks

from rag.config import ExtractionLimits
from rag.errors import NoText, ResourceLimit, UnsupportedFormat

FRENCH = "Les dépenses d'hôtel sont limitées à 120 euros par nuit. Le café est remboursé après accord du responsable."
WESTERN = "The “travel limit” is €120 – ask your manager’s approval before booking a hôtel."
CHINESE = "酒店费用每晚不得超过五百元。出差前必须获得经理的批准。"
JAPANESE = "ホテルの料金は一泊一万二千円までです。出張の前に上司の承認を得てください。"
RUSSIAN = "Стоимость гостиницы не должна превышать пяти тысяч рублей за ночь. Получите согласие руководителя."


@pytest.mark.parametrize(
    ("text", "codec", "recorded"),
    [
        (FRENCH, "utf-8", "utf-8"),
        (FRENCH, "utf-8-sig", "utf-8-sig"),
        (WESTERN, "utf-16", "utf-16"),
        (FRENCH, "utf-16-le", "utf-16-le"),
        (FRENCH, "utf-16-be", "utf-16-be"),
        (FRENCH, "latin-1", "latin-1"),
        (WESTERN, "cp1252", "cp1252"),
        (CHINESE, "gb18030", "gb18030"),
        (JAPANESE, "shift-jis", "shift_jis"),
        (RUSSIAN, "koi8-r", "koi8-r"),
        (RUSSIAN, "cp1251", "cp1251"),
    ],
)
def test_encodings_are_read_right_and_recorded(read: Any, text: str, codec: str, recorded: str) -> None:
    extraction = read(text.encode(codec), "policy.txt")
    assert extraction.text == text
    assert extraction.encoding == recorded
    assert not extraction.is_partial
    assert extraction.warnings == ()


def test_much_that_cannot_be_decoded_makes_the_document_partial(read: Any) -> None:
    data = (FRENCH * 3).encode() + b" \xff\xfe\xff" * 5
    extraction = read(data, "policy.txt")
    assert extraction.is_partial
    assert [warning.code for warning in extraction.warnings] == ["undecodable_characters"]


def test_one_bad_byte_is_reported_but_not_partial(read: Any) -> None:
    extraction = read((FRENCH * 20).encode() + b" \xff end", "policy.txt")
    assert not extraction.is_partial
    assert extraction.warnings[0].code == "undecodable_characters"


def test_replacement_characters_of_an_earlier_accident_count(read: Any) -> None:
    assert read(("caf\ufffd " * 20).encode(), "policy.txt").is_partial


@pytest.mark.parametrize(
    "data", [bytes(range(256)) * 20, b"\x00" * 500 + b"abc", b"\x7fELF\x02\x01\x01" + b"\0" * 99]
)
def test_binary_data_is_no_text(read: Any, data: bytes) -> None:
    with pytest.raises(UnsupportedFormat):
        read(data, "notes.txt")


def test_only_blank_space_is_no_text(read: Any) -> None:
    with pytest.raises(NoText):
        read(codecs.BOM_UTF8 + b" \n\t\n", "notes.txt")


def test_paragraphs_headings_and_lists(read: Any) -> None:
    text = (
        "TRAVEL POLICY\n\nHotels cost at most 120 EUR a night, and breakfast is\nincluded in that amount.\n\n"
        "Trains\n------\nSecond class.\n- under four hours\n- with a rail card\n"
    )
    extraction = read(text.encode(), "policy.txt")
    assert extraction.title == "TRAVEL POLICY"
    assert [(span.kind, extraction.text[span.start : span.end]) for span in extraction.spans] == [
        ("heading", "TRAVEL POLICY"),
        ("paragraph", "Hotels cost at most 120 EUR a night, and breakfast is\nincluded in that amount."),
        ("heading", "Trains"),
        ("paragraph", "Second class."),
        ("list_item", "- under four hours"),
        ("list_item", "- with a rail card"),
    ]
    assert extraction.spans[-1].locator.heading_path == ("TRAVEL POLICY", "Trains")


def test_lines_that_a_margin_broke_are_joined(read: Any) -> None:
    line = "word " * 13
    extraction = read(f"{line}\n{line}\nend".encode(), "a.txt")
    assert "\n" not in extraction.text


def test_short_lines_keep_their_ends(read: Any) -> None:
    assert read(b"Main Street 1\n12345 Town", "a.txt").text == "Main Street 1\n12345 Town"


def test_the_length_limit(read: Any) -> None:
    with pytest.raises(ResourceLimit):
        read(b"word " * 1000, "a.txt", ExtractionLimits(max_chars=500))


def test_csv_rows_repeat_their_header(read: Any) -> None:
    extraction = read("City;Limit\nÅrhus;120\n\nBerlin;90\n".encode("latin-1"), "hotel_rates.csv")
    assert blocks(extraction) == ["City | Limit", "Århus | 120", "Berlin | 90"]
    assert [span.table_header for span in extraction.spans] == [None, "City | Limit", "City | Limit"]
    assert extraction.spans[2].locator.label == "hotel rates!A4:B4"
    assert (extraction.coverage.unit, extraction.coverage.read) == ("row", 3)


def test_csv_with_quoted_line_breaks_and_commas(read: Any) -> None:
    extraction = read(b'Rule,Text\n1,"Ask first,\nthen book."\n', "rules.csv")
    assert blocks(extraction) == ["Rule | Text", "1 | Ask first, then book."]


def test_a_csv_of_figures_has_no_header(read: Any) -> None:
    assert {span.table_header for span in read(b"1,2,3\n4,5,6\n", "n.csv").spans} == {None}


@pytest.mark.parametrize("opened", ['1,"open quote', '1,"a ""b', '1,"inch,x'])
@pytest.mark.parametrize("last", ["3,third", '3,"third"', '3,"three, or so"'])
def test_a_csv_quote_without_an_end_swallows_no_row(read: Any, opened: str, last: str) -> None:
    extraction = read(f"id,text\n{opened}\n2,second\n{last}\n".encode(), "n.csv")
    assert blocks(extraction)[1] == opened.replace(",", " | ")
    assert blocks(extraction)[2] == "2 | second"
    assert [(warning.code, warning.count) for warning in extraction.warnings] == [("unclosed_quotes", 1)]
    assert extraction.coverage.read == extraction.coverage.total == 4


def test_a_long_csv_cell_is_read_and_a_wide_row_refused(read: Any) -> None:
    assert len(read(b"id,text\n1," + b"word " * 40_000, "n.csv").text) > 199_000
    with pytest.raises(ResourceLimit, match="columns"):
        read(b"x," * 16_385, "n.csv")


def test_csv_cells_are_limited(read: Any) -> None:
    with pytest.raises(ResourceLimit):
        read(b"a,b\n" * 100, "n.csv", ExtractionLimits(max_cells=50))
