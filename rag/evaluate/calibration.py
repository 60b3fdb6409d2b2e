"""Choosing the gate's cut: bluffs against wrong refusals at every cut, and the best one within a budget.

Pure functions over `GateRecord`s: no model is called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rag.evaluate.gate_records import GateRecord
from rag.evaluate.ranking import SEED
from rag.evaluate.statistics import Proportion, wilson_interval
from rag.evaluate.sweep import CurvePoint, gate_at, outcomes, sweep_cuts
from rag.types import GateScore

Bound = Literal["rate", "upper"]
"""What must stay within the budget: the bluff rate itself, or the upper end of its Wilson interval."""

N_RESAMPLES = 1_000
N_FOLDS = 5


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What the choice is worth on questions it did not see: each fold with the cut that the others chose."""

    n_folds: int
    bluffs: Proportion
    right: Proportion
    coverage: Proportion


@dataclass(frozen=True, slots=True)
class Calibration:
    """A sweep and its choice; `chosen` is None when no cut keeps to the budget.

    `cut_interval` is the percentile bootstrap 95 % interval of the chosen cut, the lower number first; golden rows are
    drawn whole (a question with its ticket), answerable ones and those to refuse apart. None too where a side has
    one row alone, which can only be drawn as it is.
    """

    score: GateScore
    max_chunks: int
    max_bluff_rate: float
    bound: Bound
    curve: tuple[CurvePoint, ...]
    chosen: CurvePoint | None
    cut_interval: tuple[float, float] | None
    by_group: Mapping[str, CurvePoint]
    """Group → the same cut over that group alone: a wording or a kind of question to refuse."""
    held_out: HeldOut | None


@dataclass(frozen=True, slots=True)
class _Choice:
    """How a cut is chosen, given any records."""

    score: GateScore
    max_chunks: int
    max_bluff_rate: float
    bound: Bound

    def best_cut(self, records: Sequence[GateRecord]) -> CurvePoint | None:
        curve = sweep_cuts(records, score=self.score, max_chunks=self.max_chunks)
        return best_cut(curve, self.max_bluff_rate, bound=self.bound)

    def gate_at(self, records: Sequence[GateRecord], cut: float) -> CurvePoint:
        return gate_at(records, cut, score=self.score, max_chunks=self.max_chunks)


def calibrate(
    records: Sequence[GateRecord],
    *,
    score: GateScore,
    max_bluff_rate: float = 0.1,
    bound: Bound = "rate",
    max_chunks: int = 4,
) -> Calibration:
    """Sweep all cuts and choose the one that answers most questions from the right passage within the budget."""
    choice = _Choice(score, max_chunks, max_bluff_rate, bound)
    curve = sweep_cuts(records, score=score, max_chunks=max_chunks)
    chosen = best_cut(curve, max_bluff_rate, bound=bound)
    return Calibration(
        score=score,
        max_chunks=max_chunks,
        max_bluff_rate=max_bluff_rate,
        bound=bound,
        curve=curve,
        chosen=chosen,
        cut_interval=_cut_interval(records, curve, choice) if chosen else None,
        by_group=_by_group(records, chosen.cut, choice) if chosen else {},
        held_out=_held_out(records, choice),
    )


def best_cut(
    curve: Sequence[CurvePoint], max_bluff_rate: float, *, bound: Bound = "rate"
) -> CurvePoint | None:
    """The point with the most right answers within the budget of bluffs, the strictest of equals.

    None when no point keeps to it: with few questions to refuse, the upper bound of none of n is 3.8/(n + 3.8). None
    as well where one side is missing: without questions to refuse no cut lets any through.
    """
    able = [
        point
        for point in curve
        if point.right.n
        and point.bluffs.n
        and point.bluffs.successes <= _most_bluffs(point.bluffs.n, max_bluff_rate, bound)
    ]
    return max(able, key=lambda point: point.right.successes, default=None)


def _most_bluffs(n: int, max_bluff_rate: float, bound: Bound) -> int:
    """The most bluffs of `n` questions that keep to the budget; −1 when not even none does."""
    for successes in range(n, -1, -1) if n else ():
        rate = wilson_interval(successes, n)[1] if bound == "upper" else successes / n
        if rate <= max_bluff_rate:
            return successes
    return -1


def _by_group(records: Sequence[GateRecord], cut: float, choice: _Choice) -> dict[str, CurvePoint]:
    groups: dict[str, list[GateRecord]] = {}
    for record in records:
        groups.setdefault(record.group, []).append(record)
    return {group: choice.gate_at(within, cut) for group, within in groups.items()}


def _cut_interval(
    records: Sequence[GateRecord], curve: Sequence[CurvePoint], choice: _Choice
) -> tuple[float, float] | None:
    if any(
        len({record.id for record in records if record.must_refuse is side}) < 2 for side in (True, False)
    ):
        return None
    cuts = [point.cut for point in curve]
    bluffs, right, _ = outcomes(records, cuts, choice.score, choice.max_chunks)
    random = np.random.default_rng(SEED)
    is_refusal = np.array([record.must_refuse for record in records], dtype=bool)
    _, row_of = np.unique([record.id for record in records], return_inverse=True)
    weights = np.zeros((N_RESAMPLES, len(records)))
    for side in (is_refusal, ~is_refusal):
        rows, within = np.unique(row_of[side], return_inverse=True)
        if len(rows):
            drawn = random.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), size=N_RESAMPLES)
            weights[:, side] = drawn[:, within]
    limit = _most_bluffs(int(is_refusal.sum()), choice.max_bluff_rate, choice.bound)
    gained = np.where(weights @ bluffs <= limit, weights @ right, -1.0)
    chosen = np.asarray(cuts)[gained.argmax(axis=1)]
    low, high = np.quantile(chosen, [0.025, 0.975], method="inverted_cdf")
    return float(low), float(high)


def _held_out(records: Sequence[GateRecord], choice: _Choice) -> HeldOut | None:
    """Five folds of whole rows, each kind spread over them; None when a choice is impossible in a fold."""
    fold_of: dict[str, int] = {}
    for group in dict.fromkeys(record.group for record in records):
        ids = sorted({record.id for record in records if record.group == group} - fold_of.keys())
        order = np.random.default_rng(SEED).permutation(len(ids))
        fold_of |= {ids[at]: place % N_FOLDS for place, at in enumerate(order.tolist())}
    points = []
    for fold in range(N_FOLDS):
        seen = [record for record in records if fold_of[record.id] != fold]
        chosen = choice.best_cut(seen)
        if chosen is None:
            return None
        unseen = [record for record in records if fold_of[record.id] == fold]
        points.append(choice.gate_at(unseen, chosen.cut))
    return HeldOut(
        n_folds=N_FOLDS,
        bluffs=_summed([point.bluffs for point in points]),
        right=_summed([point.right for point in points]),
        coverage=_summed([point.coverage for point in points]),
    )


def _summed(parts: Sequence[Proportion]) -> Proportion:
    return Proportion(sum(part.successes for part in parts), sum(part.n for part in parts))
