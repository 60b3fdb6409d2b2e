from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from drawn_pdf import LEADING, LEFT, LOREM, TOP, lines, pdf, scan, words, wrapped
from extraction_checks import blocks, warning_counts
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, EncryptedDocument, NoText, ResourceLimit


def test_lines_become_paragraphs_and_hyphenated_words_one_word(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        y = lines(
            canvas,
            [
                "Hotel costs are reimburs-",
                "able up to 120 euros a night when the well-",
                "known portal is used.",
            ],
        )
        lines(canvas, ["The well-known limit is new."], y=y - LEADING)

    extraction = read(pdf(page), "a.pdf")
    assert blocks(extraction) == [
        "Hotel costs are reimbursable up to 120 euros a night when the well-known portal is used.",
        "The well-known limit is new.",
    ]
    assert extraction.spans[0].locator.page == 1


def test_two_columns_are_read_one_after_the_other(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        lines(canvas, ["A Title Across Both Columns"], x=150, size=18)
        left, right = wrapped(words("left", 120), 40), wrapped(words("right", 120), 40)
        canvas.setFont("Helvetica", 10)
        # Drawn line by line across the page, as some programs do.
        for row, (one, two) in enumerate(zip(left, right, strict=False)):
            canvas.drawString(LEFT, 700 - row * LEADING, one)
            canvas.drawString(320, 700 - row * LEADING, two)
        lines(
            canvas,
            ["A closing line in the full width of the page, which stands below both columns of text."],
            y=320,
        )

    extraction = read(pdf(page), "columns.pdf")
    found = extraction.text.split()
    assert blocks(extraction)[0] == "A Title Across Both Columns"
    numbered = [word for word in found if word[-3:].isdigit()]
    assert numbered == words("left", 120).split() + words("right", len(numbered) - 120).split()
    assert len(numbered) > 200
    assert blocks(extraction)[-1].startswith("A closing line")


def test_a_sentence_goes_on_in_the_next_column_and_page(read: Any) -> None:
    filler = wrapped(LOREM * 6, 42)

    def first(canvas: Canvas) -> None:
        lines(canvas, [*filler, "The last rule says that nobody shall ever"], y=700)
        lines(
            canvas,
            [
                "travel first class without consent of Ada.",
                *filler,
                "A trip that is longer than ten days needs",
            ],
            x=320,
            y=700,
        )

    def second(canvas: Canvas) -> None:
        lines(canvas, ["a second approval. After that it is simple.", *filler])

    extraction = read(pdf(first, second), "a.pdf")
    assert "nobody shall ever travel first class without consent of Ada." in extraction.text
    sentence = "A trip that is longer than ten days needs a second approval."
    start = extraction.text.index(sentence)
    owner = next(span for span in extraction.spans if span.start <= start < span.end)
    assert owner.locator.page == 1
    after = extraction.text.index("After that it is simple.")
    assert next(span for span in extraction.spans if span.start <= after < span.end).locator.page == 2


def test_running_lines_are_removed_and_counted(read: Any) -> None:
    def page(number: int) -> Callable[[Canvas], None]:
        def draw(canvas: Canvas) -> None:
            lines(canvas, ["Acme travel policy – confidential"], y=815, size=8)
            lines(canvas, wrapped(words(f"p{number}w", 60), 80))
            lines(canvas, [f"Page {number} of 4"], x=280, y=30, size=8)
            lines(canvas, [str(number + 10)], x=520, y=30, size=8)

        return draw

    extraction = read(pdf(*map(page, range(1, 5))), "policy.pdf")
    assert "confidential" not in extraction.text
    assert "Page" not in extraction.text
    assert extraction.text.startswith("p1w000")
    (warning,) = extraction.warnings
    assert warning.code == "repeated_lines_removed"
    assert warning.message.startswith("Repeated headers, footers and page numbers: 12 lines")
    assert warning.count == 12
    assert [span.locator.page for span in extraction.spans] == [1, 2, 3, 4]


def test_lines_with_numbers_of_their_own_are_no_running_lines(read: Any) -> None:
    prices = [33, 7, 59, 20, 46, 72]

    def page(number: int) -> Callable[[Canvas], None]:
        def draw(canvas: Canvas) -> None:
            lines(canvas, [f"Chapter {1 + number // 3} of the list, page {number + 5}"], y=815, size=8)
            lines(canvas, [f"Price of article {number}: {prices[number]} euros"], y=800)
            lines(canvas, wrapped(words(f"p{number}w", 60), 80), y=700)

        return draw

    extraction = read(pdf(*map(page, range(6))), "a.pdf")
    for number, price in enumerate(prices):
        assert f"Price of article {number}: {price} euros" in extraction.text
    assert "Chapter" not in extraction.text
    assert warning_counts(extraction) == {"repeated_lines_removed": 6}


def test_what_makes_up_most_of_the_pages_is_no_running_line(read: Any) -> None:
    def page(number: int) -> Callable[[Canvas], None]:
        def draw(canvas: Canvas) -> None:
            lines(
                canvas, [f"Agreement {number}", f"The rent of house {number + 10} is {number + 700} euros."]
            )
            lines(canvas, ["Signed: " + "ABC"[number]], y=400)

        return draw

    assert "The rent of house 12 is 702 euros." in read(pdf(*map(page, range(3))), "a.pdf").text


def test_figures_at_the_foot_of_a_table_are_no_page_numbers(read: Any) -> None:
    def page(amount: int) -> Callable[[Canvas], None]:
        def draw(canvas: Canvas) -> None:
            lines(canvas, wrapped(LOREM, 80))
            lines(canvas, [str(amount)], y=40)

        return draw

    extraction = read(pdf(page(700), page(120), page(455)), "a.pdf")
    assert {"700", "120", "455"} <= set(blocks(extraction))


def test_headings_by_size_and_weight(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        y = lines(canvas, ["Travel policy"], size=20)
        y = lines(canvas, wrapped(LOREM, 80), y=y - 8)
        y = lines(canvas, ["Hotels"], y=y - 12, size=14)
        y = lines(canvas, wrapped(LOREM, 80), y=y - 4)
        y = lines(canvas, ["Limits in Norway"], y=y - 12, font="Helvetica-Bold")
        lines(canvas, ["The limit is 120 euros a night in all of the country."], y=y - 4)

    extraction = read(pdf(page), "a.pdf")
    assert blocks(extraction, "heading") == ["Travel policy", "Hotels", "Limits in Norway"]
    assert extraction.spans[-1].locator.heading_path == ("Travel policy", "Hotels", "Limits in Norway")
    assert extraction.title == "Travel policy"


@pytest.mark.parametrize("marker", ["•", "{}.", "{}", "({})"])
def test_items_whose_marker_stands_apart_are_a_list_and_no_table(read: Any, marker: str) -> None:
    items = ["Shout three times.", "Throw the ring and do not jump in.", "Call the emergency services."]

    def page(canvas: Any) -> None:
        for number, item in enumerate(items, start=1):
            y = TOP - 14 * number
            canvas.setFont("Helvetica", 10)
            canvas.drawString(LEFT, y, marker.format(number))
            canvas.drawString(LEFT + 24, y, item)

    extraction = read(pdf(page), "rules.pdf")
    kinds = [(span.kind, extraction.text[span.start : span.end]) for span in extraction.spans]
    assert kinds == [
        ("list_item", f"{marker.format(number)} {item}") for number, item in enumerate(items, start=1)
    ]


def test_table_rows_stay_together_and_know_their_header(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        lines(canvas, wrapped(LOREM, 80))
        for row, cells in enumerate(
            [
                ("City", "Limit", "Season"),
                ("Oslo", "120", "summer"),
                ("Bergen", "90", "winter"),
                ("Bodø", "80", ""),
            ]
        ):
            for x, cell in zip((LEFT, 250, 400), cells, strict=True):
                canvas.drawString(x, 640 - row * LEADING, cell)

    extraction = read(pdf(page), "a.pdf")
    assert blocks(extraction, "table_row") == [
        "City | Limit | Season",
        "Oslo | 120 | summer",
        "Bergen | 90 | winter",
        "Bodø | 80",
    ]
    assert extraction.spans[-1].table_header == "City | Limit | Season"


def test_sideways_and_rotated_pages_read_like_upright_ones(read: Any) -> None:
    text = ["Turned text is still read", "from its first line to its last."]

    def sideways(canvas: Canvas) -> None:
        canvas.rotate(90)
        lines(canvas, text, x=100, y=-100)

    def rotated(canvas: Canvas) -> None:
        canvas.setPageRotation(180)
        lines(canvas, text)

    assert read(pdf(sideways, rotated), "a.pdf").text.count(" ".join(text)) == 2


def test_text_outside_the_page_and_slanted_stamps_are_left_out(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        lines(canvas, ["Visible words on the page."])
        canvas.drawString(LEFT, -200, "Words below the paper")
        canvas.rotate(45)
        canvas.drawString(300, 300, "DRAFT")

    assert read(pdf(page), "a.pdf").text == "Visible words on the page."


def test_an_owner_password_opens_and_a_user_password_does_not(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        lines(canvas, ["Anyone may read this sentence."])

    owner = StandardEncryption("", ownerPassword="o", canCopy=0, strength=128)
    assert read(pdf(page, encrypt=owner), "a.pdf").text == "Anyone may read this sentence."
    with pytest.raises(EncryptedDocument):
        read(pdf(page, encrypt=StandardEncryption("u", ownerPassword="o", strength=128)), "a.pdf")


def test_cut_off_files_are_damaged_or_partial(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        lines(canvas, wrapped(LOREM * 4, 80))

    whole = pdf(page, page, pageCompression=0)
    with pytest.raises(DamagedDocument):
        read(whole[:60], "a.pdf")
    with pytest.raises(DamagedDocument):
        read(b"%PDF-1.7\nnot much else\n%%EOF", "a.pdf")
    without_end = read(whole[: whole.rindex(b"xref")], "a.pdf")
    assert without_end.is_partial
    assert "file_cut_off" in {warning.code for warning in without_end.warnings}


def test_blank_pages_are_listed_without_ocr(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.extract.ocr.recognise", pytest.fail)

    def page(canvas: Canvas) -> None:
        lines(canvas, wrapped(LOREM, 80))

    def grey(canvas: Canvas) -> None:
        canvas.setFillGray(0.95)
        canvas.rect(-10, -10, 700, 900, fill=1, stroke=0)

    extraction = read(pdf(page, lambda canvas: None, grey, page), "a.pdf")
    assert (extraction.coverage.read, extraction.coverage.total) == (4, 4)
    assert extraction.coverage.missing == ()
    assert not extraction.is_partial
    (warning,) = extraction.warnings
    assert (warning.code, warning.count) == ("blank_pages", 2)
    assert warning.message == "Nothing is printed on pages 2–3."
    with pytest.raises(NoText):
        read(pdf(lambda canvas: None), "blank.pdf")


def test_pages_are_limited(read: Any) -> None:
    with pytest.raises(ResourceLimit, match="3 pages"):
        read(pdf(*[lambda canvas: lines(canvas, ["x"])] * 3), "a.pdf", ExtractionLimits(max_pages=2))


def test_scanned_pages_are_recognised(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        lines(canvas, ["A page with a text layer of its own."])

    extraction = read(pdf(page, scan(["Hotel limit is 120 euros", "in the whole country"])), "scan.pdf")
    (recognised,) = [span for span in extraction.spans if span.locator.page == 2]
    text = extraction.text[recognised.start : recognised.end]
    assert text.replace(" ", "") == "Hotellimitis120eurosinthewholecountry"
    assert extraction.ocr_confidence is not None
    assert 0.8 < extraction.ocr_confidence <= 1
    assert extraction.page_confidence == ((2, extraction.ocr_confidence),)
    (warning,) = extraction.warnings
    assert (warning.code, warning.count) == ("ocr_used", 1)
    assert not extraction.is_partial


def test_scans_without_time_left_are_listed_as_missing(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.extract.ocr.recognise", pytest.fail)

    def page(canvas: Canvas) -> None:
        lines(canvas, ["A page with a text layer of its own."])

    monkeypatch.setattr("rag.extract.pdf._OCR_TIME_SHARE", 0)
    extraction = read(pdf(page, scan(["Too late"])), "scan.pdf")
    assert extraction.coverage.missing == ("2",)
    assert extraction.is_partial
    assert extraction.warnings[0].code == "ocr_time"


def test_raised_and_lowered_letters_stay_apart_from_their_base(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        text = canvas.beginText(LEFT, 700)
        for part, size, rise in (
            ("The limit is 10", 12, 0),
            ("6", 7, 5),
            (" newton for CO", 12, 0),
            ("2", 8, -3),
            (" bottles, see the note", 12, 0),
            ("3", 7, 5),
            (" below. ", 12, 0),
            ("SMALL", 9, 0),
            (" letters.", 12, 0),
        ):
            text.setFont("Helvetica", size)
            text.setRise(rise)
            text.textOut(part)
        canvas.drawText(text)

    extraction = read(pdf(page), "a.pdf")
    assert extraction.text == "The limit is 10⁶ newton for CO₂ bottles, see the note³ below. SMALL letters."


def test_the_mark_of_a_note_stands_before_its_text(read: Any) -> None:
    def page(canvas: Canvas) -> None:
        lines(canvas, ["1"], x=LEFT, y=704, size=7)
        lines(canvas, ["The first of the notes."], x=LEFT + 5, y=700)

    assert read(pdf(page), "a.pdf").text == "¹The first of the notes."
