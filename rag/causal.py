"""A local causal language model as a writer of short completions."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from rag.causal_model import CausalModel, load_causal_model


class CausalWriter:
    """A `SentenceWriter` over the folder of a transformers causal model; loaded at the first prompt.

    Greedy, so the same prompts give the same sentences. One batch at a time; never touches the network.
    """

    def __init__(self, folder: Path, *, max_new_tokens: int = 48, device: str = "cpu") -> None:
        """Nothing is read yet.

        Args:
            folder: holds ``config.json``, a tokenizer and the weights; or a ``.gguf`` file.
            max_new_tokens: a completion ends there at the latest.
            device: where torch puts the model.
        """
        self._folder = folder
        self._max_new_tokens = max_new_tokens
        self._device = device
        self._lock = threading.Lock()
        self._loaded: CausalModel | None = None

    def write(self, prompts: list[str]) -> list[str]:
        """One completion a prompt, all in one batch; of a prompt over the context the beginning is dropped.

        Raises:
            ModelMissing: the folder holds no readable causal model.
        """
        if not prompts:
            return []
        import torch

        with self._lock:
            if self._loaded is None:
                # Left: a completion goes on where the prompt ends, and the task stands at the prompt's end.
                self._loaded = load_causal_model(str(self._folder), device=self._device, cuts_left=True)
            model, tokenizer = self._loaded.model, self._loaded.tokenizer
            asked = [_as_chat(tokenizer, prompt) for prompt in prompts]
            batch = tokenizer(
                asked,
                return_tensors="pt",
                padding=True,
                truncation=True,
                max_length=max(1, self._loaded.context_tokens - self._max_new_tokens),
                add_special_tokens=not tokenizer.chat_template,
                return_token_type_ids=False,
            ).to(self._device)
            with torch.inference_mode():
                ids = model.generate(
                    **batch,
                    do_sample=False,
                    max_new_tokens=self._max_new_tokens,
                    pad_token_id=tokenizer.pad_token_id,
                )
            new = ids[:, batch["input_ids"].shape[1] :]
            return [str(text).strip() for text in tokenizer.batch_decode(new, skip_special_tokens=True)]


def _as_chat(tokenizer: Any, prompt: str) -> str:
    if not tokenizer.chat_template:
        return prompt
    return str(
        tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
        )
    )
