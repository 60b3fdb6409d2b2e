"""PDFs drawn with reportlab, page by page."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

Draw = Callable[[Canvas], Any]

LEFT, TOP, LEADING = 56, 780, 13
LOREM = (
    "Every traveller books the hotel through the portal and keeps the receipt until the report has been "
    "approved by the manager who is responsible for the cost centre of the trip. "
)


def pdf(*pages: Draw, **options: Any) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, **options)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def raw_pdf(
    content: bytes, *, catalog: bytes = b"", resources: bytes = b"", page: bytes = b"", extra: bytes = b""
) -> bytes:
    """One page of 612 by 792 points with this content; object 5 is Helvetica, object 6 is `extra`."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R" + catalog + b">>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
        + page
        + b"/Resources<</Font<</F1 5 0 R>>"
        + resources
        + b">>>>",
        b"<</Length %d>>stream\n" % len(content) + content + b"\nendstream",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        extra or b"null",
    ]
    body = b"%PDF-1.7\n"
    offsets = []
    for number, item in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n" % number + item + b"\nendobj\n"
    rows = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return body + (
        b"xref\n0 %d\n0000000000 65535 f \n%btrailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n"
        % (size, rows, size, len(body))
    )


def lines(
    canvas: Canvas,
    texts: list[str],
    *,
    x: float = LEFT,
    y: float = TOP,
    size: float = 10,
    font: str = "Helvetica",
) -> float:
    canvas.setFont(font, size)
    for text in texts:
        canvas.drawString(x, y, text)
        y -= LEADING * size / 10
    return y


def wrapped(text: str, width: int) -> list[str]:
    out: list[str] = [""]
    for word in text.split():
        if len(out[-1]) + len(word) + 1 > width:
            out.append("")
        out[-1] = f"{out[-1]} {word}".strip()
    return out


def words(prefix: str, n: int) -> str:
    return " ".join(f"{prefix}{i:03d}" for i in range(n))


def scan(text: list[str], *, turned: int = 0) -> Draw:
    """A page that holds only a picture of words; `turned` counts quarter turns counter-clockwise."""

    def draw(canvas: Canvas) -> None:
        from PIL import Image, ImageDraw, ImageFont
        from reportlab.lib.utils import ImageReader

        picture = Image.new("L", (900, 300), 245)
        pen = ImageDraw.Draw(picture)
        for row, line in enumerate(text):
            pen.text((40, 40 + 60 * row), line, fill=20, font=ImageFont.load_default(32))
        picture = picture.rotate(90 * turned, expand=True)
        width, height = (450, 150) if turned % 2 == 0 else (150, 450)
        canvas.drawImage(ImageReader(picture), 40, 300, width=width, height=height)

    return draw
