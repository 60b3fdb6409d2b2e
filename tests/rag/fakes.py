"""An embedder without a model: similar texts lie near each other, and it takes microseconds."""

from __future__ import annotations

import hashlib
from functools import cache

import numpy as np

from rag.embed import OnBatch, Vectors
from rag.lexical import stems
from rag.rerank.protocol import Reranked
from rag.types import EmbeddingModel, Locator, ScoredChunk, StoredChunk

DIMENSION = 96


class ScriptedReranker:
    """Gives each passage the score of the first phrase it holds; `seconds` is how long it takes a passage."""

    name = "scripted"

    def __init__(self, scores, *, seconds=0.0):
        self._scores = scores
        self._seconds = seconds
        self.read = []

    def rerank(self, question, candidates, *, embedding_model, time_limit_s):
        self.read = [candidate.chunk.content for candidate in candidates]
        if self._seconds * len(candidates) > time_limit_s:
            return Reranked((), (), timed_out=True)
        scores = tuple(
            next((score for phrase, score in self._scores.items() if phrase in text), 0.0)
            for text in self.read
        )
        return Reranked(order=scores, relevance=scores)


class ScriptedSupport:
    """Believes a claim as much as the first phrase that it holds says; `error` is raised instead."""

    name = "scripted"

    def __init__(self, scores, *, error=None):
        self._scores = scores
        self._error = error

    def support(self, pairs, *, deadline=None):
        if self._error is not None:
            raise self._error
        return [
            next((score for phrase, score in self._scores.items() if phrase in claim), 0.0)
            for claim, _ in pairs
        ]


class HashingEmbedder:
    """Each stem has a random direction of its own; a text is the unit sum of its stems' directions."""

    def __init__(self, *, name: str = "hashing", revision: str = "1", window_tokens: int = 64) -> None:
        self.model = EmbeddingModel(name, revision, DIMENSION, window_tokens, "sum", normalised=True)
        self._salt = f"{name}:{revision}"
        self.n_encoded = 0

    def encode_passages(self, texts: list[str], on_batch: OnBatch | None = None) -> Vectors:
        longest = max(self.count_tokens(texts), default=0)
        if longest > self.model.window_tokens:
            raise ValueError(f"a passage has {longest} tokens, the model reads {self.model.window_tokens}")
        rows = np.array([self._vector(text) for text in texts], dtype=np.float32).reshape(-1, DIMENSION)
        self.n_encoded += len(texts)
        if on_batch is not None and texts:
            on_batch(len(texts), len(texts))
        return rows

    def encode_question(self, text: str) -> Vectors:
        return self._vector(text)

    def count_tokens(self, texts: list[str]) -> list[int]:
        """A token is a word of up to eight characters or a part of a longer one, and two special tokens."""
        return [2 + sum(1 + (len(word) - 1) // 8 for word in text.split()) for text in texts]

    def _vector(self, text: str) -> Vectors:
        total = np.zeros(DIMENSION, dtype=np.float64)
        for stem in stems(text) or [""]:
            total += _direction(self._salt, stem)
        return (total / np.linalg.norm(total)).astype(np.float32)


@cache
def _direction(salt: str, stem: str) -> np.ndarray:
    seed = int.from_bytes(hashlib.sha256(f"{salt}\0{stem}".encode()).digest()[:8], "big")
    return np.random.default_rng(seed).normal(size=DIMENSION)


def stored_chunk(
    content: str,
    *,
    chunk_id: str = "00000000-0000-4000-8000-000000000001",
    document_id: int = 1,
    folder_id: int = 1,
    section: str = "",
    start: int = 0,
    index: int = 0,
    title: str = "Handbook",
    locator: Locator | None = None,
    **more: object,
) -> StoredChunk:
    """A stored chunk with the fields a test does not care about filled in."""
    return StoredChunk(
        chunk_id=chunk_id,
        document_id=document_id,
        folder_id=folder_id,
        document_title=title,
        index=index,
        text=f"[{title} > {section}]\n{content}" if section else content,
        content=content,
        section=section,
        start=start,
        end=start + len(content),
        locator=locator or Locator(heading_path=(section,) if section else ()),
        **more,  # type: ignore[arg-type]
    )


def scored(chunk: StoredChunk, distance: float = 0.2) -> ScoredChunk:
    return ScoredChunk(chunk=chunk, distance=distance, bm25_score=None, rrf_score=1 / 61)
