"""Word documents: headings, paragraphs, lists, tables, text boxes and notes in body order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rag.config import ExtractionLimits
from rag.extract.canonical import CanonicalBuilder, Reading, line_text
from rag.extract.container import open_container
from rag.extract.docx_numbering import list_place
from rag.extract.docx_symbols import symbol_of
from rag.extract.docx_xml import Look, WordParts, load_parts, look_of, outline_level
from rag.extract.left_out import (
    comments_left_out,
    deletions_left_out,
    headers_left_out,
    hidden_text_left_out,
    macros_ignored,
    pictures_not_read,
    struck_text_left_out,
)
from rag.extract.office_math import formula_text
from rag.extract.outline import HeadingTrail, choose_title
from rag.extract.pptx_graphics import chart_texts, chart_title, diagram_texts
from rag.extract.scripts import lowered, raised
from rag.extract.tabular import table_lines
from rag.extract.wording import count_of
from rag.extract.xml_parts import attribute, child, inner_elements, local_name
from rag.types import Coverage, ExtractionWarning, Locator

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

# Containers that a reader does not see as such.
_TRANSPARENT = frozenset(
    (
        "sdt",
        "sdtContent",
        "dir",
        "bdo",
        "customXml",
        "smartTag",
        "ins",
        "moveTo",
        "AlternateContent",
        "Choice",
    )
)
# Text that was deleted, or moved away, with changes tracked.
_DELETED = frozenset(("del", "moveFrom"))
# Field codes, the fallback copy of a drawing, properties, phonetic guides.
_SKIPPED = frozenset(
    (
        "instrText",
        "delText",
        "Fallback",
        "rPr",
        "pPr",
        "sdtPr",
        "tblPr",
        "tcPr",
        "trPr",
        "rt",
    )
)
_GRAPHICS = frozenset(("pic", "imagedata", "object", "contentPart"))
_IDS = {"chart": "id", "relIds": "dm"}
"""The attribute of a chart or diagram that names its relation."""
_BREAKS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The document's body; deleted and hidden text is left out, macros are never run.

    Raises:
        ResourceLimit: more characters or unpacked bytes than the limits, or absurd nesting.
        DamagedDocument: a part is missing or broken.
    """
    with open_container(path, max_unpacked_mib=limits.max_unpacked_mib) as container:
        parts = load_parts(container)
        macros = tuple(macros_ignored(container))
    body = _Body(parts, CanonicalBuilder(limits.max_chars))
    body.walk(parts.body)
    body.add_notes()
    return Reading(
        title=choose_title((parts.title, body.first_heading), filename),
        text=body.builder.text(),
        spans=body.builder.spans(),
        coverage=Coverage("document", 1, 1),
        is_partial=body.n_foreign > 0,
        warnings=(
            *hidden_text_left_out(body.n_hidden_chars),
            *struck_text_left_out(body.n_struck),
            *deletions_left_out(body.n_deletions),
            *comments_left_out(parts.n_comments),
            *headers_left_out(parts.n_header_paragraphs),
            *_foreign_parts(body.n_foreign),
            *pictures_not_read(body.n_pictures),
            *macros,
        ),
    )


def _foreign_parts(count: int) -> Iterator[ExtractionWarning]:
    if count:
        message = f"Not read: {count_of(count, 'document')} inside the document, kept in another format."
        yield ExtractionWarning("embedded_content_not_read", message, count)


