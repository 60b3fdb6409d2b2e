"""Near-duplicates: copies with small changes are found, texts of one subject are not."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from rag.duplicates import NEAR_DUPLICATE, band_keys, similarity

WORDS = [f"word{number}" for number in range(5_000)]


def text_of(seed: int, n_words: int = 400) -> list[str]:
    return random.Random(seed).choices(WORDS, k=n_words)


def shares_a_band(one: str, other: str) -> bool:
    return any(a == b for a, b in zip(band_keys(one), band_keys(other), strict=True))


def test_copies_with_a_few_changed_words_are_candidates() -> None:
    found = 0
    for seed in range(40):
        words = text_of(seed)
        changed = list(words)
        for at in (17, 180, 333):
            changed[at] = "changed"
        one, other = " ".join(words), " ".join(changed)
        assert similarity(one, other) >= NEAR_DUPLICATE
        found += shares_a_band(one, other)
    assert found >= 38


def test_different_texts_are_no_candidates() -> None:
    found = sum(shares_a_band(" ".join(text_of(seed)), " ".join(text_of(seed + 1_000))) for seed in range(40))
    assert found == 0


def test_short_texts_are_never_called_copies() -> None:
    assert band_keys("Expense form") == ()
    assert similarity("Expense form", "Expense form") == 0.0


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=400), st.text(max_size=400))
def test_similarity_is_symmetric_and_one_for_equal_texts(one: str, other: str) -> None:
    assert similarity(one, other) == similarity(other, one)
    assert 0.0 <= similarity(one, other) <= 1.0
    assert similarity(one, one) == (1.0 if band_keys(one) else 0.0)


def test_case_and_punctuation_do_not_matter() -> None:
    words = " ".join(text_of(1))
    assert similarity(words, words.upper().replace(" ", " - ")) == 1.0
