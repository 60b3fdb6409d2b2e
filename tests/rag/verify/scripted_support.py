"""A support model without a model: the share of a claim's words that the evidence has."""

from __future__ import annotations

import time

from rag.lexical import stems
from rag.rerank.pair_model import OutOfTime


class WordShare:
    """Honours the deadline; `seconds` is how long a pair takes it. `asked` holds every pair it was given."""

    name = "word-share/1"

    def __init__(self, *, seconds: float = 0.0) -> None:
        self._seconds = seconds
        self.asked: list[tuple[str, str]] = []

    def support(self, pairs, *, deadline=None):
        self.asked += pairs
        shares = []
        for claim, evidence in pairs:
            time.sleep(self._seconds)
            if deadline is not None and time.monotonic() > deadline:
                raise OutOfTime
            words = set(stems(claim))
            shares.append(len(words & set(stems(evidence))) / len(words))
        return shares


class Fixed:
    """Says the same of every pair, for tests of what is done with the number."""

    name = "fixed/1"

    def __init__(self, score: float) -> None:
        self._score = score

    def support(self, pairs, *, deadline=None):
        return [self._score] * len(pairs)
