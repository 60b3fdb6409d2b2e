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
        try:
            found = list(_boxes_of(container, relation.target))
        except DamagedDocument:
            boxes.n_damaged += 1
            continue
        boxes.by_sheet.setdefault(attribute(sheet, "name") or "", []).extend(found)
    return boxes


def _boxes_of(container: zipfile.ZipFile, sheet: str) -> Iterator[Box]:
    for relation in relations_of(container, sheet, _DOCUMENT).values():
        if relation.kind != "drawing":  # older ones hold the frames of comments
            continue
        for anchor in parse_part(container, relation.target, _DOCUMENT):
            if local_name(anchor) in _ANCHORS:
                cell = _cell_of(anchor)
                for body in inner_elements(anchor, "txBody"):
                    texts = (paragraph_text(paragraph) for paragraph in inner_elements(body, "p"))
                    yield from ((cell, text) for text in texts if line_text(text))


def _cell_of(anchor: Element) -> str | None:
    corner = child(anchor, "from")
    column, row = (child(corner, name) for name in ("col", "row"))
    numbers = [part.text or "" for part in (column, row) if part is not None]
    if len(numbers) != 2 or not all(number.isdecimal() and len(number) < 8 for number in numbers):
        return None
    return a1_range([min(int(numbers[0]) + 1, _MAX_COLUMN)], [min(int(numbers[1]) + 1, _MAX_ROW)])
