"""The support model that Footnote brings: does this evidence say this claim?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from rag.errors import ModelMissing
from rag.rerank.pair_model import PairModel
from rag.sentences import sentence_spans

SUPPORT_MODEL = "footnote-support"

_FOLDER = Path(__file__).resolve().parent.parent / "models" / "support"
_PART_CHARS = 1_200
"""Of evidence, with a claim beside it: about 300 of the model's 384 tokens. Longer evidence is read in parts."""
_OVERLAP_CHARS = 300


class PackagedSupport:
    """A `SupportModel` over the packaged cross-encoder."""

    def __init__(self, folder: Path = _FOLDER, *, threads: int = 0) -> None:
        """Load the model.

        Raises:
            ModelMissing: its files are missing or damaged.
        """
        self._model = PairModel(folder, threads=threads)
        try:
            fitted = self._model.settings["support"]
            assert isinstance(fitted, dict)
            self._scale, self._bias = float(fitted["logit"]), float(fitted["bias"])
        except (AssertionError, KeyError, TypeError, ValueError) as exc:
            raise ModelMissing(
                f"{folder / 'model.json'} is not usable.", next_step="Install Footnote again."
            ) from exc

    @property
    def name(self) -> str:
        """Name and revision, as they are recorded with each answer."""
        return f"{SUPPORT_MODEL}/{self._model.revision}"

    def support(self, pairs: Sequence[tuple[str, str]], *, deadline: float | None = None) -> list[float]:
        """Probability in [0, 1] for each (claim, evidence) that the evidence says all of the claim (Platt 1999).

        Evidence longer than the model reads is read in overlapping parts of whole sentences; the best part counts.

        Args:
            pairs: claim first, evidence second.
            deadline: a `time.monotonic` moment; it is looked at between batches.

        Raises:
            OutOfTime: the deadline passed.
        """
        asked: list[tuple[str, str]] = []
        owners: list[int] = []
        for at, (claim, evidence) in enumerate(pairs):
            for part in _parts(evidence):
                asked.append((claim, part))
                owners.append(at)
        logits = self._model.score(asked, deadline=deadline)
        best = np.full(len(pairs), -np.inf)
        np.maximum.at(best, owners, logits)
        return [_logistic(self._scale * float(logit) + self._bias) for logit in best]


def load_support(name: str = SUPPORT_MODEL, *, threads: int = 0) -> PackagedSupport | None:
    """The packaged support model by its name; "none": None.

    Raises:
        ModelMissing: its files are missing or damaged.
        ValueError: there is no support model of that name.
    """
    if name == "none":
        return None
    if name == SUPPORT_MODEL:
        return PackagedSupport(threads=threads)
    raise ValueError(f"unknown support model {name!r}; accepted: {SUPPORT_MODEL}, none")


def _parts(evidence: str) -> Iterator[str]:
    if len(evidence) <= _PART_CHARS:
        yield evidence
        return
    spans = [piece for span in sentence_spans(evidence) for piece in _short(*span)]
    first = 0
    while first < len(spans):
        last = first
        while last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= _PART_CHARS:
            last += 1
        yield evidence[spans[first][0] : spans[last][1]]
        if last + 1 == len(spans):
            return
        # The next part begins with the end of this one, but always later than this one began.
        following = last + 1
        while following - 1 > first and spans[last][1] - spans[following - 1][0] <= _OVERLAP_CHARS:
            following -= 1
        first = following


def _short(start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence of more than a part is cut where it must be."""
    for at in range(start, end, _PART_CHARS):
        yield at, min(end, at + _PART_CHARS)


def _logistic(score: float) -> float:
    # The half with the small exponent: the other one overflows for scores that nobody can tell apart.
    half = math.exp(-abs(score))
    return 1.0 / (1.0 + half) if score >= 0 else half / (1.0 + half)
