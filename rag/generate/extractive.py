"""Answers with the passages' own sentences: nothing can be said that is not there.

The default generator: it needs no language model, answers in tens of milliseconds and its faithfulness
is a property of the code (every sentence is a verbatim stretch of a passage), not a measurement.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rag.embed import Embedder
from rag.english import QUESTION_STEMS
from rag.generate.answer_type import gives_what_is_asked
from rag.generate.listed import LookAround, Quotation, quotations
from rag.generate.protocol import Draft, DraftSentence
from rag.generate.restated import restates
from rag.generate.specifics import IN_QUOTES, demanded, phrases_in_quotes, speaks_of
from rag.lexical import stems
from rag.quotable import Quotable, is_question, quotables, row_in_words
from rag.types import RefusalReason, ScoredChunk, StoredChunk

_LEXICAL_SHARE = 0.5
"""Score = cosine + half the share of the question's words. Between 0.25 and 1 the choice of sentences is flat
(civicactions, 59 questions whose passage was retrieved: the needle is the first choice for 50 to 52)."""

_READ_SHARE = 0.05
"""Where the reranker read the sentences: the log-odds of their relevance, in [−3, 3], count this much."""

_MARGIN = 0.1
"""Sentences further below the best one are left out: at 0.1 two sentences are quoted on average."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A quotable stretch and the passage it stands in, by its position from 1."""

    passage: int
    chunk: StoredChunk
    place: Quotable
    relevance: float | None
    """In [0, 1]; None where the reranker did not read the stretch."""

    @property
    def words(self) -> str:
        return self.chunk.content[self.place.start : self.place.end]

    @property
    def is_introduced(self) -> bool:
        """Whether a line that ends with a colon says what holds for this list item."""
        return self.place.kind == "list_item" and self.place.context.rstrip("*_` ").endswith(":")

    @property
    def told(self) -> str:
        """The stretch with the line that introduces it, or its row's header."""
        return f"{self.place.context}\n{self.words}"

    @property
    def evidence(self) -> str:
        """Everything that says what the stretch is about, and the stretch."""
        return f"{self.chunk.document_title}\n{self.chunk.section}\n{self.place.context}\n{self.words}"


@dataclass(frozen=True, slots=True)
class _Candidate:
    found: _Found
    score: float
    """Cosine + `_LEXICAL_SHARE` × share of words + `_READ_SHARE` × log-odds, in [−1.2, 1.7]."""


class ExtractiveGenerator:
    """Quotes the best sentences, list items and table rows of the passages."""

    name = "extractive/7"

    def __init__(
        self,
        embedder: Embedder,
        *,
        max_sentences: int,
        evidence_floor: float,
        reranked_evidence_floor: float,
        look_around: LookAround | None = None,
    ) -> None:
        self._embedder = embedder
        self._max_sentences = max_sentences
        self._evidence_floor = evidence_floor
        self._reranked_evidence_floor = reranked_evidence_floor
        self._look_around = look_around

    def generate(
        self,
        question: str,
        passages: tuple[ScoredChunk, ...],
        *,
        time_limit_s: float | None = None,  # noqa: ARG002 - quoting takes tens of milliseconds
    ) -> Draft:
        """See `Generator.generate`. Abstains with WEAK_EVIDENCE when no sentence reaches the floor."""
        found = [
            _Found(position, passage.chunk, place, relevance.get((place.start, place.end)))
            for position, passage in enumerate(passages, start=1)
            for relevance in [{(each.start, each.end): each.relevance for each in passage.sentences}]
            for place in quotables(passage.chunk)
        ]
        if not found:
            return Draft((), RefusalReason.MODEL_ABSTAINED)
        candidates = self._scored(question, found)
        if not candidates:
            return Draft((), RefusalReason.WEAK_EVIDENCE)
        best = max(candidates, key=lambda candidate: candidate.score)
        was_reranked = all(passage.relevance is not None for passage in passages)
        if best.score < (self._reranked_evidence_floor if was_reranked else self._evidence_floor):
            return Draft((), RefusalReason.WEAK_EVIDENCE, evidence=best.score)
        near = [candidate for candidate in candidates if candidate.score >= best.score - _MARGIN]
        ranked = _distinct(_asked_for_first(set(stems(question)), _ranked(near)))
        chosen = [candidate.found for candidate in ranked[: self._max_sentences]]
        if not gives_what_is_asked(question, [each.told for each in chosen]):
            return Draft((), RefusalReason.WEAK_EVIDENCE, evidence=best.score)
        told = quotations(
            question,
            [(found.passage, found.chunk, (found.place.start, found.place.end)) for found in chosen],
            most=self._max_sentences,
            look_around=self._look_around,
        )
        return Draft(tuple(map(_sentence, _reading_order(told))), evidence=best.score)

    def _scored(self, question: str, found: list[_Found]) -> list[_Candidate]:
        asked_words = set(stems(question))
        # What only repeats the question answers nothing, nor does what speaks about the question. An item that is
        # asked for by its name does answer: the line that introduces it says what holds for it.
        told = [
            each
            for each in found
            if (each.is_introduced or not restates(question, each.words))
            and not _mentions(asked_words, each.words)
        ]
        if not told:
            return []
        texts = [self._read_in_context(each) for each in told]
        cosines = self._embedder.encode_passages(texts) @ self._embedder.encode_question(question)
        # How rare a word is counts over all sentences, so those that lack a number go only now.
        overlaps = _overlaps(question, texts, [each.place.kind == "table_row" for each in told])
        asked, phrases = demanded(question), phrases_in_quotes(question)
        return [
            _Candidate(
                each, float(cosine + _LEXICAL_SHARE * overlap + _READ_SHARE * _log_odds(each.relevance))
            )
            for each, cosine, overlap in zip(told, cosines, overlaps, strict=True)
            if speaks_of(asked, each.evidence)
            and all(phrase.issubset(stems(each.evidence)) for phrase in phrases)
        ]

    def _read_in_context(self, found: _Found) -> str:
        """What is compared with the question; a table row has its header's names at its values."""
        if found.place.kind == "table_row":
            return self._within_window(
                found.chunk.section, "", row_in_words(found.words, found.place.context)
            )
        return self._within_window(found.chunk.section, found.place.context, found.words)

    def _within_window(self, section: str, context: str, words: str) -> str:
        """The sentence with as much context as fits the window."""
        window = self._embedder.model.window_tokens
        texts = [
            "\n".join(part for part in parts if part)
            for parts in ((section, context, words), (section, words))
        ]
        counts = self._embedder.count_tokens(texts)
        return next((text for text, count in zip(texts, counts, strict=True) if count <= window), words)


