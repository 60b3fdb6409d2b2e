"""Train the support model: claim and evidence → does the evidence say all of the claim?

Supported is one class; contradicted, not mentioned and partly supported are the other: an answer may say only
what can be pointed at. Handbook claims come in threes (a paraphrase that holds, one with one wrong detail, one that
is not stated), so neither wording nor topic gives the label away; public sets bring other kinds of text.

    PYTHONPATH=. python scripts/train/train_support.py --data ../shared/data --out build/support
        --prepared build/prepared.pkl
"""

from __future__ import annotations

import argparse
import pickle
import random
import re
from collections.abc import Iterator
from pathlib import Path

import torch
from corpora import Labelled, is_held_out, read_rows
from loop import base_encoder, batches_of, freeze_below, is_first_process, seed_everything, train
from mine import Mined
from network import Pair, PairScorer, PairTokenizer, scored
from restore import restored
from torch import Tensor, nn

from rag.sentences import sentence_spans

BATCH_TOKENS = 3_500
ACCUMULATE = 4
_PUBLIC_SHARE = 0.6
"""Share of the public rows that an epoch draws."""
_LONGEST = 1_500
"""Characters; longer evidence would be cut at the window, and its label might belong to what was cut off."""
_NUMBER = re.compile(r"(?<![\w.])[1-9]\d{0,3}(?![\w])")


def examples(
    data: Path, labelled: list[Labelled], mined: Mined, tokenize: PairTokenizer, rng: random.Random
) -> Iterator[Pair]:
    for row in read_rows(data / "pairs" / "nli.jsonl.gz"):
        fits = len(row["evidence"]) <= _LONGEST
        if row["use"] == "train" and fits and rng.random() < _PUBLIC_SHARE:
            yield tokenize(row["claim"], row["evidence"], float(row["label"] == "supported"))
    for each in labelled:
        text = each.passage.text
        yield tokenize(each.supported, text, 1.0)
        for claim in each.unsupported:
            yield tokenize(claim, text, 0.0)
        # A sentence of the passage says what it says, and not with another number; elsewhere it is mostly not said.
        start, end = rng.choice(sentence_spans(each.passage.content))
        quoted = each.passage.content[start:end]
        if len(quoted) > 20:
            yield tokenize(quoted, text, 1.0)
            if changed := _with_another_number(quoted, rng):
                yield tokenize(changed, text, 0.0)
        others = mined.found[each.id, each.plain]
        if others:
            yield tokenize(each.supported, mined.pool[rng.choice(others[:8])].text, 0.03)


def _with_another_number(sentence: str, rng: random.Random) -> str | None:
    numbers = list(_NUMBER.finditer(sentence))
    if not numbers:
        return None
    chosen = rng.choice(numbers)
    other = str(max(1, int(chosen.group()) + rng.choice([-3, -2, -1, 1, 2, 3, 5, 10])))
    changed = sentence[: chosen.start()] + other + sentence[chosen.end() :]
    return changed if other != chosen.group() else None


def loss_of_batch(model: PairScorer, pairs: list[Pair]) -> Tensor:
    logits, _ = scored(model, pairs)
    with torch.autocast("cpu", enabled=False):
        labels = torch.tensor([pair.label for pair in pairs])
        return nn.functional.binary_cross_entropy_with_logits(logits.float(), labels)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--weights", type=Path, help="go on from a shipped model.onnx")
    parser.add_argument("--frozen-layers", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=1e-4)
    arguments = parser.parse_args()
    rng = seed_everything()
    labelled, mined = pickle.loads(arguments.prepared.read_bytes())
    learnt = [each for each in labelled if not is_held_out(each.passage)]
    tokenize = PairTokenizer()
    model = restored(arguments.weights) if arguments.weights else PairScorer(base_encoder())
    freeze_below(model.encoder, arguments.frozen_layers)
    batches: list[list[Pair]] = []
    for _ in range(arguments.epochs):
        pairs = list(examples(arguments.data, learnt, mined, tokenize, rng))
        made = batches_of(pairs, lambda pair: len(pair.ids), limit=BATCH_TOKENS)
        rng.shuffle(made)
        batches += made
    n_tokens = sum(len(pair.ids) for batch in batches for pair in batch)
    print(f"{sum(map(len, batches))} pairs, {len(batches)} batches, {n_tokens:,} tokens", flush=True)
    heads = list(model.head.parameters()) + list(model.words.parameters())
    body = [parameter for parameter in model.encoder.parameters() if parameter.requires_grad]
    train(
        [{"params": body, "lr": arguments.rate}, {"params": heads, "lr": 5e-4}],
        batches,
        lambda batch: loss_of_batch(model, batch),
        accumulate=ACCUMULATE,
    )
    arguments.out.mkdir(parents=True, exist_ok=True)
    if is_first_process():
        torch.save(model.state_dict(), arguments.out / "state.pt")


if __name__ == "__main__":
    main()
