"""Text boxes and shapes that lie over the sheets of an Excel workbook; openpyxl drops them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rag.cells import a1_range
from rag.errors import DamagedDocument
from rag.extract.canonical import line_text
from rag.extract.pptx_graphics import paragraph_text
from rag.extract.xml_parts import (
    attribute,
    child,
    inner_elements,
    local_name,
    main_part,
    parse_part,
    relations_of,
)

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_DOCUMENT = "the workbook"
_ANCHORS = ("twoCellAnchor", "oneCellAnchor", "absoluteAnchor")
_MAX_COLUMN, _MAX_ROW = 16_384, 1_048_576
Box = tuple[str | None, str]
"""The cell under a box's upper left corner, where it has one, and a paragraph of its text."""


@dataclass(slots=True)
class SheetBoxes:
    """The boxes of each sheet by its name, and how many drawings could not be read."""

    by_sheet: dict[str, list[Box]] = field(default_factory=dict)
    n_damaged: int = 0
    n_pictures: int = 0
    """Pictures and charts over the visible sheets, chart sheets included."""


def read_boxes(container: zipfile.ZipFile) -> SheetBoxes:
    """Every text box of the workbook; a drawing that is broken is counted and costs no row.

    Raises:
        DamagedDocument: the workbook's main part is missing or broken.
        ResourceLimit: XML nested absurdly deep.
    """
    boxes = SheetBoxes()
    main = main_part(container, "xl/workbook.xml", _DOCUMENT)
    relations = relations_of(container, main, _DOCUMENT)
    for sheet in inner_elements(parse_part(container, main, _DOCUMENT), "sheet"):
        relation = next(
            (relations[value] for value in map(str, sheet.attrib.values()) if value in relations), None
        )
        if relation is None:
            continue
        name = attribute(sheet, "name") or ""
        try:
            drawings = list(_drawings_of(container, relation.target))
        except DamagedDocument:
            boxes.n_damaged += 1
            continue
        found = (box for drawing in drawings for box in _boxes_of(drawing))
        boxes.by_sheet.setdefault(name, []).extend(found)
        if attribute(sheet, "state") in (None, "visible"):
            boxes.n_pictures += sum(1 for drawing in drawings for _ in _graphics_of(drawing))
    return boxes


def _drawings_of(container: zipfile.ZipFile, sheet: str) -> Iterator[Element]:
    for relation in relations_of(container, sheet, _DOCUMENT).values():
        if relation.kind != "drawing":  # older ones hold the frames of comments
            continue
        yield parse_part(container, relation.target, _DOCUMENT)


def _boxes_of(drawing: Element) -> Iterator[Box]:
    for anchor in drawing:
        if local_name(anchor) in _ANCHORS:
            cell = _cell_of(anchor)
            for body in inner_elements(anchor, "txBody"):
                texts = (paragraph_text(paragraph) for paragraph in inner_elements(body, "p"))
                yield from ((cell, text) for text in texts if line_text(text))


def _graphics_of(drawing: Element) -> Iterator[Element]:
    """Pictures, charts and diagrams; not the pictures that stand in for a chart in old programs."""
    return (inner for inner in drawing.iter() if local_name(inner) in ("pic", "graphicFrame"))


def _cell_of(anchor: Element) -> str | None:
    corner = child(anchor, "from")
    column, row = (child(corner, name) for name in ("col", "row"))
    numbers = [part.text or "" for part in (column, row) if part is not None]
    if len(numbers) != 2 or not all(number.isdecimal() and len(number) < 8 for number in numbers):
        return None
    return a1_range([min(int(numbers[0]) + 1, _MAX_COLUMN)], [min(int(numbers[1]) + 1, _MAX_ROW)])
