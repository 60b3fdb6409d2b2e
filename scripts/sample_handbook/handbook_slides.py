"""Write the presentation and the e-mail message of the sample handbook, the same bytes on each run."""

from __future__ import annotations

import io
import json
from email.message import EmailMessage
from pathlib import Path

from handbook_office import STAMP, same_bytes
from pptx import Presentation
from pptx.slide import Slide
from pptx.util import Cm


def presentation(source: str, path: Path) -> None:
    """Write a presentation from its JSON source: a title a slide, lines or a table, and speaker notes."""
    spec = json.loads(source)
    deck = Presentation()
    deck.core_properties.title = spec["title"]
    deck.core_properties.author = "Merrowgate Ltd"
    deck.core_properties.created = deck.core_properties.modified = STAMP
    for number, entry in enumerate(spec["slides"]):
        layout = deck.slide_layouts[0 if number == 0 else (5 if "table" in entry else 1)]
        slide = deck.slides.add_slide(layout)
        slide.shapes.title.text = entry["title"]
        if "table" in entry:
            _table(slide, entry["table"])
        else:
            slide.placeholders[1].text = "\n".join(entry["body"])
        slide.notes_slide.notes_text_frame.text = entry["notes"]
    raw = io.BytesIO()
    deck.save(raw)
    path.write_bytes(same_bytes(raw.getvalue()))


def _table(slide: Slide, rows: list[list[str]]) -> None:
    table = slide.shapes.add_table(len(rows), len(rows[0]), Cm(2), Cm(5), Cm(21), Cm(6)).table
    for number, cells in enumerate(rows):
        for column, text in enumerate(cells):
            table.cell(number, column).text = text


def message(source: str, path: Path) -> None:
    """Write an e-mail from its text source: header fields, a blank line, the body."""
    head, _, body = source.partition("\n\n")
    mail = EmailMessage()
    attachment = ""
    for line in head.splitlines():
        name, _, value = line.partition(": ")
        if name == "Attachment":
            attachment = value
        else:
            mail[name] = value
    mail["Message-ID"] = f"<{path.stem}@merrowgate.example>"
    mail.set_content(body, cte="quoted-printable")
    table = (Path(__file__).parent / "sources" / attachment).read_bytes()
    mail.add_attachment(table, maintype="text", subtype="csv", filename=attachment)
    mail.set_boundary("merrowgate-2025-10-07")
    path.write_bytes(mail.as_bytes())
