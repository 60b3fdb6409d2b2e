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
from collections.abc import Iterator
from pathlib import Path

import torch
from corpora import Labelled, is_held_out, read_rows
from loop import base_encoder, batches_of, is_first_process, seed_everything, train
from mine import Mined
from network import Pair, PairScorer, PairTokenizer, scored
from torch import Tensor, nn

from rag.sentences import sentence_spans

BATCH_TOKENS = 3_500
ACCUMULATE = 4
_WEIGHT_OF_NOISY = 0.1
"""Share of the machine-made rows (ARES) that is used."""


def examples(
    data: Path, labelled: list[Labelled], mined: Mined, tokenize: PairTokenizer, rng: random.Random
) -> Iterator[Pair]:
    for row in read_rows(data / "pairs" / "nli.jsonl.gz"):
        if row["use"] == "train" or (row["use"] == "train_noisy" and rng.random() < _WEIGHT_OF_NOISY):
            yield tokenize(row["claim"], row["evidence"], float(row["label"] == "supported"))
    for each in labelled:
        text = each.passage.text
        yield tokenize(each.supported, text, 1.0)
        for claim in each.unsupported:
            yield tokenize(claim, text, 0.0)
        # A sentence of the passage says what it says; elsewhere it is mostly not said.
        start, end = rng.choice(sentence_spans(each.passage.content))
        quoted = each.passage.content[start:end]
        if len(quoted) > 20:
            yield tokenize(quoted, text, 1.0)
        others = mined.found[each.id, each.plain]
        if others:
            yield tokenize(each.supported, mined.pool[rng.choice(others[:8])].text, 0.03)


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
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=1e-4)
    arguments = parser.parse_args()
    rng = seed_everything()
    labelled, mined = pickle.loads(arguments.prepared.read_bytes())
    learnt = [each for each in labelled if not is_held_out(each.passage)]
    tokenize = PairTokenizer()
    model = PairScorer(base_encoder())
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
