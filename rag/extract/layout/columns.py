"""Reading order: columns are read one after another, full-width text between them in its place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from rag.extract.layout.segments import Line, Segment, is_cjk, lines_of
from rag.extract.layout.tables import grids_of

_MAX_DEPTH = 3
_MIN_COLUMN_LINES = 3
_MIN_LINE_CHARS = 15
_MIN_LINE_CHARS_CJK = 8
# A column of prose fills most of its lines; the cells of a table do not.
_FILLED_WIDTH = 0.7
_FILLED_SHARE = 0.5
_INNER_GAP_SHARE = 0.4
_STEP_PT = 3.0
_EDGE_SHARE = 0.15


def flows_of(segments: Sequence[Segment]) -> list[list[Line]]:
    """Lines in reading order; each inner list is one stretch of one column, or a table."""
    lines = lines_of(segments)
    flows: list[list[Line]] = []
    done = 0
    for start, end in [*grids_of(lines), (len(lines), len(lines))]:
        flows += _flows_between([segment for line in lines[done:start] for segment in line.segments], 0)
        flows += [lines[start:end]] if end > start else []
        done = end
    return flows


def _flows_between(segments: Sequence[Segment], depth: int) -> list[list[Line]]:
    gutter = find_gutter(segments) if depth < _MAX_DEPTH else None
    if gutter is None:
        return [lines_of(segments)] if segments else []
    flows: list[list[Line]] = []
    band: list[Segment] = []
    crossing: list[Segment] = []
    for segment in sorted(segments, key=lambda item: item.top + item.bottom):
        is_crossing = _is_crossing(segment, gutter)
        if is_crossing and band:
            flows += _column_flows(band, gutter, depth)
            band = []
        if not is_crossing and crossing:
            flows.append(lines_of(crossing))
            crossing = []
        (crossing if is_crossing else band).append(segment)
    if crossing:
        flows.append(lines_of(crossing))
    return flows + (_column_flows(band, gutter, depth) if band else [])


def _column_flows(band: Sequence[Segment], gutter: float, depth: int) -> list[list[Line]]:
    left = [segment for segment in band if segment.x1 <= gutter + 1 or (segment.x0 + segment.x1) / 2 < gutter]
    right = [segment for segment in band if segment not in left]
    return _flows_between(left, depth + 1) + _flows_between(right, depth + 1)


def find_gutter(segments: Sequence[Segment], depth: int = 0) -> float | None:
    """The x between two columns of prose, or None when the page is one column."""
    if len(segments) < 2 * _MIN_COLUMN_LINES:
        return None
    left, right = min(segment.x0 for segment in segments), max(segment.x1 for segment in segments)
    width = right - left
    scores: list[tuple[float, float]] = []
    x = left + _EDGE_SHARE * width
    while x < right - _EDGE_SHARE * width:
        scores.append((_gutter_score(segments, x), x))
        x += _STEP_PT
    best = max(scores, default=None)
    if best is None or best[0] <= 0:
        return None
    # The middle of the widest band as good as the best: not the ragged edge of a column.
    gutter = _middle_of_best_band(scores, best[0])
    before = [segment for segment in segments if segment.x1 <= gutter + 1]
    after = [segment for segment in segments if segment.x0 >= gutter - 1]
    if not _is_prose_column(before) or not _stand_side_by_side(before, after):
        return None
    if _is_prose_column(after) or (depth < _MAX_DEPTH and find_gutter(after, depth + 1) is not None):
        return gutter
    return None


def _gutter_score(segments: Sequence[Segment], x: float) -> float:
    """How much text stands on the emptier side, less what crosses x."""
    before = sum(segment.height for segment in segments if segment.x1 <= x)
    after = sum(segment.height for segment in segments if segment.x0 >= x)
    crossing = sum(segment.height for segment in segments if _is_crossing(segment, x))
    return min(before, after) - 0.5 * crossing


def _middle_of_best_band(scores: Sequence[tuple[float, float]], best: float) -> float:
    bands: list[list[float]] = [[]]
    for score, x in scores:
        if score >= 0.97 * best:
            bands[-1].append(x)
        elif bands[-1]:
            bands.append([])
    widest = max(bands, key=len)
    return (widest[0] + widest[-1]) / 2


def _is_crossing(segment: Segment, x: float) -> bool:
    return segment.x0 < x - 1 and segment.x1 > x + 1


def _is_prose_column(segments: Sequence[Segment]) -> bool:
    """Most of its text stands in lines as wide as the column, and no gap runs down through them."""
    lines = lines_of(segments)
    if len(lines) < _MIN_COLUMN_LINES:
        return False
    texts = [line.text for line in lines]
    least = _MIN_LINE_CHARS_CJK if is_cjk("".join(texts)) else _MIN_LINE_CHARS
    width = max(line.x1 for line in lines) - min(line.x0 for line in lines)
    wide = [
        text for line, text in zip(lines, texts, strict=True) if line.x1 - line.x0 >= _FILLED_WIDTH * width
    ]
    is_filled = sum(map(len, wide)) >= _FILLED_SHARE * sum(map(len, texts))
    return median(map(len, texts)) >= least and is_filled and not _has_inner_gap(lines)


def _has_inner_gap(lines: Sequence[Line]) -> bool:
    """At some x many lines are open: cells of a table, not the odd wide space of justified text."""
    gaps = [
        (first.x1, second.x0)
        for line in lines
        for first, second in pairwise(sorted(line.segments, key=lambda segment: segment.x0))
    ]
    return any(
        sum(left < (start + end) / 2 < right for left, right in gaps) > _INNER_GAP_SHARE * len(lines)
        for start, end in gaps
    )


def _stand_side_by_side(before: Sequence[Segment], after: Sequence[Segment]) -> bool:
    if not before or not after:
        return False
    top = max(min(segment.top for segment in before), min(segment.top for segment in after))
    bottom = min(max(segment.bottom for segment in before), max(segment.bottom for segment in after))
    return bottom - top > 2 * median(segment.height for segment in before)
