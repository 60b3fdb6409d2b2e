"""A sentence of the evidence that says otherwise than a question takes for granted.

No model is asked: the support model cannot tell "says otherwise" from "says nothing", and a wrong "the document
contradicts you" is worse than none. Two rules, both about one sentence that has the premise's words: it denies what the
premise says (or the other way round), or it has another figure in the same place, and nobody near says the premise's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rag.generate.specifics import speaks_of, specifics
from rag.lexical import stems
from rag.quotable import Quotable, quotables
from rag.types import ScoredChunk, StoredChunk
from rag.verify.claims import bounds
from rag.verify.orders import is_order
from rag.verify.protocol import dates, in_one_writing, months, quantities, weekdays
from rag.verify.stated import CARRIES, NEGATORS, Said, said_of
from rag.verify.verification import as_told
from rag.verify.wording import denied_on_one_side, same_hedges

ContradictionKind = Literal["denial", "figure"]

_YEAR = re.compile(r"(?:19|20)\d\d")
_NEXT_WORDS = re.compile(r"[ -]([^\W\d_]+)")
_MEASURES = """
euro eur pound gbp dollar usd franc chf penc cent percent minut hour day week month year time km kilometr mile metr kg
kilogram tonn litr gb gigabyt work busi calendar januari februari march april may june juli august septemb octob novemb
decemb monday tuesday wednesday thursday friday saturday sunday
"""
_NO_WORDS = frozenset(_MEASURES.split())
"""Stems that belong to a figure: what is measured has to be said beside them."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A premise and the stretch ``passage.chunk.content[start:end]`` that says otherwise; `says` in plain words."""

    premise: str
    kind: ContradictionKind
    passage: ScoredChunk
    start: int
    end: int
    says: str


@dataclass(frozen=True, slots=True)
class _Sentence:
    passage: ScoredChunk
    place: Quotable
    told: str
    said: Said

    @property
    def about(self) -> frozenset[str]:
        """Stems of the title, the section and what introduces the sentence."""
        chunk = self.passage.chunk
        return frozenset(stems(f"{chunk.document_title}\n{chunk.section}\n{self.place.context}"))


@dataclass(frozen=True, slots=True)
class _Figure:
    """A number, day, month or weekday, and what it counts: a unit, the next word, or what kind of date it is."""

    slot: str
    value: object
    number: str = ""


def contradiction(premises: Sequence[str], passages: Sequence[ScoredChunk]) -> Contradiction | None:
    """The first premise that a sentence of `passages` contradicts, with that sentence; None in every doubt.

    Args:
        premises: as `rag.ask.premise.premises` gives them, English sentences.
        passages: best first, only such as the reranker rates high for the question.
    """
    sentences = [
        _Sentence(passage, place, told, said_of(told))
        for passage in passages
        for place in quotables(passage.chunk)
        if not is_order(told := as_told(passage.chunk, place))
    ]
    for premise in premises:
        claim = said_of(premise)
        found = _denied(claim, sentences) or _with_another_figure(claim, sentences)
        if found is not None:
            kind, sentence = found
            place = sentence.place
            return Contradiction(premise, kind, sentence.passage, place.start, place.end, sentence.told)
    return None


def _denied(claim: Said, sentences: Sequence[_Sentence]) -> tuple[ContradictionKind, _Sentence] | None:
    """All sentences with the premise's words have to disagree with it; of two words both, of more than two 80 %."""
    if len(claim.content) < 2:
        return None
    enough = max(2.0, CARRIES * len(claim.content))
    carriers = [each for each in sentences if len(claim.content & each.said.content) >= enough]
    if carriers and all(denied_on_one_side(claim, each.said) for each in carriers):
        return "denial", min(carriers, key=lambda each: len(each.said.content))
    return None


def _with_another_figure(
    claim: Said, sentences: Sequence[_Sentence]
) -> tuple[ContradictionKind, _Sentence] | None:
    figures = _figures(claim.text)
    words = frozenset(stem for stem in claim.content - _NO_WORDS if not any(map(str.isdigit, stem)))
    if len(figures) != 1 or len(words) < 2 or NEGATORS.intersection(claim.stems) or _bounded(claim.text):
        return None
    (figure,) = figures
    if any(_has(figure, text) for text in _texts(sentences)):
        return None
    for sentence in sentences:
        if _is_same_slot(figure, words, claim, sentence):
            return "figure", sentence
    return None


def _is_same_slot(figure: _Figure, words: frozenset[str], claim: Said, sentence: _Sentence) -> bool:
    """Whether `sentence` has one other figure of the kind, without a bound, and the words that the premise has."""
    said = sentence.said
    others = [each for each in _figures(said.text) if each.slot == figure.slot]
    if len(others) != 1 or others[0].value == figure.value or NEGATORS.intersection(said.stems):
        return False
    if _bounded(said.text) or not same_hedges(claim, said):
        return False
    own = words & said.content
    return words <= own | sentence.about and 2 * len(own) >= len(words) and bool(own)


def _texts(sentences: Sequence[_Sentence]) -> Iterator[str]:
    """Everything that the passages say, each once, in one writing."""
    chunks: dict[str, StoredChunk] = {each.passage.chunk.chunk_id: each.passage.chunk for each in sentences}
    for chunk in chunks.values():
        yield in_one_writing(f"{chunk.document_title}\n{chunk.section}\n{chunk.content}")


def _bounded(text: str) -> bool:
    return any(bound for _, bound in bounds(text))


def _figures(text: str) -> list[_Figure]:
    """The figures of a text in one writing; years, 0 and 1 are none, and of a date its numbers are not."""
    found = [_Figure("date", meant) for meant in dates(text).values()]
    if found:
        return found
    found += [_Figure("weekday", name) for name in sorted(weekdays(text))]
    found += [_Figure("month", name) for name in sorted(months(text))]
    for each in quantities(text):
        following = _NEXT_WORDS.match(text, each.end)
        slot = each.unit or " ".join(stems(following[1]) if following else [])
        if slot and each.number not in {"0", "1"} and (each.unit or not _YEAR.fullmatch(each.number)):
            found.append(_Figure(slot, each.amount or each.number, each.number))
    return found


def _has(figure: _Figure, text: str) -> bool:
    """Whether `text` has the figure anywhere, in whatever unit; then nothing is sure."""
    if figure.slot == "date":
        held = frozenset().union(*dates(text, with_lists=True).values())
        return isinstance(figure.value, frozenset) and not figure.value.isdisjoint(held)
    if figure.slot in {"weekday", "month"}:
        names = weekdays(text, is_evidence=True) | months(text, is_evidence=True)
        return figure.value in names
    if any(each.amount == figure.value for each in quantities(text) if each.amount):
        return True
    return speaks_of(specifics(figure.number), text)