@dataclass(slots=True)
class _Body:
    parts: WordParts
    builder: CanonicalBuilder
    trail: HeadingTrail = field(default_factory=HeadingTrail)
    first_heading: str | None = None
    n_hidden_chars: int = 0
    n_deletions: int = 0
    n_struck: int = 0
    n_pictures: int = 0
    """Pictures and embedded objects, and charts and diagrams that are not of a kind known here."""
    n_foreign: int = 0
    """Stretches that only Word itself can import when it opens the file (``altChunk``)."""
    _table: int = 0
    _note_places: dict[str, Locator] = field(default_factory=dict)
    _place: Locator | None = None
    _graphics: list[Element] = field(default_factory=list)
    _paragraph_look: Look = field(default_factory=Look)
    """By the style of the paragraph that is read."""

    def walk(self, container: Element) -> None:
        """Add the blocks inside `container`, in order."""
        for element in container:
            name = local_name(element)
            if name == "p":
                self._add_paragraph(element)
            elif name == "tbl":
                self._add_table(element)
            elif name in _TRANSPARENT:
                self.walk(element)
            elif name in _DELETED:
                self._count_deletion(element)
            elif name == "altChunk":
                self.n_foreign += 1

    def add_notes(self) -> None:
        """Footnotes and endnotes after the body, in the order and under the headings they are referred to."""
        for note_id, place in self._note_places.items():
            note = self.parts.notes.get(note_id)
            if note is not None:
                self._place = place
                self.walk(note)

    def _add_paragraph(self, paragraph: Element) -> None:
        text = self._text(paragraph)
        level, is_list = self._structure(paragraph)
        if text.strip():
            label = self._label(paragraph)
            if level is None:
                self.builder.add(label + text, "list_item" if is_list else "paragraph", self._here())
            else:
                title = line_text(text)
                if title:
                    self.first_heading = self.first_heading or title
                    title = label + title
                    self.builder.add(title, "heading", Locator(heading_path=self.trail.enter(level, title)))
        elif all(local_name(inner) == "pPr" for inner in paragraph):
            self._label(paragraph)  # an empty item counts
        self._add_graphics()
        for box in _outermost(paragraph, "txbxContent"):
            self.walk(box)

    def _set_graphic_aside(self, graphic: Element | None) -> None:
        if graphic is None:
            self.n_pictures += 1
        else:
            self._graphics.append(graphic)

    def _add_graphics(self) -> None:
        """The charts and diagrams of the paragraph or table before, as rows and lines."""
        graphics, self._graphics = self._graphics, []
        for graphic in graphics:
            rows = list(chart_texts(graphic))
            texts = [] if rows else list(diagram_texts(graphic))
            self.builder.add(chart_title(graphic), "paragraph", self._here())
            self._table += 1
            for text, header in table_lines(rows, has_header=True):
                self.builder.add(text, "table_row", self._here(), table_header=header, table=self._table)
            for text in texts:
                self.builder.add(text, "list_item", self._here())
            self.n_pictures += not rows and not texts

    def _label(self, paragraph: Element) -> str:
        """The number that Word puts before the paragraph, with a blank; empty without one."""
        properties = child(paragraph, "pPr")
        style = self.parts.styles.get(attribute(child(properties, "pStyle"), "val") or "")
        place = list_place(properties)
        label = self.parts.numbering.label(place.over(style.list_place) if style is not None else place)
        return f"{label} " if label else ""

    def _structure(self, paragraph: Element) -> tuple[int | None, bool]:
        """Heading level and whether it is a list item, from the paragraph and its style."""
        properties = child(paragraph, "pPr")
        style_id = attribute(child(properties, "pStyle"), "val")
        style = self.parts.styles.get(style_id) if style_id else None
        level = outline_level(properties) or (style.heading_level if style else None)
        numbering = child(properties, "numPr")
        is_list = (style is not None and style.is_list) or (numbering is not None and _is_numbered(numbering))
        return level, is_list

    def _text(self, paragraph: Element) -> str:
        self._paragraph_look = self._look_of_style(child(paragraph, "pPr", "pStyle"))
        return "".join(self._pieces(paragraph))

    def _look_of_style(self, reference: Element | None) -> Look:
        style = self.parts.styles.get(attribute(reference, "val") or "")
        return style.look if style is not None else Look()

    def _run_text(self, run: Element) -> str:
        """What a run shows: nothing when it is hidden or crossed out, itself or by a style."""
        text = "".join(self._pieces(run))
        properties = child(run, "rPr")
        look = look_of(properties).over(self._look_of_style(child(properties, "rStyle")))
        look = look.over(self._paragraph_look)
        if look.is_hidden:
            self.n_hidden_chars += len(text.strip())
            return ""
        if look.is_struck:
            self.n_struck += bool(text.strip())
            return ""
        return (
            raised(text)
            if look.script == "superscript"
            else lowered(text)
            if look.script == "subscript"
            else text
        )

    def _pieces(self, element: Element) -> Iterator[str]:
        for inner in element:
            name = local_name(inner)
            if name == "t":
                yield inner.text or ""
            elif name == "sym":
                yield symbol_of(attribute(inner, "font"), attribute(inner, "char"))
            elif name in _BREAKS:
                yield _BREAKS[name]
            elif name in ("footnoteReference", "endnoteReference"):
                note_id = f"{name.removesuffix('Reference')}:{attribute(inner, 'id')}"
                self._note_places.setdefault(note_id, self._here())
            elif name == "oMath":
                yield formula_text(inner)
            elif name == "r":
                yield self._run_text(inner)
            elif name in _DELETED:
                self._count_deletion(inner)
            elif name in ("chart", "relIds"):
                self._set_graphic_aside(self.parts.graphics.get(attribute(inner, _IDS[name]) or ""))
            elif name in _GRAPHICS:
                self.n_pictures += 1
            elif name not in _SKIPPED and name != "txbxContent":
                yield from self._pieces(inner)

    def _add_table(self, table: Element) -> None:
        rows = [list(_inside(row, "tc")) for row in self._kept_rows(table)]
        if max((len(cells) for cells in rows), default=0) < 2:
            for cell in (cell for cells in rows for cell in cells):
                self.walk(cell)  # a frame around text
            return
        self._table += 1
        for text, header in table_lines(self._texts_by_row(rows)):
            self.builder.add(text, "table_row", self._here(), table_header=header, table=self._table)
        self._add_graphics()

    def _kept_rows(self, table: Element) -> Iterator[Element]:
        for row in _inside(table, "tr"):
            if child(row, "trPr", "del") is None:
                yield row
            else:
                self.n_deletions += 1

    def _texts_by_row(self, rows: list[list[Element]]) -> Iterator[list[str]]:
        above: list[str] = []
        for cells in rows:
            above = self._row_texts(cells, above)
            yield above

    def _row_texts(self, cells: list[Element], above: list[str]) -> list[str]:
        """Texts by grid column; a cell merged with the one above repeats its text."""
        texts: list[str] = []
        for cell in cells:
            properties = child(cell, "tcPr")
            merge = child(properties, "vMerge")
            column = len(texts)
            is_continued = merge is not None and (attribute(merge, "val") or "continue") == "continue"
            text = above[column] if is_continued and column < len(above) else self._cell_text(cell)
            n_columns = attribute(child(properties, "gridSpan"), "val")
            n_blank = min(int(n_columns), 64) - 1 if n_columns and n_columns.isdigit() else 0
            texts += [text, *[""] * n_blank]
        return texts

    def _cell_text(self, cell: Element) -> str:
        return line_text(" ".join(self._text_and_boxes(inner) for inner in _outermost(cell, "p")))

    def _text_and_boxes(self, paragraph: Element) -> str:
        boxes = (self._cell_text(box) for box in _outermost(paragraph, "txbxContent"))
        text = self._text(paragraph)
        return " ".join((self._label(paragraph) + text if text.strip() else text, *boxes))

    def _count_deletion(self, element: Element) -> None:
        self.n_deletions += any(
            (text.text or "").strip() for name in ("delText", "t") for text in inner_elements(element, name)
        )

    def _here(self) -> Locator:
        return self._place or Locator(heading_path=self.trail.path)


def _is_numbered(numbering: Element) -> bool:
    number = child(numbering, "numId")
    return number is not None and attribute(number, "val") != "0"


def _inside(container: Element, name: str) -> Iterator[Element]:
    """Children of that name, also inside content controls."""
    for element in container:
        if local_name(element) == name:
            yield element
        elif local_name(element) in _TRANSPARENT:
            yield from _inside(element, name)


def _outermost(container: Element, name: str) -> Iterator[Element]:
    """The elements of that name at any depth, none inside another, none in what is deleted or not read."""
    for inner in container:
        if local_name(inner) == name:
            yield inner
        elif local_name(inner) not in _SKIPPED | _DELETED:
            yield from _outermost(inner, name)
