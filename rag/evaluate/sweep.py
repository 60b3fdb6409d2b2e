"""The gate at every cut: bluffs against wrong refusals, and the risk that is left at each coverage.

What is swept is the real gate, which takes the first few candidates that pass, so a looser cut can push the
right passage out again: right answers need not grow with it, bluffs do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from rag.evaluate.discrimination import RiskPoint, auroc
from rag.evaluate.gate_records import GateRecord
from rag.evaluate.ranking import Estimate
from rag.evaluate.statistics import Proportion
from rag.types import GateScore

Counts = npt.NDArray[np.float64]
MARGIN = 1e-6
"""The outermost cuts keep this far from a score: the same text read in another batch differs in the last digits."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The gate at one cut.

    Attributes:
        cut: relevance in [0, 1], or distance in [0, 2]; just outside where nothing at all passes.
        bluffs: questions to refuse of which something passes.
        wrong_refusals: answerable questions of which nothing passes.
        right: answerable questions whose right passage passes.
        coverage: answerable questions of which something passes, right or not.
        begins_at: the score at which this outcome begins, coming from the stricter cuts; None where it always was, or
            where the point is no part of a sweep.
    """

    cut: float
    bluffs: Proportion
    wrong_refusals: Proportion
    right: Proportion
    coverage: Proportion
    begins_at: float | None = field(default=None, compare=False)


def sweep_cuts(
    records: Sequence[GateRecord], *, score: GateScore, max_chunks: int = 4
) -> tuple[CurvePoint, ...]:
    """One point for each cut at which anything changes, from the strictest, where nothing passes.

    A cut lies half way to the next number that would change something, so that it does not hang on the last
    digit of one score.
    """
    changes = _changes(records, score, max_chunks)
    cuts = _cuts(changes, score)
    bluffs, right, covered = outcomes(records, cuts, score, max_chunks)
    n_refuse = sum(record.must_refuse for record in records)
    n_answer = len(records) - n_refuse
    return tuple(
        CurvePoint(
            cut=cut,
            bluffs=Proportion(int(bluffs[:, at].sum()), n_refuse),
            wrong_refusals=Proportion(n_answer - int(covered[:, at].sum()), n_answer),
            right=Proportion(int(right[:, at].sum()), n_answer),
            coverage=Proportion(int(covered[:, at].sum()), n_answer),
            begins_at=changes[at - 1] if at else None,
        )
        for at, cut in enumerate(cuts)
    )


def gate_at(
    records: Sequence[GateRecord], cut: float, *, score: GateScore, max_chunks: int = 4
) -> CurvePoint:
    """The gate at one given cut, over any records."""
    at = [(record.must_refuse, *record.at(cut, score, max_chunks)) for record in records]
    answerable = [(passed, right) for must_refuse, passed, right in at if not must_refuse]
    refusals = [passed for must_refuse, passed, _ in at if must_refuse]
    n_covered = sum(passed for passed, _ in answerable)
    return CurvePoint(
        cut=cut,
        bluffs=Proportion(sum(refusals), len(refusals)),
        wrong_refusals=Proportion(len(answerable) - n_covered, len(answerable)),
        right=Proportion(sum(right for _, right in answerable), len(answerable)),
        coverage=Proportion(n_covered, len(answerable)),
    )


def risk_curve(curve: Sequence[CurvePoint]) -> tuple[RiskPoint, ...]:
    """Risk at each coverage over all questions: of those let through, the share without the right passage."""
    points = []
    for point in curve:
        n = point.coverage.n + point.bluffs.n
        passed = point.coverage.successes + point.bluffs.successes
        if passed:
            points.append(RiskPoint(point.cut, passed / n, 1.0 - point.right.successes / passed))
    return tuple(points)


def auroc_by_kind(records: Sequence[GateRecord], *, score: GateScore) -> dict[str, Estimate]:
    """Kind of question to refuse → AUROC of the best score of answerable questions against that kind's.

    ``all`` is against every kind. Empty when a side is missing.
    """

    def best(record: GateRecord) -> float:
        value = record.best(score)
        if value is None:
            return -float("inf")
        return value if score == "relevance" else -value

    answerable = [best(record) for record in records if not record.must_refuse]
    refusals = [record for record in records if record.must_refuse]
    if not answerable or not refusals:
        return {}
    kinds = dict.fromkeys(record.group for record in refusals)
    by_kind = {kind: [best(record) for record in refusals if record.group == kind] for kind in kinds}
    return {
        "all": auroc(answerable, [best(record) for record in refusals]),
        **{kind: auroc(answerable, values) for kind, values in by_kind.items()},
    }


def _changes(records: Sequence[GateRecord], score: GateScore, max_chunks: int) -> list[float]:
    """The scores at which an outcome changes, strictest first."""
    changes: set[float] = set()
    for record in records:
        before = (False, False)
        for value in sorted(set(record.scores), reverse=score == "relevance"):
            now = record.at(value, score, max_chunks)
            if now != before:
                changes.add(value)
            before = now
    return sorted(changes, reverse=score == "relevance")


def _cuts(ordered: Sequence[float], score: GateScore) -> list[float]:
    """A cut that nothing passes, then one behind each number at which an outcome changes."""
    strict, loose = (1.0, 0.0) if score == "relevance" else (0.0, 2.0)
    if not ordered:
        return [strict]
    inner = [_between(one, following) for one, following in pairwise(ordered)]
    return [_stricter(ordered[0], strict), *inner, _towards(ordered[-1], loose)]


def _stricter(value: float, end: float) -> float:
    """A cut that `value` does not pass, on the scale that ends at `end` unless the value is its very end."""
    moved = _towards(value, end)
    return moved if moved != value else float(np.nextafter(value, np.inf if end else -np.inf))


def _towards(value: float, end: float) -> float:
    return min(value + MARGIN, end) if end > value else max(value - MARGIN, end)


def _between(one: float, following: float) -> float:
    """A cut that `one` passes and `following` does not."""
    middle = (one + following) / 2
    return one if middle == following else middle


def outcomes(
    records: Sequence[GateRecord], cuts: Sequence[float], score: GateScore, max_chunks: int
) -> tuple[Counts, Counts, Counts]:
    """Bluffs, right answers and answered questions, each ``(n_records, n_cuts)`` float64 of 0 and 1."""
    shape = (len(records), len(cuts))
    bluffs, right, covered = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for row, record in enumerate(records):
        for column, (passed, found) in enumerate(_at_all(record, cuts, score, max_chunks)):
            bluffs[row, column] = passed and record.must_refuse
            covered[row, column] = passed and not record.must_refuse
            right[row, column] = found and not record.must_refuse
    return bluffs, right, covered


def _at_all(
    record: GateRecord, cuts: Sequence[float], score: GateScore, max_chunks: int
) -> list[tuple[bool, bool]]:
    """`record.at` for cuts in order, asked anew only where another candidate passes."""
    values = np.sort(record.scores)
    sides = np.searchsorted(values, cuts, side="left" if score == "relevance" else "right")
    known: dict[int, tuple[bool, bool]] = {}
    outcomes = []
    for cut, side in zip(cuts, sides.tolist(), strict=True):
        if side not in known:
            known[side] = record.at(cut, score, max_chunks)
        outcomes.append(known[side])
    return outcomes
