"""A1 names and ranges of a worksheet."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_RANGE = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d+)(?::\$?([A-Za-z]{1,3})\$?(\d+))?")


def column_name(column: int) -> str:
    """1 → A, 27 → AA."""
    name = ""
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def a1_range(columns: Collection[int], rows: Collection[int]) -> str:
    """The range that spans these columns and rows, which count from 1: ``A3:C3``, or ``A3`` for one cell."""
    first = f"{column_name(min(columns))}{min(rows)}"
    last = f"{column_name(max(columns))}{max(rows)}"
    return first if first == last else f"{first}:{last}"


def merge_cells(ranges: Iterable[str | None]) -> str | None:
    """The smallest A1 range that holds all of `ranges`; None when there is none to read.

    >>> merge_cells(["A3:C3", "A4:D4"])
    'A3:D4'
    """
    columns: list[int] = []
    rows: list[int] = []
    for value in ranges:
        match = _RANGE.fullmatch(value or "")
        if match is None:
            continue
        columns += [_number(match[1]), _number(match[3] or match[1])]
        rows += [int(match[2]), int(match[4] or match[2])]
    return a1_range(columns, rows) if columns else None


def _number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number
