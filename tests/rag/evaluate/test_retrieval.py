import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.evaluate import (
    CONFIGURATIONS,
    GoldenMultihop,
    GoldenNeedle,
    GoldenSet,
    NeedlePlace,
    QuestionRanks,
    RetrievalReport,
    Wording,
    compare_ranks,
    compare_recall,
    evaluate_retrieval,
    ndcg_at_k,
)
from tests.rag.fakes import scored, stored_chunk

GULLS, FERRY, REST = (
    scored(stored_chunk(text, chunk_id=text))
    for text in ("Gulls eat bread. Much of it.", "The ferry leaves\nat nine.", "Nothing here.")
)
GOLDEN = GoldenSet(
    "birds",
    (
        GoldenNeedle("n1", "a.md", "Gulls eat bread.", "gulls?", "birds hungry"),
        GoldenNeedle("n2", "b.md", "The ferry leaves at nine.", "ferry?", ""),
    ),
    (),
    (
        GoldenMultihop(
            "m1",
            "both?",
            (NeedlePlace("a.md", "Gulls eat bread."), NeedlePlace("b.md", "The ferry leaves at nine.")),
        ),
    ),
)
FOUND = {
    "gulls?": [GULLS, REST],
    "birds hungry": [REST, FERRY],
    "ferry?": [REST, GULLS, FERRY],
    "both?": [FERRY, REST, GULLS],
}


def report(found, name="hybrid"):
    return evaluate_retrieval(GOLDEN, found.__getitem__, configuration=CONFIGURATIONS[name], ks=(1, 3))


def counts(proportion):
    return proportion.successes, proportion.n


def test_ranks_are_of_the_first_chunk_that_holds_the_needle():
    made = report(FOUND)
    assert [(q.id, q.wording, q.ranks, q.rank) for q in made.questions] == [
        ("n1", Wording.QUESTIONS, (1,), 1),
        ("n2", Wording.QUESTIONS, (3,), 3),
        ("n1", Wording.TICKETS, (None,), None),
        ("m1", Wording.MULTIHOP, (3, 1), 3),
    ]
    assert made.wordings == (Wording.QUESTIONS, Wording.TICKETS, Wording.MULTIHOP)


def test_recall_counts_by_wording_and_several_needles_only_together():
    made = report(FOUND)
    assert counts(made.recall(1)) == (1, 3)
    assert counts(made.recall(3)) == (2, 3)
    assert counts(made.recall(3, Wording.QUESTIONS)) == (2, 2)
    assert counts(made.recall(3, Wording.TICKETS)) == (0, 1)
    assert counts(made.recall(1, Wording.MULTIHOP)) == (0, 0), "no one chunk is asked to hold both"
    assert counts(made.recall(2, Wording.MULTIHOP)) == (0, 1)
    for k, n in ((1, 0), (2, 1)):
        alike = compare_recall(made, made, k=k, wording=Wording.MULTIHOP)
        assert (alike.wins, alike.losses, alike.ties) == (0, 0, n)
    assert counts(made.recall(3, Wording.MULTIHOP)) == (1, 1)
    assert made.mean_reciprocal_rank().value == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert made.mean_ndcg(10, Wording.QUESTIONS).value == pytest.approx((1 + 1 / math.log2(4)) / 2)


ranks = st.lists(st.none() | st.integers(1, 12), min_size=1, max_size=3, unique_by=lambda r: r or object())


@settings(deadline=None)
@given(ranks, st.integers(1, 12))
def test_a_questions_ndcg_is_that_of_its_ranking(found, k):
    """One relevant document a needle, at the rank where it was found."""
    ranking = [f"other {at}" for at in range(12)]
    for number, rank in enumerate(found):
        if rank:
            ranking[rank - 1] = f"needle {number}"
    relevance = {f"needle {number}": 1 for number in range(len(found))}
    question = QuestionRanks("q", Wording.MULTIHOP, tuple(found))
    assert question.ndcg(k) == pytest.approx(ndcg_at_k(ranking, relevance, k))


def with_ranks(*found):
    return RetrievalReport(
        CONFIGURATIONS["dense"],
        "birds",
        tuple(QuestionRanks(str(at), Wording.QUESTIONS, (rank,)) for at, rank in enumerate(found)),
        (1,),
    )


rank_lists = st.lists(
    st.tuples(st.none() | st.integers(1, 5), st.none() | st.integers(1, 5)), min_size=1, max_size=20
)


@settings(deadline=None)
@given(rank_lists, st.integers(1, 5))
def test_pairs_are_counted_one_by_one(pairs, k):
    first, second = with_ranks(*(one for one, _ in pairs)), with_ranks(*(other for _, other in pairs))
    hits = [(one is not None and one <= k, other is not None and other <= k) for one, other in pairs]
    test = compare_recall(first, second, k=k)
    assert (test.wins, test.losses) == (hits.count((True, False)), hits.count((False, True)))
    assert test.wins + test.losses + test.ties == len(pairs)
    by_rank = compare_ranks(first, second)
    better = sum((one or 99) < (other or 99) for one, other in pairs)
    worse = sum((one or 99) > (other or 99) for one, other in pairs)
    assert (by_rank.wins, by_rank.losses) == (better, worse)
    assert compare_recall(second, first, k=k).p == test.p


def test_only_the_same_questions_can_be_paired():
    assert compare_recall(report(FOUND), report(FOUND), k=1).p == 1.0
    with pytest.raises(ValueError, match="same questions"):
        compare_recall(report(FOUND), with_ranks(1, 2), k=1)


def test_configurations_differ_in_single_things():
    hybrid, reranked, dense = (CONFIGURATIONS[name] for name in ("hybrid", "reranked", "dense"))
    assert hybrid.differs_in(hybrid) == 0
    assert hybrid.differs_in(reranked) == hybrid.differs_in(dense) == reranked.differs_in(dense) == 1
    assert hybrid.differs_in(replace(dense, chunking="A")) == 2
    assert hybrid.differs_in(replace(hybrid, model="other")) == 1
