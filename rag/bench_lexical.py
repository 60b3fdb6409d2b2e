"""What the embedded lexical index costs, beside a dictionary in Python and bm25s over the same terms.

All three ask for the same terms, so that only the search differs. bm25s scores ahead and is built whole again
for each new document; what that costs is measured too, because it is why the index is made otherwise
(docs/adr/009).
"""

from __future__ import annotations

import heapq
import logging
import math
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rag.config import RagConfig
from rag.evaluate import Percentiles
from rag.lexical import DEFAULT_LANGUAGE, SegmentIndex
from rag.lexical.words import bag_of, question_terms

if TYPE_CHECKING:
    from bm25s import BM25

_K = 25
_FOLDER = 1
_DOCUMENT_CHUNKS = 10
_FILLING_CHUNKS = 500
_N_PUTS = 15


@dataclass(frozen=True, slots=True)
class PutCost:
    """Median milliseconds to put, durably, one document of 10 chunks into an index of `n_chunks`."""

    n_chunks: int
    put_ms: float


@dataclass(frozen=True, slots=True)
class LexicalReport:
    """Times of one query for the best 25, and of writing and opening.

    Attributes:
        n_chunks: chunks searched.
        ours, dictionary, library: one query of each side; library is bm25s with its matrix in memory.
        n_agreed: questions whose best scores are the same on our side and the dictionary's.
        library_build_ms: bm25s over these chunks, which one more document costs there.
        puts: at each size asked for.
        open_ms: a new reader of the last of these sizes up to its first answer.
    """

    n_chunks: int
    n_questions: int
    n_agreed: int
    ours: Percentiles
    dictionary: Percentiles
    library: Percentiles
    library_build_ms: float
    puts: tuple[PutCost, ...]
    open_ms: float

    @property
    def times_dictionary(self) -> float:
        """How many times faster than the dictionary, by the medians."""
        return self.dictionary.p50_ms / self.ours.p50_ms if self.ours.p50_ms else 0.0


class DictionaryBM25:
    """BM25 over an inverted index of plain dictionaries and lists; term weights as in `LexicalIndex`."""

    def __init__(self, texts: Sequence[str], *, k1: float, b: float) -> None:
        bags = [bag_of(text) for text in texts]
        average = sum(bag.length for bag in bags) / len(bags)
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._saturation = [k1 * (1.0 - b + b * bag.length / average) for bag in bags]
        for chunk, bag in enumerate(bags):
            for term, tf in Counter(bag.terms).items():
                self._postings[term].append((chunk, tf))

    def search(self, question: str, k: int) -> list[tuple[int, float]]:
        """The best `k` (place in the texts, score), best first."""
        saturation, n_chunks = self._saturation, len(self._saturation)
        scores: dict[int, float] = {}
        for term in question_terms(question, (DEFAULT_LANGUAGE,)):
            postings = self._postings.get(term)
            if postings is None:
                continue
            idf = math.log(1.0 + (n_chunks - len(postings) + 0.5) / (len(postings) + 0.5))
            for chunk, tf in postings:
                scores[chunk] = scores.get(chunk, 0.0) + idf * tf / (tf + saturation[chunk])
        return heapq.nlargest(k, scores.items(), key=lambda item: item[1])


