"""What was checked of an answer: as it is kept in its row, and as a reader is shown it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import rag
from console.questions.models import Answer

HOW: dict[str, str] = {
    "verbatim": "stands there word for word",
    "model": "weighed by the support model",
    "mechanical": "the cited text says otherwise",
    "unchecked": "nobody could check it",
}
"""How a claim's support was found, by the method of `rag.CheckedClaim`."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim and what its citations say to it; `support` in [0, 1] holds from the threshold on."""

    text: str
    method: str
    support: float
    numbers: tuple[int, ...]
    """Numbers of the citations that carry it."""
    faults: tuple[str, ...] = ()
    """A sentence for each fault that needed no model to be seen."""
    is_weakest: bool = False

    @property
    def how(self) -> str:
        """How the support was found, in words."""
        return HOW.get(self.method, self.method)


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence of the answer and its claims; empty where the reader may not see the sentence."""

    text: str
    claims: tuple[Claim, ...]

    @property
    def is_one_claim(self) -> bool:
        """The sentence was not taken apart, so that showing it beside its claim would say it twice."""
        return len(self.claims) == 1 and self.claims[0].text == self.text


@dataclass(frozen=True, slots=True)
class DroppedClaim:
    """A claim that its citations did not carry, and the drafted sentence it stood in."""

    sentence: str
    claim: Claim


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """Everything that was checked. `dropped` holds what the reader may see of the `n_dropped` claims."""

    threshold: float
    model: str
    sentences: tuple[CheckedSentence, ...]
    dropped: tuple[DroppedClaim, ...]
    n_dropped: int

    @property
    def is_all_verbatim(self) -> bool:
        """Every claim stands word for word in what it cites."""
        return all(claim.method == "verbatim" for each in self.sentences for claim in each.claims)


def verification_json(findings: rag.Findings) -> dict[str, object]:
    """The findings as JSON; of what was dropped also the folders it cited, which decide who may read it."""
    return {
        "threshold": findings.threshold,
        "model": findings.model or "",
        "sentences": [[_claim_json(claim) for claim in claims] for claims in findings.sentences],
        "dropped": [
            {
                "sentence": dropped.sentence,
                "folder_ids": sorted({chunk.folder_id for chunk in dropped.cited}),
                "claim": _claim_json(dropped.claim),
            }
            for dropped in findings.dropped
        ],
    }


def checked_answer(
    answer: Answer,
    *,
    is_withheld: Sequence[bool],
    may_see_dropped: bool,
    sees_folder: Callable[[object], bool],
) -> CheckedAnswer | None:
    """What was checked of `answer`; None for answers of before it was recorded, and where nothing was drafted.

    Args:
        answer: with its `verification`.
        is_withheld: for each of its sentences whether the reader may not see it.
        may_see_dropped: what a model said and nobody was told is for those who look after the answers.
        sees_folder: whether the reader sees a folder, by its id.
    """
    kept: dict[str, Any] = answer.verification
    if not kept:
        return None
    weakest = min((claim["support"] for claims in kept["sentences"] for claim in claims), default=1.0)
    sentences = [
        CheckedSentence(
            str(row["text"]), tuple(_claim(claim, weakest if weakest < 1 else None) for claim in claims)
        )
        for row, claims, is_hidden in zip(answer.sentences, kept["sentences"], is_withheld, strict=True)
        if not is_hidden
    ]
    dropped = [
        DroppedClaim(each["sentence"], _claim(each["claim"]))
        for each in kept["dropped"]
        if may_see_dropped and all(map(sees_folder, each["folder_ids"]))
    ]
    return CheckedAnswer(
        kept["threshold"], kept["model"], tuple(sentences), tuple(dropped), len(kept["dropped"])
    )


def _claim_json(claim: rag.CheckedClaim) -> dict[str, object]:
    return {
        "text": claim.text,
        "support": round(claim.support, 4),
        "method": claim.method,
        "citations": list(claim.carried_by),
        "faults": [
            {"kind": fault.kind, "words": fault.words, "reason": fault.reason} for fault in claim.faults
        ],
    }


def _claim(kept: dict[str, Any], weakest: float | None = None) -> Claim:
    return Claim(
        text=kept["text"],
        method=kept["method"],
        support=kept["support"],
        numbers=tuple(kept["citations"]),
        faults=tuple(fault["reason"] for fault in kept["faults"]),
        is_weakest=kept["support"] == weakest,
    )
