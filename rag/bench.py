"""What the core costs on this machine: pure measuring, no printing and no verdicts.

Speed is compared inside one run, with the repeats of the sides interleaved: on a shared machine two runs
a minute apart differ more than the sides do. Medians, because one repeat may meet a busy machine.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rag.chunk import chunk_configured
from rag.chunking.strategy import CHUNKING_STRATEGIES
from rag.config import RagConfig
from rag.embed import Embedder, plain_sentence_transformer
from rag.evaluate import GoldenNeedle, LatencyReport, latency_of, needles_destroyed
from rag.types import Answered, Chunk, Extraction, Refused

_LOOP_BATCH = 32
"""The default of `SentenceTransformer.encode`."""


@dataclass(frozen=True, slots=True)
class ThroughputReport:
    """Texts a second for the same texts and weights; medians of `repeats` interleaved repeats.

    Attributes:
        ours_per_s: `Embedder.encode_passages`.
        loop_per_s: the plain loop, ``for text in texts: model.encode(text)``.
        batched_per_s: ``model.encode(texts, batch_size=32)``.
        lowest_cosine: between our vectors and the plain float32 model's, over all texts.
    """

    n_texts: int
    n_tokens: int
    repeats: int
    ours_per_s: float
    loop_per_s: float
    batched_per_s: float
    lowest_cosine: float

    @property
    def times_loop(self) -> float:
        """How many times faster than the plain loop."""
        return self.ours_per_s / self.loop_per_s

    @property
    def times_batched(self) -> float:
        """How many times faster than the batched encode."""
        return self.ours_per_s / self.batched_per_s


@dataclass(frozen=True, slots=True)
class ChunkingReport:
    """What chunking made of a corpus; `strategy` is the letter of how it was cut."""

    strategy: str
    n_documents: int
    n_chunks: int
    n_tokens: int
    n_header_tokens: int
    n_split_for_window: int
    n_over_window: int
    needles_destroyed: tuple[str, ...]
    n_needles: int

    @property
    def header_share(self) -> float:
        """Share of the embedded tokens spent on headers, in [0, 1]."""
        return self.n_header_tokens / self.n_tokens if self.n_tokens else 0.0


def measure_throughput(texts: Sequence[str], embedder: Embedder, *, repeats: int = 3) -> ThroughputReport:
    """Our encoding against sentence-transformers' own, same model, same machine, same run.

    Args:
        texts: at least one; chunk texts of the corpus that matters.
        embedder: its model must be one that `load_embedder` knows by its name.
        repeats: each side runs so often, after one unmeasured run.
    """
    plain = plain_sentence_transformer(embedder.model.name)
    texts = list(texts)

    def ours() -> object:
        return embedder.encode_passages(texts)

    def loop() -> object:
        return np.stack([plain.encode(text, show_progress_bar=False) for text in texts])

    def batched() -> object:
        return plain.encode(texts, batch_size=_LOOP_BATCH, show_progress_bar=False)

    sides = (ours, loop, batched)
    first = [np.asarray(side(), dtype=np.float32) for side in sides]
    seconds: list[list[float]] = [[] for _ in sides]
    for _ in range(repeats):
        for side, taken in zip(sides, seconds, strict=True):
            taken.append(_seconds(side))
    ours_s, loop_s, batched_s = (statistics.median(taken) for taken in seconds)
    return ThroughputReport(
        n_texts=len(texts),
        n_tokens=sum(embedder.count_tokens(texts)),
        repeats=repeats,
        ours_per_s=len(texts) / ours_s,
        loop_per_s=len(texts) / loop_s,
        batched_per_s=len(texts) / batched_s,
        lowest_cosine=float(np.sum(first[0] * first[1], axis=1).min()),
    )


def measure_latency(questions: Sequence[str], ask: Callable[[str], Answered | Refused]) -> LatencyReport:
    """Ask each question once, after one unmeasured question that warms model and index."""
    if questions:
        ask(questions[0])
    results = [ask(question) for question in questions]
    return latency_of(results)


def measure_chunks(
    extractions: Sequence[Extraction],
    embedder: Embedder,
    *,
    config: RagConfig,
    needles: Sequence[GoldenNeedle] = (),
) -> ChunkingReport:
    """Chunk a corpus as `index_document` would and count; nothing is embedded or stored."""
    window = embedder.model.window_tokens
    chunked = [chunk_configured(extraction, config=config, embedder=embedder) for extraction in extractions]
    chunks: list[Chunk] = [chunk for document in chunked for chunk in document.chunks]
    # Counted again from the texts: what the report says must not rest on what chunking believed.
    counts = embedder.count_tokens([chunk.text for chunk in chunks]) if chunks else []
    return ChunkingReport(
        strategy=config.chunking,
        n_documents=len(extractions),
        n_chunks=len(chunks),
        n_tokens=sum(counts),
        n_header_tokens=sum(document.n_header_tokens for document in chunked),
        n_split_for_window=sum(document.n_split_for_window for document in chunked),
        n_over_window=sum(count > window for count in counts),
        needles_destroyed=needles_destroyed(chunks, needles),
        n_needles=len(needles),
    )


def measure_strategies(
    extractions: Sequence[Extraction],
    embedder: Embedder,
    *,
    config: RagConfig,
    needles: Sequence[GoldenNeedle] = (),
) -> Mapping[str, ChunkingReport]:
    """`measure_chunks` by each chunking strategy, with the budgets of `config`; letter → report."""
    return {
        letter: measure_chunks(
            extractions, embedder, config=replace(config, chunking=letter), needles=needles
        )
        for letter in CHUNKING_STRATEGIES
    }


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
