import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.evaluate import area_under_risk, auroc, risk_coverage

# Few distinct values, so that ties are common.
scores = st.lists(st.integers(0, 6).map(float), min_size=2, max_size=12)


def wins(one, other):
    return 1.0 if one > other else 0.5 if one == other else 0.0


def slow_delong(positives, negatives):
    """DeLong, DeLong and Clarke-Pearson 1988 by their formulas: structural components and their variances."""
    m, n = len(positives), len(negatives)
    area = sum(wins(x, y) for x, y in product(positives, negatives)) / (m * n)
    v10 = [sum(wins(x, y) for y in negatives) / n for x in positives]
    v01 = [sum(wins(x, y) for x in positives) / m for y in negatives]
    s10 = sum((v - area) ** 2 for v in v10) / (m - 1)
    s01 = sum((v - area) ** 2 for v in v01) / (n - 1)
    return area, math.sqrt(s10 / m + s01 / n)


@settings(deadline=None)
@given(scores, scores)
def test_auroc_and_its_interval_are_the_textbooks(positives, negatives):
    made = auroc(positives, negatives)
    area, error = slow_delong(positives, negatives)
    assert made.value == pytest.approx(area)
    if error == 0.0:
        assert 0.0 <= made.low < made.high <= 1.0
        return
    assert made.low == pytest.approx(max(0.0, area - 1.959964 * error), abs=1e-6)
    assert made.high == pytest.approx(min(1.0, area + 1.959964 * error), abs=1e-6)
    assert auroc(negatives, positives).value == pytest.approx(1 - area)


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    # Two normals one standard deviation apart: the true AUROC is Φ(1/√2) = 0.7602.
    random = np.random.default_rng(5)
    held = 0
    for _ in range(300):
        made = auroc(random.normal(1, 1, 40).tolist(), random.normal(0, 1, 40).tolist())
        held += made.low <= 0.7602 <= made.high
    assert 0.90 <= held / 300 <= 0.985


@pytest.mark.parametrize(("m", "n"), [(1, 1), (7, 2), (1, 50), (40, 40), (400, 300)])
def test_perfect_order_in_a_small_sample_is_no_proof(m, n):
    """Newcombe 2006, method 5: the ends solve |true − found| = z · SE(true)."""
    made = auroc([1.0] * m, [0.0] * n)
    assert (made.value, made.high) == (1.0, 1.0)
    true, mean_n = made.low, (m + n) / 2
    spread = 1 + (mean_n - 1) * ((1 - true) / (2 - true) + true / (1 + true))
    assert 1.0 - true == pytest.approx(1.959964 * math.sqrt(true * (1 - true) * spread / (m * n)), rel=1e-4)
    mirrored = auroc([0.0] * m, [1.0] * n)
    assert (mirrored.low, mirrored.high) == pytest.approx((0.0, 1.0 - made.low))


def test_a_side_of_one_has_an_interval_around_its_area():
    made = auroc([0.6], [0.1, 0.2, 0.3, 0.9])
    assert 0.0 < made.low < made.value == 0.75 < made.high < 1.0


def test_one_side_alone_is_no_question():
    with pytest.raises(ValueError, match="positives and negatives"):
        auroc([0.5], [])


cases = st.lists(st.tuples(st.integers(0, 5).map(float), st.booleans()), min_size=1, max_size=25)


@settings(deadline=None)
@given(cases)
def test_risk_at_each_coverage_is_the_textbooks(answers):
    values, right = [score for score, _ in answers], [ok for _, ok in answers]
    points = risk_coverage(values, right)
    assert [point.score for point in points] == sorted(set(values), reverse=True)
    for point in points:
        answered = [ok for score, ok in answers if score >= point.score]
        assert point.coverage == pytest.approx(len(answered) / len(answers))
        assert point.risk == pytest.approx(sum(not ok for ok in answered) / len(answered))
    slow_area = sum(
        sum(not ok for score, ok in answers if score >= mine) / sum(score >= mine for score, _ in answers)
        for mine, _ in answers
    ) / len(answers)
    assert area_under_risk(points) == pytest.approx(slow_area)


def test_a_good_order_has_less_area_than_a_bad_one():
    right = [True, True, False, False]
    good, bad = risk_coverage([4, 3, 2, 1], right), risk_coverage([1, 2, 3, 4], right)
    assert area_under_risk(good) < area_under_risk(bad)
    assert area_under_risk(()) == 0.0
