from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pptx
import pytest
from extraction_checks import blocks, warning_counts
from PIL import Image
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, NoText, ResourceLimit

TITLE, TITLE_AND_BODY, TITLE_ONLY, BLANK = 0, 1, 5, 6


def saved(deck: Any) -> bytes:
    buffer = io.BytesIO()
    deck.save(buffer)
    return buffer.getvalue()


def add_slide(deck: Any, layout: int = BLANK, *texts: str) -> Any:
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    for placeholder, text in zip(slide.placeholders, texts, strict=False):
        placeholder.text_frame.text = text
    return slide


def add_box(shapes: Any, left: float, top: float, text: str) -> Any:
    box = shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(0.5))
    box.text_frame.text = text
    return box


def picture() -> io.BytesIO:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(buffer, "PNG")
    buffer.seek(0)
    return buffer


def changed(data: bytes, change: Callable[[str, bytes], bytes | None]) -> bytes:
    """The presentation with its parts changed, or left out where `change` gives None."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            part = change(name, old.read(name))
            if part is not None:
                new.writestr(name, part)
    return out.getvalue()


def test_slides_have_numbers_titles_bodies_and_notes(read: Any) -> None:
    deck = pptx.Presentation()
    add_slide(deck, TITLE, "Travel", "For everyone")
    second = add_slide(deck, TITLE_AND_BODY, "Hotels", "Book early.\nKeep receipts.")
    second.notes_slide.notes_text_frame.text = "Say that Oslo is dear.\nSmile."
    extraction = read(saved(deck), "a.pptx")
    assert [
        (extraction.text[span.start : span.end], span.kind, span.locator.slide, span.locator.heading_path)
        for span in extraction.spans
    ] == [
        ("Travel", "heading", 1, ("Travel",)),
        ("For everyone", "paragraph", 1, ("Travel",)),
        ("Hotels", "heading", 2, ("Hotels",)),
        ("Book early.", "list_item", 2, ("Hotels",)),
        ("Keep receipts.", "list_item", 2, ("Hotels",)),
        ("Say that Oslo is dear.", "paragraph", 2, ("Hotels", "Notes")),
        ("Smile.", "paragraph", 2, ("Hotels", "Notes")),
    ]
    assert extraction.spans[-1].locator.label == "Hotels › Notes · slide 2"
    assert (extraction.coverage.unit, extraction.coverage.read, extraction.coverage.total) == ("slide", 2, 2)
    assert extraction.title == "Travel"
    assert extraction.warnings == ()


def test_a_title_alone_is_a_passage_of_its_own(read: Any) -> None:
    deck = pptx.Presentation()
    add_slide(deck, TITLE_ONLY, "Revenue grew by 18 %")
    assert [span.kind for span in read(saved(deck), "a.pptx").spans] == ["paragraph"]


def test_shapes_are_read_from_the_top_and_the_left_whatever_their_order(read: Any) -> None:
    deck = pptx.Presentation()
    slide = add_slide(deck, TITLE_ONLY)
    for left, top, text in ((5, 5.1, "four"), (5, 2, "two"), (1, 5, "three"), (1, 2.1, "one")):
        add_box(slide.shapes, left, top, text)
    slide.placeholders[0].text_frame.text = "Order"
    assert blocks(read(saved(deck), "a.pptx")) == ["Order", "one", "two", "three", "four"]


def test_placeholders_stand_where_their_layout_puts_them(read: Any) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[TITLE_AND_BODY])
    add_box(slide.shapes, 1, 7, "at the foot")
    add_box(slide.shapes, 1, 1.3, "above the body")
    slide.placeholders[1].text_frame.text = "in the body"
    assert blocks(read(saved(deck), "a.pptx")) == ["above the body", "in the body", "at the foot"]


def test_groups_stay_together(read: Any) -> None:
    deck = pptx.Presentation()
    slide = add_slide(deck)
    group = slide.shapes.add_group_shape()
    add_box(group.shapes, 1, 3, "second in the group")
    add_box(group.shapes, 1, 1, "first in the group")
    inner = group.shapes.add_group_shape()
    add_box(inner.shapes, 1, 4, "in the inner group")
    add_box(slide.shapes, 1, 2, "beside the group")
    assert blocks(read(saved(deck), "a.pptx")) == [
        "first in the group",
        "second in the group",
        "in the inner group",
        "beside the group",
    ]


def test_tables_keep_rows_with_their_header(read: Any) -> None:
    deck = pptx.Presentation()
    table = add_slide(deck).shapes.add_table(4, 3, 0, 0, Inches(4), Inches(2)).table
    rows = [["Country", "City", "Limit"], ["Norway", "Oslo", "120"], ["", "Bergen", "90"], ["All", "", "75"]]
    for number, texts in enumerate(rows):
        for column, text in enumerate(texts):
            table.cell(number, column).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(3, 0).merge(table.cell(3, 1))
    extraction = read(saved(deck), "a.pptx")
    assert blocks(extraction) == [
        "Country | City | Limit",
        "Norway | Oslo | 120",
        "Norway | Bergen | 90",
        "All | | 75",
    ]
    assert [span.table_header for span in extraction.spans] == [None, *["Country | City | Limit"] * 3]
    assert "\n\n" not in extraction.text


def test_charts_are_read_as_tables(read: Any) -> None:
    deck = pptx.Presentation()
    data = CategoryChartData(number_format="0%")
    data.categories = ["Oslo", "Bergen"]
    data.add_series("2023", (0.25, 0.1 + 0.2))
    chart = (
        add_slide(deck)
        .shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(4), Inches(4), data)
        .chart
    )
    chart.has_title = True
    chart.chart_title.text_frame.text = "Share of nights"
    extraction = read(saved(deck), "a.pptx")
    assert blocks(extraction) == ["Share of nights", "| 2023", "Oslo | 25%", "Bergen | 30%"]
    assert extraction.spans[-1].table_header == "| 2023"


def test_hidden_slides_and_shapes_are_left_out_and_numbers_keep_counting(read: Any) -> None:
    deck = pptx.Presentation()
    add_box(add_slide(deck).shapes, 1, 1, "first")
    hidden = add_slide(deck)
    add_box(hidden.shapes, 1, 1, "secret")
    hidden._element.set("show", "0")
    third = add_slide(deck)
    add_box(third.shapes, 1, 1, "third")
    box = add_box(third.shapes, 1, 2, "unseen")
    box._element.nvSpPr.cNvPr.set("hidden", "1")
    extraction = read(saved(deck), "a.pptx")
    assert [
        (span.locator.slide, text) for span, text in zip(extraction.spans, blocks(extraction), strict=True)
    ] == [
        (1, "first"),
        (3, "third"),
    ]
    assert [(warning.code, warning.count) for warning in extraction.warnings] == [
        ("hidden_slides_dropped", 1)
    ]
    assert (extraction.coverage.read, extraction.coverage.total) == (2, 2)
    assert not extraction.is_partial


def test_a_slide_of_pictures_makes_it_partial_and_a_blank_one_does_not(read: Any) -> None:
    deck = pptx.Presentation()
    add_box(add_slide(deck).shapes, 1, 1, "words")
    add_slide(deck)
    extraction = read(saved(deck), "a.pptx")
    assert not extraction.is_partial
    assert extraction.coverage.missing == ("2",)
    assert [warning.code for warning in extraction.warnings] == ["blank_slides"]
    for _ in range(2):
        add_slide(deck).shapes.add_picture(picture(), 0, 0)
    extraction = read(saved(deck), "a.pptx")
    assert extraction.is_partial
    assert extraction.coverage.missing == ("2", "3", "4")
    assert (extraction.coverage.read, extraction.coverage.total) == (1, 4)
    assert "slides 3–4" in extraction.warnings[0].message
    assert extraction.warnings[0].count == 2


def test_nothing_but_pictures_is_no_text(read: Any) -> None:
    deck = pptx.Presentation()
    add_slide(deck).shapes.add_picture(picture(), 0, 0)
    with pytest.raises(NoText, match="1 slide; they hold pictures"):
        read(saved(deck), "a.pptx")
    deck.slides[0]._element.set("show", "0")
    with pytest.raises(NoText, match="0 slides; 1 hidden slide not read"):
        read(saved(deck), "a.pptx")


def test_footers_and_comments_are_dropped_and_counted(read: Any) -> None:
    deck = pptx.Presentation()
    slide = add_slide(deck, TITLE_AND_BODY, "Hotels", "Book early.")
    footer = add_box(slide.shapes, 1, 7, "Internal")
    footer._element.nvSpPr.nvPr.append(
        footer._element.nvSpPr.nvPr.makeelement(
            "{http://schemas.openxmlformats.org/presentationml/2006/main}ph", {"type": "ftr", "idx": "11"}
        )
    )
    comments = b'<p:cmLst xmlns:p="x"><p:cm><p:text>Right?</p:text></p:cm><p:cm/></p:cmLst>'
    out = io.BytesIO(saved(deck))
    with zipfile.ZipFile(out, "a") as container:
        container.writestr("ppt/comments/comment1.xml", comments)
    extraction = read(out.getvalue(), "a.pptx")
    assert blocks(extraction) == ["Hotels", "Book early."]
    assert [(warning.code, warning.count) for warning in extraction.warnings] == [
        ("comments_dropped", 2),
        ("headers_footers_dropped", 1),
    ]


DIAGRAM = (
    b'<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p>'
    b"</dgm:t></dgm:pt><dgm:pt/></dgm:ptLst></dgm:dataModel>"
)
FRAMES = (
    b'<p:graphicFrame><a:graphic><a:graphicData><dgm:relIds xmlns:dgm="d" r:dm="rId99"/></a:graphicData></a:graphic>'
    b'</p:graphicFrame><mc:AlternateContent xmlns:mc="m"><mc:Choice Requires="x"><p:sp><p:txBody><a:p><a:r><a:t>New'
    b"</a:t></a:r></a:p></p:txBody></p:sp></mc:Choice><mc:Fallback><p:sp><p:txBody><a:p><a:r><a:t>Old</a:t></a:r>"
    b"</a:p></p:txBody></p:sp></mc:Fallback></mc:AlternateContent></p:spTree>"
)


def test_diagrams_and_shapes_of_newer_versions_are_read(read: Any) -> None:
    deck = pptx.Presentation()
    add_slide(deck)

    def change(name: str, part: bytes) -> bytes:
        if name == "ppt/slides/slide1.xml":
            return part.replace(b"</p:spTree>", FRAMES)
        if name == "ppt/slides/_rels/slide1.xml.rels":
            relation = b'<Relationship Id="rId99" Type="x/diagramData" Target="/ppt/diagrams/data1.xml"/>'
            return part.replace(b"</Relationships>", relation + b"</Relationships>")
        return part

    out = io.BytesIO(changed(saved(deck), change))
    with zipfile.ZipFile(out, "a") as container:
        container.writestr("ppt/diagrams/data1.xml", DIAGRAM)
    assert blocks(read(out.getvalue(), "a.pptx")) == ["Plan", "New"]


def test_shows_with_macros_are_read_and_the_macros_reported(read: Any) -> None:
    deck = pptx.Presentation()
    add_box(add_slide(deck).shapes, 1, 1, "words")
    data = changed(saved(deck), lambda _, part: part.replace(b"presentation.main+xml", b"slideshow.main+xml"))
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a") as container:
        container.writestr("ppt/vbaProject.bin", b"x")
    extraction = read(out.getvalue(), "a.ppsx")
    assert extraction.text == "words"
    assert [warning.code for warning in extraction.warnings] == ["macros_ignored"]


def test_damaged_slides_are_listed_and_the_rest_is_read(read: Any) -> None:
    deck = pptx.Presentation()
    for text in ("one", "two", "three", "four"):
        add_box(add_slide(deck).shapes, 1, 1, text)

    def change(name: str, part: bytes) -> bytes | None:
        if name == "ppt/slides/slide2.xml":
            return part[: len(part) // 2]
        return None if name == "ppt/slides/slide3.xml" else part

    extraction = read(changed(saved(deck), change), "a.pptx")
    assert blocks(extraction) == ["one", "four"]
    assert extraction.is_partial
    assert extraction.coverage.missing == ("2", "3")
    assert [warning.code for warning in extraction.warnings] == ["damaged_slides"]


@pytest.mark.parametrize(
    "part", ["ppt/presentation.xml", "ppt/_rels/presentation.xml.rels", "ppt/slides/slide1.xml"]
)
def test_without_any_readable_slide_it_is_damaged(read: Any, part: str) -> None:
    deck = pptx.Presentation()
    add_box(add_slide(deck).shapes, 1, 1, "words")
    data = saved(deck)
    with pytest.raises(DamagedDocument):
        read(changed(data, lambda name, content: None if name == part else content), "a.pptx")
    with pytest.raises(DamagedDocument):
        read(changed(data, lambda name, content: content[:99] if name == part else content), "a.pptx")


def test_slides_are_limited(read: Any) -> None:
    deck = pptx.Presentation()
    for _ in range(3):
        add_box(add_slide(deck).shapes, 1, 1, "words")
    assert read(saved(deck), "a.pptx", ExtractionLimits(max_pages=3)).coverage.read == 3
    with pytest.raises(ResourceLimit, match="3 slides"):
        read(saved(deck), "a.pptx", ExtractionLimits(max_pages=2))


@pytest.mark.shared
def test_real_presentations(read: Any, shared_data: Path) -> None:
    folder = shared_data / "docs_mixed" / "pptx"
    sample = read(folder / "healthy/docling__powerpoint_sample.pptx", "sample.pptx")
    assert "R3 | False | | | | False\nR3 | | True | | True" in sample.text
    assert sample.spans[-1].locator.heading_path == ("Notes",)
    various = read(folder / "healthy/tika__testPPT_various2.pptx", "various.pptx")
    assert {"SmartList1", "This is some WordART", "SLIDE3ChartTitle", "NotesTableSlide2"} <= set(
        blocks(various)
    )
    assert "This slide is hidden" not in various.text
    assert various.coverage.missing == ("5", "6", "7", "10")
    assert warning_counts(various)["comments_dropped"] == 7


def test_raised_and_lowered_text_and_formulas_keep_their_meaning(read: Any) -> None:
    deck = pptx.Presentation()
    paragraph = add_box(add_slide(deck).shapes, 1, 1, "The limit is 10").text_frame.paragraphs[0]
    for text, share in (("6", "30000"), (" newton, H", "0"), ("2", "-25000"), ("O, 1", "")):
        run = paragraph.add_run()
        run.text = text
        if share:
            run._r.get_or_add_rPr().set("baseline", share)

    def with_formula(name: str, part: bytes) -> bytes:
        formula = b"<m:oMath xmlns:m='m'><m:f><m:num><m:t>3</m:t></m:num><m:den><m:t>4</m:t></m:den></m:f></m:oMath>"
        return part.replace(b"</a:r></a:p>", b"</a:r>" + formula + b"</a:p>")

    extraction = read(changed(saved(deck), with_formula), "a.pptx")
    assert extraction.text == "The limit is 10⁶ newton, H₂O, 1 3/4"


def test_struck_text_is_dropped_and_counted(read: Any) -> None:
    deck = pptx.Presentation()
    paragraph = add_box(add_slide(deck).shapes, 1, 1, "Price is ").text_frame.paragraphs[0]
    for text, strike in (("100", "sngStrike"), (" 80 euros", "noStrike")):
        run = paragraph.add_run()
        run.text = text
        run._r.get_or_add_rPr().set("strike", strike)
    extraction = read(saved(deck), "a.pptx")
    assert extraction.text == "Price is 80 euros"
    assert warning_counts(extraction) == {"struck_text_dropped": 1}


def test_a_picture_beside_text_is_counted(read: Any) -> None:
    deck = pptx.Presentation()
    slide = add_slide(deck)
    add_box(slide.shapes, 1, 1, "See the picture.")
    slide.shapes.add_picture(picture(), 0, 0)
    extraction = read(saved(deck), "a.pptx")
    assert not extraction.is_partial
    assert warning_counts(extraction) == {"pictures_not_read": 1}
