"""Excel workbooks: every row with a value of every visible sheet, streamed."""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, ResourceLimit
from rag.extract.canonical import CanonicalBuilder, Reading
from rag.extract.container import UNPACK_ERRORS, open_container
from rag.extract.outline import choose_title
from rag.extract.tabular import Row, headed_rows
from rag.extract.wording import count_of
from rag.types import Coverage, ExtractionWarning, Locator

if TYPE_CHECKING:
    from openpyxl.workbook.workbook import Workbook

_SHEET_PART = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
# A formula whose result was never stored: the writing program did not calculate.
_UNCALCULATED = re.compile(
    rb"<(?:\w+:)?f(?:\s[^>]*)?(?:/>|>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_BLOCK_BYTES = 1024 * 1024
_OVERLAP_BYTES = 16 * 1024


class _Cell(Protocol):
    value: object
    column: int
    row: int
    number_format: str


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """Each row with a value as one block that knows its sheet, its A1 range and its column names.

    Formulas give the value stored with them. Hidden sheets are left out and reported.

    Raises:
        ResourceLimit: more cells, characters or unpacked bytes than the limits.
        DamagedDocument: a part is missing or broken.
    """
    with open_container(path, max_unpacked_mib=limits.max_unpacked_mib) as container:
        n_uncalculated = _count_uncalculated(container)
        has_macros = any(name.lower().endswith("vbaproject.bin") for name in container.namelist())
    # Opened here: given a path, the library judges a file by its ending, and stored bytes have none.
    with path.open("rb") as file:
        workbook = _load(file)
        builder = CanonicalBuilder(limits.max_chars)
        hidden = [sheet.title for sheet in workbook.worksheets if sheet.sheet_state != "visible"]
        n_rows = _add_sheets(workbook, builder, max_cells=limits.max_cells)
        title = choose_title((workbook.properties.title,), filename)
        workbook.close()
    return Reading(
        title=title,
        text=builder.text() if n_rows else "",
        spans=builder.spans() if n_rows else (),
        coverage=Coverage("row", n_rows, n_rows),
        is_partial=n_uncalculated > 0,
        warnings=tuple(_warnings(hidden, n_uncalculated, has_macros=has_macros)),
    )


def _load(file: BinaryIO) -> Workbook:
    import warnings

    import openpyxl

    with _damage("A part of the workbook is missing or broken."), warnings.catch_warnings():
        # It warns of features it will not keep when saving; nothing is saved here.
        warnings.simplefilter("ignore")
        return openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)


@contextmanager
def _damage(message: str) -> Iterator[None]:
    """Map what openpyxl lets through when a part is not as it expects; it has no error of its own for that."""
    try:
        yield
    except (
        *UNPACK_ERRORS,
        SyntaxError,  # no well-formed XML: lxml's error and the standard library's both are one
        LookupError,  # a part, style or encoding that is not there
        TypeError,
        AttributeError,
        OverflowError,
    ) as exc:
        raise DamagedDocument(message) from exc


def _add_sheets(workbook: Workbook, builder: CanonicalBuilder, *, max_cells: int) -> int:
    n_rows = n_tables = 0
    cells_left = max_cells
    for sheet in workbook.worksheets:
        if sheet.sheet_state != "visible":
            continue
        name = str(sheet.title)
        # The stored size may claim a million columns; without it rows end at their last cell.
        sheet.reset_dimensions()
        is_first, table = True, n_tables
        for headed in headed_rows(_rows(sheet.iter_rows(), cells_left, max_cells)):
            if is_first:
                builder.add(name, "heading", Locator(sheet=name, heading_path=(name,)))
                is_first = False
            cells_left -= len(headed.row.cells)
            locator = Locator(sheet=name, cells=headed.row.a1_range)
            table = n_tables + headed.table
            builder.add(headed.text, "table_row", locator, table_header=headed.header, table=table)
            n_rows += 1
        n_tables = table
    return n_rows


def _rows(records: Iterable[tuple[_Cell, ...]], cells_left: int, max_cells: int) -> Iterator[Row]:
    stream = iter(records)
    while True:
        with _damage("A sheet of the workbook is broken."):
            record = next(stream, None)
            # A cell looks its format up only now, in the styles that may be broken.
            found = [(cell, cell.number_format) for cell in record or () if cell.value is not None]
        if record is None:
            return
        cells: dict[int, str] = {}
        number = n_numbers = 0
        for cell, number_format in found:
            text = cell_text(cell.value, number_format)
            if text:
                cells[cell.column] = text
                number = cell.row
                n_numbers += not isinstance(cell.value, str)
        cells_left -= len(cells)
        if cells_left < 0:
            raise ResourceLimit(f"The workbook has more than {max_cells:,} cells with a value.")
        if cells:
            yield Row(number, cells, n_numbers)


def cell_text(value: object, number_format: str) -> str:
    """A cell as people write it: no ``3.0`` for 3, ISO dates, percent where the cell shows it."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _number_text(value, is_percent="%" in number_format)
    if isinstance(value, dt.datetime):
        has_time = value.time() != dt.time(0)
        return value.isoformat(sep=" ", timespec="minutes") if has_time else value.date().isoformat()
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return str(value).strip()


def _number_text(value: float, *, is_percent: bool) -> str:
    # Spreadsheets hold 15 significant digits; more would show binary noise such as 0.1 + 0.2.
    number = Decimal(format(value * 100 if is_percent else value, ".15g"))
    if not number.is_finite():
        return ""
    text = format(number.normalize(), "f")
    return f"{'0' if text == '-0' else text}{'%' if is_percent else ''}"


def _count_uncalculated(container: zipfile.ZipFile) -> int:
    """How many formulas have no stored value, counted without building a tree."""
    count = 0
    try:
        for name in container.namelist():
            if _SHEET_PART.fullmatch(name):
                with container.open(name) as part:
                    tail = b""
                    while block := part.read(_BLOCK_BYTES):
                        window = tail + block
                        end = 0
                        for found in _UNCALCULATED.finditer(window):
                            count += 1
                            end = found.end()
                        tail = window[max(end, len(window) - _OVERLAP_BYTES) :]
    except UNPACK_ERRORS as exc:
        raise DamagedDocument("A sheet of the workbook cannot be unpacked.") from exc
    return count


def _warnings(hidden: list[str], n_uncalculated: int, *, has_macros: bool) -> Iterator[ExtractionWarning]:
    if hidden:
        names = ", ".join(hidden[:10])
        count = count_of(len(hidden), "hidden sheet")
        yield ExtractionWarning("hidden_sheets_dropped", f"Left out: {count} ({names}).")
    if n_uncalculated:
        count = count_of(n_uncalculated, "formula")
        yield ExtractionWarning(
            "formulas_without_value",
            f"No result is stored for {count}; open the file in a spreadsheet program and save it.",
        )
    if has_macros:
        yield ExtractionWarning("macros_ignored", "The file has macros; they were not run.")
