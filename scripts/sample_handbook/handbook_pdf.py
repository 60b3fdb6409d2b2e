"""Write the PDF documents of the sample handbook: plain, two-column, scanned and encrypted."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from xml.sax.saxutils import escape

import reportlab
from handbook_markup import Block, parse
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from reportlab import rl_config
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import cm
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    ListFlowable,
    ListItem,
    PageTemplate,
    Paragraph,
)

# Fixed dates and document ids, and binary streams instead of ASCII ones (smaller files).
rl_config.invariant = 1
rl_config.useA85 = 0

WIDTH, HEIGHT = A4
PageMark = Callable[[Canvas, BaseDocTemplate], None]


@dataclass(frozen=True)
class Layout:
    """How a document is set: its frames on the page, its type, and what is drawn around the text."""

    boxes: list[tuple[float, float, float, float]]  # x, y, width, height
    font: str
    size: float
    title: str
    justify: bool = False
    mark: PageMark = lambda _canvas, _doc: None
    encrypt: StandardEncryption | None = None


SCAN_DPI = 200
SCAN_TILT = 0.3  # degrees
SCAN_FONTS = Path(reportlab.__file__).parent / "fonts"  # reportlab brings the Vera fonts along


def _styles(font: str, size: float, justify: bool) -> dict[str, ParagraphStyle]:
    """Make the paragraph styles of one document."""
    body = ParagraphStyle("body", fontName=font, fontSize=size, leading=size * 1.35, spaceAfter=size * 0.55)
    if justify:
        body.alignment = TA_JUSTIFY
    bold = "Helvetica-Bold" if font == "Helvetica" else "Times-Bold"
    styles = {"body": body}
    for level, scale in ((1, 1.9), (2, 1.3), (3, 1.1)):
        styles[f"h{level}"] = ParagraphStyle(
            f"h{level}",
            parent=body,
            alignment=0,
            fontName=bold,
            fontSize=size * scale,
            leading=size * scale * 1.25,
            spaceBefore=size * 0.8,
            spaceAfter=size * 0.4,
            keepWithNext=1,
        )
    return styles


def _flowables(blocks: list[Block], styles: dict[str, ParagraphStyle]) -> list[Flowable]:
    """Turn parsed blocks into what reportlab sets on pages."""
    story: list[Flowable] = []
    for block in blocks:
        if block.kind == "heading":
            story.append(Paragraph(escape(block.text), styles[f"h{block.level}"]))
        elif block.kind == "paragraph":
            story.append(Paragraph(escape(block.text), styles["body"]))
        elif block.kind in ("bullets", "numbers"):
            items = [ListItem(Paragraph(escape(item), styles["body"])) for item in block.items]
            bullet = "bullet" if block.kind == "bullets" else "1"
            story.append(ListFlowable(items, bulletType=bullet, leftIndent=16, bulletFontSize=10))
        else:
            raise ValueError(f"the PDF writer knows no {block.kind}")
    return story


def plain_pdf(source: str, path: Path, header: str, footer: str) -> None:
    """Write a one-column document with the same header and footer and a number on each page."""

    def mark(total: int) -> PageMark:
        def draw(canvas: Canvas, doc: BaseDocTemplate) -> None:
            canvas.setFont("Helvetica", 8)
            canvas.drawString(2.2 * cm, HEIGHT - 1.4 * cm, header)
            canvas.line(2.2 * cm, HEIGHT - 1.55 * cm, WIDTH - 2.2 * cm, HEIGHT - 1.55 * cm)
            canvas.drawString(2.2 * cm, 1.3 * cm, footer)
            canvas.drawRightString(WIDTH - 2.2 * cm, 1.3 * cm, f"Page {doc.page} of {total}")

        return draw

    box = (2.2 * cm, 2 * cm, WIDTH - 4.4 * cm, HEIGHT - 4.2 * cm)
    layout = Layout([box], "Helvetica", 10.5, header)
    total = _build(source, io.BytesIO(), layout)
    with path.open("wb") as out:
        _build(source, out, replace(layout, mark=mark(total)))


def two_column_pdf(source: str, path: Path, running_title: str) -> None:
    """Write a document in two justified columns, with a running title below the text."""

    def draw(canvas: Canvas, doc: BaseDocTemplate) -> None:
        canvas.setFont("Times-Italic", 8)
        canvas.drawString(1.8 * cm, 1.1 * cm, running_title)
        canvas.drawRightString(WIDTH - 1.8 * cm, 1.1 * cm, str(doc.page))

    gap = 0.8 * cm
    column = (WIDTH - 3.6 * cm - gap) / 2
    boxes = [
        (1.8 * cm, 1.8 * cm, column, HEIGHT - 3.4 * cm),
        (1.8 * cm + column + gap, 1.8 * cm, column, HEIGHT - 3.4 * cm),
    ]
    with path.open("wb") as out:
        _build(source, out, Layout(boxes, "Times-Roman", 9.5, running_title, justify=True, mark=draw))


def encrypted_pdf(source: str, path: Path, password: str, title: str) -> None:
    """Write a document that cannot be opened without the password."""
    lock = StandardEncryption(password, ownerPassword=password + "-owner", strength=128)
    box = (2.2 * cm, 2 * cm, WIDTH - 4.4 * cm, HEIGHT - 4 * cm)
    with path.open("wb") as out:
        _build(source, out, Layout([box], "Helvetica", 11, title, encrypt=lock))


def _build(source: str, out: io.BufferedIOBase, layout: Layout) -> int:
    """Set a source text into the frames of as many pages as it needs; return how many."""
    doc = BaseDocTemplate(
        out, pagesize=A4, title=layout.title, author="Merrowgate Ltd", lang="en", encrypt=layout.encrypt
    )
    frames = [Frame(*box, leftPadding=0, rightPadding=0) for box in layout.boxes]
    doc.addPageTemplates([PageTemplate(id="page", frames=frames, onPage=layout.mark)])
    doc.build(_flowables(parse(source), _styles(layout.font, layout.size, layout.justify)))
    return int(doc.page)


def scanned_pdf(source: str, path: Path) -> None:
    """Write a one-page document that is only a picture, as from an office scanner."""
    picture = io.BytesIO()
    _scan_picture(parse(source)).save(picture, "JPEG", quality=55, dpi=(SCAN_DPI, SCAN_DPI))
    picture.seek(0)
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setTitle("scan_20240722_0911")
    canvas.setProducer("Merrowgate sample scanner")
    canvas.drawImage(ImageReader(picture), 0, 0, WIDTH, HEIGHT)
    canvas.showPage()
    canvas.save()


def _scan_picture(blocks: list[Block]) -> Image.Image:
    """Draw the page, tilt it a little and lay paper noise over it; always the same noise."""
    size = (round(WIDTH / 72 * SCAN_DPI), round(HEIGHT / 72 * SCAN_DPI))
    page = Image.new("L", size, 250)
    pen = ImageDraw.Draw(page)
    margin = 190
    top = 190.0
    for block in blocks:
        bold = block.kind == "heading"
        font = ImageFont.truetype(
            str(SCAN_FONTS / ("VeraBd.ttf" if bold else "Vera.ttf")), 42 if bold else 34
        )
        for line in _wrap(block.text, font, size[0] - 2 * margin):
            pen.text((margin, top), line, font=font, fill=25)
            top += font.size * 1.5
        top += 22
    if top > size[1] - margin:
        raise ValueError("the scanned page has too much text")
    page = page.rotate(SCAN_TILT, resample=Image.Resampling.BICUBIC, fillcolor=250)
    page = page.filter(ImageFilter.GaussianBlur(0.6))
    grain_size = (size[0] // 2, size[1] // 2)
    grain_bytes = random.Random(2407).randbytes(grain_size[0] * grain_size[1])
    grain = Image.frombytes("L", grain_size, grain_bytes).resize(size, Image.Resampling.BILINEAR)
    return Image.blend(page, grain, 0.02)


def _wrap(text: str, font: ImageFont.FreeTypeFont, width: float) -> list[str]:
    """Break a text into lines that fit the width."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and font.getlength(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
