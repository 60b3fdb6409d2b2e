"""ODT and ODP."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from extraction_checks import blocks, warning_counts
from office_files import NAMESPACES, encrypted_manifest, open_document, zipped

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, EncryptedDocument, NoText, ResourceLimit

HIDDEN = (
    '<style:style style:name="hid" style:family="text"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="hidchild" style:parent-style-name="hid"/>'
    '<style:style style:name="up"><style:text-properties style:text-position="super 58%"/></style:style>'
    '<style:style style:name="down"><style:text-properties style:text-position="-33% 58%"/></style:style>'
    '<style:style style:name="old"><style:text-properties style:text-line-through-style="solid"/></style:style>'
    '<style:style style:name="upchild" style:parent-style-name="up"/>'
    '<style:style style:name="P1" style:parent-style-name="Title"/>'
    '<style:style style:name="hidpage"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
)


def odt(body: str, **parts: str) -> bytes:
    return open_document("text", body, automatic=HIDDEN, **parts)


def p(text: str) -> str:
    return f"<text:p>{text}</text:p>"


def h(level: int, text: str) -> str:
    return f'<text:h text:outline-level="{level}">{text}</text:h>'


def cell(text: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}>{p(text)}</table:table-cell>"


def table(*rows: str) -> str:
    return (
        f"<table:table>{''.join(f'<table:table-row>{row}</table:table-row>' for row in rows)}</table:table>"
    )


def test_body_order_headings_lists_and_tables(read: Any) -> None:
    items = f"<text:list><text:list-item>{p('Book early.')}<text:list><text:list-item>{p('Really.')}</text:list-item></text:list></text:list-item></text:list>"  # noqa: E501
    rows = table(cell("City") + cell("Limit"), cell("Oslo") + cell("120"))
    body = (
        '<text:p text:style-name="P1">Travel</text:p>' + p("Ask  first,<text:s text:c='3'/>then\n  book.")
        + h(1, "Hotels") + rows + f"<text:section>{h(2, 'Steps')}{items}</text:section>"
    )  # fmt: skip
    extraction = read(odt(body), "a.odt")
    assert [(span.kind, extraction.text[span.start : span.end]) for span in extraction.spans] == [
        ("heading", "Travel"),
        ("paragraph", "Ask first, then book."),
        ("heading", "Hotels"),
        ("table_row", "City | Limit"),
        ("table_row", "Oslo | 120"),
        ("heading", "Steps"),
        ("list_item", "Book early."),
        ("list_item", "Really."),
    ]
    assert extraction.spans[4].table_header == "City | Limit"
    assert extraction.spans[-1].locator.heading_path == ("Travel", "Hotels", "Steps")
    assert extraction.title == "Travel"


def test_merged_cells_repeat_what_is_above_and_repeated_rows_are_rows(read: Any) -> None:
    tall = cell("Norway", 'table:number-rows-spanned="2"')
    wide = cell("all", 'table:number-columns-spanned="2"')
    covered = "<table:covered-table-cell/>"
    rows = table(
        cell("Country") + cell("City") + cell("Limit"),
        tall + cell("Oslo") + cell("1"),
        covered + cell("Bergen") + cell("2"),
        wide + covered + cell("3"),
    )
    twice = f'<table:table-row table:number-rows-repeated="2">{cell("x")}{cell("y")}</table:table-row>'
    rows = rows.replace("</table:table>", f"{twice}</table:table>")
    assert blocks(read(odt(rows), "a.odt")) == [
        "Country | City | Limit",
        "Norway | Oslo | 1",
        "Norway | Bergen | 2",
        "all | | 3",
        "x | y",
        "x | y",
    ]


def test_repetitions_are_limited(read: Any) -> None:
    rows = f'<table:table><table:table-row table:number-rows-repeated="99999999">{cell("x")}{cell("y")}</table:table-row></table:table>'  # noqa: E501
    extraction = read(odt(rows), "a.odt", ExtractionLimits(max_cells=100))
    assert len(extraction.spans) <= 51


def test_notes_and_boxes_are_kept_and_the_rest_is_counted(read: Any) -> None:
    note = f'<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>{p("See annex.")}</text:note-body></text:note>'  # noqa: E501
    comment = f"<office:annotation><dc:creator>Ada</dc:creator>{p('Is it?')}</office:annotation>"
    box = f"<draw:frame><draw:text-box>{p('Boxed.')}</draw:text-box></draw:frame>"
    deleted = f"<text:tracked-changes><text:changed-region><text:deletion>{p('100')}</text:deletion></text:changed-region></text:tracked-changes>"  # noqa: E501
    hidden = '<text:span text:style-name="hidchild">secret</text:span>'
    body = (
        deleted + h(1, "Hotels") + p(f"The limit{note} is{comment} 120{hidden} EUR.{box}") + p("Last.")
        + h(1, "Cars") + f'<text:section text:display="none">{p("unseen")}</text:section>'
    )  # fmt: skip
    styles = (
        f"<office:document-styles {NAMESPACES}><office:master-styles><style:master-page>"
        f"<style:header>{p('Internal')}</style:header><style:footer>{p('Page one')}{p('')}</style:footer>"
        "</style:master-page></office:master-styles></office:document-styles>"
    )
    extraction = read(odt(body, styles=styles), "a.odt")
    assert blocks(extraction) == ["Hotels", "The limit is 120 EUR.", "Boxed.", "Last.", "Cars", "See annex."]
    assert extraction.spans[-1].locator.heading_path == ("Hotels",)
    assert warning_counts(extraction) == {
        "hidden_text_dropped": 12,
        "deleted_text_dropped": 1,
        "comments_dropped": 1,
        "headers_footers_dropped": 2,
    }


def test_the_stored_title_comes_first(read: Any) -> None:
    meta = f"<office:document-meta {NAMESPACES}><office:meta><dc:title>Travel 2024</dc:title></office:meta></office:document-meta>"  # noqa: E501
    assert read(odt(h(1, "Hotels"), meta=meta), "a.odt").title == "Travel 2024"


@pytest.mark.parametrize("kind", ["text", "presentation"])
def test_every_damage_has_a_reason(read: Any, kind: str) -> None:
    name = {"text": "a.odt", "presentation": "a.odp"}[kind]
    with pytest.raises(EncryptedDocument):
        read(open_document(kind, p("x"), **{"META-INF/manifest": encrypted_manifest()}), name)
    with pytest.raises(DamagedDocument):
        read(open_document(kind, "<text:p>"), name)
    with pytest.raises(ResourceLimit):
        read(open_document(kind, "<text:section>" * 3000 + "</text:section>" * 3000), name)
    with pytest.raises(NoText):
        read(open_document(kind, "<draw:page/>"), name)
    with pytest.raises(DamagedDocument, match="The OpenDocument file has no content"):
        read(zipped({"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": "<a/>"}), name)


def test_entities_are_not_expanded(read: Any) -> None:
    data = zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
            f"<office:document-content {NAMESPACES}><office:body><office:text>{p('A&x;B')}</office:text>"
            "</office:body></office:document-content>",
        }
    )
    assert read(data, "a.odt").text in ("A", "AB")


def frame(text: str, place: str = "", role: str = "") -> str:
    presentation = f'presentation:class="{role}"' if role else ""
    return f"<draw:frame {place} {presentation}><draw:text-box>{text}</draw:text-box></draw:frame>"


def odp(*pages: str) -> bytes:
    return open_document(
        "presentation",
        "".join(
            page if page.startswith("<draw:page") else f"<draw:page>{page}</draw:page>" for page in pages
        ),
        automatic=HIDDEN,
    )


def test_slides_in_reading_order_with_tables_and_notes(read: Any) -> None:
    notes = f"<presentation:notes>{frame(p('Say it twice.'), role='notes')}{frame(p('7'), role='page-number')}</presentation:notes>"  # noqa: E501
    rows = f'<draw:frame svg:y="12cm">{table(cell("City") + cell("Limit"), cell("Oslo") + cell("120"))}</draw:frame>'
    item = f"<text:list><text:list-item>{p('two')}</text:list-item></text:list>"
    first = (
        rows + frame(item, 'svg:x="14cm" svg:y="4cm"') + frame(p("Footer"), role="footer")
        + frame(p("one"), 'svg:x="10mm" svg:y="4.2cm"')
        + f'<draw:g><draw:custom-shape svg:y="3in">{p("three")}</draw:custom-shape></draw:g>'
        + frame(p("Hotels"), 'svg:y="1in"', "title") + notes
    )  # fmt: skip
    hidden = f'<draw:page draw:style-name="hidpage">{frame(p("secret"))}</draw:page>'
    pictured = "<draw:frame><draw:image/></draw:frame>"
    extraction = read(odp(first, hidden, pictured, "", frame(p("Alone"), role="title")), "a.odp")
    assert [
        (span.locator.slide, span.kind, extraction.text[span.start : span.end]) for span in extraction.spans
    ] == [
        (1, "heading", "Hotels"),
        (1, "paragraph", "one"),
        (1, "list_item", "two"),
        (1, "paragraph", "three"),
        (1, "table_row", "City | Limit"),
        (1, "table_row", "Oslo | 120"),
        (1, "paragraph", "Say it twice."),
        (5, "paragraph", "Alone"),
    ]
    assert extraction.spans[6].locator.heading_path == ("Hotels", "Notes")
    assert extraction.spans[5].table_header == "City | Limit"
    assert (extraction.coverage.read, extraction.coverage.total) == (2, 4)
    assert extraction.coverage.missing == ("3", "4")
    assert extraction.is_partial
    assert warning_counts(extraction) == {
        "hidden_slides_dropped": 1,
        "slides_without_text": 1,
        "blank_slides": 1,
        "headers_footers_dropped": 1,
    }


def test_slides_are_limited(read: Any) -> None:
    data = odp(*[frame(p("words"))] * 3)
    assert read(data, "a.odp", ExtractionLimits(max_pages=3)).coverage.read == 3
    with pytest.raises(ResourceLimit, match="3 slides"):
        read(data, "a.odp", ExtractionLimits(max_pages=2))


@pytest.mark.shared
def test_a_presentation_reads_alike_in_both_formats(read: Any, shared_data: Path) -> None:
    mixed = shared_data / "docs_mixed"
    odf = read(mixed / "odp/healthy/docling__odf_presentation_01.odp", "a.odp")
    ooxml = read(mixed / "pptx/healthy/docling__powerpoint_sample.pptx", "a.pptx")
    assert odf.text == ooxml.text
    assert [span.locator for span in odf.spans] == [span.locator for span in ooxml.spans]


@pytest.mark.shared
def test_a_real_text(read: Any, shared_data: Path) -> None:
    extraction = read(shared_data / "docs_mixed/odt/healthy/sample-files__source.odt", "source.odt")
    assert extraction.text.startswith("Lorem ipsum dolor sit amet")


def span(style: str, text: str) -> str:
    return f'<text:span text:style-name="{style}">{text}</text:span>'


def test_raised_and_lowered_text_keeps_its_meaning(read: Any) -> None:
    body = p(f"10{span('up', '6')} newton, note{span('upchild', '3')}. H{span('down', '2')}O")
    assert read(odt(body), "a.odt").text == "10⁶ newton, note³. H₂O"


def test_struck_text_is_dropped_and_counted(read: Any) -> None:
    extraction = read(odt(p(f"Price is {span('old', '100')} 80 euros")), "a.odt")
    assert extraction.text == "Price is 80 euros"
    assert warning_counts(extraction) == {"struck_text_dropped": 1}


def test_pictures_and_objects_are_counted(read: Any) -> None:
    picture = "<draw:frame><draw:image/></draw:frame>"
    chart = "<draw:frame><draw:object/><draw:image/></draw:frame>"
    body = p(f"See below.{picture}") + chart + table(cell("A") + cell(f"B{picture}"))
    assert warning_counts(read(odt(body), "a.odt")) == {"pictures_not_read": 3}


def test_a_chain_of_thousands_of_styles_is_walked_once(read: Any) -> None:
    styles = "".join(
        f'<style:style style:name="s{n}" style:parent-style-name="s{n - 1}"/>' for n in range(1, 6000)
    )
    body = '<text:p text:style-name="s5999">Text.</text:p>' * 3000
    started = time.monotonic()
    extraction = read(open_document("text", body, automatic=styles), "a.odt")
    assert time.monotonic() - started < 4
    assert len(extraction.spans) == 3000
