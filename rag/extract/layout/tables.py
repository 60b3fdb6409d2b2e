"""Tables on a page: lines whose cells stand under each other."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.extract.layout.segments import Line, Segment

_MIN_ROWS = 3
_MIN_GRID_CELLS = 3
_GRID_FIGURE_SHARE = 0.25
_FIGURE = re.compile(r"[-+(]?[$€£¥]?\s?[\d.,/' ]*\d\s?[%)]?|[-–—]|n/?a", re.IGNORECASE)


def is_figure(text: str) -> bool:
    """A cell that holds a number, a date in figures or a dash, and so names no column."""
    return _FIGURE.fullmatch(text) is not None


def table_length(flow: Sequence[Line], start: int) -> int:
    """How many lines from `start` on are a table; 0 when it is none."""
    if len(flow[start].segments) < 2:
        return 0
    end, n_rows, columns = start + 1, 1, flow[start]
    for line in flow[start + 1 :]:
        previous = flow[end - 1]
        # Column names are often set over their columns in another way than the figures below.
        is_below_names = end == start + 1 and len(line.segments) > 1
        if line.top - previous.bottom > 2.5 * previous.height or not (
            is_below_names or _aligned(columns, line)
        ):
            break
        columns = line if is_below_names else columns
        if len(line.segments) > 1:
            n_rows += 1
            columns = line if len(line.segments) >= len(columns.segments) else columns
        end += 1
    while end > start and len(flow[end - 1].segments) < 2 and not _continues(flow[end - 2], flow[end - 1]):
        end -= 1
    return end - start if n_rows >= _MIN_ROWS and 2 * n_rows >= end - start else 0


def _aligned(columns: Line, line: Line) -> bool:
    """Most cells of `line` start, end or are centred where a cell of `columns` does."""
    slack = 0.7 * columns.height
    n_aligned = sum(
        any(_share_axis(cell, other, slack) for other in columns.segments) for cell in line.segments
    )
    if len(line.segments) == 1:
        return n_aligned == 1 and line.segments[0].width < 0.6 * (columns.x1 - columns.x0)
    return n_aligned >= max(1, 0.6 * len(line.segments))


def _share_axis(cell: Segment, other: Segment, slack: float) -> bool:
    return (
        abs(cell.x0 - other.x0) < slack
        or abs(cell.x1 - other.x1) < slack
        or abs(cell.x0 + cell.x1 - other.x0 - other.x1) < 2 * slack
    )


def _continues(row: Line, line: Line) -> bool:
    """`line` is the second line of cells: close below, nothing in the first column, no new figures."""
    has_figure = any(is_figure(segment.text) for segment in line.segments)
    is_date_cut = len(line.segments) == 1 and not is_figure(
        row.segments[_nearest_cell(row, line.segments[0])].text
    )
    is_close = line.top - row.bottom < 0.4 * row.height
    return is_close and (not has_figure or is_date_cut) and line.x0 > row.segments[0].x0 + row.height


def table_rows(lines: Sequence[Line]) -> list[list[list[str]]]:
    """The rows of a table; each cell is the list of its lines."""
    rows: list[list[list[str]]] = []
    shape = lines[0]
    previous: Line | None = None
    for line in lines:
        if previous is not None and len(line.segments) < len(shape.segments) and _continues(previous, line):
            for segment in line.segments:
                rows[-1][_nearest_cell(shape, segment)].append(segment.text)
        else:
            rows.append([[segment.text] for segment in line.segments])
            shape = line
        previous = line
    return rows


def _nearest_cell(row: Line, segment: Segment) -> int:
    distances = [abs(cell.x0 - segment.x0) for cell in row.segments]
    return distances.index(min(distances))


def grids_of(lines: Sequence[Line]) -> list[tuple[int, int]]:
    """Where lines ``[start, end)`` are a table that no column of prose can be mistaken for.

    Three cells a row and a quarter of them figures: such a table is read across the whole page
    even where the text around it is set in columns.
    """
    grids: list[tuple[int, int]] = []
    position = 0
    while position < len(lines):
        length = table_length(lines, position)
        rows = [line for line in lines[position : position + length] if len(line.segments) > 1]
        n_cells = sum(len(line.segments) for line in rows)
        n_figures = sum(is_figure(segment.text) for line in rows for segment in line.segments)
        if length and n_cells >= _MIN_GRID_CELLS * len(rows) and n_figures >= _GRID_FIGURE_SHARE * n_cells:
            grids.append((position, position + length))
            position += length
        else:
            position += 1
    return grids
