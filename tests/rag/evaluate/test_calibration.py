from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from rag.evaluate import (
    GateRecord,
    GoldenMultihop,
    GoldenNeedle,
    GoldenRefusal,
    GoldenSet,
    NeedlePlace,
    auroc_by_kind,
    best_cut,
    calibrate,
    gate_at,
    gate_record,
    record_gate,
    risk_curve,
    sweep_cuts,
    wilson_interval,
)
from rag.gate import pass_gate
from rag.types import Thresholds
from tests.rag.fakes import scored, stored_chunk

SCORES = ("distance", "relevance")

# Few distinct numbers, so that several questions change at the same cut.
numbers = st.integers(0, 8).map(lambda n: n / 8)


few_at_a_time = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def record(must_refuse, second_group, candidates):
    group = ("near", "far") if must_refuse else ("questions", "tickets")
    return GateRecord(
        id="",
        group=group[second_group],
        must_refuse=must_refuse,
        scores=tuple(value for value, _ in candidates),
        right=tuple(is_right and not must_refuse for _, is_right in candidates),
    )


def records(n_candidates=7):
    candidates = st.lists(st.tuples(numbers, st.booleans()), max_size=n_candidates)
    rows = st.lists(st.builds(record, st.booleans(), st.booleans(), candidates), min_size=1, max_size=8)
    return rows.map(lambda made: [replace(row, id=str(at)) for at, row in enumerate(made)])


def passes(value, cut, score):
    return value >= cut if score == "relevance" else value <= cut


@few_at_a_time
@given(records(), st.sampled_from(SCORES), st.integers(1, 4))
def test_every_point_of_the_sweep_is_the_gate_at_that_cut(rows, score, max_chunks):
    for point in sweep_cuts(rows, score=score, max_chunks=max_chunks):
        assert point == gate_at(rows, point.cut, score=score, max_chunks=max_chunks)


@few_at_a_time
@given(records(), st.sampled_from(SCORES), st.integers(1, 4), numbers)
def test_the_gate_at_a_cut_is_counted_one_by_one(rows, score, max_chunks, cut):
    point = gate_at(rows, cut, score=score, max_chunks=max_chunks)
    n_bluffs = n_right = n_wrong = 0
    for row in rows:
        passed = []
        for value, is_right in zip(row.scores, row.right, strict=True):
            if passes(value, cut, score) and len(passed) < max_chunks:
                passed.append(is_right)
        n_bluffs += row.must_refuse and bool(passed)
        n_right += not row.must_refuse and any(passed)
        n_wrong += not row.must_refuse and not passed
    assert (point.bluffs.successes, point.right.successes, point.wrong_refusals.successes) == (
        n_bluffs,
        n_right,
        n_wrong,
    )
    assert point.coverage.successes + point.wrong_refusals.successes == point.coverage.n


@few_at_a_time
@given(records(), st.sampled_from(SCORES), numbers)
def test_no_cut_does_what_no_point_of_the_sweep_does(rows, score, cut):
    """The sweep is complete: any cut's outcome is one of its points."""
    counts = {(p.bluffs, p.right, p.coverage) for p in sweep_cuts(rows, score=score)}
    at = gate_at(rows, cut, score=score)
    assert (at.bluffs, at.right, at.coverage) in counts


@few_at_a_time
@given(records(), st.sampled_from(SCORES))
def test_a_looser_cut_lets_no_less_through(rows, score):
    curve = sweep_cuts(rows, score=score)
    cuts = [point.cut for point in curve]
    assert cuts == sorted(cuts, reverse=score == "relevance")
    assert len(set(cuts)) == len(cuts)
    assert (curve[0].bluffs.successes, curve[0].coverage.successes) == (0, 0)
    for name in ("bluffs", "coverage"):
        through = [getattr(point, name).successes for point in curve]
        assert through == sorted(through)
    refused = [point.wrong_refusals.successes for point in curve]
    assert refused == sorted(refused, reverse=True)


@few_at_a_time
@given(records(n_candidates=4), st.sampled_from(SCORES))
def test_right_answers_grow_too_where_every_candidate_fits(rows, score):
    right = [point.right.successes for point in sweep_cuts(rows, score=score, max_chunks=4)]
    assert right == sorted(right)


