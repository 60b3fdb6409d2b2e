"""Train the relevance model: question and passage → does the passage answer the question, and with which words.

Groups of one question and some passages: the one that answers, and others that search finds for it. The loss is
binary for each pair (the gate needs a probability), listwise over a group (ranking needs an order) and per word
(which words answer: Rajpurkar et al. 2018 made the unanswerable twins that teach it). Negatives, from hard to
harder: passages found by search, a near question on the same passage, the passage without its evidence. The last is
no part of a listwise group: as the strongest distractor of every ticket it taught telling twins apart, not ranking.

    PYTHONPATH=. python scripts/train/train_relevance.py --data ../shared/data --out build/relevance
        --prepared build/prepared.pkl
"""

from __future__ import annotations

import argparse
import pickle
import random
from dataclasses import dataclass
from pathlib import Path

import torch
from corpora import Case, Labelled, Passage, is_held_out, read_cases, read_squad
from loop import base_encoder, batches_of, freeze_below, is_first_process, seed_everything, train
from mine import Mined
from network import Pair, PairScorer, PairTokenizer, scored, word_loss
from restore import restored
from torch import Tensor, nn

from rag.sentences import sentence_spans

BATCH_TOKENS = 3_500
ACCUMULATE = 4
_MINED_LABEL = 0.03
_NEAR_ELSEWHERE_LABEL = 0.08
_SHORTEST_SENTENCE = 15
"""Characters; shorter ones are headings and list marks."""
"""Search found it, nobody read it: some of them do answer."""


@dataclass(frozen=True, slots=True)
class Group:
    """Pairs of one question; where there is one that answers, it is the first."""

    pairs: tuple[Pair, ...]
    has_answer: bool

    @property
    def n_tokens(self) -> int:
        return sum(len(pair.ids) for pair in self.pairs)


