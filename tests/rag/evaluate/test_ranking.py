import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.evaluate import mean_estimate, ndcg_at_k, recall_at_k, reciprocal_rank, wilson_interval

NAMES = "abcdefghij"
rankings = st.permutations(NAMES).flatmap(lambda order: st.integers(0, 10).map(lambda n: order[:n]))
judgements = st.dictionaries(st.sampled_from(NAMES + "xyz"), st.integers(0, 3))


def slow_ndcg(ranking, relevance, k):
    """Järvelin and Kekäläinen 2002 by the book: cumulate gain over rank, then divide by the best order's."""

    def dcg(grades):
        total = 0.0
        for rank in range(1, min(k, len(grades)) + 1):
            total += grades[rank - 1] / (math.log(rank + 1) / math.log(2))
        return total

    best = dcg(sorted(relevance.values(), reverse=True))
    return dcg([relevance.get(name, 0) for name in ranking]) / best if best else 0.0


@settings(deadline=None)
@given(rankings, judgements, st.integers(1, 12))
def test_ndcg_is_the_textbooks(ranking, relevance, k):
    assert ndcg_at_k(ranking, relevance, k) == pytest.approx(slow_ndcg(ranking, relevance, k))
    assert 0.0 <= ndcg_at_k(ranking, relevance, k) <= 1.0 + 1e-12


def test_ndcg_of_a_known_ranking():
    # Grades 3, 2, 0, 1 against the ideal 3, 2, 1: (3 + 2/1.585 + 1/2.3219) / (3 + 2/1.585 + 1/2).
    assert ndcg_at_k("abcd", {"a": 3, "b": 2, "d": 1}, 10) == pytest.approx(0.98544, abs=1e-5)
    assert ndcg_at_k("dcba", {"a": 1}, 3) == 0.0


@settings(deadline=None)
@given(rankings, judgements, st.integers(1, 12))
def test_recall_is_the_textbooks(ranking, relevance, k):
    wanted = [name for name in relevance if relevance[name] > 0]
    hits = 0
    for name in wanted:
        if name in ranking and ranking.index(name) < k:
            hits += 1
    assert recall_at_k(ranking, relevance, k) == (hits / len(wanted) if wanted else 0.0)


def test_a_reciprocal_rank_counts_from_one():
    assert [reciprocal_rank(rank) for rank in (1, 2, 4, None)] == [1.0, 0.5, 0.25, 0.0]


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_a_means_interval_holds_it_and_stays_within_the_values(values):
    made = mean_estimate(values)
    assert made.value == pytest.approx(math.fsum(values) / len(values))
    assert made.low - 1e-9 <= made.value <= made.high + 1e-9
    if len(set(values)) > 1:
        assert min(values) - 1e-9 <= made.low <= made.high <= max(values) + 1e-9
    assert made == mean_estimate(values)


@pytest.mark.parametrize(("value", "n"), [(1.0, 1), (0.0, 1), (0.5, 1), (1.0, 3), (1.0, 200), (0.25, 40)])
def test_values_that_are_all_alike_leave_doubt_all_the_same(value, n):
    made = mean_estimate([value] * n)
    assert (made.value, made.n) == (value, n)
    assert made.high - made.low > min(0.7, 1.5 / n)
    if value in (0.0, 1.0):
        assert (made.low, made.high) == wilson_interval(int(value) * n, n)


def test_nothing_is_known_of_no_values():
    made = mean_estimate([])
    assert (made.low, made.high, str(made)) == (0.0, 1.0, "–")


def test_a_means_interval_is_about_the_normal_one_and_narrows():
    few, many = mean_estimate([0.0, 1.0] * 50), mean_estimate([0.0, 1.0] * 800)
    half = 1.96 * 0.5 / 10
    assert (few.low, few.high) == pytest.approx((0.5 - half, 0.5 + half), abs=0.02)
    assert many.high - many.low < (few.high - few.low) / 3
    assert mean_estimate([]).n == 0
