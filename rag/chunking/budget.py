"""How much a chunk may hold of a document's own words: characters, or tokens of the embedding model."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Protocol

from rag.header import CountTokens

_UNCUT_FACTOR = 4
"""One sentence may pass the budget, but not fourfold: a word piece tokenizer counts a run of
base64 as one unknown token, so the window alone would let it through whole."""

_CHARS_A_TOKEN = 4
"""Of English text; only for the bound above."""

_PRE_TOKEN = re.compile(
    "[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]"
    r"|[^\W\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+"
    r"|[^\w\s]"
)
"""What a BERT tokenizer parts before it looks anything up: words, punctuation, each CJK character. So the sum
of their tokens is the count of the whole; for other tokenizers it is close, and the window is checked anyway."""


class Budget(Protocol):
    """Measures stretches of one canonical text."""

    @property
    def max_chars(self) -> int:
        """What is longer is cut though no border of a sentence or a row allows it."""
        ...

    @property
    def limit(self) -> int:
        """The size of a full chunk."""
        ...

    def size(self, start: int, end: int) -> int:
        """Characters or tokens of ``[start, end)``."""
        ...

    def fits(self, start: int, end: int) -> bool:
        """Whether a chunk may hold ``[start, end)``."""
        ...

    def reach(self, start: int) -> int:
        """The furthest end of a chunk from `start`; always after `start`, which lies in the text."""
        ...

    def within(self, n_tokens: int) -> Budget:
        """This budget, or `n_tokens` where it is counted in tokens and the window leaves no more."""
        ...


@dataclass(frozen=True, slots=True)
class CharBudget:
    """At most `limit` characters."""

    limit: int
    n_chars: int

    @property
    def max_chars(self) -> int:
        """See `Budget.max_chars`."""
        return _UNCUT_FACTOR * self.limit

    def size(self, start: int, end: int) -> int:
        """See `Budget.size`."""
        return end - start

    def fits(self, start: int, end: int) -> bool:
        """See `Budget.fits`."""
        return end - start <= self.limit

    def reach(self, start: int) -> int:
        """See `Budget.reach`."""
        return min(start + self.limit, self.n_chars)

    def within(self, n_tokens: int) -> CharBudget:  # noqa: ARG002 - characters know no tokens
        """See `Budget.within`."""
        return self


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """At most `limit` tokens, special tokens not counted; a word is never cut for it.

    `starts` and `ends` are the offsets of the text's words and marks, `totals` the tokens up to and with each.
    """

    limit: int
    starts: Sequence[int]
    ends: Sequence[int]
    totals: Sequence[int]
    n_chars: int

    @property
    def max_chars(self) -> int:
        """See `Budget.max_chars`."""
        return _UNCUT_FACTOR * _CHARS_A_TOKEN * self.limit

    def size(self, start: int, end: int) -> int:
        """Tokens of ``[start, end)``; a word that is only partly inside counts whole."""
        first, after = bisect_right(self.ends, start), bisect_left(self.starts, end)
        return self._before(after) - self._before(first) if after > first else 0

    def fits(self, start: int, end: int) -> bool:
        """See `Budget.fits`."""
        return self.size(start, end) <= self.limit

    def reach(self, start: int) -> int:
        """See `Budget.reach`."""
        first = bisect_right(self.ends, start)
        after = max(first + 1, bisect_right(self.totals, self._before(first) + self.limit))
        return self.starts[after] if after < len(self.starts) else self.n_chars

    def within(self, n_tokens: int) -> TokenBudget:
        """See `Budget.within`."""
        return replace(self, limit=max(1, min(self.limit, n_tokens)))

    def _before(self, word: int) -> int:
        return self.totals[word - 1] if word else 0


def token_budget(canonical: str, limit: int, count_tokens: CountTokens) -> TokenBudget:
    """A budget of `limit` tokens over `canonical`; each distinct word is counted once."""
    matches = list(_PRE_TOKEN.finditer(canonical))
    words = [match.group() for match in matches]
    distinct = sorted(set(words))
    special = count_tokens([""])[0] if distinct else 0
    counts = count_tokens(distinct) if distinct else []
    tokens = {word: count - special for word, count in zip(distinct, counts, strict=True)}
    return TokenBudget(
        limit=limit,
        starts=[match.start() for match in matches],
        ends=[match.end() for match in matches],
        totals=list(accumulate(tokens[word] for word in words)),
        n_chars=len(canonical),
    )
