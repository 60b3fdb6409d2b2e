from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from extraction_checks import blocks, warning_counts

from rag.config import ExtractionLimits
from rag.errors import NoText, ResourceLimit


def rtf(body: str, head: str = "") -> bytes:
    return f"{{\\rtf1\\ansi\\ansicpg1252\\deff0{head}{body}}}".encode("latin-1")


STYLES = "{\\stylesheet{\\s0 Normal;}{\\s1\\outlinelevel0 Section;}{\\s2 heading 2;}{\\s3 Title;}}"


def test_headings_paragraphs_and_lists(read: Any) -> None:
    body = (
        "\\pard\\s3 Travel\\par\\pard Ask first.\\par\\pard\\s1 Hotels\\par\\pard\\s2 Limits\\par"
        "\\pard {\\listtext\\'b7\\tab}\\ls1 Book early.\\par{\\listtext\\'b7\\tab}Keep receipts.\\par"
        "\\pard\\plain Done.\\line Really.\\par"
    )
    extraction = read(rtf(body, STYLES), "a.rtf")
    assert [(span.kind, extraction.text[span.start : span.end]) for span in extraction.spans] == [
        ("heading", "Travel"),
        ("paragraph", "Ask first."),
        ("heading", "Hotels"),
        ("heading", "Limits"),
        ("list_item", "Book early."),
        ("list_item", "Keep receipts."),
        ("paragraph", "Done.\nReally."),
    ]
    assert extraction.spans[-1].locator.heading_path == ("Travel", "Hotels", "Limits")
    assert (extraction.title, extraction.encoding) == ("Travel", "cp1252")


def test_the_stored_title_comes_first(read: Any) -> None:
    info = "{\\info{\\title Travel policy 2024}{\\author Ada}}"
    assert read(rtf("Text.\\par", info), "a.rtf").title == "Travel policy 2024"


def row(*cells: str, definition: str = "") -> str:
    edges = definition or "".join(f"\\cellx{1000 * n}" for n in range(1, len(cells) + 1))
    return f"\\trowd{edges}\\pard\\intbl " + "".join(f"{cell}\\cell " for cell in cells) + "\\row "


def test_rows_of_tables_stay_together(read: Any) -> None:
    merged = "\\clvmrg\\cellx1000\\cellx2000"
    body = (
        "Before.\\par " + row("Country", "City") + row("Norway", "Oslo\\par east")
        + row("", "Bergen", definition=merged) + "\\pard After.\\par " + row("A", "B")
    )  # fmt: skip
    extraction = read(rtf(body), "a.rtf")
    assert blocks(extraction) == [
        "Before.",
        "Country | City",
        "Norway | Oslo east",
        "Norway | Bergen",
        "After.",
        "A | B",
    ]
    assert [span.table_header for span in extraction.spans] == [
        None, None, "Country | City", "Country | City", None, None,
    ]  # fmt: skip
    assert "Country | City\nNorway | Oslo east\nNorway | Bergen\n\nAfter." in extraction.text


def test_notes_and_boxes_are_kept_and_the_rest_is_counted(read: Any) -> None:
    body = (
        "{\\header Internal\\par}{\\footerf Page one\\par}\\pard\\s1 Hotels\\par\\pard "
        "The limit{\\footnote\\pard See annex.} is 120{\\*\\annotation Is it?}"
        "{\\v  secret}{\\deleted  100}{\\deleted  90} EUR."
        "{\\shp{\\*\\shpinst{\\sp{\\sn a}{\\sv b}}{\\shptxt Boxed.\\par}}{\\shprslt Boxed.}}\\par Last.\\par"
        "\\pard\\s1 Cars\\par"
    )
    extraction = read(rtf(body, STYLES), "a.rtf")
    assert blocks(extraction) == ["Hotels", "The limit is 120 EUR.", "Boxed.", "Last.", "Cars", "See annex."]
    assert extraction.spans[-1].locator.heading_path == ("Hotels",)
    assert warning_counts(extraction) == {
        "hidden_text_dropped": 6,
        "deleted_text_dropped": 1,
        "comments_dropped": 1,
        "headers_footers_dropped": 2,
    }


