"""A cross-encoder with two outputs: whether the pair holds, and which words of the second text say so."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from loop import base_encoder, base_tokenizer, padded
from torch import Tensor, nn

WINDOW = 384
"""Tokens of both texts together; the question gives way last."""
_PART_TOKENS = 2_400


@dataclass(frozen=True, slots=True)
class Pair:
    """Token ids of one pair and what is known of it; `evidence` marks tokens, None where it is not known."""

    ids: list[int]
    types: list[int]
    label: float
    evidence: list[float] | None


class PairScorer(nn.Module):
    """Relevance logit from [CLS], the mean of the second text and its strongest word; a logit for each word."""

    def __init__(self, encoder: nn.Module | None = None) -> None:
        super().__init__()
        self.encoder = encoder or base_encoder()
        size = self.encoder.config.hidden_size
        self.head = nn.Sequential(nn.Linear(3 * size, size), nn.GELU(), nn.Linear(size, 1))
        self.words = nn.Linear(size, 1)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, Tensor]:
        hidden = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        hidden = hidden.float()
        words = self.words(hidden).squeeze(-1)
        second = (token_type_ids * attention_mask).to(hidden.dtype)
        mean = (hidden * second.unsqueeze(-1)).sum(1) / second.sum(1, keepdim=True).clamp(min=1.0)
        # The state at the words most likely to be the answer: a soft choice, so that it can be learnt.
        weights = torch.softmax(words.masked_fill(second < 0.5, -1e4), dim=1)
        answer = (hidden * weights.unsqueeze(-1)).sum(1)
        features = torch.cat([hidden[:, 0], mean, answer], dim=1)
        return self.head(features).squeeze(-1), words


class PairTokenizer:
    """First text, second text → `Pair`; the second is cut at the window."""

    def __init__(self) -> None:
        self._tokenizer = base_tokenizer()
        self._tokenizer.enable_truncation(WINDOW, strategy="only_second")

    def __call__(
        self, first: str, second: str, label: float, evidence: tuple[int, int] | bool | None = None
    ) -> Pair:
        """`evidence`: characters of `second`; False: there is none; None: not known."""
        encoding = self._tokenizer.encode(first[:600], second)
        marks: list[float] | None = None
        if evidence is False:
            marks = [0.0] * len(encoding.ids)
        elif isinstance(evidence, tuple):
            start, end = evidence
            marks = [
                float(kind == 1 and b > start and a < end)
                for kind, (a, b) in zip(encoding.type_ids, encoding.offsets, strict=True)
            ]
            if not any(marks):
                marks = None
        return Pair(encoding.ids, encoding.type_ids, label, marks)


def scored(model: PairScorer, pairs: list[Pair]) -> tuple[Tensor, Tensor]:
    """Relevance logits and word logits of a batch, in its order; pairs of like length run together."""
    order = sorted(range(len(pairs)), key=lambda at: len(pairs[at].ids))
    width = padded([pairs[order[-1]].ids]).shape[1]
    logits: list[Tensor] = []
    words: list[Tensor] = []
    for part in _parts(order, [len(pair.ids) for pair in pairs]):
        chosen = [pairs[at] for at in part]
        ids = padded([pair.ids for pair in chosen])
        mask = padded([[1] * len(pair.ids) for pair in chosen])
        of_pairs, of_words = model(ids, mask, padded([pair.types for pair in chosen]))
        logits.append(of_pairs)
        words.append(nn.functional.pad(of_words, (0, width - of_words.shape[1])))
    back = torch.argsort(torch.tensor(order))
    return torch.cat(logits)[back], torch.cat(words)[back]


def _parts(order: list[int], lengths: list[int]) -> list[list[int]]:
    """Cut where a part is full or its longest is a quarter longer than its shortest."""
    parts: list[list[int]] = [[]]
    for at in order:
        part = parts[-1]
        too_wide = bool(part) and lengths[at] > 1.25 * lengths[part[0]] + 8
        if part and (too_wide or (len(part) + 1) * lengths[at] > _PART_TOKENS):
            parts.append([])
        parts[-1].append(at)
    return parts


def word_loss(words: Tensor, pairs: list[Pair]) -> Tensor:
    """Binary cross-entropy over the second text's words of pairs whose evidence is known."""
    rows = [at for at, pair in enumerate(pairs) if pair.evidence is not None]
    if not rows:
        return words.sum() * 0.0
    width = words.shape[1]
    target = torch.zeros(len(rows), width)
    weight = torch.zeros(len(rows), width)
    for row, at in enumerate(rows):
        pair = pairs[at]
        assert pair.evidence is not None
        target[row, : len(pair.ids)] = torch.tensor(pair.evidence)
        weight[row, : len(pair.ids)] = torch.tensor(pair.types, dtype=torch.float32)
    each = nn.functional.binary_cross_entropy_with_logits(
        words[rows], target, reduction="none", pos_weight=torch.tensor(3.0)
    )
    return ((each * weight).sum(1) / weight.sum(1).clamp(min=1.0)).mean()
