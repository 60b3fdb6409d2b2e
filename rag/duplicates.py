"""Near-duplicates: texts that share nearly all of their word shingles.

MinHash (Broder 1997) with locality-sensitive hashing finds candidates in constant time; what counts is then the
exact Jaccard similarity of the two texts.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from typing import Final

NEAR_DUPLICATE: Final = 0.9
"""Texts at this Jaccard similarity or above are near-duplicates (the reference's threshold)."""

_N_PERMUTATIONS: Final = 64
_N_BANDS, _N_ROWS = 8, 8
"""A pair at 0.9 shares a band with probability 0.99; datasketch's own choice of 3 × 21 would miss 7 of 10."""
_SHINGLE_WORDS = 3
_MIN_WORDS = 20
"""Shorter texts, such as a form's heading, are alike without being copies."""
_WORD = re.compile(r"\w+")


def band_keys(text: str) -> tuple[str, ...]:
    """Eight keys; a text that nearly equals this one shares at least one. None for a text under 20 words."""
    from datasketch import MinHash

    shingles = _shingles(text)
    if not shingles:
        return ()
    signature = MinHash(num_perm=_N_PERMUTATIONS, seed=1)
    signature.update_batch([shingle.encode("utf-8", "replace") for shingle in shingles])
    values = signature.hashvalues
    return tuple(
        hashlib.sha256(values[start : start + _N_ROWS].tobytes()).hexdigest()[:32]
        for start in range(0, _N_BANDS * _N_ROWS, _N_ROWS)
    )


def similarity(one: str, other: str) -> float:
    """The Jaccard similarity of the texts' word shingles, in [0, 1]; 0 where one is under 20 words."""
    first, second = _shingles(one), _shingles(other)
    return len(first & second) / len(first | second) if first and second else 0.0


def _shingles(text: str) -> set[str]:
    words = _WORD.findall(text.casefold())
    if len(words) < _MIN_WORDS:
        return set()
    windows = (itertools.islice(words, start, None) for start in range(_SHINGLE_WORDS))
    return {" ".join(window) for window in zip(*windows, strict=False)}
