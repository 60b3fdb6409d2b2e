"""Where in a passage a sentence is carried: the stretches that are shown as its quote."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.english import QUESTION_STEMS
from rag.lexical import stems
from rag.quotable import Quotable, quotables
from rag.types import StoredChunk

_MOST = 3
"""Stretches of one passage for one claim; who needs more than that is hardly saying one thing."""
_NEW_WORDS = 2
"""Words that a further stretch must bring. One alone is how two neighbours are mixed up: "annual" leave of 14 weeks."""
_POINTS_BACK = re.compile(
    r"\b(?:it|its|they|their|them|this|that|these|those|there|such|then|he|she)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Stretch:
    place: Quotable
    held: frozenset[str]
    words: str


def find_quote(sentence: str, chunk: StoredChunk) -> tuple[int, int]:
    """Offsets in ``chunk.content`` of what carries most of `sentence`.

    The sentence itself where it stands there, whatever the white space; else the quotable stretch that
    shares most of its words; else the whole passage.
    """
    return find_quotes(sentence, chunk)[0]


def find_quotes(claim: str, chunk: StoredChunk) -> tuple[tuple[int, int], ...]:
    """`find_quote`'s stretch first, then those that say what it leaves out of the claim; at most three.

    A further one has to bring words of its own, not only a figure: a figure is no reason to quote a sentence that is
    about something else. One word is enough for the sentence that a quote points back to ("It is paid …").
    """
    words = claim.split()
    found = words and re.search(r"\s+".join(map(re.escape, words)), chunk.content)
    if found:
        return (found.span(),)
    wanted = frozenset(stems(claim))
    stretches = [_stretch(chunk, place) for place in quotables(chunk)]
    best = max(stretches, key=lambda each: len(wanted & each.held) / len(wanted | each.held), default=None)
    if best is None or not wanted & best.held:
        return ((0, len(chunk.content)),)
    chosen = [best]
    while len(chosen) < _MOST:
        held = frozenset().union(*(each.held for each in chosen))
        left = {stem for stem in wanted - held - QUESTION_STEMS if not any(map(str.isdigit, stem))}
        following = [(len(left & each.held), each) for each in stretches if each not in chosen]
        n_new, further = max(following, key=lambda each: each[0], default=(0, best))
        before = _before(chosen[0], stretches)
        if n_new < _NEW_WORDS and before is not None and before not in chosen and left & before.held:
            chosen.append(before)
        elif n_new >= _NEW_WORDS:
            chosen.append(further)
        else:
            break
    return tuple((each.place.start, each.place.end) for each in chosen)


def share_held(claim: str, words: str) -> float:
    """Share in [0, 1] of the words of `claim` that say something and that `words` have."""
    said = frozenset(stems(claim)) - QUESTION_STEMS
    return len(said & frozenset(stems(words))) / (len(said) or 1)


def _stretch(chunk: StoredChunk, place: Quotable) -> _Stretch:
    words = chunk.content[place.start : place.end]
    return _Stretch(place, frozenset(stems(words)), words)


def _before(quoted: _Stretch, stretches: list[_Stretch]) -> _Stretch | None:
    """The stretch that `quoted` points back to."""
    at = stretches.index(quoted)
    return stretches[at - 1] if at and _POINTS_BACK.search(quoted.words) else None
