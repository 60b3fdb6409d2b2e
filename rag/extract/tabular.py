"""Rows of cells: one line of text a row, A1 ranges, and which row holds the column names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rag.cells import a1_range
from rag.extract.canonical import line_text

SEPARATOR = " | "


@dataclass(frozen=True, slots=True)
class Row:
    """A row with at least one value. `number` counts from 1; `cells` maps column (from 1) to text."""

    number: int
    cells: dict[int, str]
    n_numbers: int
    """How many of the cells hold a number, date or truth value rather than words."""

    @property
    def first_column(self) -> int:
        """The leftmost used column, from 1."""
        return min(self.cells)

    @property
    def a1_range(self) -> str:
        """The used cells, e.g. ``A3:C3``, or ``A3`` for one."""
        return a1_range(self.cells, [self.number])

    @property
    def looks_like_header(self) -> bool:
        """Two or more cells, nearly all of them short words."""
        words = len(self.cells) - self.n_numbers
        return (
            len(self.cells) > 1
            and words >= 0.7 * len(self.cells)
            and max(map(len, self.cells.values())) <= 80
        )


@dataclass(frozen=True, slots=True)
class HeadedRow:
    """A row's text and the text of the row that names its columns; None before any such row."""

    row: Row
    text: str
    header: str | None
    table: int
    """Rows of one table share this number, from 1."""


def joined_cells(cells: Iterable[str]) -> str:
    """Cells on one line; empty ones keep their place, except at the end."""
    texts = [line_text(cell) for cell in cells]
    while texts and not texts[-1]:
        texts.pop()
    return SEPARATOR.join(texts)


def names_columns(cells: Sequence[str]) -> bool:
    """A table's first row can be its header: two or more of its cells hold something."""
    return sum(bool(cell.strip()) for cell in cells) > 1


def table_lines(
    rows: Iterable[Sequence[str]], *, has_header: bool = False
) -> Iterator[tuple[str, str | None]]:
    """Each row of a document's table as one line, and the line that names its columns; None for that line.

    `has_header` says that the first row names the columns, also if it fills only one.
    """
    header: str | None = None
    for position, cells in enumerate(rows):
        line = joined_cells(cells)
        yield line, header
        if position == 0 and (has_header or names_columns(cells)):
            header = line


def headed_rows(rows: Iterable[Row]) -> Iterator[HeadedRow]:
    """Each row with its column names.

    The first row of two or more cells names the columns if it holds words. After a gap a new row
    of words does, if the row below it holds a number under a word: a second table on one sheet.
    """
    header: Row | None = None
    table = 1
    previous: Row | None = None
    is_first = True
    for row, following in _with_following(rows):
        may_start = is_first or (_has_gap(previous, row) and _is_contrasted(row, following))
        if may_start and row.looks_like_header:
            table += not is_first
            header = row
        is_first = is_first and len(row.cells) < 2
        first = min(row.first_column, header.first_column) if header else row.first_column
        header_text = _row_text(header, first) if header is not None and header is not row else None
        yield HeadedRow(row, _row_text(row, first), header_text, table)
        previous = row


def _row_text(row: Row, first_column: int) -> str:
    last = max(row.cells)
    if last - first_column > 3 * len(row.cells) + 8:  # a few cells far apart: places mean nothing here
        return joined_cells(row.cells[column] for column in sorted(row.cells))
    return joined_cells(row.cells.get(column, "") for column in range(first_column, last + 1))


def _has_gap(previous: Row | None, row: Row) -> bool:
    return previous is not None and row.number > previous.number + 1


def _is_contrasted(row: Row, following: Row | None) -> bool:
    return (
        following is not None
        and following.number == row.number + 1
        and row.n_numbers == 0
        and following.n_numbers > 0
        and len(row.cells.keys() & following.cells.keys()) > 1
    )


def _with_following(rows: Iterable[Row]) -> Iterator[tuple[Row, Row | None]]:
    previous: Row | None = None
    for row in rows:
        if previous is not None:
            yield previous, row
        previous = row
    if previous is not None:
        yield previous, None
