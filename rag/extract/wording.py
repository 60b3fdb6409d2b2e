"""Counts in sentences that an administrator reads."""

from __future__ import annotations

from collections.abc import Sequence

_MAX_RANGES = 50


def count_of(number: int, noun: str) -> str:
    """``1 page``, ``2 pages``, ``1,200 pages``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed_pages(numbers: Sequence[int], noun: str = "page") -> str:
    """``page 3`` or ``pages 3, 7–9`` from numbers in order; after 50 ranges ``and 9 more``."""
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    parts = [str(first) if first == last else f"{first}–{last}" for first, last in ranges[:_MAX_RANGES]]
    n_more = sum(last - first + 1 for first, last in ranges[_MAX_RANGES:])
    more = f" and {n_more:,} more" if n_more else ""
    return f"{noun}{'' if len(numbers) == 1 else 's'} {', '.join(parts)}{more}"
