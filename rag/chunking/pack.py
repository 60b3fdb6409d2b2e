"""Where a document is cut: whole blocks up to the budget, or blindly wherever the budget is full."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag.chunking.budget import Budget
from rag.chunking.pieces import Range, trimmed
from rag.sentences import sentence_spans
from rag.types import Span


def blind_ranges(canonical: str, budget: Budget) -> Iterator[Range]:
    """The canonical text cut wherever the budget is full, words or not; white space at the ends goes."""
    at = 0
    while at < len(canonical):
        end = budget.reach(at)
        start, stop = trimmed(canonical, at, end)
        if start < stop:
            yield start, stop
        at = end


def packed_ranges(canonical: str, group: Sequence[Span], budget: Budget) -> Iterator[Range]:
    """Ranges of whole units, each range within the budget unless it is a single unit."""
    current: list[Range] = []
    for unit in _units(canonical, group, budget):
        if current and not budget.fits(current[0][0], unit[1]):
            lead_in = _lead_in(canonical, current, unit, budget)
            kept = current[:-1] if lead_in else current
            yield kept[0][0], kept[-1][1]
            current = lead_in
        current.append(unit)
    if current:
        yield current[0][0], current[-1][1]


def _units(canonical: str, group: Sequence[Span], budget: Budget) -> Iterator[Range]:
    """What is never cut to meet the budget."""
    for block in group:
        yield from _parts(canonical, block, budget)


def _parts(canonical: str, block: Span, budget: Budget) -> list[Range]:
    """A block within the budget, a table row, a line of code, a sentence."""
    start, end = trimmed(canonical, block.start, block.end)
    if budget.fits(start, end) or block.kind == "table_row":
        return [(start, end)]
    text = canonical[start:end]
    if block.kind == "code":
        return [
            (start + match.start(), start + match.end()) for match in re.finditer(r"[^\n]*\S[^\n]*", text)
        ]
    return [(start + a, start + b) for a, b in sentence_spans(text)]


def _lead_in(canonical: str, current: list[Range], unit: Range, budget: Budget) -> list[Range]:
    """The last unit of `current` when it introduces `unit` ("You need:") and both fit one chunk."""
    last = current[-1]
    introduces = len(current) > 1 and _introduces(canonical, last)
    return [last] if introduces and budget.fits(last[0], unit[1]) else []


def _introduces(canonical: str, unit: Range) -> bool:
    return canonical[unit[0] : unit[1]].rstrip("*_ ").endswith(":")
