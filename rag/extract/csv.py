"""Tables as text: one row a line, with the column names of the first."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rag.config import ExtractionLimits
from rag.errors import ResourceLimit
from rag.extract.canonical import CanonicalBuilder, Reading, line_text
from rag.extract.decoding import decode_text
from rag.extract.outline import title_from_filename
from rag.extract.tabular import Row, headed_rows
from rag.extract.wording import count_of
from rag.types import Coverage, ExtractionWarning, Locator

_DELIMITERS = (",", ";", "\t", "|")
_NUMBER = re.compile(r"[-+]?[\d.,' ]*\d\s?%?|\d{4}-\d\d-\d\d.*")
_SAMPLE_LINES = 50
_MAX_COLUMNS = 16_384
"""As many as a sheet of Excel has."""


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """Every row with a value; the sheet is named after the file, as Excel does.

    Raises:
        ResourceLimit: more cells, columns or characters than the limits.
    """
    decoded = decode_text(path.read_bytes())
    title = title_from_filename(filename)
    builder = CanonicalBuilder(limits.max_chars)
    n_rows = 0
    records = _Records(decoded.text.replace("\0", ""))
    for headed in headed_rows(_rows(records, max_cells=limits.max_cells)):
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
        warnings=decoded.warnings + records.warnings,
    )


@dataclass(slots=True)
class _Records:
    """The records of a table. A quote that is opened and not closed as it should be opens nothing."""

    text: str
    n_unclosed: int = 0
    _lines: list[str] = field(default_factory=list)
    _at: int = 0

    @property
    def warnings(self) -> tuple[ExtractionWarning, ...]:
        """One warning when quotes were taken for plain characters, else none."""
        if not self.n_unclosed:
            return ()
        rows = count_of(self.n_unclosed, "row")
        message = f"A quoted field without an end in {rows}: the marks were read as they stand."
        return (ExtractionWarning("unclosed_quotes", message, self.n_unclosed),)

    def __iter__(self) -> Iterator[list[str]]:
        delimiter = _delimiter(self.text)
        # The limit is of the whole process: never lower than the default.
        csv.field_size_limit(max(len(self.text), 131_072))
        self._lines = list(io.StringIO(self.text, newline=""))
        while self._at < len(self._lines):
            first = self._at
            record = next(csv.reader(self._lines_on(), delimiter=delimiter))
            lines = self._lines[first : self._at]
            if len(lines) > 1 and not _is_well_quoted(lines, delimiter):
                self.n_unclosed += 1
                self._at = first + 1
                yield next(csv.reader(lines[:1], delimiter=delimiter, quoting=csv.QUOTE_NONE))
            else:
                yield record

    def _lines_on(self) -> Iterator[str]:
        while self._at < len(self._lines):
            self._at += 1
            yield self._lines[self._at - 1]


def _rows(records: Iterable[list[str]], *, max_cells: int) -> Iterator[Row]:
    n_cells = 0
    for number, record in enumerate(records, start=1):
        cells = {column: cell for column, cell in enumerate(record, start=1) if line_text(cell)}
        n_cells += len(cells)
        if n_cells > max_cells:
            raise ResourceLimit(f"The table has more than {max_cells:,} cells.")
        if cells:
            if max(cells) > _MAX_COLUMNS:
                raise ResourceLimit(f"The table has more than {_MAX_COLUMNS:,} columns.")
            n_numbers = sum(_NUMBER.fullmatch(cell.strip()) is not None for cell in cells.values())
            yield Row(number, cells, n_numbers)


def _is_well_quoted(lines: list[str], delimiter: str) -> bool:
    try:
        for _ in csv.reader(lines, delimiter=delimiter, strict=True):
            pass
    except csv.Error:
        return False
    return True


def _delimiter(text: str) -> str:
    """The delimiter that the first lines hold most evenly, then most often; a comma when none does."""
    lines = [line for line in text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES] if line.strip()]

    def evenness(mark: str) -> tuple[int, int]:
        counts = [line.count(mark) for line in lines]
        n_alike = max((counts.count(count) for count in set(counts) if count), default=0)
        return n_alike, sum(counts)

    return max(_DELIMITERS, key=evenness)
