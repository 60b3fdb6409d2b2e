"""Citation numbers after sentences were dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.types import AnswerSentence, BoundCitation


def renumbered(
    sentences: Sequence[AnswerSentence], citations: Sequence[BoundCitation]
) -> tuple[tuple[AnswerSentence, ...], tuple[BoundCitation, ...]]:
    """Both with numbers that run from 1 by first appearance; citations that nothing names are dropped.

    Raises:
        KeyError: a sentence names a number that no citation has.
    """
    cited = {citation.number: citation for citation in citations}
    first_named = dict.fromkeys(number for sentence in sentences for number in sentence.citation_numbers)
    new_of = {number: new for new, number in enumerate(first_named, start=1)}
    return (
        tuple(
            replace(sentence, citation_numbers=tuple(new_of[number] for number in sentence.citation_numbers))
            for sentence in sentences
        ),
        tuple(replace(cited[number], number=new) for number, new in new_of.items()),
    )
