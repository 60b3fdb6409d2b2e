"""Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""

from __future__ import annotations

from collections.abc import Sequence


def reciprocal_rank_fusion(rankings: Sequence[Sequence[str]], *, k: int) -> list[tuple[str, float]]:
    """Ids with ``Σ 1 / (k + rank)``, best first; ranks start at 1.

    Only ranks enter: a cosine distance and a BM25 score have no common scale. Equal scores keep the order
    of first appearance (the first ranking first), so the same question always gives the same list.
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            scores[item] = scores.get(item, 0.0) + 1.0 / (k + rank)
    return sorted(scores.items(), key=lambda pair: -pair[1])