def test_links_show_their_words_and_pictures_nothing(read: Any) -> None:
    link = '{\\field{\\*\\fldinst HYPERLINK "https://example.org"}{\\fldrslt the rules}}'
    picture = "{\\*\\shppict{\\pict\\pngblip 89504e47}}{\\pict\\bin6 {}}{}}}"
    assert read(rtf(f"See {link}.{picture} End.\\par"), "a.rtf").text == "See the rules. End."


@pytest.mark.parametrize(
    ("body", "head", "text"),
    [
        ("M\\'fcnchen", "", "München"),
        ("\\u252?ber", "", "über"),
        ("\\uc2\\u252 ??ber", "", "über"),
        ("{\\uc0\\u-10179\\u-8704}x", "", "\U0001f600x"),
        (
            "\\f1 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2",
            "{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset204 Arial;}}",
            "Привет",
        ),
        ("\\f1 \\'83\\'5b\\'83\\'8b", "{\\fonttbl{\\f1\\fcharset128 Mincho;}}", "ゼル"),
        ("a\\emdash b\\~c\\{d\\}\\\\", "", "a—b c{d}\\"),
        ("one\\\ntwo", "", "one two"),
    ],
)
def test_characters(read: Any, body: str, head: str, text: str) -> None:
    assert " ".join(read(rtf(f"{body}\\par", head), "a.rtf").text.split()) == " ".join(text.split())


def test_what_cannot_be_decoded_is_counted(read: Any) -> None:
    extraction = read(rtf("\\f1 ok \\'83\\par", "{\\fonttbl{\\f1\\fcharset128 Mincho;}}"), "a.rtf")
    assert extraction.is_partial
    assert extraction.warnings[0].code == "undecodable_characters"


def test_a_file_cut_off_is_partial_and_what_follows_the_end_is_no_text(read: Any) -> None:
    whole = rtf("First.\\par{\\b Second}\\par")
    assert read(whole + b"\n\x00 trailing words", "a.rtf").text == "First.\n\nSecond"
    extraction = read(whole[:-10], "a.rtf")
    assert extraction.is_partial
    assert extraction.warnings[0].code == "file_cut_off"
    assert extraction.text.startswith("First.")


def test_limits_and_empty_files_have_a_reason(read: Any) -> None:
    with pytest.raises(ResourceLimit, match="deeply"):
        read(rtf("{" * 5000), "a.rtf")
    with pytest.raises(ResourceLimit, match="cells"):
        read(rtf(row(*"abcdef")), "a.rtf", ExtractionLimits(max_cells=5))
    with pytest.raises(NoText):
        read(rtf("\\pard\\par"), "a.rtf")


@pytest.mark.shared
def test_a_real_document(read: Any, shared_data: Path) -> None:
    extraction = read(shared_data / "docs_mixed/rtf/healthy/tika__testRTFVarious.rtf", "various.rtf")
    assert {"Here is a text box", "This is a footnote.", "ゾルゲと尾崎、淡々と最期", "𐌲𐌿𐍄𐌹𐍃𐌺"} <= set(
        blocks(extraction)
    )
    assert blocks(extraction, "table_row")[1] == "Row 2 Col 1 | Row 2 Col 2 | Row 2 Col 3"
    assert blocks(extraction, "list_item")[0] == "Bullet 1"


def test_raised_and_lowered_text_keeps_its_meaning(read: Any) -> None:
    body = "\\pard 10{\\super 6} newton, note\\super 3\\nosupersub . H{\\sub 2}O, x{\\up6 abc}.\\par"
    assert read(rtf(body), "a.rtf").text == "10⁶ newton, note³. H₂O, x^abc."


def test_struck_text_is_dropped_and_counted(read: Any) -> None:
    extraction = read(rtf("Price is {\\strike 100}\\striked1 90\\striked0 80 euros\\par"), "a.rtf")
    assert extraction.text == "Price is 80 euros"
    assert warning_counts(extraction) == {"struck_text_dropped": 1}


def test_pictures_and_objects_are_counted(read: Any) -> None:
    picture = "{\\*\\shppict{\\pict\\pngblip 00}}{\\nonshppict{\\pict 00}}"
    embedded = "{\\object\\objemb{\\*\\objdata 00}{\\result{\\pict 00}}}"
    extraction = read(rtf(f"\\pard See {picture} and {embedded}.\\par"), "a.rtf")
    assert extraction.text == "See and ."
    assert warning_counts(extraction) == {"pictures_not_read": 2}
