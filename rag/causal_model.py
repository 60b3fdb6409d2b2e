"""A causal language model of this machine: loaded by folder, GGUF file or name in the model cache, never downloaded."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.errors import ModelMissing

_FALLBACK_CONTEXT = 2_048
"""Tokens, where a model's configuration does not tell its context."""


@dataclass(frozen=True, slots=True)
class CausalModel:
    """A transformers model in evaluation mode, and its tokenizer, which has a padding token.

    `context_tokens` counts prompt and completion together; a completion has ended at one of `end_ids`.
    """

    model: Any
    tokenizer: Any
    context_tokens: int
    end_ids: frozenset[int]


def load_causal_model(name: str, *, device: str, cuts_left: bool = False) -> CausalModel:
    """Load it; the network is never touched.

    Args:
        name: the path of a folder with ``config.json``, tokenizer and weights, the path of a ``.gguf`` file
            (transformers unpacks it and needs gguf and accelerate for that), or a name in this machine's model cache.
        device: where torch puts the model.
        cuts_left: pad and truncate before the prompt instead of behind it, for completions in batches.

    Raises:
        ModelMissing: there is no readable causal language model of that name.
    """
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    source, more = name, {}
    if name.lower().endswith(".gguf"):
        source, more = str(Path(name).parent), {"gguf_file": Path(name).name}
    sides = {"padding_side": "left", "truncation_side": "left"} if cuts_left else {}
    # The unpacked weights of a GGUF file are fastest in float32 on a CPU.
    dtype = "float32" if more else "auto"
    try:
        tokenizer = AutoTokenizer.from_pretrained(source, local_files_only=True, **sides, **more)
        model = AutoModelForCausalLM.from_pretrained(source, local_files_only=True, dtype=dtype, **more)
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        IndexError,
        RuntimeError,
        ImportError,
        SafetensorError,
        struct.error,
    ) as exc:
        raise ModelMissing(
            f"There is no readable causal language model at {name}.",
            next_step="Give the folder of a transformers model, a GGUF file (with gguf and accelerate installed), or "
            "the name of a model in this machine's model cache; Footnote downloads nothing while it runs.",
        ) from exc
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    model.to(device).eval()
    context = getattr(model.config, "max_position_embeddings", None) or _FALLBACK_CONTEXT
    ends = model.generation_config.eos_token_id
    ends = tokenizer.eos_token_id if ends is None else ends
    return CausalModel(model, tokenizer, int(context), frozenset(ends if isinstance(ends, list) else [ends]))
