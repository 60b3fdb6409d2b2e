"""Geometry of the plots; templates write the SVG. Units are those of the view box, y grows downwards."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import rag
from console.evaluation.report import RetrievalRow

T = TypeVar("T")
WIDTH, HEIGHT = 440, 290
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 34, 40
LABEL_WIDTH, LABEL_HEIGHT = 90, 13
MAX_POINTS = 160
"""More points than this are thinned: they would lie closer than a pixel."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on an axis and what is written there."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the data area lies, with its ticks."""

    left: float
    right: float
    top: float
    bottom: float
    width: float
    height: float
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]

    @property
    def middle(self) -> float:
        """Half way along the x axis."""
        return (self.left + self.right) / 2


@dataclass(frozen=True, slots=True)
class Mark:
    """A vertical line or a point with a label; the label is anchored so that it stays inside."""

    x: float
    y: float
    label: str
    anchor: str
    dy: float = 0.0
    """Where the label stands, below the mark."""


@dataclass(frozen=True, slots=True)
class TwoSidedPlot:
    """Bluffs and wrong refusals against the cut, each a line (points) with its interval as a band (polygon)."""

    frame: Frame
    bluffs: str
    bluffs_band: str
    wrong: str
    wrong_band: str
    current: Mark
    chosen: Mark | None
    budget_y: float


@dataclass(frozen=True, slots=True)
class RiskPlot:
    """Share of wrong ones among what is let through, against the share that is let through."""

    frame: Frame
    line: str
    current: Mark | None
    chosen: Mark | None


@dataclass(frozen=True, slots=True)
class IntervalMark:
    """One figure with its interval: a point at `x` between `low` and `high`, at height `y`."""

    y: float
    x: float
    low: float
    high: float
    k: int
    label: str


@dataclass(frozen=True, slots=True)
class RecallPlot:
    """Recall@1 and recall@4 of each configuration with their intervals, for one wording."""

    wording: str
    frame: Frame
    names: tuple[Tick, ...]
    marks: tuple[IntervalMark, ...]


def two_sided_plot(calibration: rag.Calibration, current: rag.CurvePoint) -> TwoSidedPlot:
    """The sweep as a picture; strict cuts left, loose ones right, whatever the score.

    The lines are steps, for nothing changes between two scores: at any cut they are what the gate does there.
    """
    curve = _thinned(calibration.curve)
    is_relevance = calibration.score == "relevance"
    cuts = [point.cut for point in curve] + [current.cut]
    low, high = (0.0, 1.0) if is_relevance else _rounded_range(cuts)
    # A larger relevance is stricter, a larger distance looser.
    start, end = (high, low) if is_relevance else (low, high)
    left, right = float(LEFT), float(WIDTH - RIGHT)

    def x_of(cut: float) -> float:
        share = (min(max(cut, low), high) - start) / (end - start)
        return round(left + share * (right - left), 2)

    # (place, point) at both ends of each step: the scale's end, the scores where a step begins, the other end.
    starts = [left, *(x_of(point.cut if point.begins_at is None else point.begins_at) for point in curve[1:])]
    steps = [
        (x, point) for point, *ends in zip(curve, starts, [*starts[1:], right], strict=True) for x in ends
    ]
    chosen = calibration.chosen
    return TwoSidedPlot(
        frame=_frame([Tick(x_of(value), f"{value:.2f}") for value in _steps(low, high)]),
        bluffs=_line(steps, lambda point: point.bluffs.rate),
        bluffs_band=_band(steps, lambda point: point.bluffs.interval),
        wrong=_line(steps, lambda point: point.wrong_refusals.rate),
        wrong_band=_band(steps, lambda point: point.wrong_refusals.interval),
        current=_mark(x_of(current.cut), TOP, f"now {current.cut:.3f}"),
        chosen=_mark(x_of(chosen.cut), TOP, f"proposed {chosen.cut:.3f}") if chosen else None,
        budget_y=_y_of(calibration.max_bluff_rate),
    )


def risk_plot(
    risk: Sequence[rag.RiskPoint], current: rag.CurvePoint, chosen: rag.CurvePoint | None
) -> RiskPlot:
    """The risk–coverage curve with the cuts on it."""
    points = [f"{_share_x(point.coverage)},{_y_of(point.risk)}" for point in _thinned(risk)]
    now = _risk_mark(current, "now", dy=-9)
    # Below its mark, but where that would cover the axis.
    proposed = _risk_mark(chosen, "proposed", dy=18) if chosen else None
    if proposed is not None and proposed.y + LABEL_HEIGHT + 18 > HEIGHT - BOTTOM:
        is_near = (
            now is not None
            and abs(now.x - proposed.x) < LABEL_WIDTH
            and abs(now.y - proposed.y) < LABEL_HEIGHT
        )
        proposed = replace(proposed, dy=-9 - LABEL_HEIGHT if is_near else -9)
    return RiskPlot(
        frame=_frame([Tick(_share_x(share), f"{share:.0%}") for share in (0, 0.25, 0.5, 0.75, 1)]),
        line=" ".join(points),
        current=now,
        chosen=proposed,
    )


def recall_plots(rows: Sequence[RetrievalRow]) -> list[RecallPlot]:
    """One picture a wording."""
    plots = []
    for wording in dict.fromkeys(row.wording for row in rows):
        within = [row for row in rows if row.wording == wording]
        height = 34.0 * len(within)
        left, right = 74.0, float(WIDTH - RIGHT)
        marks = []
        for at, row in enumerate(within):
            for k, offset in ((1, -6), (4, 6)):
                recall = row.recalls[k]
                if not recall.n:
                    continue
                low, high = recall.interval
                x, x_low, x_high = (
                    round(left + value * (right - left), 2) for value in (recall.rate, low, high)
                )
                label = f"{row.configuration} recall@{k} {recall}"
                marks.append(IntervalMark(34.0 * at + 17 + offset, x, x_low, x_high, k, label))
        ticks = [Tick(left + share * (right - left), f"{share:g}") for share in (0, 0.25, 0.5, 0.75, 1)]
        frame = Frame(left, right, 0, height, WIDTH, height + 24, tuple(ticks), ())
        names = tuple(Tick(34.0 * at + 21, row.configuration) for at, row in enumerate(within))
        plots.append(RecallPlot(wording, frame, names, tuple(marks)))
    return plots


def _frame(x_ticks: Sequence[Tick]) -> Frame:
    y_ticks = tuple(Tick(_y_of(share), f"{share:.0%}") for share in (0, 0.25, 0.5, 0.75, 1))
    return Frame(LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM, WIDTH, HEIGHT, tuple(x_ticks), y_ticks)


def _y_of(share: float) -> float:
    return round(HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP), 2)


def _share_x(share: float) -> float:
    return round(LEFT + share * (WIDTH - RIGHT - LEFT), 2)


def _mark(x: float, y: float, label: str) -> Mark:
    anchor = "start" if x < WIDTH / 3 else "end" if x > WIDTH * 2 / 3 else "middle"
    return Mark(x, y, label, anchor)


def _risk_mark(point: rag.CurvePoint, label: str, *, dy: float) -> Mark | None:
    passed = point.coverage.successes + point.bluffs.successes
    if not passed:
        return None
    x = _share_x(passed / (point.coverage.n + point.bluffs.n))
    return replace(_mark(x, _y_of(1.0 - point.right.successes / passed), label), dy=dy)


Steps = Sequence[tuple[float, rag.CurvePoint]]


def _line(steps: Steps, value: Callable[[rag.CurvePoint], float]) -> str:
    return " ".join(f"{x},{_y_of(value(point))}" for x, point in steps)


def _band(steps: Steps, interval: Callable[[rag.CurvePoint], tuple[float, float]]) -> str:
    """A polygon: along the upper ends, and back along the lower ones."""
    upper = [f"{x},{_y_of(interval(point)[1])}" for x, point in steps]
    lower = [f"{x},{_y_of(interval(point)[0])}" for x, point in reversed(steps)]
    return " ".join([*upper, *lower])


def _thinned(points: Sequence[T]) -> list[T]:
    """At most `MAX_POINTS` of them, the first and the last among them."""
    if len(points) <= MAX_POINTS:
        return list(points)
    step = (len(points) - 1) / (MAX_POINTS - 1)
    return [points[round(at * step)] for at in range(MAX_POINTS)]


def _rounded_range(values: Sequence[float]) -> tuple[float, float]:
    low, high = math.floor(min(values) * 10) / 10, math.ceil(max(values) * 10) / 10
    return max(0.0, low), high if high > max(0.0, low) else max(0.0, low) + 0.1


def _steps(low: float, high: float) -> list[float]:
    """At most six round places from low to high."""
    size = next(size for size in (0.1, 0.2, 0.25, 0.5) if (high - low) / size <= 6 or size == 0.5)
    n = math.floor((high - low) / size + 1e-9)
    return [low + at * size for at in range(n + 1)]
