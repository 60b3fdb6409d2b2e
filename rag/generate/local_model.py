"""Answers by a language model on this machine: a transformers folder, a name in its model cache, or a GGUF file."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.causal_model import CausalModel, load_causal_model
from rag.errors import ModelTimeout
from rag.generate.prompt import Message, Prompt, build_prompt, read_completion
from rag.generate.protocol import Draft
from rag.types import RefusalReason, ScoredChunk


class LocalModelGenerator:
    """A `Generator` over a causal language model; greedy, one answer at a time, never touches the network."""

    def __init__(
        self,
        name: str,
        *,
        max_new_tokens: int = 256,
        max_context_tokens: int = 8_192,
        time_limit_s: float = 60.0,
        device: str = "cpu",
    ) -> None:
        """Nothing is read yet; the first question loads the model.

        Args:
            name: a folder, a ``.gguf`` file or a name in this machine's model cache (see `load_causal_model`).
            max_new_tokens: an answer ends there at the latest.
            max_context_tokens: prompt and answer together, where the model's own context is larger; memory
                and time grow with it.
            time_limit_s: for an answer as a whole, waiting for the one before it included.
            device: where torch puts the model.
        """
        self._name = name
        self._max_new_tokens = max_new_tokens
        self._max_context_tokens = max_context_tokens
        self._time_limit_s = time_limit_s
        self._device = device
        self._lock = threading.Lock()
        self._loaded: CausalModel | None = None

    @property
    def name(self) -> str:
        """See `Generator.name`."""
        return f"local/{Path(self._name).name}"

    def generate(
        self, question: str, passages: tuple[ScoredChunk, ...], *, time_limit_s: float | None = None
    ) -> Draft:
        """See `Generator.generate`. The shorter of `time_limit_s` and the model's own limit counts.

        The time is looked at after loading, after the prompt is read and after every token; loading and reading the
        prompt are not interrupted. What was written when it ran out is thrown away.

        Raises:
            ModelTimeout, ModelRefused: see `Generator.generate`.
            ModelMissing: there is no readable causal language model of that name.
        """
        limit_s = self._time_limit_s if time_limit_s is None else min(time_limit_s, self._time_limit_s)
        deadline = time.monotonic() + limit_s
        if not passages:
            return Draft((), RefusalReason.MODEL_ABSTAINED)
        if not self._lock.acquire(timeout=max(0.0, limit_s)):
            raise _timeout()
        try:
            if self._loaded is None:
                self._loaded = load_causal_model(self._name, device=self._device)
            loaded = self._loaded
            budget = min(loaded.context_tokens, self._max_context_tokens) - self._max_new_tokens
            prompt = build_prompt(
                question,
                passages,
                budget_tokens=budget,
                count_tokens=_Prompter(loaded.tokenizer).count_tokens,
            )
            text, is_truncated = self._written(loaded, prompt, deadline)
        finally:
            self._lock.release()
        shown = passages[: prompt.n_passages]
        return read_completion(text, shown, n_left_out=prompt.n_left_out, is_truncated=is_truncated)

    def _written(self, loaded: CausalModel, prompt: Prompt, deadline: float) -> tuple[str, bool]:
        """The model's text, and whether it was cut off at `max_new_tokens`."""
        import torch
        from transformers import MaxTimeCriteria, StoppingCriteriaList

        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise _timeout()
        batch = _Prompter(loaded.tokenizer).encode(prompt.messages).to(self._device)
        with torch.inference_mode():
            ids = loaded.model.generate(
                **batch,
                do_sample=False,
                max_new_tokens=self._max_new_tokens,
                pad_token_id=loaded.tokenizer.pad_token_id,
                stopping_criteria=StoppingCriteriaList([MaxTimeCriteria(max_time=left_s)]),
            )
        new = ids[0, batch["input_ids"].shape[1] :]
        has_ended = bool(len(new)) and int(new[-1]) in loaded.end_ids
        if not has_ended and len(new) < self._max_new_tokens:
            raise _timeout()
        return str(loaded.tokenizer.decode(new, skip_special_tokens=True)), not has_ended


@dataclass(frozen=True, slots=True)
class _Prompter:
    """Turns messages into the model's tokens."""

    tokenizer: Any

    def count_tokens(self, messages: tuple[Message, ...]) -> int:
        return int(self.encode(messages)["input_ids"].shape[1])

    def encode(self, messages: tuple[Message, ...]) -> Any:
        """``input_ids`` and ``attention_mask``, (1, n) int64: what a passage writes is never a control token."""
        if not self.tokenizer.chat_template:
            text = "\n\n".join(message.content for message in messages) + "\n\nAnswer:"
            return self.tokenizer(
                text, return_tensors="pt", return_token_type_ids=False, split_special_tokens=True
            )
        from jinja2 import TemplateError

        try:
            return self._as_chat([{"role": each.role, "content": each.content} for each in messages])
        except TemplateError:  # some templates know no system message (Gemma 2)
            content = "\n\n".join(message.content for message in messages)
            return self._as_chat([{"role": "user", "content": content}])

    def _as_chat(self, messages: list[dict[str, str]]) -> Any:
        return self.tokenizer.apply_chat_template(
            messages,
            add_generation_prompt=True,
            return_dict=True,
            return_tensors="pt",
            sanitize_control_tokens=True,
            enable_thinking=False,  # read by Qwen's template; reasoning is thrown away and costs seconds
        )


def _timeout() -> ModelTimeout:
    return ModelTimeout("The language model did not finish within the time limit.")
