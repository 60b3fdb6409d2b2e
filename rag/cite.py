"""Draft → cited sentences. The generator only names passages; document, quote and place are bound here.

A citation's quote is a verbatim stretch of the passage with offsets that were found, so
``canonical[start:end] == quote``; a marker that names no passage is dropped and counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rag.generate.protocol import Draft
from rag.markdown_inline import plain_row, plain_text
from rag.places import spanned
from rag.quote import find_quotes, share_held
from rag.types import AnswerSentence, BoundCitation, Locator, ScoredChunk, StoredChunk
from rag.verify.claims import atomic_claims

_DOCUMENTS_OWN_MARKER = re.compile(r"\[(\d{1,4})\]")
"""A document's own ``[3]`` would read as one of our citations; it is told as ``(3)``, the quote keeps it."""


_HALF = 0.5
"""Share of a claim's words."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What is left of a draft: every sentence cited, every citation used."""

    sentences: tuple[AnswerSentence, ...]
    citations: tuple[BoundCitation, ...]
    n_unresolved: int
    """Markers that named no passage."""
    n_uncited: int = 0
    """Sentences that were dropped because none of their markers did, or because they hold no word."""


def bind(draft: Draft, passages: tuple[ScoredChunk, ...]) -> Bound:
    """Bind each marker to its quotes (`rag.quote`), mostly one; numbers run from 1 by first appearance.

    A sentence without one marker that resolves is dropped: nothing is said that cannot be pointed at. What is said
    twice from the same places is told once; a model that does not find its end repeats itself up to its limit.
    """
    sentences: list[AnswerSentence] = []
    citations: dict[tuple[str, int, int], BoundCitation] = {}
    n_unresolved = n_uncited = 0
    for sentence in draft.sentences:
        text = plain_text(sentence.text)
        named = list(dict.fromkeys(sentence.passages))
        resolved = [number for number in named if 1 <= number <= len(passages)]
        n_unresolved += len(named) - len(resolved)
        if not any(map(str.isalnum, text)) or not resolved:
            n_uncited += 1
            continue
        numbers = []
        for position in resolved:
            passage = passages[position - 1]
            for start, end in _places(sentence.text, text, passage.chunk):
                key = (passage.chunk.chunk_id, start, end)
                if key not in citations:
                    citations[key] = citation_of(len(citations) + 1, passage, start, end)
                numbers.append(citations[key].number)
        text = _read_row(sentence.text, passages[resolved[0] - 1].chunk) or text
        text = _DOCUMENTS_OWN_MARKER.sub(r"(\1)", text)
        sentences.append(
            AnswerSentence(
                text,
                tuple(dict.fromkeys(numbers)),
                sentence.n_more,
                sentence.list_rest,
                sentence.is_after_gap,
            )
        )
    return Bound(tuple(dict.fromkeys(sentences)), tuple(citations.values()), n_unresolved, n_uncited)


def _places(sentence: str, text: str, chunk: StoredChunk) -> list[tuple[int, int]]:
    """The stretches that carry the sentence: its own, or those of each of its claims, in the order of the claims."""
    whole = find_quotes(sentence, chunk)
    claims = atomic_claims(text)
    if len(claims) < 2 or " ".join(chunk.content[slice(*whole[0])].split()) == " ".join(sentence.split()):
        return list(whole)
    of_claims = [
        place
        for claim in claims
        for place in find_quotes(claim, chunk)
        # A passage that the sentence cites for another claim has nothing for this one.
        if place != (0, len(chunk.content)) and share_held(claim, chunk.content[slice(*place)]) >= _HALF
    ]
    return list(dict.fromkeys(of_claims)) or list(whole)


def _read_row(sentence: str, chunk: StoredChunk) -> str:
    """The row that `sentence` repeats, read with its column names; empty when it repeats none."""
    words = sentence.split()
    for span in chunk.spans:
        row = chunk.content[span.start - chunk.start : span.end - chunk.start]
        if span.kind == "table_row" and row.split() == words:
            # Only a row that fills its chunk can have been cut to fit the encoder's window.
            return plain_row(row, span.table_header, may_be_short=len(chunk.spans) > 1)
    return ""


def citation_of(number: int, passage: ScoredChunk, start: int, end: int) -> BoundCitation:
    """The citation of ``passage.chunk.content[start:end]``, with the place of what it quotes."""
    chunk = passage.chunk
    return BoundCitation(
        number=number,
        chunk=chunk,
        quote=chunk.content[start:end],
        start=chunk.start + start,
        end=chunk.start + end,
        locator=_narrowed(chunk, chunk.start + start, chunk.start + end),
        distance=passage.distance,
        relevance=passage.relevance,
    )


def _narrowed(chunk: StoredChunk, start: int, end: int) -> Locator:
    """The place of the blocks the quote touches: their cells and anchor instead of the chunk's.

    A chunk that was cut blindly may go on over a page, a sheet or a heading; then the quote's place is where
    the quote begins.
    """
    touched = [span.locator for span in chunk.spans if span.start < end and span.end > start]
    if not touched:
        return chunk.locator
    first = touched[0]
    anchor = next((locator.anchor for locator in touched if locator.anchor), chunk.locator.anchor)
    base = replace(
        chunk.locator,
        page=first.page,
        slide=first.slide,
        sheet=first.sheet,
        heading_path=first.heading_path,
        anchor=anchor,
    )
    return spanned(base, [locator for locator in touched if locator.container == first.container])