class Groups:
    """One epoch's groups, drawn anew each time."""

    def __init__(
        self,
        labelled: list[Labelled],
        mined: Mined,
        cases: list[Case],
        general: list[dict[str, object]],
    ) -> None:
        self._labelled = labelled
        self._mined = mined
        self._cases = cases
        self._general = general
        self._tokenize = PairTokenizer()
        self._chunks: dict[tuple[str, str], list[Passage]] = {}
        for passage in mined.pool:
            self._chunks.setdefault((passage.source, passage.document), []).append(passage)

    def epoch(self, rng: random.Random, *, n_mined: int, n_general: int) -> list[Group]:
        groups = [group for each in self._labelled for group in self._of(each, rng, n_mined)]
        groups += [self._of_case(each, rng) for each in self._cases]
        drawn = rng.sample(self._general, min(n_general, len(self._general)))
        groups += [group for row in drawn for group in self._of_general(row, rng)]
        return groups

    def _of(self, each: Labelled, rng: random.Random, n_mined: int) -> list[Group]:
        made = []
        whole = each.passage
        start = whole.content.index(each.evidence)
        end = start + len(each.evidence)
        chunk = self._chunk_with(each)
        held = chunk if chunk is not None and rng.random() < 0.7 else whole
        at = held.content.index(each.evidence)
        shift = len(held.text) - len(held.content)
        ticket = self._tokenize(each.ticket, held.text, 1.0, (shift + at, shift + at + len(each.evidence)))
        made.append(Group((ticket, *self._found(each, each.ticket, rng, n_mined)), has_answer=True))
        without = Passage(
            whole.source, whole.document, whole.header, _without(whole.content, start, end, rng)
        )
        made.append(Group((self._tokenize(each.ticket, without.text, 0.05, False),), has_answer=False))
        made.append(self._of_sentences(each, start, end, rng))
        plain = self._tokenize(each.plain, whole.text, 1.0)
        made.append(Group((plain, *self._found(each, each.plain, rng, n_mined // 2)), has_answer=True))
        for near in each.near:
            passage = held if rng.random() < 0.5 else whole
            pairs = [self._tokenize(near, passage.text, 0.0, False)]
            pairs.append(self._tokenize(near, f"{whole.header}\n{each.evidence}", 0.0, False))
            if rng.random() < 0.5:
                pairs += self._found(each, near, rng, 1, label=_NEAR_ELSEWHERE_LABEL)
            made.append(Group(tuple(pairs), has_answer=False))
        return made

    def _of_sentences(self, each: Labelled, start: int, end: int, rng: random.Random) -> Group:
        """The evidence alone against the other sentences of its passage: an answer quotes sentences."""
        whole = each.passage
        others = [
            whole.content[a:b]
            for a, b in sentence_spans(whole.content)
            if (b <= start or a >= end) and b - a > _SHORTEST_SENTENCE
        ]
        pairs = [self._tokenize(each.ticket, f"{whole.header}\n{each.evidence}", 1.0)]
        pairs += [
            self._tokenize(each.ticket, f"{whole.header}\n{other}", 0.05, False)
            for other in rng.sample(others, min(2, len(others)))
        ]
        return Group(tuple(pairs), has_answer=len(pairs) > 1)

    def _of_case(self, each: Case, rng: random.Random) -> Group:
        question = f"{each.scenario} {each.question}" if rng.random() < 0.4 else each.question
        others = rng.sample(each.others, min(2, len(each.others)))
        while len(others) < 3:
            others.append(rng.choice(self._cases).passage)
        return Group(
            (
                self._tokenize(question, each.passage.text, 1.0),
                *(self._tokenize(question, other.text, _MINED_LABEL, False) for other in others),
            ),
            has_answer=True,
        )

    def _chunk_with(self, each: Labelled) -> Passage | None:
        for chunk in self._chunks.get((each.passage.source, each.passage.document), ()):
            if each.evidence in chunk.content:
                return chunk
        return None

    def _found(
        self, each: Labelled, question: str, rng: random.Random, n: int, *, label: float = _MINED_LABEL
    ) -> list[Pair]:
        """Passages near the top of the search more often than far ones."""
        others = self._mined.found[each.id, question]
        drawn = sorted(range(len(others)), key=lambda rank: rng.random() ** (1 + rank / 4), reverse=True)
        return [
            self._tokenize(question, self._mined.pool[others[rank]].text, label, False) for rank in drawn[:n]
        ]

    def _of_general(self, row: dict[str, object], rng: random.Random) -> list[Group]:
        passage, question = str(row["passage"]), str(row["question"])
        evidence: tuple[int, int] | bool | None = None
        if not row["answerable"]:
            evidence = False
        elif row.get("answers"):
            evidence = _sentence_around(passage, str(row["answers"][0]))  # type: ignore[index]
        pair = self._tokenize(question, passage, float(bool(row["answerable"])), evidence)
        made = [Group((pair,), has_answer=False)]
        if isinstance(evidence, tuple) and rng.random() < 0.5:
            without = f"{passage[: evidence[0]].rstrip()} {passage[evidence[1] :].lstrip()}".strip()
            # Another sentence may hold the answer too.
            if without and str(row["answers"][0]) not in without:  # type: ignore[index]
                made.append(Group((self._tokenize(question, without, 0.03, False),), has_answer=False))
        return made


def _without(content: str, start: int, end: int, rng: random.Random) -> str:
    """The passage without its evidence, or only what stands before it, or a note that it is still to come."""
    rest = f"{content[:start].rstrip()} {content[end:].lstrip()}".strip()
    draw = rng.random()
    if draw < 0.15:
        return content[:start].strip() or "TODO"
    if draw < 0.25:
        note = rng.choice(["TBD", "TODO", "To be added.", "…", ""])
        return f"{content[:start].rstrip()} {note} {content[end:].lstrip()}".strip()
    return rest or "TODO"


def _sentence_around(passage: str, answer: str) -> tuple[int, int] | None:
    at = passage.find(answer)
    if at < 0:
        return None
    return next(((a, b) for a, b in sentence_spans(passage) if a <= at < b), (at, at + len(answer)))


def loss_of_batch(model: PairScorer, groups: list[Group]) -> Tensor:
    pairs = [pair for group in groups for pair in group.pairs]
    logits, words = scored(model, pairs)
    with torch.autocast("cpu", enabled=False):
        logits, words = logits.float(), words.float()
        labels = torch.tensor([pair.label for pair in pairs])
        # Groups differ in size; each pair weighs the same, answers a little more, they are fewer.
        weights = torch.where(labels > 0.5, 2.0, 1.0)
        binary = nn.functional.binary_cross_entropy_with_logits(logits, labels, weights)
        listwise, n, at = torch.zeros(()), 0, 0
        for group in groups:
            if group.has_answer and len(group.pairs) > 1:
                listwise = listwise - torch.log_softmax(logits[at : at + len(group.pairs)], dim=0)[0]
                n += 1
            at += len(group.pairs)
        return binary + listwise / max(1, n) + 0.4 * word_loss(words, pairs)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--adapter", type=Path, help="start from the adapted embedder instead of the base weights"
    )
    parser.add_argument("--weights", type=Path, help="go on from a shipped model.onnx")
    parser.add_argument("--frozen-layers", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--n-mined", type=int, default=5)
    parser.add_argument("--n-general", type=int, default=5_000)
    parser.add_argument("--rate", type=float, default=1e-4)
    arguments = parser.parse_args()
    rng = seed_everything()
    labelled, mined = pickle.loads(arguments.prepared.read_bytes())
    learnt = [each for each in labelled if not is_held_out(each.passage)]
    source = Groups(learnt, mined, read_cases(arguments.data), read_squad(arguments.data, use="train"))
    model = restored(arguments.weights) if arguments.weights else PairScorer(base_encoder(arguments.adapter))
    freeze_below(model.encoder, arguments.frozen_layers)
    batches: list[list[Group]] = []
    for _ in range(arguments.epochs):
        groups = source.epoch(rng, n_mined=arguments.n_mined, n_general=arguments.n_general)
        made = batches_of(groups, lambda group: group.n_tokens, limit=BATCH_TOKENS)
        rng.shuffle(made)
        batches += made
    n_tokens = sum(group.n_tokens for batch in batches for group in batch)
    print(f"{len(learnt)} passages, {len(batches)} batches, {n_tokens:,} tokens", flush=True)
    heads = [*model.head.parameters(), *model.words.parameters()]
    body = [parameter for parameter in model.encoder.parameters() if parameter.requires_grad]
    arguments.out.mkdir(parents=True, exist_ok=True)

    def save(step: int) -> None:
        if step % 200 == 0:
            torch.save(model.state_dict(), arguments.out / "state.pt")

    train(
        [{"params": body, "lr": arguments.rate}, {"params": heads, "lr": 5e-4}],
        batches,
        lambda batch: loss_of_batch(model, batch),
        accumulate=ACCUMULATE,
        on_step=save,
    )
    if is_first_process():
        torch.save(model.state_dict(), arguments.out / "state.pt")


if __name__ == "__main__":
    main()
