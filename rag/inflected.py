"""A verb in the past that no stemmer brings back: who leads is asked, and who it is led by is told."""

from __future__ import annotations

from functools import cache

from rag.english import PAST_OF
from rag.lexical import stems


def forms_of(word: str) -> frozenset[str]:
    """The stems of `word` (a stem will do), and those of its past or its base form.

    >>> sorted(forms_of("leads"))
    ['lead', 'led']
    """
    found = stems(word)
    others = _others()
    return frozenset((*found, *(others[stem] for stem in found if stem in others)))


@cache
def _others() -> dict[str, str]:
    """Each stem of `PAST_OF` and the other one; the stemmer is loaded with the first question, not with the module."""
    pairs = [(stems(verb)[0], stems(past)[0]) for verb, past in PAST_OF.items()]
    return dict(pairs) | {past: verb for verb, past in pairs}
