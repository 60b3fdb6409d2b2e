import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.evaluate import Proportion, sign_test, wilson_interval


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (26, 32, 0.6469, 0.9111),
        (0, 0, 0, 1),
    ],
)
def test_known_intervals(successes, n, low, high):
    assert wilson_interval(successes, n) == pytest.approx((low, high), abs=5e-4)


@settings(deadline=None)
@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_solves_the_score_equation_and_holds_the_rate(counts):
    successes, n = counts
    low, high = wilson_interval(successes, n)
    rate, z = successes / n, 1.959963984540054
    assert 0.0 <= low <= rate <= high <= 1.0
    for bound, extreme in ((low, successes == 0), (high, successes == n)):
        if not extreme:
            assert abs(rate - bound) == pytest.approx(z * math.sqrt(bound * (1 - bound) / n), rel=1e-6)


def test_more_successes_than_trials_is_an_error():
    with pytest.raises(ValueError, match="no proportion"):
        wilson_interval(3, 2)


@pytest.mark.parametrize(
    ("wins", "losses", "p"), [(0, 0, 1.0), (18, 3, 0.0015), (8, 6, 0.79), (12, 2, 0.0129), (5, 5, 1.0)]
)
def test_the_sign_test_is_the_references(wins, losses, p):
    assert sign_test(wins, losses) == pytest.approx(p, abs=5e-3 if p > 0.5 else 1e-4)
    assert sign_test(wins, losses) == sign_test(losses, wins)


@settings(deadline=None)
@given(st.integers(0, 25), st.integers(0, 25))
def test_the_sign_test_is_the_textbooks(wins, losses):
    """Every sequence of coin tosses that is at least as lopsided, counted one number of heads after another."""
    n = wins + losses
    chances = [Fraction(math.comb(n, heads), 2**n) for heads in range(n + 1)]
    as_extreme = [p for heads, p in enumerate(chances) if abs(heads - n / 2) >= abs(wins - n / 2)]
    assert sign_test(wins, losses) == pytest.approx(float(sum(as_extreme)))


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [(1024, 0, 2.0**-1023), (3000, 0, 0.0), (560, 500, 0.0701), (5600, 5000, 5.9e-9), (20_000, 20_000, 1.0)],
)
def test_the_sign_test_of_thousands_of_pairs(wins, losses, p):
    """The middle ones by the normal approximation with continuity correction."""
    assert sign_test(wins, losses) == pytest.approx(p, rel=0.02)


def test_a_share_of_none_is_a_dash():
    assert str(Proportion(0, 0)) == "–"


def test_a_proportion_says_its_interval():
    assert str(Proportion(5, 10)) == "5/10 = 0.500 [0.237, 0.763]"
    assert Proportion(0, 0).rate == 0.0
