"""A small cross-encoder in ONNX with 8-bit weights: pairs of texts in, a logit a pair out.

Faster than `CrossEncoder.predict` on a CPU: int8 products, and pairs of like length share a batch, so that
almost nothing is padding.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rag.errors import ModelMissing

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

Floats = npt.NDArray[np.float32]

_BATCH_TOKENS = 2_048
"""Measured on two cores: larger batches fall out of the cache, smaller ones waste calls."""
_MAX_FIRST_CHARS = 600
"""Of the first text; the second gives way before it."""


class OutOfTime(Exception):
    """The deadline passed between two batches."""


class PairModel:
    """One folder with ``model.onnx``, ``tokenizer.json`` and ``model.json``. Safe to share between threads."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        """Load it; never touches the network.

        Raises:
            ModelMissing: a file is missing or damaged.
        """
        self._folder = folder
        self._session, self._tokenizer = _load(folder, threads)
        self.settings: dict[str, object] = _read_settings(folder)

    @cached_property
    def revision(self) -> str:
        """See `revision_of`."""
        return revision_of(self._folder)

    def score(self, pairs: Sequence[tuple[str, str]], *, deadline: float | None = None) -> Floats:
        """``(n,)`` float32, a logit for each pair. The longer text is cut where both together pass the model's window.

        Args:
            pairs: texts in the order the model was trained with.
            deadline: a `time.monotonic` moment; it is looked at between batches.

        Raises:
            OutOfTime: the deadline passed.
        """
        encodings = self._tokenizer.encode_batch(
            [(first[:_MAX_FIRST_CHARS], second) for first, second in pairs]
        )
        logits = np.zeros(len(pairs), dtype=np.float32)
        for batch in _batches([len(encoding.ids) for encoding in encodings]):
            if deadline is not None and time.monotonic() > deadline:
                raise OutOfTime
            (scored,) = self._session.run(None, _inputs([encodings[at] for at in batch]))
            logits[batch] = scored
        return logits


def revision_of(folder: Path) -> str:
    """Twelve hex digits of the SHA-256 of a model's weights and settings.

    Raises:
        ModelMissing: they are not there.
    """
    try:
        digest = hashlib.sha256((folder / "model.onnx").read_bytes())
        digest.update((folder / "model.json").read_bytes())
    except OSError as exc:
        raise ModelMissing(
            f"There is no whole model in {folder}.", next_step="Install Footnote again."
        ) from exc
    return digest.hexdigest()[:12]


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indexes from long to short; the first of a batch is its longest and decides how many fit."""
    order = sorted(range(len(lengths)), key=lambda at: lengths[at], reverse=True)
    start = 0
    while start < len(order):
        size = max(1, _BATCH_TOKENS // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size


def _inputs(encodings: list[Encoding]) -> dict[str, npt.NDArray[np.int64]]:
    shape = (len(encodings), max(len(encoding.ids) for encoding in encodings))
    ids, mask, types = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    for row, encoding in enumerate(encodings):
        length = len(encoding.ids)
        ids[row, :length] = encoding.ids
        mask[row, :length] = 1
        types[row, :length] = encoding.type_ids
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


def _load(folder: Path, threads: int) -> tuple[InferenceSession, Tokenizer]:
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(
            (folder / "model.onnx").read_bytes(), options, providers=["CPUExecutionProvider"]
        )
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as exc:
        # Neither library has a public class for a file it cannot read.
        raise ModelMissing(
            f"The model in {folder} cannot be loaded.",
            next_step="Install Footnote again; its files are damaged.",
        ) from exc
    return session, tokenizer


def _read_settings(folder: Path) -> dict[str, object]:
    try:
        settings = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise ModelMissing(
            f"The model in {folder} has no readable model.json.", next_step="Install Footnote again."
        ) from exc
    if not isinstance(settings, dict):
        raise ModelMissing(f"{folder / 'model.json'} holds no object.", next_step="Install Footnote again.")
    return settings
