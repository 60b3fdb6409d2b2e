"""OpenDocument presentations: slide by slide, with tables and the speaker's notes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rag.config import ExtractionLimits
from rag.errors import ResourceLimit
from rag.extract.canonical import CanonicalBuilder, Reading, line_text
from rag.extract.left_out import (
    comments_left_out,
    headers_left_out,
    hidden_text_left_out,
    struck_text_left_out,
)
from rag.extract.odf import PICTURES, OdfText, count_paragraphs, load_document
from rag.extract.slides import Block, Deck, Slide, reading_order
from rag.extract.wording import count_of
from rag.extract.xml_parts import attribute, child, children, inner_elements, local_name

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_EMU_PER_UNIT = {"in": 914_400, "cm": 360_000, "mm": 36_000, "pt": 12_700, "pc": 152_400, "px": 9_525}
_LENGTH = re.compile(r"(-?\d{1,6}(?:\.\d+)?)([a-z]{2})")
_NUMBERS = re.compile(r"-?\d{1,6}(?:\.\d+)?[a-z]{2}")
_FIELD_CLASSES = frozenset(("date-time", "footer", "header", "page-number"))
_NO_SHAPES = frozenset(("notes", "annotation", "forms", "par", "seq"))


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The visible slides: titles, text, tables and notes.

    Raises:
        EncryptedDocument: a password is needed to open it.
        DamagedDocument: a part is missing or broken.
        NoText: no visible slide has text.
        ResourceLimit: more slides, characters or unpacked bytes than the limits.
    """
    document = load_document(path, "presentation", max_unpacked_mib=limits.max_unpacked_mib)
    pages = list(children(document.body, "page"))
    if len(pages) > limits.max_pages:
        raise ResourceLimit(
            f"The presentation has {count_of(len(pages), 'slide')}; at most {limits.max_pages:,} are read."
        )
    deck = Deck(CanonicalBuilder(limits.max_chars))
    reader = _Reader(document.inline, limits.max_cells)
    for number, page in enumerate(pages, start=1):
        if reader.inline.is_hidden(page):
            deck.n_hidden += 1
        else:
            deck.add(number, reader.slide(page))
    footers = [
        found for name in ("footer-decl", "header-decl") for found in inner_elements(document.body, name)
    ]
    n_footers = sum(bool(line_text(str(footer.text or ""))) for footer in footers) + reader.n_fields
    return deck.reading(
        document.title,
        filename,
        (
            *hidden_text_left_out(reader.inline.n_hidden_chars),
            *struck_text_left_out(reader.inline.n_struck),
            *comments_left_out(reader.inline.n_comments),
            *headers_left_out(n_footers),
        ),
    )


@dataclass(slots=True)
class _Reader:
    inline: OdfText
    max_cells: int
    n_fields: int = 0
    """Paragraphs in the fields for date, footer and slide number."""
    _table: int = 0

    def slide(self, page: Element) -> Slide:
        """Everything on a slide, in reading order."""
        slide = Slide()
        self._add_shapes(page, slide)
        for frame in inner_elements(child(page, "notes"), "frame"):
            if attribute(frame, "class") == "notes":
                slide.notes += [text for text, _ in self._paragraphs(frame, is_list=False)]
        return slide

    def _add_shapes(self, container: Element, slide: Slide) -> None:
        shapes = [shape for shape in container if local_name(shape) not in _NO_SHAPES]
        self.inline.n_comments += sum(1 for _ in children(container, "annotation"))
        for shape in reading_order((*_position(shape), shape) for shape in shapes):
            self._add_shape(shape, slide)

    def _add_shape(self, shape: Element, slide: Slide) -> None:
        name = local_name(shape)
        role = attribute(shape, "class")
        table = next(children(shape, "table"), None)
        if name in ("g", "a"):
            self._add_shapes(shape, slide)
        elif role in _FIELD_CLASSES:
            self.n_fields += count_paragraphs((shape,))
        elif table is not None:
            self._table += 1
            slide.add_table(self.inline.table(table, max_cells=self.max_cells), self._table)
        elif any(local_name(inner) in PICTURES for inner in shape):
            slide.n_unread += 1
        elif role == "title" and not slide.title:
            slide.title = line_text(" ".join(text for text, _ in self._paragraphs(shape, is_list=False)))
        else:
            paragraphs = self._paragraphs(shape, is_list=False)
            slide.blocks += [
                Block(text, "list_item" if is_list else "paragraph") for text, is_list in paragraphs
            ]

    def _paragraphs(self, container: Element, *, is_list: bool) -> list[tuple[str, bool]]:
        """The paragraphs of a shape and whether each is an item of a list."""
        found: list[tuple[str, bool]] = []
        for element in container:
            name = local_name(element)
            if name in ("p", "h"):
                text = self.inline.text(element)
                found += [(text, is_list)] if line_text(text) else []
            elif name in ("list", "list-item", "list-header", "text-box"):
                found += self._paragraphs(element, is_list=is_list or name == "list")
        return found


def _position(shape: Element) -> tuple[int, int]:
    """Top and left of a shape in EMU; a group's are those of its topmost and leftmost member."""
    if local_name(shape) in ("g", "a"):
        inner = [_position(member) for member in shape if local_name(member)]
        return min((top for top, _ in inner), default=0), min((left for _, left in inner), default=0)
    moved = _NUMBERS.findall((attribute(shape, "transform") or "").rpartition("translate")[2])
    top = attribute(shape, "y") or attribute(shape, "y1") or (moved[1] if len(moved) > 1 else None)
    left = attribute(shape, "x") or attribute(shape, "x1") or (moved[0] if moved else None)
    return _emu(top), _emu(left)


def _emu(length: str | None) -> int:
    found = _LENGTH.fullmatch(length or "")
    return int(float(found[1]) * _EMU_PER_UNIT.get(found[2], 0)) if found else 0
