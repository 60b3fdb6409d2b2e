"""Workbooks of every format: sheets as blocks, cells as people write them, what was left out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from rag.errors import NoText, ResourceLimit
from rag.extract.canonical import CanonicalBuilder, Reading, line_text
from rag.extract.left_out import left_out
from rag.extract.number_formats import formatted
from rag.extract.tabular import Row, headed_rows
from rag.extract.wording import count_of
from rag.types import Coverage, ExtractionWarning, Locator

_MAX_NAMED = 10


@dataclass(slots=True)
class HiddenParts:
    """Rows and columns with a value that the sheets do not show."""

    n_rows: int = 0
    n_columns: int = 0
    n_struck: int = 0
    """Cells that are crossed out."""

    def warnings(self) -> Iterator[ExtractionWarning]:
        """How much was read that a person sees only after unhiding it, or without the filter."""
        counts = ((self.n_rows, "hidden row"), (self.n_columns, "hidden column"))
        parts = " and ".join(count_of(count, noun) for count, noun in counts if count)
        if parts:
            yield ExtractionWarning(
                "hidden_cells_read", f"Read with the rest: {parts}.", self.n_rows + self.n_columns
            )


@dataclass(slots=True)
class SheetBlocks:
    """Collects the visible sheets of one workbook: each row with a value becomes one block.

    A row knows its sheet, its A1 range and its column names. At most `max_cells` cells with a value
    are read from all sheets together.
    """

    builder: CanonicalBuilder
    max_cells: int
    hidden: list[str] = field(default_factory=list)
    n_rows: int = 0
    """Rows with a value so far."""
    n_read: int = 0
    """Rows that became a block."""
    _n_cells: int = 0
    _n_tables: int = 0

    def add_sheet(self, name: str, rows: Iterable[Row], boxes: Iterable[tuple[str | None, str]] = ()) -> None:
        """Append a sheet's rows and the texts lying over its cells; nothing for a sheet without either.

        Raises:
            ResourceLimit: more cells or characters than the limits.
        """
        table = self._n_tables
        is_named = False
        for headed in headed_rows(self._within_limit(rows)):
            is_named = is_named or self._add_name(name)
            table = self._n_tables + headed.table
            self.n_rows += 1
            self.n_read += self.builder.add(
                headed.text,
                "table_row",
                Locator(sheet=name, cells=headed.row.a1_range),
                table_header=headed.header,
                table=table,
            )
        self._n_tables = table
        for cells, text in boxes:
            is_named = is_named or self._add_name(name)
            self.builder.add(text, "paragraph", Locator(sheet=name, cells=cells))

    def _add_name(self, name: str) -> bool:
        self.builder.add(name, "heading", Locator(sheet=name, heading_path=(name,)))
        return True

    def _within_limit(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            self._n_cells += len(row.cells)
            if self._n_cells > self.max_cells:
                raise ResourceLimit(f"The workbook has more than {self.max_cells:,} cells with a value.")
            yield row

    def reading(
        self, title: str, warnings: Iterable[ExtractionWarning] = (), *, is_partial: bool = False
    ) -> Reading:
        """The workbook as it was read.

        Raises:
            NoText: no visible sheet has a value.
        """
        if not self.builder.spans():
            hidden = f"; {count_of(len(self.hidden), 'hidden sheet')} not read" if self.hidden else ""
            raise NoText(f"No cell of the workbook holds a value{hidden}.")
        names = ", ".join(self.hidden[:_MAX_NAMED])
        return Reading(
            title=title,
            text=self.builder.text(),
            spans=self.builder.spans(),
            coverage=Coverage("row", self.n_read, self.n_rows),
            is_partial=is_partial,
            warnings=(
                *left_out("hidden_sheets_dropped", len(self.hidden), "hidden sheet", detail=f" ({names})"),
                *warnings,
            ),
        )


def row_of_values(number: int, values: Iterable[tuple[int, object, str]]) -> Row | None:
    """A row from (column, value, number format), columns from 1; None when no cell shows anything."""
    cells: dict[int, str] = {}
    n_numbers = 0
    for column, value, number_format in values:
        text = cell_text(value, number_format)
        if line_text(text):
            cells[column] = text
            n_numbers += not isinstance(value, str)
    return Row(number, cells, n_numbers) if cells else None


def cell_text(value: object, number_format: str = "") -> str:
    """A cell as people write it: no ``3.0`` for 3, ISO dates, percent, zeros and words where the cell shows them."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        text = _number_text(value, is_percent="%" in number_format)
        return formatted(text, number_format) if text else ""
    if isinstance(value, dt.datetime):
        has_time = value.time() != dt.time(0)
        return value.isoformat(sep=" ", timespec="minutes") if has_time else value.date().isoformat()
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return _duration_text(value)
    return str(value).strip()


def _number_text(value: float, *, is_percent: bool) -> str:
    # Spreadsheets hold 15 significant digits; more would show binary noise such as 0.1 + 0.2.
    number = Decimal(format(value * 100 if is_percent else value, ".15g"))
    if not number.is_finite():
        return ""
    text = format(number.normalize(), "f")
    return f"{'0' if text == '-0' else text}{'%' if is_percent else ''}"


def _duration_text(value: dt.timedelta) -> str:
    """Hours beyond a day stay hours, as ``[h]:mm:ss`` shows them."""
    seconds = round(abs(value).total_seconds())
    sign = "-" if value < dt.timedelta(0) else ""
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
