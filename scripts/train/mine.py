"""Hard negatives: what search finds for a question beside the passage that was written for it.

Search is blind to what answers, so a passage that it finds may answer too. What repeats the passage or its
evidence is left out; what is left is noise of a few in a hundred, which the trainer meets with soft labels.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from corpora import Labelled, Passage

import rag
from rag.lexical import stems

N_MINED = 24
_SHINGLE = 5


@dataclass(frozen=True, slots=True)
class Mined:
    """For each labelled passage and each of its questions, found passages from near to far."""

    pool: list[Passage]
    found: dict[tuple[str, str], list[int]]
    """(id, question) → indexes into `pool`."""


def mine(labelled: Sequence[Labelled], corpora: Sequence[Passage], embedder: rag.Embedder) -> Mined:
    """Search each source's passages for its questions: dense and BM25, interleaved."""
    known = {passage.source for passage in corpora}
    pool = [*corpora, *(each.passage for each in labelled if each.passage.source not in known)]
    by_source: dict[str, list[int]] = defaultdict(list)
    for at, passage in enumerate(pool):
        by_source[passage.source].append(at)
    found: dict[tuple[str, str], list[int]] = {}
    for source, members in by_source.items():
        rows = [each for each in labelled if each.passage.source == source]
        questions = [(each, question) for each in rows for question in _questions(each)]
        dense = _dense(
            [q for _, q in questions], [_within_window(pool[at].text, embedder) for at in members], embedder
        )
        lexical = _lexical([q for _, q in questions], [pool[at].text for at in members])
        for (each, question), near, worded in zip(questions, dense, lexical, strict=True):
            kept = _others(each, [members[at] for at in _interleaved(near, worded)], pool)
            found[each.id, question] = kept[:N_MINED]
    return Mined(pool, found)


def _within_window(text: str, embedder: rag.Embedder) -> str:
    """Only passages that no chunker cut are longer."""
    while embedder.count_tokens([text])[0] > embedder.model.window_tokens:
        text = text[: len(text) * 4 // 5]
    return text


def _questions(each: Labelled) -> list[str]:
    return [each.plain, each.ticket, *each.near]


def _dense(questions: list[str], texts: list[str], embedder: rag.Embedder) -> list[list[int]]:
    passages = embedder.encode_passages(texts)
    asked = embedder.encode_passages(questions)
    found = []
    for start in range(0, len(questions), 256):
        scores = asked[start : start + 256] @ passages.T
        k = min(N_MINED, scores.shape[1] - 1)
        top = np.argpartition(-scores, k, axis=1)[:, :k]
        order = np.argsort(-np.take_along_axis(scores, top, axis=1), axis=1)
        found += np.take_along_axis(top, order, axis=1).tolist()
    return found


def _lexical(questions: list[str], texts: list[str]) -> list[list[int]]:
    from bm25s import BM25

    index = BM25(k1=1.2, b=0.75, method="lucene")
    index.index([stems(text) or ["-"] for text in texts], show_progress=False)
    k = min(N_MINED, len(texts))
    found, _ = index.retrieve(
        [list(dict.fromkeys(stems(question))) for question in questions], k=k, show_progress=False
    )
    return [list(map(int, row)) for row in found]


def _interleaved(one: list[int], other: list[int]) -> list[int]:
    return list(dict.fromkeys(at for pair in zip(one, other, strict=False) for at in pair))


def _others(each: Labelled, candidates: list[int], pool: list[Passage]) -> list[int]:
    """Without the passage itself, its copies on other pages, and what holds its evidence."""
    own = _shingles(each.passage.content)
    evidence = " ".join(each.evidence.split())
    kept = []
    for at in candidates:
        passage = pool[at]
        theirs = _shingles(passage.content)
        shared = len(own & theirs) / max(1, min(len(own), len(theirs)))
        if shared < 0.3 and evidence not in " ".join(passage.content.split()):
            kept.append(at)
    return kept


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[at : at + _SHINGLE]) for at in range(max(1, len(words) - _SHINGLE + 1))}