def test_a_looser_cut_can_push_the_right_passage_out():
    row = GateRecord("n", "questions", False, (0.5, 0.2), (False, True))
    strict, loose = (gate_at([row], cut, score="distance", max_chunks=1) for cut in (0.3, 0.6))
    assert (strict.right.successes, loose.right.successes) == (1, 0)


@few_at_a_time
@given(records(), st.sampled_from(SCORES), st.floats(-5e-7, 5e-7))
def test_the_outermost_cuts_do_not_hang_on_the_last_digits(rows, score, error):
    """As scores stored with six digits, or read again in another batch."""
    low, high = (0.0, 1.0) if score == "relevance" else (0.0, 2.0)
    again = [replace(row, scores=tuple(min(max(v + error, low), high) for v in row.scores)) for row in rows]
    curve = sweep_cuts(rows, score=score)
    for point in (curve[0], curve[-1]):
        if low <= point.cut <= high:
            assert gate_at(again, point.cut, score=score) == point


@few_at_a_time
@given(records(), st.sampled_from(SCORES), st.floats(0, 1), st.sampled_from(["rate", "upper"]))
def test_the_best_cut_is_the_best_of_all_within_the_budget(rows, score, budget, bound):
    curve = sweep_cuts(rows, score=score)

    def spent(point):
        share = point.bluffs
        return wilson_interval(share.successes, share.n)[1] if bound == "upper" else share.rate

    is_two_sided = len({row.must_refuse for row in rows}) == 2
    able = [point for point in curve if is_two_sided and spent(point) <= budget]
    chosen = best_cut(curve, budget, bound=bound)
    if not able:
        assert chosen is None
    else:
        assert chosen in able
        assert chosen.right.successes == max(point.right.successes for point in able)
        equal = [point for point in able if point.right == chosen.right]
        assert chosen == equal[0]  # the strictest


@few_at_a_time
@given(records())
def test_more_budget_never_answers_less(rows):
    curve = sweep_cuts(rows, score="relevance")
    assume(len({row.must_refuse for row in rows}) == 2)
    right = [best_cut(curve, budget / 10).right.successes for budget in range(11)]
    assert right == sorted(right)


@few_at_a_time
@given(records(), numbers, st.integers(1, 4))
def test_a_record_is_what_the_real_gate_does(rows, cut, max_chunks):
    for row in rows:
        candidates = [
            scored(stored_chunk("right" if is_right else "wrong", chunk_id=str(at)), value)
            for at, (value, is_right) in enumerate(zip(row.scores, row.right, strict=True))
        ]
        passed = pass_gate(candidates, Thresholds(cut, max_chunks))
        again = gate_record(
            candidates,
            question_id=row.id,
            group=row.group,
            needle=None if row.must_refuse else "right",
            score="distance",
        )
        assert again == row
        holds = any(candidate.chunk.content == "right" for candidate in passed)
        assert again.at(cut, "distance", max_chunks) == (bool(passed), holds)


def separable(n=40):
    """Answerable questions at 0.6 … 0.99, questions to refuse at 0.3 … 0.69: the best cut is near 0.66."""
    answerable = [GateRecord(f"n{at}", "questions", False, (0.6 + 0.4 * at / n,), (True,)) for at in range(n)]
    return answerable + [
        GateRecord(f"r{at}", "near", True, (0.3 + 0.4 * at / n,), (False,)) for at in range(n)
    ]


