"""A verb in the past that no stemmer brings back: who leads is asked, and who it is led by is told."""

from __future__ import annotations

from rag.english import PAST_OF
from rag.lexical import stems

_OTHER = {
    stem: other
    for verb, past in PAST_OF.items()
    for stem, other in ((stems(verb)[0], stems(past)[0]), (stems(past)[0], stems(verb)[0]))
}


def forms_of(word: str) -> frozenset[str]:
    """The stems of `word` (a stem will do), and those of its past or its base form.

    >>> sorted(forms_of("leads"))
    ['lead', 'led']
    """
    found = stems(word)
    return frozenset((*found, *(_OTHER[stem] for stem in found if stem in _OTHER)))
