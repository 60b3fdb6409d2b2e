"""Tables as text: one row a line, with the column names of the first."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, ResourceLimit
from rag.extract.canonical import CanonicalBuilder, Reading, line_text
from rag.extract.decoding import decode_text
from rag.extract.outline import title_from_filename
from rag.extract.tabular import Row, headed_rows
from rag.types import Coverage, Locator

_DELIMITERS = (",", ";", "\t", "|")
_NUMBER = re.compile(r"[-+]?[\d.,' ]*\d\s?%?|\d{4}-\d\d-\d\d.*")
_SAMPLE_LINES = 50


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """Every row with a value; the sheet is named after the file, as Excel does.

    Raises:
        ResourceLimit: more cells or characters than the limits.
        DamagedDocument: a quoted field that never ends.
    """
    decoded = decode_text(path.read_bytes())
    title = title_from_filename(filename)
    builder = CanonicalBuilder(limits.max_chars)
    n_rows = 0
    for headed in headed_rows(_rows(decoded.text, max_cells=limits.max_cells)):
        locator = Locator(sheet=title, cells=headed.row.a1_range)
        n_rows += builder.add(
            headed.text, "table_row", locator, table_header=headed.header, table=headed.table
        )
    return Reading(
        title=title,
        text=builder.text(),
        spans=builder.spans(),
        coverage=Coverage("row", n_rows, n_rows),
        is_partial=decoded.is_partial,
        encoding=decoded.encoding,
        warnings=decoded.warnings,
    )


def _rows(text: str, *, max_cells: int) -> Iterator[Row]:
    n_cells = 0
    records = csv.reader(io.StringIO(text.replace("\0", ""), newline=""), delimiter=_delimiter(text))
    try:
        for number, record in enumerate(records, start=1):
            cells = {column: cell for column, cell in enumerate(record, start=1) if line_text(cell)}
            n_cells += len(cells)
            if n_cells > max_cells:
                raise ResourceLimit(f"The table has more than {max_cells:,} cells.")
            if cells:
                n_numbers = sum(_NUMBER.fullmatch(cell.strip()) is not None for cell in cells.values())
                yield Row(number, cells, n_numbers)
    except csv.Error as exc:
        raise DamagedDocument("The table has a field without an end.") from exc


def _delimiter(text: str) -> str:
    """The delimiter that the first lines hold most evenly, then most often; a comma when none does."""
    lines = [line for line in text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES] if line.strip()]

    def evenness(mark: str) -> tuple[int, int]:
        counts = [line.count(mark) for line in lines]
        n_alike = max((counts.count(count) for count in set(counts) if count), default=0)
        return n_alike, sum(counts)

    return max(_DELIMITERS, key=evenness)
