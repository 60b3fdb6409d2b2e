"""What of a PDF is left out and told: unseen text, comments, unread pages; and what is read beside the text layer."""

from __future__ import annotations

import io
import time
from typing import Any

import pypdfium2
import pytest
from drawn_pdf import LEFT, LOREM, lines, pdf, raw_pdf, scan, wrapped
from extraction_checks import blocks, warning_counts
from reportlab.pdfgen.canvas import Canvas

from rag.config import ExtractionLimits
from rag.errors import NoText, ResourceLimit

_LAYERED = (
    b"BT /F1 12 Tf 72 700 Td (The layer that is seen) Tj ET "
    b"/OC /L1 BDC BT /F1 12 Tf 72 600 Td (The layer that is off) Tj ET EMC"
)
_LAYER_OFF = {
    "catalog": b"/OCProperties<</OCGs[6 0 R]/D<</OFF[6 0 R]>>>>",
    "resources": b"/Properties<</L1 6 0 R>>",
    "extra": b"<</Type/OCG/Name(off)>>",
}


def test_text_that_nobody_sees_is_dropped_and_counted(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        lines(canvas, ["Visible words."])
        canvas.setFillGray(1)
        lines(canvas, ["White on white"], y=700)
        canvas.setFillGray(0)
        lines(canvas, ["Far too small"], y=660, size=0.4)
        text = canvas.beginText(LEFT, 620)
        text.setTextRenderMode(3)
        text.textLine("Without ink")
        canvas.drawText(text)
        text = canvas.beginText(LEFT, 580)
        text.setTextRenderMode(0)
        text.textLine("Under a bar")
        canvas.drawText(text)
        canvas.rect(LEFT - 5, 570, 200, 25, fill=1)

    extraction = read(pdf(page), "a.pdf")
    assert extraction.text == "Visible words."
    n_hidden = len("WhiteonwhiteFartoosmallWithoutinkUnderabar")
    assert warning_counts(extraction) == {"hidden_text_dropped": n_hidden}


def _patch(grey: int) -> Any:
    from PIL import Image
    from reportlab.lib.utils import ImageReader

    return ImageReader(Image.new("L", (30, 10), grey))


@pytest.mark.parametrize("grey", [0, 255])
def test_text_under_a_picture_is_dropped(read: Any, grey: int) -> None:
    def page(canvas: Canvas) -> None:
        lines(canvas, ["Visible words.", "The salary is 90,000 euros"], y=700)
        canvas.drawImage(_patch(grey), LEFT + 58, 680, width=40, height=18)

    extraction = read(pdf(page), "a.pdf")
    assert "90,000" not in extraction.text
    assert extraction.text.replace(" | ", " ") == "Visible words.\n\nThe salary is euros"
    assert warning_counts(extraction) == {"hidden_text_dropped": 6}


def test_text_under_the_last_of_many_bars_is_dropped(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        lines(canvas, ["Visible words.", "Under a bar"], y=700)
        for row in range(300):
            canvas.rect(400, row, 50, 1, fill=1)
        canvas.rect(LEFT - 5, 682, 200, 15, fill=1)

    assert read(pdf(page), "a.pdf").text == "Visible words."


def test_text_that_is_clipped_away_is_dropped(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        lines(canvas, ["Visible words."], y=700)
        clip = canvas.beginPath()
        clip.rect(0, 0, 10, 10)
        canvas.clipPath(clip, stroke=0)
        lines(canvas, ["Clipped away"], y=600)

    assert read(pdf(page), "a.pdf").text == "Visible words."


def test_a_layer_that_is_off_is_dropped(read: Any) -> None:
    assert read(raw_pdf(_LAYERED, **_LAYER_OFF), "a.pdf").text == "The layer that is seen"


def test_of_two_layers_at_one_place_the_one_that_is_on_is_read(read: Any) -> None:
    content = (
        b"BT /F1 12 Tf 72 600 Td (Gesehen wird diese Ebene) Tj ET "
        b"/OC /L1 BDC BT /F1 12 Tf 72 600 Td (The layer that is off) Tj ET EMC"
    )
    extraction = read(raw_pdf(content, **_LAYER_OFF), "a.pdf")
    assert extraction.text == "Gesehen wird diese Ebene"
    on = {**_LAYER_OFF, "catalog": b""}
    assert "The layer that is off" in read(raw_pdf(_LAYERED, **on), "a.pdf").text


def test_the_ink_of_a_scan_keeps_the_text_under_it(read: Any) -> None:
    """Some OCR programs draw their layer first, in black, and the scan over it."""

    def page(canvas: Canvas) -> None:
        from PIL import Image, ImageDraw, ImageFont
        from reportlab.lib.utils import ImageReader

        lines(canvas, ["Hotel limit is 120 euros"], y=600, size=20)
        picture = Image.new("L", (595, 842), 245)
        ImageDraw.Draw(picture).text((50, 210), "Hotel limit is 120 euros", font=ImageFont.load_default(20))
        canvas.drawImage(ImageReader(picture), 0, 0, width=595, height=842)

    assert read(pdf(page), "a.pdf").text == "Hotel limit is 120 euros"


def test_white_words_on_a_dark_ground_are_read(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        canvas.setFillGray(0.1)
        canvas.rect(LEFT - 5, 690, 300, 30, fill=1)
        canvas.setFillGray(1)
        lines(canvas, ["A heading in white"], y=700)

    extraction = read(pdf(page), "a.pdf")
    assert extraction.text == "A heading in white"
    assert extraction.warnings == ()


def test_the_text_layer_of_a_recognised_scan_is_kept(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.extract.ocr.recognise", pytest.fail)
    draw_scan = scan(["Hotel limit is 120 euros"])

    def page(canvas: Canvas) -> None:
        draw_scan(canvas)
        # Below the drawn words: the layers of OCR programs are seldom exact.
        text = canvas.beginText(60, 320)
        text.setTextRenderMode(3)
        text.textLine("Hotel limit is 120 euros")
        canvas.drawText(text)

    extraction = read(pdf(page), "a.pdf")
    assert extraction.text == "Hotel limit is 120 euros"
    assert extraction.ocr_confidence is None


def test_a_stamped_scan_is_recognised(read: Any) -> None:
    picture = scan(["Hotel limit is 120 euros", "in all of the country"])

    def page(canvas: Canvas) -> None:
        canvas.setPageSize((500, 250))
        lines(canvas, ["CONFIDENTIAL - Exhibit 000001"], y=220)
        canvas.translate(0, -280)
        picture(canvas)

    extraction = read(pdf(page), "a.pdf")
    assert "Hotel limit is 120 euros" in extraction.text
    assert "Exhibit" in extraction.text
    assert warning_counts(extraction) == {"ocr_used": 1}
    assert not extraction.is_partial


def test_a_stamped_scan_without_time_is_missing(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.extract.pdf._OCR_TIME_SHARE", 0)

    def page(canvas: Canvas) -> None:
        lines(canvas, ["CONFIDENTIAL - Exhibit 000001"], y=810)
        canvas.drawImage(_patch(200), 0, 0, width=595, height=800)

    extraction = read(pdf(page), "a.pdf")
    assert extraction.text == "CONFIDENTIAL - Exhibit 000001"
    assert extraction.is_partial
    assert extraction.coverage.missing == ("1",)


def test_words_over_a_photograph_are_kept_as_they_are(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        canvas.drawImage(_patch(200), 0, 0, width=595, height=842)
        lines(canvas, ["The annual report of the harbour"], y=600, size=20)

    extraction = read(pdf(page), "a.pdf")
    assert extraction.text == "The annual report of the harbour"
    assert extraction.warnings == ()


def test_alternate_text_that_says_other_words_is_dropped_and_counted(read: Any) -> None:
    content = (
        b"BT /F1 12 Tf 72 700 Td /Span<</ActualText(PAY TEN THOUSAND)>> BDC (Pay nothing) Tj ( to anybody) Tj EMC"
        b" 0 -40 Td /Span<</ActualText(cooperate)>> BDC (co-operate) Tj EMC ET"
    )
    extraction = read(raw_pdf(content), "a.pdf")
    assert extraction.text == "Pay nothing to anybody\n\ncooperate"
    assert warning_counts(extraction) == {"alternate_text_dropped": 1}
    assert not extraction.is_partial


def test_comments_are_left_out_and_counted(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        lines(canvas, ["The text of the page."])
        canvas.textAnnotation("Is this still true?", Rect=[100, 100, 120, 120])
        canvas.textAnnotation("", Rect=[200, 100, 220, 120])

    extraction = read(pdf(page, page), "a.pdf")
    assert "still true" not in extraction.text
    assert warning_counts(extraction)["comments_dropped"] == 2


def test_filled_form_fields_are_read_where_they_stand(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        lines(canvas, ["Name:"], y=700)
        canvas.acroForm.textfield(value="Ada Lovelace", x=120, y=694, width=200, height=20)
        lines(canvas, ["Approved"], y=660)
        canvas.acroForm.checkbox(checked=True, x=120, y=655, size=16)
        canvas.acroForm.textfield(value="secret", x=120, y=600, width=200, height=20, fieldFlags="password")
        lines(canvas, ["The end of the form."], y=560)

    extraction = read(pdf(page), "a.pdf")
    assert "Name: Ada Lovelace" in extraction.text.replace(" | ", " ")
    assert "Approved ☒" in extraction.text.replace(" | ", " ")
    assert "secret" not in extraction.text


def test_words_typed_onto_a_page_are_its_text(read: Any) -> None:
    def typed(flags: int) -> Any:
        note = b"<</Type/Annot/Subtype/FreeText/Rect[120 690 400 714]/Contents(Ada Lovelace)/DA(/F1 12 Tf)/F %d>>"
        content = b"BT /F1 12 Tf 72 696 Td (Name:) Tj 0 -40 Td (The end of the form.) Tj ET"
        return read(raw_pdf(content, page=b"/Annots[6 0 R]", extra=note % flags), "a.pdf")

    extraction = typed(4)
    assert extraction.text.replace(" | ", " ") == "Name: Ada Lovelace\n\nThe end of the form."
    assert extraction.warnings == ()
    hidden = typed(2)
    assert "Lovelace" not in hidden.text
    assert warning_counts(hidden) == {"comments_dropped": 1}


def test_files_inside_a_pdf_become_attachments(read: Any) -> None:
    document = pypdfium2.PdfDocument(pdf(lambda canvas: lines(canvas, ["See the attached file."])))
    document.new_attachment("rates.csv").set_data(b"city,limit\nOslo,120\n")
    buffer = io.BytesIO()
    document.save(buffer)
    extraction = read(buffer.getvalue(), "a.pdf")
    assert [(file.name, file.content) for file in extraction.attachments] == [
        ("rates.csv", b"city,limit\nOslo,120\n")
    ]
    extraction = read(buffer.getvalue(), "a.pdf", ExtractionLimits(max_attachment_mib=0))
    assert extraction.attachments == ()
    assert extraction.is_partial
    assert warning_counts(extraction) == {"attachments_left_out": 1}


def test_the_files_of_a_portfolio_with_a_blank_cover_are_kept(read: Any) -> None:
    document = pypdfium2.PdfDocument(pdf(lambda canvas: None))
    document.new_attachment("letter.txt").set_data(b"Dear all")
    document.new_attachment("rates.csv").set_data(b"Oslo,120")
    buffer = io.BytesIO()
    document.save(buffer)
    extraction = read(buffer.getvalue(), "a.pdf")
    assert extraction.text == "letter.txt\n\nrates.csv"
    assert [span.kind for span in extraction.spans] == ["list_item", "list_item"]
    assert [file.name for file in extraction.attachments] == ["letter.txt", "rates.csv"]
    assert warning_counts(extraction) == {"blank_pages": 1}


def test_a_file_inside_a_pdf_whose_name_cannot_be_read_is_numbered(read: Any) -> None:
    document = pypdfium2.PdfDocument(pdf(lambda canvas: lines(canvas, ["See the attached file."])))
    document.new_attachment("rates.csv").set_data(b"Oslo,120")
    buffer = io.BytesIO()
    document.save(buffer)
    half_a_character = buffer.getvalue().replace(b"(rates.csv)", b"<FEFFD83D>")
    assert half_a_character != buffer.getvalue()
    assert [file.name for file in read(half_a_character, "a.pdf").attachments] == ["attachment 1"]


@pytest.mark.parametrize("turned", [1, 2, 3])
def test_scans_that_lie_on_their_side_or_head_are_read_from_their_top(read: Any, turned: int) -> None:
    words = ["Hotel limit is 120 euros", "in all of the country", "also in the summer", "and in the winter"]
    extraction = read(pdf(scan(words, turned=turned)), "a.pdf")
    assert extraction.text.replace(" ", "").replace("\n", "") == "".join(words).replace(" ", "")
    assert extraction.page_confidence[0][1] > 0.8


def handbook(n_pages: int) -> bytes:
    def page(number: int) -> Any:
        def draw(canvas: Canvas) -> None:
            lines(canvas, ["Acme travel policy, confidential"], y=815, size=8)
            if number == 2:
                lines(canvas, ["Hotels"], y=790, size=18)
            lines(canvas, wrapped(f"Page {number} begins. {LOREM * 3}", 80), y=700)
            lines(canvas, [f"{number}"], x=520, y=30, size=8)

        return draw

    return pdf(*map(page, range(1, n_pages + 1)))


def test_a_range_of_pages_reads_as_in_the_whole_file(read: Any) -> None:
    data = handbook(30)
    whole = read(data, "a.pdf")
    part = read(data, "a.pdf", ExtractionLimits(pages=(4, 5)))
    assert {span.locator.page for span in part.spans} == {4, 5}
    expected = [
        (whole.text[span.start : span.end], span.locator)
        for span in whole.spans
        if span.locator.page in (4, 5)
    ]
    assert [(part.text[span.start : span.end], span.locator) for span in part.spans] == expected
    assert part.spans[0].locator.heading_path == ("Hotels",)
    assert (part.coverage.read, part.coverage.total) == (2, 2)
    assert warning_counts(part) == {"repeated_lines_removed": 4}


def test_a_range_beyond_the_last_page_is_told(read: Any) -> None:
    with pytest.raises(NoText, match="3 pages; pages 7–8 are not there") as caught:
        read(handbook(3), "a.pdf", ExtractionLimits(pages=(7, 8)))
    assert "between 1 and 3" in caught.value.next_step
    with pytest.raises(NoText, match="page 4 is not there"):
        read(handbook(3), "a.pdf", ExtractionLimits(pages=(4, 4)))


def test_a_range_may_lie_in_a_file_with_too_many_pages(read: Any) -> None:
    limits = ExtractionLimits(pages=(2, 3), max_pages=2)
    assert read(handbook(5), "a.pdf", limits).coverage.total == 2
    with pytest.raises(ResourceLimit):
        read(handbook(5), "a.pdf", ExtractionLimits(pages=(1, 3), max_pages=2))


def test_pages_without_time_left_are_missing(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1_000))
    monkeypatch.setattr("rag.extract.pdf.time.monotonic", lambda: float(next(clock)))
    extraction = read(handbook(6), "a.pdf", ExtractionLimits(time_s=5))
    assert extraction.coverage.missing == ("5", "6")
    assert extraction.is_partial
    assert warning_counts(extraction)["read_time"] == 2
    assert time.monotonic() > 6


def test_chinese_set_with_spaces_between_all_characters_is_closed_up() -> None:
    from rag.extract.pdf_text import _unspaced

    assert _unspaced("关 于 红 军 作 战 1") == "关于红军作战 1"
    assert _unspaced("第一章 总则") == "第一章 总则"
    assert _unspaced("the 关 a b c") == "the 关 a b c"


def test_blocks_of_a_page_without_boxes_are_read(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        lines(canvas, ["Words on a page whose boxes do not meet."])
        canvas.setCropBox((600, 900, 610, 910))

    extraction = read(pdf(page), "a.pdf")
    assert blocks(extraction) == ["Words on a page whose boxes do not meet."]


def test_a_ligature_that_is_spelt_backwards_is_turned_round() -> None:
    from rag.extract.pdf_hidden import Paint
    from rag.extract.pdf_text import _Run

    run = _Run(0, Paint.FULL)
    for char, left in (("\u0645", 30.0), ("\u0627", 20.0), ("\u0644", 20.0), ("\u0643", 10.0)):
        run.add(char, (left, 0.0, left + 10, 12.0))
    assert "".join(run.text) == "\u0645\u0644\u0627\u0643"
    run = _Run(0, Paint.FULL)
    for char in "fi":
        run.add(char, (0.0, 0.0, 5.0, 12.0))
    assert "".join(run.text) == "fi"
