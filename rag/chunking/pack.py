"""Where a document is cut: whole blocks up to the budget, or blindly wherever the budget is full."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rag.chunking.budget import Budget
from rag.chunking.pieces import Range, trimmed
from rag.sentences import sentence_spans
from rag.types import Span

_RUN_KINDS = frozenset({"list_item", "table_row"})
"""Kinds of which several make one thing; a block of code is one by itself."""


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
    for run in _runs(canonical, group):
        for unit in _units(canonical, run, current, budget):
            if current and not budget.fits(current[0][0], unit[1]):
                lead_in = _lead_in(canonical, current, unit, budget)
                kept = current[:-1] if lead_in else current
                yield kept[0][0], kept[-1][1]
                current = lead_in
            current.append(unit)
    if current:
        yield current[0][0], current[-1][1]


def _runs(canonical: str, group: Sequence[Span]) -> Iterator[list[Span]]:
    """The blocks, those of one list or table together; an item that introduces code stays with the code."""
    run: list[Span] = []
    for block, following in zip_longest(group, group[1:]):
        introduces = following is not None and following.kind != block.kind and _introduces(canonical, block)
        if run and (block.kind not in _RUN_KINDS or block.kind != run[-1].kind or introduces):
            yield run
            run = []
        run.append(block)
    if run:
        yield run


def _units(canonical: str, run: Sequence[Span], current: Sequence[Range], budget: Budget) -> list[Range]:
    """What is never cut to meet the budget: a list or table that is best kept whole, else parts of each block."""
    whole = trimmed(canonical, run[0].start, run[-1].end)
    if len(run) > 1 and budget.fits(*whole) and _stays_whole(canonical, whole, current, budget):
        return [whole]
    return [part for block in run for part in _parts(canonical, block, budget)]


def _stays_whole(canonical: str, run: Range, current: Sequence[Range], budget: Budget) -> bool:
    """Whether a list or table that fits a chunk is not cut after `current`, the chunk so far.

    It is not where the chunk has room for it, or is half full, so that a new one is begun before it. A chunk
    less than half full is filled: what stands before a list is mostly about it. So is one whose last line
    introduces the list but finds no room beside the whole of it.
    """
    if not current or budget.fits(current[0][0], run[1]):
        return True
    if _ends_with_colon(canonical, current[-1]) and not budget.fits(current[-1][0], run[1]):
        return False
    return 2 * budget.size(current[0][0], current[-1][1]) >= budget.limit


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
    introduces = len(current) > 1 and _ends_with_colon(canonical, last)
    return [last] if introduces and budget.fits(last[0], unit[1]) else []


def _introduces(canonical: str, block: Span) -> bool:
    return _ends_with_colon(canonical, (block.start, block.end))


def _ends_with_colon(canonical: str, unit: Range) -> bool:
    return canonical[unit[0] : unit[1]].rstrip("*_ ").endswith(":")