def test_calibration_finds_the_cut_and_says_how_sure_it_is():
    made = calibrate(separable(), score="relevance", max_bluff_rate=0.1)
    assert made.chosen.bluffs.successes == 4
    assert made.chosen.cut == pytest.approx(0.655, abs=0.006)
    low, high = made.cut_interval
    assert 0.6 < low <= made.chosen.cut <= high < 0.72
    assert made == calibrate(separable(), score="relevance", max_bluff_rate=0.1)
    assert made.by_group["near"].bluffs == made.chosen.bluffs
    assert made.by_group["questions"].right == made.chosen.right
    assert (made.held_out.bluffs.n, made.held_out.right.n) == (40, 40)
    assert abs(made.held_out.right.successes - made.chosen.right.successes) <= 4


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("bound", ["rate", "upper"])
@pytest.mark.parametrize("sides", [(), (True,), (False,)], ids=["nothing", "to refuse", "answerable"])
def test_no_cut_is_chosen_where_a_side_is_missing(score, bound, sides):
    rows = [record(side, False, [(at / 8, True)]) for side in sides for at in range(4)]
    made = calibrate(rows, score=score, max_bluff_rate=1.0, bound=bound)
    assert (made.chosen, made.cut_interval, made.by_group) == (None, None, {})


def test_one_row_alone_gives_its_cut_no_interval():
    rows = [
        replace(record(False, False, [(0.9, True)]), id="a"),
        replace(record(True, False, [(0.1, False)]), id="b"),
    ]
    assert calibrate(rows, score="relevance").chosen is not None
    assert calibrate(rows, score="relevance").cut_interval is None
    rows += [replace(each, id=f"{each.id}2") for each in rows]
    assert calibrate(rows, score="relevance").cut_interval is not None


def test_more_questions_narrow_the_interval_of_the_cut():
    few, many = (calibrate(separable(n), score="relevance").cut_interval for n in (20, 320))
    assert many[1] - many[0] < (few[1] - few[0]) / 2


def test_the_upper_bound_is_stricter_than_the_rate():
    rate = calibrate(separable(), score="relevance", max_bluff_rate=0.1)
    upper = calibrate(separable(), score="relevance", max_bluff_rate=0.1, bound="upper")
    assert upper.chosen.cut > rate.chosen.cut
    assert upper.chosen.bluffs.interval[1] <= 0.1
    none = calibrate(separable(10), score="relevance", max_bluff_rate=0.1, bound="upper")
    assert (none.chosen, none.cut_interval, none.held_out, dict(none.by_group)) == (None, None, None, {})


def test_risk_is_what_was_let_through_without_the_right_passage():
    points = risk_curve(sweep_cuts(separable(), score="relevance"))
    assert points[0].risk == 0.0
    assert points[-1].coverage == 1.0
    assert points[-1].risk == pytest.approx(0.5)
    coverages = [point.coverage for point in points]
    assert coverages == sorted(coverages)


def test_auroc_is_given_for_each_kind():
    far = [GateRecord("far", "far", True, (0.0,), (False,)), GateRecord("none", "far", True, (), ())]
    areas = auroc_by_kind(separable() + far, score="relevance")
    assert list(areas) == ["all", "near", "far"]
    assert areas["far"].value == 1.0
    assert 0.9 < areas["near"].value < areas["all"].value < 1.0
    upside_down = auroc_by_kind(separable(), score="distance")
    assert upside_down["near"].value == pytest.approx(1 - areas["near"].value)
    assert auroc_by_kind(far, score="relevance") == {}


def test_one_needle_questions_are_recorded_and_those_to_refuse():
    golden = GoldenSet(
        "birds",
        (GoldenNeedle("n1", "a.md", "Gulls eat bread.", "gulls?", "hungry?"),),
        (GoldenRefusal("r1", "far", "moon?"),),
        (GoldenMultihop("m1", "both?", (NeedlePlace("a.md", "Gulls eat bread."),)),),
    )
    near, far = stored_chunk("Gulls eat bread."), stored_chunk("Boats.", chunk_id="b")
    found = [scored(near, 0.25), scored(far, 0.5)]
    rows = record_gate(golden, lambda question: found, score="distance")
    assert rows == (
        GateRecord("n1", "questions", False, (0.25, 0.5), (True, False)),
        GateRecord("n1", "tickets", False, (0.25, 0.5), (True, False)),
        GateRecord("r1", "far", True, (0.25, 0.5), (False, False)),
    )
    assert rows[0].best("distance") == 0.25
    # What was not reranked has no relevance and cannot pass.
    assert record_gate(golden, lambda question: found, score="relevance")[0].best("relevance") is None
