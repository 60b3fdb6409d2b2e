"""Two versions of one document that say the same sentence with another figure: both are shown, never one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from rag.cite import Bound, citation_of
from rag.english import QUESTION_STEMS
from rag.lexical import stems
from rag.markdown_inline import plain_text
from rag.quotable import quotables
from rag.types import AnswerSentence, BoundCitation, ScoredChunk
from rag.verify.protocol import dates, in_one_writing, quantities

_ALIKE = 0.6
"""Jaccard similarity of two sentences' words, figures aside, from which they are about the same thing."""
_FEWEST_WORDS = 3
_VERSION_WORDS = (
    "archive archived copy draft final former new obsolete old outdated previous superseded v version"
)
_DIGITS = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence without its figures, and the figures."""

    words: frozenset[str]
    figures: frozenset[str]


def with_conflicts(
    bound: Bound, passages: Sequence[ScoredChunk]
) -> tuple[Bound, tuple[tuple[int, int], ...]]:
    """The answer with the other side of every conflict, and the pairs of citation numbers that disagree.

    A conflict is a quotation and a sentence of another version of its document, among the passages that passed, whose
    words are alike and whose figures differ. Versions are documents whose titles differ in nothing but years, numbers
    and words such as "archived". A sentence that merely has more figures than the other is no conflict.
    """
    sentences, citations = list(bound.sentences), list(bound.citations)
    pairs: list[tuple[int, int]] = []
    for citation in bound.citations:
        said = _said(citation.quote)
        for passage, start, end in _other_versions(citation, passages):
            quote = passage.chunk.content[start:end]
            if not _disagree(said, _said(quote)):
                continue
            other = _known(citations, passage, start) or citation_of(len(citations) + 1, passage, start, end)
            if other.number > len(citations):
                citations.append(other)
                sentences.append(AnswerSentence(plain_text(quote), (other.number,)))
            pairs.append((min(citation.number, other.number), max(citation.number, other.number)))
    return replace(bound, sentences=tuple(sentences), citations=tuple(citations)), tuple(dict.fromkeys(pairs))


def _other_versions(
    citation: BoundCitation, passages: Sequence[ScoredChunk]
) -> Iterator[tuple[ScoredChunk, int, int]]:
    title = _title(citation.chunk.document_title)
    for passage in passages:
        chunk = passage.chunk
        if chunk.document_id != citation.chunk.document_id and _title(chunk.document_title) == title:
            for place in quotables(chunk):
                yield passage, place.start, place.end


def _known(citations: Sequence[BoundCitation], passage: ScoredChunk, start: int) -> BoundCitation | None:
    at = passage.chunk.start + start
    return next(
        (
            each
            for each in citations
            if each.chunk.chunk_id == passage.chunk.chunk_id and each.start <= at < each.end
        ),
        None,
    )


def _title(title: str) -> frozenset[str]:
    return frozenset(stem for stem in stems(title) if not _DIGITS.search(stem)) - _version_stems()


@cache
def _version_stems() -> frozenset[str]:
    return frozenset(stems(_VERSION_WORDS))


def _said(sentence: str) -> _Said:
    text = in_one_writing(plain_text(sentence))
    figures = {f"{each.number} {each.unit}".strip() for each in quantities(text)}
    figures |= {f"{day}/{month}" for meant in dates(text).values() for day, month in meant}
    words = frozenset(stem for stem in stems(text) if not _DIGITS.search(stem)) - QUESTION_STEMS
    return _Said(words, frozenset(figures))


def _disagree(one: _Said, other: _Said) -> bool:
    shared, both = one.words & other.words, one.words | other.words
    if len(shared) < _FEWEST_WORDS or len(shared) < _ALIKE * len(both):
        return False
    return bool(one.figures - other.figures) and bool(other.figures - one.figures)
