"""Counts in sentences that an administrator reads."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MAX_RANGES = 50
_PAGES = re.compile(r"\bpages? (\d+(?:–\d+)?(?:, \d+(?:–\d+)?)*)")


def count_of(number: int, noun: str) -> str:
    """``1 page``, ``2 pages``, ``1,200 pages``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed_pages(numbers: Sequence[int], noun: str = "page") -> str:
    """``page 3`` or ``pages 3, 7–9`` from numbers in order; at most 50 ranges."""
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    parts = [str(first) if first == last else f"{first}–{last}" for first, last in ranges[:_MAX_RANGES]]
    return f"{noun}{'' if len(numbers) == 1 else 's'} {', '.join(parts)}"


def pages_named(sentence: str) -> list[int]:
    """The pages that `listed_pages` wrote into a sentence."""
    found = _PAGES.search(sentence)
    if found is None:
        return []
    pages: list[int] = []
    for part in found[1].split(", "):
        first, _, last = part.partition("–")
        pages.extend(range(int(first), int(last or first) + 1))
    return pages
