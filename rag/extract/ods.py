"""OpenDocument spreadsheets, streamed.

calamine is not used: it keeps whole sheets in memory, one cell for each repetition, and gives 0.25
where the sheet shows 25 %.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument
from rag.extract.canonical import CanonicalBuilder, Reading
from rag.extract.container import UNPACK_ERRORS, open_container
from rag.extract.left_out import comments_left_out, struck_text_left_out
from rag.extract.odf import (
    CONTENT,
    DOCUMENT,
    META,
    OdfStyle,
    OdfText,
    check_not_encrypted,
    repeated,
    style_of,
)
from rag.extract.outline import choose_title
from rag.extract.sheets import HiddenParts, SheetBlocks, row_of_values
from rag.extract.tabular import Row
from rag.extract.xml_parts import attribute, local_name, stored_title, xml_error

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_MAX_ROWS, _MAX_COLUMNS = 1_048_576, 16_384
_DURATION = re.compile(r"(-)?P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?")
_SHOWN = re.compile(
    r'-?(?P<before>[^\d"()%-]*)-?(?P<digits>\d+)(?:[.,\'\u2019\s]\d+)*(?P<after>(?![Ee][+-])[^\d"()%-]*)'
)
_TIME_OF_DAY = 24 * 3600


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """Each row with a value of every visible sheet; formulas give the value stored with them.

    Raises:
        EncryptedDocument: a password is needed to open it.
        DamagedDocument: a part is missing or broken.
        NoText: no visible cell has a value.
        ResourceLimit: more cells, characters or unpacked bytes than the limits.
    """
    from lxml import etree

    sheets = SheetBlocks(CanonicalBuilder(limits.max_chars), limits.max_cells)
    reader = _Reader(sheets)
    with open_container(path, max_unpacked_mib=limits.max_unpacked_mib) as container:
        check_not_encrypted(container)
        title = choose_title((stored_title(container, META, DOCUMENT),), filename)
        try:
            with container.open(CONTENT) as content:
                reader.walk(content)
        except etree.XMLSyntaxError as exc:
            raise xml_error(exc, DOCUMENT) from exc
        except UNPACK_ERRORS as exc:
            raise DamagedDocument(f"A part of {DOCUMENT} cannot be unpacked.") from exc
    return sheets.reading(
        title,
        (
            *reader.hidden.warnings(),
            *struck_text_left_out(reader.inline.n_struck),
            *comments_left_out(reader.inline.n_comments),
        ),
    )


@dataclass(slots=True)
class _Reader:
    sheets: SheetBlocks
    styles: dict[str, OdfStyle] = field(default_factory=dict)
    inline: OdfText = field(init=False)
    n_sheets: int = 0
    hidden: HiddenParts = field(default_factory=HiddenParts)

    def __post_init__(self) -> None:
        self.inline = OdfText(self.styles)

    def walk(self, content: IO[bytes]) -> None:
        """Add the sheets while the content is read; what was read is forgotten at once."""
        from lxml import etree

        events = etree.iterparse(
            content,
            events=("start", "end"),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        for event, element in events:
            name = local_name(element)
            if event == "start" and name == "table" and local_name(element.getparent()) == "spreadsheet":
                self._add_sheet(element, events)
            elif event == "end" and name == "style":
                self.styles[attribute(element, "name") or ""] = style_of(element)

    def _add_sheet(self, table: Element, events: Iterator[tuple[str, Element]]) -> None:
        self.n_sheets += 1
        name = attribute(table, "name") or f"Sheet {self.n_sheets}"
        rows = self._rows(table, events)
        if self.inline.is_hidden(table):
            self.sheets.hidden.append(name)
        else:
            self.sheets.add_sheet(name, rows)
        for _ in rows:  # to the sheet's end
            pass

    def _rows(self, table: Element, events: Iterator[tuple[str, Element]]) -> Iterator[Row]:
        number = 1
        column = 1
        hidden: set[int] = set()
        used: set[int] = set()
        is_shown = not self.inline.is_hidden(table)
        for event, element in events:
            if event != "end":
                continue
            if local_name(element) == "table-column":
                end = min(column + repeated(element, "columns", most=_MAX_COLUMNS), _MAX_COLUMNS + 1)
                hidden.update(range(column, end) if _is_unseen(element) else ())
                column = end
            if element is table:
                self.hidden.n_columns += len(hidden & used) if is_shown else 0
                table.clear()
                return
            # A table inside a cell or a shape belongs to that cell.
            if local_name(element) != "table-row" or _sheet_of(element) is not table:
                continue
            cells = list(self._cells(element))
            count = repeated(element, "rows", most=_MAX_ROWS)
            used.update(place for place, *_ in cells)
            self.hidden.n_rows += count if is_shown and cells and _is_unseen(element) else 0
            _forget(element)
            for _ in range(count if cells else 0):
                row = row_of_values(number, cells)
                number += 1
                if row is not None:
                    yield row
            number += 0 if cells else count

    def _cells(self, row: Element) -> Iterator[tuple[int, object, str]]:
        column = 1
        for cell in row:
            if local_name(cell) not in ("table-cell", "covered-table-cell"):
                continue
            count = repeated(cell, "columns", most=_MAX_COLUMNS)
            value, number_format = self._value(cell)
            if value is not None and value != "":
                for repetition in range(min(count, _MAX_COLUMNS - column + 1)):
                    yield column + repetition, value, number_format
            column += count

    def _value(self, cell: Element) -> tuple[object, str]:
        """What the cell holds; words as they are shown where its type has no value of its own."""
        text = self.inline.cell(cell)
        kind = attribute(cell, "value-type")
        if kind in ("float", "currency", "percentage"):
            number = _number(attribute(cell, "value"))
            number_format = "%" if kind == "percentage" else _format_of(text)
            return (text if number is None else number), number_format
        if kind == "boolean":
            return attribute(cell, "boolean-value") == "true", ""
        if kind == "date":
            return _date(attribute(cell, "date-value")) or text, ""
        if kind == "time":
            return _duration(attribute(cell, "time-value")) or text, ""
        return text or (attribute(cell, "string-value") or ""), ""


def _format_of(shown: str) -> str:
    """The number format that adds the zeros and words which the cell shows around its digits."""
    found = _SHOWN.fullmatch(shown)
    if found is None:
        return ""
    zeros = "0" * len(found["digits"]) if found["digits"].startswith("0") else "0"
    before, after = (f'"{found[name]}"' if found[name] else "" for name in ("before", "after"))
    return f"{before}{zeros}{after}"


def _is_unseen(element: Element) -> bool:
    """A row or column that was hidden, or left out by a filter."""
    return attribute(element, "visibility") in ("collapse", "filter")


def _sheet_of(row: Element) -> Element | None:
    parent = row.getparent()
    while parent is not None and local_name(parent) in ("table-header-rows", "table-rows", "table-row-group"):
        parent = parent.getparent()
    return parent


def _forget(row: Element) -> None:
    """Free a row that was read, and the rows before it."""
    row.clear()
    parent = row.getparent()
    while parent is not None and row.getprevious() is not None:
        del parent[0]


def _number(value: str | None) -> float | None:
    try:
        return float(value or "")
    except ValueError:
        return None


def _date(value: str | None) -> dt.date | None:
    try:
        return dt.datetime.fromisoformat(value or "")
    except ValueError:
        return None


def _duration(value: str | None) -> dt.time | dt.timedelta | None:
    """A time of day up to 24 hours, as such cells are shown; more is a duration."""
    found = _DURATION.fullmatch(value or "")
    if found is None or not any(found.groups()[1:]):
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[1:])
    if max(days, hours, minutes, seconds) > 10_000_000:
        return None
    total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    if found[1] or total >= _TIME_OF_DAY:
        return dt.timedelta(seconds=-total if found[1] else total)
    return dt.time(total // 3600, total // 60 % 60, total % 60)
