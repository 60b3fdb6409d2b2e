"""Each span's locator leads back to the same text in the original, read by other means than ours."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import docx
import pptx
from hypothesis import given
from hypothesis import strategies as st
from locator_checks import FAST, assert_chunks_are_exact, extracted, sentences, words
from lxml import etree
from office_files import open_document
from pptx.util import Inches

from rag.types import Extraction

# Texts


@dataclass(frozen=True)
class Part:
    kind: str
    texts: tuple[tuple[str, ...], ...]
    level: int = 1


parts = st.lists(
    st.one_of(
        st.builds(Part, st.just("heading"), sentences.map(lambda text: ((text,),)), st.integers(1, 3)),
        st.builds(Part, st.sampled_from(["paragraph", "item"]), sentences.map(lambda text: ((text,),))),
        st.builds(
            Part,
            st.just("table"),
            st.integers(2, 3).flatmap(
                lambda width: st.lists(st.tuples(*[words] * width), min_size=1, max_size=4).map(tuple)
            ),
        ),
    ),
    min_size=1,
    max_size=12,
)


def docx_of(document: list[Part]) -> bytes:
    made = docx.Document()
    for part in document:
        if part.kind == "table":
            table = made.add_table(rows=0, cols=len(part.texts[0]))
            for texts in part.texts:
                for cell, text in zip(table.add_row().cells, texts, strict=True):
                    cell.text = text
        elif part.kind == "heading":
            made.add_heading(part.texts[0][0], part.level)
        else:
            made.add_paragraph(part.texts[0][0], "List Bullet" if part.kind == "item" else None)
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def odt_of(document: list[Part]) -> bytes:
    body = etree.Element("body")
    texts = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    tables = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
    for part in document:
        if part.kind == "table":
            table = etree.SubElement(body, f"{{{tables}}}table")
            for cells in part.texts:
                row = etree.SubElement(table, f"{{{tables}}}table-row")
                for text in cells:
                    cell = etree.SubElement(row, f"{{{tables}}}table-cell")
                    etree.SubElement(cell, f"{{{texts}}}p").text = text
        elif part.kind == "item":
            item = etree.SubElement(etree.SubElement(body, f"{{{texts}}}list"), f"{{{texts}}}list-item")
            etree.SubElement(item, f"{{{texts}}}p").text = part.texts[0][0]
        else:
            paragraph = etree.SubElement(body, f"{{{texts}}}{'h' if part.kind == 'heading' else 'p'}")
            paragraph.set(f"{{{texts}}}outline-level", str(part.level))
            paragraph.text = part.texts[0][0]
    return open_document("text", "".join(etree.tostring(element, encoding="unicode") for element in body))


def rtf_of(document: list[Part]) -> bytes:
    def plain(text: str) -> str:
        return "".join(char if char.isascii() else f"\\u{ord(char)}?" for char in text)

    out = ["{\\rtf1\\ansi{\\stylesheet{\\s1 heading 1;}{\\s2 heading 2;}{\\s3 heading 3;}}"]
    for part in document:
        if part.kind == "table":
            for cells in part.texts:
                edges = "".join(f"\\cellx{1000 * n}" for n in range(1, len(cells) + 1))
                out.append(
                    f"\\trowd{edges}\\pard\\intbl "
                    + "".join(f"{plain(text)}\\cell " for text in cells)
                    + "\\row "
                )
        else:
            setting = {"heading": f"\\s{part.level}", "item": "\\ls1", "paragraph": ""}[part.kind]
            out.append(f"\\pard{setting} {plain(part.texts[0][0])}\\par\n")
    return ("".join(out) + "}").encode("ascii")


def parts_of_docx(data: bytes) -> Iterable[Part]:
    for block in docx.Document(io.BytesIO(data)).iter_inner_content():
        if hasattr(block, "rows"):
            yield Part("table", tuple(tuple(cell.text for cell in row.cells) for row in block.rows))
        else:
            found = re.fullmatch(r"Heading (\d)", block.style.name)
            yield Part("heading" if found else "paragraph", ((block.text,),), int(found[1]) if found else 1)


def parts_of_odt(data: bytes) -> Iterable[Part]:
    content = etree.fromstring(zipfile.ZipFile(io.BytesIO(data)).read("content.xml"))
    for element in content.xpath("//*[local-name()='body']/*/*"):
        name = etree.QName(element).localname
        if name == "table":
            rows = element.xpath("*[local-name()='table-row']")
            yield Part("table", tuple(tuple("".join(cell.itertext()) for cell in row) for row in rows))
        else:
            levels = [value for key, value in element.attrib.items() if key.endswith("}outline-level")]
            level = int(levels[0]) if levels else 1
            yield Part("heading" if name == "h" else "paragraph", (("".join(element.itertext()),),), level)


def sections(document: Iterable[Part]) -> dict[tuple[str, ...], list[str]]:
    """Heading path → the lines under it, headings included."""
    found: dict[tuple[str, ...], list[str]] = {}
    trail: list[tuple[int, str]] = []
    for part in document:
        if part.kind == "heading":
            trail = [entry for entry in trail if entry[0] < part.level] + [(part.level, part.texts[0][0])]
        found.setdefault(tuple(title for _, title in trail), []).extend(map(" | ".join, part.texts))
    return found


def assert_blocks_lead_back(extraction: Extraction, document: list[Part]) -> None:
    expected = sections(document)
    found: dict[tuple[str, ...], list[str]] = {}
    for span in extraction.spans:
        found.setdefault(span.locator.heading_path, []).append(extraction.text[span.start : span.end])
    assert found == expected
    assert_chunks_are_exact(extraction)


@FAST
@given(document=parts)
def test_blocks_of_docx(document: list[Part], tmp_path: Path) -> None:
    data = docx_of(document)
    assert_blocks_lead_back(extracted(data, "a.docx", tmp_path), list(parts_of_docx(data)))


@FAST
@given(document=parts)
def test_blocks_of_odt(document: list[Part], tmp_path: Path) -> None:
    data = odt_of(document)
    assert_blocks_lead_back(extracted(data, "a.odt", tmp_path), list(parts_of_odt(data)))


@FAST
@given(document=parts)
def test_blocks_of_rtf(document: list[Part], tmp_path: Path) -> None:
    safe = [part for part in document if not any("\\" in text for texts in part.texts for text in texts)]
    assert_blocks_lead_back(extracted(rtf_of(safe), "a.rtf", tmp_path), safe)


# Presentations


@dataclass(frozen=True)
class Page:
    title: str | None
    boxes: tuple[str, ...]
    table: tuple[tuple[str, str], ...]
    notes: str | None


pages = st.lists(
    st.builds(
        Page,
        st.none() | sentences,
        st.lists(sentences, max_size=3).map(tuple),
        st.lists(st.tuples(words, words), max_size=3).map(tuple),
        st.none() | sentences,
    ),
    min_size=1,
    max_size=4,
).filter(lambda deck: any(page.title or page.boxes or page.table or page.notes for page in deck))


def pptx_of(deck: list[Page]) -> bytes:
    made = pptx.Presentation()
    for page in deck:
        slide = made.slides.add_slide(made.slide_layouts[5])
        slide.shapes.title.text = page.title or ""
        for number, text in enumerate(page.boxes):
            slide.shapes.add_textbox(
                Inches(1), Inches(2 + number), Inches(4), Inches(0.5)
            ).text_frame.text = text
        if page.table:
            table = slide.shapes.add_table(len(page.table), 2, 0, Inches(6), Inches(4), Inches(1)).table
            for row, texts in enumerate(page.table):
                table.cell(row, 0).text, table.cell(row, 1).text = texts
        if page.notes:
            slide.notes_slide.notes_text_frame.text = page.notes
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def lines_of_pptx(data: bytes) -> list[tuple[list[str], list[str]]]:
    """For each slide its lines and the lines of its notes."""
    found = []
    for slide in pptx.Presentation(io.BytesIO(data)).slides:
        lines = []
        for shape in slide.shapes:
            if shape.has_text_frame and shape.text_frame.text:
                lines.append(shape.text_frame.text)
            if shape.has_table:
                lines += [" | ".join(cell.text for cell in row.cells) for row in shape.table.rows]
        notes = slide.notes_slide.notes_text_frame.text if slide.has_notes_slide else ""
        found.append((lines, [notes] if notes else []))
    return found


def odp_of(deck: list[Page]) -> bytes:
    def frame(text: str, top: int, role: str = "") -> str:
        role = f' presentation:class="{role}"' if role else ""
        inner = f"<draw:text-box><text:p>{escape(text)}</text:p></draw:text-box>"
        return f'<draw:frame svg:y="{top}cm"{role}>{inner}</draw:frame>'

    body = []
    for page in deck:
        shapes = [frame(page.title, 0, "title")] if page.title else []
        shapes += [frame(text, 3 + number) for number, text in enumerate(page.boxes)]
        rows = "".join(
            "<table:table-row>"
            + "".join(
                f"<table:table-cell><text:p>{escape(text)}</text:p></table:table-cell>" for text in texts
            )
            + "</table:table-row>"
            for texts in page.table
        )
        shapes += [f'<draw:frame svg:y="20cm"><table:table>{rows}</table:table></draw:frame>'] if rows else []
        notes = (
            [f"<presentation:notes>{frame(page.notes, 0, 'notes')}</presentation:notes>"]
            if page.notes
            else []
        )
        body.append(f"<draw:page>{''.join([*reversed(shapes), *notes])}</draw:page>")
    return open_document("presentation", "".join(body))


def lines_of(deck: list[Page]) -> list[tuple[list[str], list[str]]]:
    return [
        (
            [*([page.title] if page.title else []), *page.boxes, *map(" | ".join, page.table)],
            [page.notes] if page.notes else [],
        )
        for page in deck
    ]


def assert_slides_lead_back(extraction: Extraction, slides: list[tuple[list[str], list[str]]]) -> None:
    found: list[tuple[list[str], list[str]]] = [([], []) for _ in slides]
    for span in extraction.spans:
        assert span.locator.slide is not None
        is_note = span.locator.heading_path[-1:] == ("Notes",)
        found[span.locator.slide - 1][is_note].append(extraction.text[span.start : span.end])
    assert found == slides
    assert extraction.coverage.read == sum(bool(lines or notes) for lines, notes in slides)
    assert extraction.coverage.total == len(slides)
    assert_chunks_are_exact(extraction)


@FAST
@given(deck=pages)
def test_blocks_of_pptx(deck: list[Page], tmp_path: Path) -> None:
    data = pptx_of(deck)
    assert_slides_lead_back(extracted(data, "a.pptx", tmp_path), lines_of_pptx(data))


@FAST
@given(deck=pages)
def test_blocks_of_odp(deck: list[Page], tmp_path: Path) -> None:
    assert_slides_lead_back(extracted(odp_of(deck), "a.odp", tmp_path), lines_of(deck))
