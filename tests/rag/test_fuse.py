from hypothesis import given
from hypothesis import strategies as st

from rag.fuse import reciprocal_rank_fusion

ids = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


def textbook(rankings, k):
    """Cormack, Clarke and Büttcher 2009, equation 1, one sum an id."""
    every = dict.fromkeys(item for ranking in rankings for item in ranking)
    return {
        item: sum(1 / (k + ranking.index(item) + 1) for ranking in rankings if item in ranking)
        for item in every
    }


@given(st.lists(ids, max_size=4), st.integers(1, 100))
def test_scores_are_the_textbooks_and_fall(rankings, k):
    fused = reciprocal_rank_fusion(rankings, k=k)
    expected = textbook(rankings, k)
    assert {item: round(score, 12) for item, score in fused} == {
        item: round(score, 12) for item, score in expected.items()
    }
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)


def test_both_sides_beat_one_and_ties_keep_the_first_rankings_order():
    assert [item for item, _ in reciprocal_rank_fusion([["a", "b"], ["c", "b"]], k=60)] == ["b", "a", "c"]


def test_a_repeated_id_counts_once_at_its_best_rank():
    assert reciprocal_rank_fusion([["a", "a", "b"]], k=60) == [("a", 1 / 61), ("b", 1 / 62)]
