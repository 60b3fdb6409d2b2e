"""Does what was quoted carry the question's own words?

The near miss (same topic, other thing) passes a distance cut: the rare words of the question are then
absent from what was quoted. Signal: the share of the question's content words, weighted by their
rarity in the index (idf), that stand in the quotes or their headings; in [0, 1].
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from rag.english import FUNCTION_WORDS
from rag.lexical import stems


def content_weights(question: str, rarity: Mapping[str, float]) -> dict[str, float]:
    """The question's content stems with their weights; function words ask nothing."""
    silent = _silent_stems()
    return {stem: rarity.get(stem, 0.0) for stem in dict.fromkeys(stems(question)) if stem not in silent}


def coverage(weights: Mapping[str, float], texts: Iterable[str]) -> float:
    """Weighted share in [0, 1] of the content stems that stand in `texts`; 1.0 when there are none."""
    held = {stem for text in texts for stem in stems(text)}
    total = sum(weights.values())
    return sum(weight for stem, weight in weights.items() if stem in held) / total if total else 1.0


@cache
def _silent_stems() -> frozenset[str]:
    return frozenset(stems(" ".join(FUNCTION_WORDS)))
