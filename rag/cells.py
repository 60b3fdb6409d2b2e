"""A1 ranges of a worksheet."""

from __future__ import annotations

import re
from collections.abc import Iterable

_RANGE = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d+)(?::\$?([A-Za-z]{1,3})\$?(\d+))?")


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
    if not columns:
        return None
    first = f"{_letters(min(columns))}{min(rows)}"
    last = f"{_letters(max(columns))}{max(rows)}"
    return first if first == last else f"{first}:{last}"


def _number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
