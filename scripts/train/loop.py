"""What the three trainings share: the base weights, batches without padding waste, one optimiser loop.

What makes it possible on two cores, together 5,500 tokens a second instead of 1,800: two processes of one thread each
share every step's batches and add up their gradients (two threads in one process wait for each other a third of the
time); dropout is off (its random numbers cost more than the products); the word embeddings are frozen (half of the
weights, and words outside the training data keep their meaning); attention is the plain one (the fused kernel is slower
backwards on a CPU); products are bfloat16 where the CPU has them. Where it has not, as with AVX2 alone, it is 1,800
tokens a second; then freezing the lowest layers saves most (`freeze_below`).
"""

from __future__ import annotations

import math
import os
import random
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
import torch.distributed
from torch import Tensor, nn

from rag.embed import model_folder

SEED = 20_261_130
_WARM_UP = 0.06
_T = TypeVar("_T")


def seed_everything() -> random.Random:
    torch.manual_seed(SEED)
    np.random.seed(SEED)
    return random.Random(SEED)


def base_encoder(adapter: Path | None = None) -> nn.Module:
    """all-MiniLM-L6-v2, with the low-rank additions of `adapter` folded into its weights."""
    from transformers import AutoModel

    encoder = AutoModel.from_pretrained(
        model_folder("all-MiniLM-L6-v2"),
        attn_implementation="eager",
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        add_pooling_layer=False,
    )
    if adapter is not None:
        _fold(encoder, adapter)
    encoder.embeddings.requires_grad_(False)
    encoder.train()
    return encoder


def _fold(encoder: nn.Module, adapter: Path) -> None:
    from safetensors.torch import load_file

    tensors = load_file(adapter)
    for name in [key.removesuffix(".lora_A.weight") for key in tensors if key.endswith(".lora_A.weight")]:
        delta = tensors[f"{name}.lora_B.weight"].float() @ tensors[f"{name}.lora_A.weight"].float()
        encoder.get_submodule(name).weight.data += delta


def freeze_below(encoder: nn.Module, n_layers: int) -> None:
    """Leave the first `n_layers` layers as they are: no step goes back through them."""
    for layer in encoder.encoder.layer[:n_layers]:
        layer.requires_grad_(False)


def base_tokenizer():  # noqa: ANN201 - tokenizers.Tokenizer
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model_folder("all-MiniLM-L6-v2") / "tokenizer.json"))
    tokenizer.no_padding()
    return tokenizer


def padded(rows: Sequence[Sequence[int]], fill: int = 0) -> Tensor:
    """To a multiple of eight: fewer shapes, for each of which the kernels are made anew."""
    width = -(-max(map(len, rows)) // 8) * 8
    return torch.tensor([[*row, *[fill] * (width - len(row))] for row in rows])


def batches_of(items: Iterable[_T], size: Callable[[_T], int], *, limit: int) -> list[list[_T]]:
    """Lists of items whose sizes sum to at most `limit`; items of like size together, lists in random order."""
    ordered = sorted(items, key=size)
    batches: list[list[_T]] = [[]]
    filled = 0
    for item in ordered:
        if batches[-1] and filled + size(item) > limit:
            batches.append([])
            filled = 0
        batches[-1].append(item)
        filled += size(item)
    random.Random(len(ordered)).shuffle(batches)
    return batches


def train(
    parameters: list[dict[str, object]],
    batches: Sequence[_T],
    loss_of: Callable[[_T], Tensor],
    *,
    accumulate: int,
    on_step: Callable[[int], None] | None = None,
) -> None:
    """AdamW with a linear warm-up and a cosine end; `loss_of` runs under bfloat16 autocast.

    `accumulate` batches make a step, over all processes together. Frozen parameters are passed over.
    """
    rank, world = _rank_and_world()
    accumulate = max(1, accumulate // world)
    batches = batches[rank : len(batches) - len(batches) % world : world]
    optimizer = torch.optim.AdamW(parameters, weight_decay=0.01, fused=True)
    n_steps = math.ceil(len(batches) / accumulate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step / n_steps))
    trained = [parameter for group in parameters for parameter in group["params"]]  # type: ignore[attr-defined]
    has_bfloat16 = bool(torch.cpu.get_capabilities().get("avx512_bf16"))
    started, total, seen = time.monotonic(), 0.0, 0
    for at, batch in enumerate(batches, start=1):
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=has_bfloat16):
            loss = loss_of(batch)
        (loss / accumulate).backward()
        total += float(loss.detach())
        seen += 1
        if at % accumulate == 0 or at == len(batches):
            if world > 1:
                _add_up(trained, world)
            nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            step = at // accumulate
            if step % 10 == 0 and rank == 0:
                taken = time.monotonic() - started
                left = taken / at * (len(batches) - at)
                print(
                    f"step {step}/{n_steps} loss {total / seen:.4f} {taken:.0f} s, {left:.0f} s left",
                    flush=True,
                )
                total, seen = 0.0, 0
            if on_step is not None and rank == 0:
                on_step(step)


def is_first_process() -> bool:
    return _rank_and_world()[0] == 0


def _rank_and_world() -> tuple[int, int]:
    """Set by torchrun; alone without it."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world > 1 and not torch.distributed.is_initialized():
        torch.set_num_threads(1)
        torch.distributed.init_process_group("gloo")
    return int(os.environ.get("RANK", "0")), world


def _add_up(parameters: Sequence[nn.Parameter], world: int) -> None:
    grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
    flat = torch.cat([grad.flatten() for grad in grads])
    torch.distributed.all_reduce(flat)
    flat /= world
    at = 0
    for parameter, grad in zip(parameters, grads, strict=True):
        parameter.grad = flat[at : at + grad.numel()].view_as(grad).clone()
        at += grad.numel()


def _rate(done: float) -> float:
    if done < _WARM_UP:
        return done / _WARM_UP
    return 0.5 * (1 + math.cos(math.pi * (done - _WARM_UP) / (1 - _WARM_UP))) * 0.97 + 0.03
