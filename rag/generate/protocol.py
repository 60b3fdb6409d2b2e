"""What a generator gives back: sentences that name the passages they come from, or nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from rag.sentences import sentence_spans
from rag.types import RefusalReason, ScoredChunk

_MARKERS = re.compile(r"(?:\s*\[(\d{1,3})\])+")
_MARKER = re.compile(r"\[(\d{1,3})\]")
ABSTAIN = "NO_ANSWER"


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """One sentence and the 1-based positions of the passages it rests on, as the generator wrote them."""

    text: str
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A generator's answer before citations are bound.

    No sentences means that the generator abstained; `abstained` says why.
    """

    sentences: tuple[DraftSentence, ...]
    abstained: RefusalReason | None = None
    evidence: float | None = None
    """How well the best sentence carries the question, on the generator's own scale; for the trace."""


class Generator(Protocol):
    """Writes an answer from passages only."""

    @property
    def name(self) -> str:
        """Stamped on every answer."""
        ...

    def generate(self, question: str, passages: tuple[ScoredChunk, ...]) -> Draft:
        """Sentences that cite passages by their 1-based position, or an abstention."""
        ...


def read_markers(text: str) -> Draft:
    """The draft in a language model's text: each sentence ends with its markers ``[1][3]``.

    Text without a marker after it becomes a sentence without passages, which `rag.cite` drops. Only for
    text a model wrote: a passage's own words may hold ``[1]`` and are never read this way.
    """
    if not text.strip() or text.strip().strip(".") == ABSTAIN:
        return Draft((), RefusalReason.MODEL_ABSTAINED)
    sentences = []
    start = 0
    for match in _MARKERS.finditer(text):
        numbers = tuple(int(number) for number in _MARKER.findall(match.group()))
        end = match.end()
        closing = re.match(r"[.!?]+", text[end:])
        words = text[start : match.start()].strip()
        if closing:
            words += closing.group()
            end += closing.end()
        sentences.extend(_marked(words, numbers))
        start = end
    sentences.extend(_marked(text[start:].strip(), ()))
    return Draft(tuple(sentences))


def _marked(words: str, numbers: tuple[int, ...]) -> list[DraftSentence]:
    """The sentences of `words`; a marker speaks for the sentence it follows and for no other."""
    spans = sentence_spans(words)
    return [
        DraftSentence(words[start:end], numbers if at == len(spans) - 1 else ())
        for at, (start, end) in enumerate(spans)
    ]
