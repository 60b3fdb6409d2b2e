"""What a verification leaves of an answer: sentences, claims, and citation numbers without gaps."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from rag.types import AnswerSentence, BoundCitation
from rag.verify.verification import Verification


def revise(
    sentences: Sequence[AnswerSentence], verification: Verification, *, keep: Collection[int] = ()
) -> tuple[AnswerSentence, ...]:
    """The sentences without what is not supported; may be empty.

    A sentence that is supported stays, without the numbers of what says otherwise than each of its claims; one of which
    only some claims are becomes those, and cites only what carries them. Numbers stay; `renumbered` closes the gaps.

    Args:
        sentences: as they were verified.
        verification: what was found.
        keep: numbers that a sentence goes on citing, as those of a conflict that is shown.

    Raises:
        ValueError: `verification` is of other sentences.
    """
    revised = []
    for sentence, claims in zip(sentences, verification.sentences, strict=True):
        kept = [claim for claim in claims if claim.support >= verification.threshold]
        carrying = {number for claim in kept for number in claim.carried_by}
        if kept and len(kept) == len(claims):
            against = frozenset.intersection(*(frozenset(claim.against) for claim in claims))
            against -= carrying.union(keep)
            numbers = tuple(number for number in sentence.citation_numbers if number not in against)
            revised.append(replace(sentence, citation_numbers=numbers))
        elif kept:
            numbers = tuple(number for number in sentence.citation_numbers if number in carrying)
            revised.append(AnswerSentence(" ".join(claim.text for claim in kept), numbers))
    return tuple(revised)


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
