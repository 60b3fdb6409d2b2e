"""Any sentence-transformers cross-encoder, by name or path."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import ModelMissing
from rag.rerank.protocol import Reranked
from rag.types import ScoredChunk

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

_BATCH = 8
"""Small, because the time limit is looked at between batches."""


class CrossEncoderReranker:
    """A `Reranker` over `CrossEncoder`. Its scores are the sigmoid of the logit: ordered, not calibrated."""

    def __init__(self, name: str) -> None:
        """Load a folder, or a name that is in this machine's model cache; never touches the network.

        Raises:
            ModelMissing: there is none, or it gives more than one score a pair.
        """
        self._encoder = _load(name)
        self._name = Path(name).name

    @property
    def name(self) -> str:
        """See `Reranker.name`."""
        return self._name

    def rerank(
        self,
        question: str,
        candidates: Sequence[ScoredChunk],
        *,
        embedding_model: str,  # noqa: ARG002 - its scores rest on the pair alone
        time_limit_s: float,
    ) -> Reranked:
        """See `Reranker.rerank`."""
        import torch

        deadline = time.monotonic() + time_limit_s
        order = sorted(range(len(candidates)), key=lambda at: len(candidates[at].chunk.text), reverse=True)
        relevance = [0.0] * len(candidates)
        for start in range(0, len(order), _BATCH):
            if time.monotonic() > deadline:
                return Reranked((), (), timed_out=True)
            batch = order[start : start + _BATCH]
            scores = self._encoder.predict(
                [(question, candidates[at].chunk.text) for at in batch],
                batch_size=_BATCH,
                show_progress_bar=False,
                activation_fn=torch.nn.Sigmoid(),
            )
            for at, score in zip(batch, scores, strict=True):
                relevance[at] = float(score)
        return Reranked(order=tuple(relevance), relevance=tuple(relevance))


def _load(name: str) -> CrossEncoder:
    from sentence_transformers import CrossEncoder
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        encoder = CrossEncoder(name, device="cpu", local_files_only=True)
    except Exception as exc:
        # A damaged file ends in whatever reads it: json, pickle, zip, safetensors, torch or transformers.
        raise ModelMissing(
            f"There is no cross-encoder at {name}.",
            next_step="Give the folder of a sentence-transformers cross-encoder, or download it into the model "
            "cache of this machine first; Footnote downloads nothing while it runs.",
        ) from exc
    if encoder.config.num_labels != 1:
        raise ModelMissing(
            f"The cross-encoder {name} gives {encoder.config.num_labels} scores a pair; a reranker gives one.",
            next_step="Choose a model trained for ranking.",
        )
    return encoder