def measure_lexical(
    texts: Sequence[str],
    questions: Sequence[str],
    *,
    config: RagConfig,
    n_chunks: int = 1_000,
    sizes: Sequence[int] = (1_000, 20_000),
    repeats: int = 3,
) -> LexicalReport:
    """Measure on real chunk texts, repeated until there are enough.

    Args:
        texts: at least one.
        questions: at least one; each is asked once unmeasured, then `repeats` times of each side in turn.
        config: k1 and b.
        n_chunks: how many chunks the queries run over.
        sizes: ascending; how many chunks the index holds when a document is put.
        repeats: see `questions`.
    """
    searched = list(islice(_cycled(texts), n_chunks))
    with tempfile.TemporaryDirectory(prefix="footnote-bench-") as folder:
        ours = SegmentIndex(Path(folder) / "query", k1=config.bm25_k1, b=config.bm25_b)
        _fill(ours, searched)
        dictionary = DictionaryBM25(searched, k1=config.bm25_k1, b=config.bm25_b)
        terms = [list(bag_of(text).terms) for text in searched]
        started = time.perf_counter()
        library = _library(terms, config)
        build_ms = _since(started)
        sides: tuple[Callable[[str], list[float]], ...] = (
            lambda question: [score for _, score in ours.search(question, _K, [_FOLDER])],
            lambda question: [score for _, score in dictionary.search(question, _K)],
            lambda question: _library_search(library, question),
        )
        first = [[side(question) for side in sides] for question in questions]
        taken = _taken(sides, questions, repeats)
        grown = SegmentIndex(Path(folder) / "put", k1=config.bm25_k1, b=config.bm25_b)
        puts = tuple(_put_cost(grown, texts, size) for size in sizes)
        grown.settle()
        open_ms = _open_ms(Path(folder) / "put", questions[0], config)
    return LexicalReport(
        n_chunks=len(searched),
        n_questions=len(questions),
        n_agreed=sum(_agree(mine, other) for mine, other, _ in first),
        ours=taken[0],
        dictionary=taken[1],
        library=taken[2],
        library_build_ms=build_ms,
        puts=puts,
        open_ms=open_ms,
    )


def _taken(
    sides: Sequence[Callable[[str], list[float]]], questions: Sequence[str], repeats: int
) -> list[Percentiles]:
    milliseconds: list[list[float]] = [[] for _ in sides]
    for _ in range(repeats):
        for question in questions:
            for side, times in zip(sides, milliseconds, strict=True):
                started = time.perf_counter()
                side(question)
                times.append(_since(started))
    return [_percentiles(times) for times in milliseconds]


def _percentiles(times: Sequence[float]) -> Percentiles:
    p50, p95 = np.percentile(times, [50, 95])
    return Percentiles(len(times), float(p50), float(p95))


def _agree(mine: Sequence[float], other: Sequence[float]) -> bool:
    return len(mine) == len(other) and all(
        math.isclose(one, two, rel_tol=1e-9) for one, two in zip(mine, other, strict=True)
    )


def _put_cost(index: SegmentIndex, texts: Sequence[str], size: int) -> PutCost:
    held = index.count()
    _fill(index, list(islice(_cycled(texts), max(0, size - held))), first_document=held + 1)
    index.settle()
    document = list(islice(_cycled(texts), _DOCUMENT_CHUNKS))
    times = []
    for number in range(_N_PUTS):
        chunks = _named(10_000_000 + number, document)
        started = time.perf_counter()
        index.put_document(10_000_000 + number, _FOLDER, chunks)
        times.append(_since(started))
    for number in range(_N_PUTS):
        index.delete_document(10_000_000 + number)
    return PutCost(size, statistics.median(times))


def _fill(index: SegmentIndex, texts: Sequence[str], *, first_document: int = 1) -> None:
    for start in range(0, len(texts), _FILLING_CHUNKS):
        document_id = first_document + start
        index.put_document(document_id, _FOLDER, _named(document_id, texts[start : start + _FILLING_CHUNKS]))
    index.settle()


def _named(document_id: int, texts: Sequence[str]) -> list[tuple[str, str]]:
    return [(f"{document_id:08d}-0000-0000-0000-{at:012d}", text) for at, text in enumerate(texts)]


def _cycled(texts: Sequence[str]) -> Iterator[str]:
    while True:
        yield from texts


def _open_ms(directory: Path, question: str, config: RagConfig) -> float:
    started = time.perf_counter()
    SegmentIndex(directory, k1=config.bm25_k1, b=config.bm25_b).search(question, _K, [_FOLDER])
    return _since(started)


def _library(terms: list[list[str]], config: RagConfig) -> BM25:
    from bm25s import BM25

    # bm25s sets its logger to DEBUG on import and would write a line a build.
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    matrix = BM25(k1=config.bm25_k1, b=config.bm25_b, method="lucene")
    matrix.index(terms, show_progress=False)
    return matrix


def _library_search(matrix: BM25, question: str) -> list[float]:
    terms = list(question_terms(question, (DEFAULT_LANGUAGE,)))
    k = min(_K, matrix.scores["num_docs"])
    return [float(score) for score in matrix.retrieve([terms], k=k, show_progress=False).scores[0]]


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1_000.0