def _sentence(told: Quotation) -> DraftSentence:
    return DraftSentence(told.words, (told.passage,), told.n_more, told.list_rest, told.is_after_gap)


def _repeats(asked_words: set[str], found: _Found) -> bool:
    return asked_words.issuperset(stems(found.words))


def _mentions(asked_words: set[str], words: str) -> bool:
    """Whether `words` hold the question itself between quotation marks, as pages on how to ask do."""
    told = asked_words - QUESTION_STEMS
    return len(told) > 1 and any(
        is_question(match["said"]) and told.issubset(stems(match["said"]))
        for match in IN_QUOTES.finditer(words)
    )


def _log_odds(relevance: float | None) -> float:
    """Of a relevance in [0, 1], between −3 and 3; 0 where nobody read."""
    if relevance is None:
        return 0.0
    bounded = min(max(relevance, 0.05), 0.95)
    return math.log(bounded / (1.0 - bounded))


def _overlaps(
    question: str, texts: list[str], is_row: list[bool]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Share of the question's stems each text holds, in [0, 1], rare ones among the texts counting more.

    A table row has no room for "what is the … in …", so of it only the other words are asked.
    """
    asked = list(dict.fromkeys(stems(question)))
    held = [set(stems(text)) for text in texts]
    frequency = np.array([sum(stem in words for words in held) for stem in asked])
    weights = np.log1p((len(texts) - frequency + 0.5) / (frequency + 0.5))
    matches = np.array([[stem in words for stem in asked] for words in held], dtype=np.float64)
    says_something = np.array([stem not in QUESTION_STEMS for stem in asked])
    counted = np.where(np.array(is_row)[:, np.newaxis], says_something, True) * weights
    totals = counted.sum(axis=1)
    shares: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = np.divide(
        (matches * counted).sum(axis=1), totals, out=np.zeros(len(texts)), where=totals > 0
    )
    return shares


def _ranked(candidates: list[_Candidate]) -> list[_Candidate]:
    """Best first; equal scores in passage order."""
    return sorted(candidates, key=lambda candidate: -candidate.score)


def _asked_for_first(asked_words: set[str], ranked: list[_Candidate]) -> list[_Candidate]:
    """The items that the question asks for by name, without the others of their list, which it does not ask about."""
    named = [each for each in ranked if each.found.is_introduced and _repeats(asked_words, each.found)]
    lists = {(each.found.chunk.chunk_id, each.found.place.context) for each in named}
    rest = [each for each in ranked if (each.found.chunk.chunk_id, each.found.place.context) not in lists]
    return named + rest


def _distinct(ranked: list[_Candidate]) -> list[_Candidate]:
    """Without what another one says too: copies of a page in the same words, a title in the sentence it heads."""
    said = [f" {' '.join(stems(candidate.found.words))} " for candidate in ranked]
    return [
        candidate
        for at, candidate in enumerate(ranked)
        if said[at] not in said[:at] and not any(said[at] in other and said[at] != other for other in said)
    ]


def _reading_order(told: list[Quotation]) -> list[Quotation]:
    """Documents by their best sentence, sentences of one document as they stand in it; each once."""
    first_of: dict[int, int] = {}
    for rank, each in enumerate(told):
        first_of.setdefault(each.chunk.document_id, rank)
    once = {" ".join(stems(each.words)): each for each in reversed(told)}
    return sorted(
        once.values(),
        key=lambda each: (first_of[each.chunk.document_id], each.chunk.start + each.stretch[0]),
    )
