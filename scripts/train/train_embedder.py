"""Adapt all-MiniLM-L6-v2 to handbook questions: low-rank adapters, multiple negatives ranking loss.

Hu et al. 2021 (LoRA), Henderson et al. 2017 (in-batch negatives). The base weights stay as they are, so the
package ships a megabyte of adapters and Footnote adds them to the weights when the model is loaded.

    PYTHONPATH=. python scripts/train/train_embedder.py --data ../shared/data --out build/embedder
        --prepared build/prepared.pkl

The whole step is too much: at scale 1 the model forgets. Between base and adapted weights lies one that is better
than both (Wortsman et al. 2022), so the addition is scaled by what the held-out documents like best, 0.6.
"""

from __future__ import annotations

import argparse
import math
import pickle
import random
from pathlib import Path
from typing import Any

import torch
from corpora import Labelled, is_held_out, read_squad
from loop import base_encoder, base_tokenizer, padded, seed_everything, train
from mine import Mined
from torch import Tensor, nn

RANK, ALPHA = 16, 32
SCALE = 20.0
"""Of the cosine, as sentence-transformers has it."""
BATCH = 32
WINDOW = 256
TARGETS = ("query", "key", "value", "attention.output.dense", "intermediate.dense", "output.dense")


class Adapted(nn.Module):
    """A linear layer with a low-rank addition that starts at zero."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.a = nn.Parameter(torch.empty(RANK, linear.in_features))
        self.b = nn.Parameter(torch.zeros(linear.out_features, RANK))
        nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) + (x @ self.a.T) @ self.b.T * (ALPHA / RANK)


def adapt(encoder: nn.Module) -> dict[str, Adapted]:
    """Put an adapter at every target layer; by the layer's name."""
    encoder.requires_grad_(False)
    adapters = {}
    for name, module in list(encoder.named_modules()):
        if isinstance(module, nn.Linear) and name.endswith(TARGETS):
            parent = encoder.get_submodule(name.rpartition(".")[0])
            adapters[name] = Adapted(module)
            setattr(parent, name.rpartition(".")[2], adapters[name])
    return adapters


def deltas(adapters: dict[str, Adapted], scale: float) -> dict[str, Tensor]:
    """Half precision, every scale folded into B."""
    tensors = {}
    for name, adapter in adapters.items():
        tensors[f"{name}.lora_A.weight"] = adapter.a.detach().half().contiguous()
        tensors[f"{name}.lora_B.weight"] = (adapter.b.detach() * (ALPHA / RANK * scale)).half().contiguous()
    return tensors


Row = tuple[str, str, str | None]
"""Question, the passage that answers it, and one that search finds and that does not."""


def drawn(
    labelled: list[Labelled], mined: Mined, general: list[dict[str, Any]], epochs: int, rng: random.Random
) -> list[list[Row]]:
    """Batches of one wording each, so that no passage answers two questions of a batch."""
    batches: list[list[Row]] = []
    for _ in range(epochs):
        for wording in ("plain", "ticket"):
            rows: list[Row] = []
            for each in labelled:
                question = getattr(each, wording)
                others = mined.found[each.id, question][:10]
                near = mined.pool[rng.choice(others)].text if others else None
                rows.append((question, each.passage.text, near))
            batches += _batched(rows, rng)
        answerable = [row for row in general if row["answerable"]]
        chosen = rng.sample(answerable, min(len(labelled), len(answerable)))
        batches += _batched([(row["question"], row["passage"], None) for row in chosen], rng)
    rng.shuffle(batches)
    return batches


def _batched(rows: list[Row], rng: random.Random) -> list[list[Row]]:
    rng.shuffle(rows)
    return [rows[at : at + BATCH] for at in range(0, len(rows) - BATCH + 1, BATCH)]


class Ranking:
    """The loss: each question's passage before all others of the batch, and each passage's question too."""

    def __init__(self, encoder: nn.Module) -> None:
        self._encoder = encoder
        self._tokenizer = base_tokenizer()
        self._tokenizer.enable_truncation(WINDOW)

    def __call__(self, rows: list[Row]) -> Tensor:
        asked = self._vectors([question for question, _, _ in rows])
        passages = self._vectors([text for _, text, _ in rows] + [near for _, _, near in rows if near])
        with torch.autocast("cpu", enabled=False):
            scores = asked @ passages.T * SCALE
            target = torch.arange(len(rows))
            forward = nn.functional.cross_entropy(scores, target)
            backward = nn.functional.cross_entropy(scores[:, : len(rows)].T, target)
        return forward + 0.5 * backward

    def _vectors(self, texts: list[str]) -> Tensor:
        encodings = self._tokenizer.encode_batch_fast(texts)
        order = sorted(range(len(texts)), key=lambda at: len(encodings[at].ids))
        rows: list[Tensor] = [torch.empty(0)] * len(texts)
        for start in range(0, len(order), 16):
            part = order[start : start + 16]
            ids = padded([encodings[at].ids for at in part])
            mask = padded([[1] * len(encodings[at].ids) for at in part])
            hidden = self._encoder(input_ids=ids, attention_mask=mask).last_hidden_state.float()
            weights = mask.unsqueeze(-1).float()
            mean = (hidden * weights).sum(1) / weights.sum(1)
            for at, row in zip(part, nn.functional.normalize(mean, dim=1), strict=True):
                rows[at] = row
        return torch.stack(rows)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=4e-4)
    parser.add_argument("--scale", type=float, default=0.6)
    arguments = parser.parse_args()
    rng = seed_everything()
    labelled, mined = pickle.loads(arguments.prepared.read_bytes())
    learnt = [each for each in labelled if not is_held_out(each.passage)]
    encoder = base_encoder()
    adapters = adapt(encoder)
    batches = drawn(learnt, mined, read_squad(arguments.data, use="train"), arguments.epochs, rng)
    trained = [parameter for adapter in adapters.values() for parameter in (adapter.a, adapter.b)]
    train([{"params": trained, "lr": arguments.rate}], batches, Ranking(encoder), accumulate=1)
    from safetensors.torch import save_file

    arguments.out.mkdir(parents=True, exist_ok=True)
    save_file(deltas(adapters, arguments.scale), arguments.out / "adapter.safetensors")


if __name__ == "__main__":
    main()
