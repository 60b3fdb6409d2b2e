"""Any sentence-transformers cross-encoder, by name or path."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import ModelMissing
from rag.fingerprint import fingerprint
from rag.rerank.protocol import Reranked
from rag.types import ScoredChunk

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

_BATCH = 8
"""Small, because the time limit is looked at between batches."""
_IDENTIFYING = ("*.safetensors", "pytorch_model*.bin", "*.json")
_MAX_NAME = 100
"""Characters of a name that are recorded, from its end."""


class CrossEncoderReranker:
    """A `Reranker` over `CrossEncoder`. Its scores are the sigmoid of the logit: ordered, not calibrated."""

    def __init__(self, name: str) -> None:
        """Load a folder, or a name that is in this machine's model cache; never touches the network.

        Raises:
            ModelMissing: there is none, or it gives more than one score a pair.
        """
        self._encoder = _load(name)
        self._name = cross_encoder_identity(name)

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


def cross_encoder_identity(name: str) -> str:
    """Name and revision of a folder, or of a name in this machine's model cache, without loading it.

    Of a path its last part; what tells two folders of one name apart is the fingerprint of weights and settings.

    Raises:
        ModelMissing: there is none.
    """
    folder = Path(name)
    try:
        if not folder.is_dir():
            from huggingface_hub import snapshot_download

            folder = Path(snapshot_download(name, local_files_only=True))
        files = [path for kind in _IDENTIFYING for path in folder.glob(kind)]
        revision = fingerprint(folder, files)
    except (OSError, ValueError) as exc:  # the library's own errors for names are both
        raise _no_cross_encoder(name) from exc
    if not files:
        raise _no_cross_encoder(name)
    return f"{Path(name).name[-_MAX_NAME:]}/{revision}"


def _no_cross_encoder(name: str) -> ModelMissing:
    return ModelMissing(
        f"There is no cross-encoder at {name}.",
        next_step="Give the folder of a sentence-transformers cross-encoder, or download it into the model "
        "cache of this machine first; Footnote downloads nothing while it runs.",
    )


def _load(name: str) -> CrossEncoder:
    from sentence_transformers import CrossEncoder
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        encoder = CrossEncoder(name, device="cpu", local_files_only=True)
    except Exception as exc:
        # A damaged file ends in whatever reads it: json, pickle, zip, safetensors, torch or transformers.
        raise _no_cross_encoder(name) from exc
    if encoder.config.num_labels != 1:
        raise ModelMissing(
            f"The cross-encoder {name} gives {encoder.config.num_labels} scores a pair; a reranker gives one.",
            next_step="Choose a model trained for ranking.",
        )
    return encoder
