"""What a verification leaves behind for the people who look at an answer later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.types import AnswerSentence, BoundCitation, StoredChunk
from rag.verify.protocol import CheckedClaim
from rag.verify.verification import Verification


@dataclass(frozen=True, slots=True)
class DroppedClaim:
    """A claim of a draft that its citations did not carry; nobody was told it.

    `sentence` is the drafted sentence it stood in, `cited` the passages that the sentence named.
    """

    sentence: str
    claim: CheckedClaim
    cited: tuple[StoredChunk, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """The claims of each sentence of an answer, in its order, and those that its revision dropped.

    `carried_by` of a claim holds citation numbers of the answer. `threshold` in (0, 1] and `model` are those of the
    last verification (see `Verification`).
    """

    sentences: tuple[tuple[CheckedClaim, ...], ...]
    dropped: tuple[DroppedClaim, ...]
    threshold: float
    model: str | None


def dropped_claims(
    sentences: Sequence[AnswerSentence], citations: Sequence[BoundCitation], verification: Verification
) -> tuple[DroppedClaim, ...]:
    """The claims that `verification` found unsupported, with what their sentences cited.

    Raises:
        KeyError: a sentence names a number that no citation has.
        ValueError: `verification` is of other sentences.
    """
    chunk_of = {citation.number: citation.chunk for citation in citations}
    return tuple(
        DroppedClaim(sentence.text, claim, tuple(chunk_of[number] for number in sentence.citation_numbers))
        for sentence, claims in zip(sentences, verification.sentences, strict=True)
        for claim in claims
        if claim.support < verification.threshold
    )
