"""The scores of one BM25 over all segments, exact whatever the segments are.

What a term adds to each chunk is computed from its postings when it is first asked in a snapshot, and kept:
bm25s's way of scoring ahead, but only for what is asked, so that a new document costs nothing here. Document
frequencies are counted from the postings without dead documents; nothing global has to be kept in step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rag.lexical.segment import Ints, Longs, term_key
from rag.lexical.snapshot import Snapshot, View
from rag.lexical.words import question_terms

Doubles = npt.NDArray[np.float64]
_MAX_KEPT = 2_000_000
"""Postings whose weights are kept, 16 bytes each."""


@dataclass(frozen=True, slots=True, eq=False)
class _Weights:
    """What one term adds: `chunks` as the snapshot numbers them, ``(n,) int64``, and each one's part of the score."""

    chunks: Longs
    parts: Doubles


class Scorer:
    """BM25 over one snapshot. Safe to share between threads."""

    def __init__(self, snapshot: Snapshot, *, k1: float, b: float) -> None:
        self.snapshot = snapshot
        self._k1 = k1
        self._b = b
        self._kept: dict[str, _Weights] = {}
        self._n_kept = 0

    def search(
        self, question: str, k: int, folder_ids: Sequence[int], document_ids: Sequence[int] | None
    ) -> list[tuple[str, float]]:
        """See `LexicalIndex.search`. Equal scores rank by document id, then by place in the document."""
        visible = self.snapshot.visible(folder_ids, document_ids)
        asked = [self._weights(term) for term in question_terms(question, visible.languages)]
        if k <= 0 or not asked:
            return []
        scores = np.bincount(
            np.concatenate([each.chunks for each in asked]),
            np.concatenate([each.parts for each in asked]),
            minlength=self.snapshot.offsets[-1],
        )
        if visible.chunks is not None:
            scores = scores * visible.chunks
        return _best(self.snapshot, scores.astype(np.float64, copy=False), k)

    def _weights(self, term: str) -> _Weights:
        kept = self._kept.get(term)
        if kept is None:
            kept = self._weighed(term)
            if self._n_kept + len(kept.chunks) > _MAX_KEPT:
                self._kept, self._n_kept = {}, 0
            if len(kept.chunks) <= _MAX_KEPT:
                self._kept[term] = kept
                self._n_kept += len(kept.chunks)
        return kept

    def _weighed(self, term: str) -> _Weights:
        key = np.uint64(term_key(term))
        chunks, counts, lengths = zip(
            *(
                _postings(view, offset, key)
                for view, offset in zip(self.snapshot.views, self.snapshot.offsets, strict=False)
            ),
            strict=True,
        )
        numbers, tf, words = np.concatenate(chunks), np.concatenate(counts), np.concatenate(lengths)
        n, average = len(numbers), self.snapshot.average_length or 1.0
        idf = np.log1p((self.snapshot.n_chunks - n + 0.5) / (n + 0.5))
        saturation = self._k1 * (1.0 - self._b + self._b * words / average)
        return _Weights(numbers, idf * tf / (tf + saturation))


def _postings(view: View, offset: int, key: np.uint64) -> tuple[Longs, Ints, Ints]:
    """The live postings of a term in a view: the chunks' numbers, how often it occurs in each, their lengths."""
    segment = view.segment
    at = int(segment.keys.searchsorted(key))
    if at == len(segment.keys) or segment.keys[at] != key:
        return np.empty(0, np.int64), segment.counts[:0], segment.lengths[:0]
    of_term = slice(int(segment.starts[at]), int(segment.starts[at + 1]))
    chunks, counts = segment.chunks[of_term], segment.counts[of_term]
    if view.live is not None:
        lives = view.live[chunks]
        chunks, counts = chunks[lives], counts[lives]
    return chunks.astype(np.int64) + offset, counts, segment.lengths[chunks]


def _best(snapshot: Snapshot, scores: Doubles, k: int) -> list[tuple[str, float]]:
    """The best `k` (chunk id, score above 0), best first."""
    found = scores.nonzero()[0]
    chosen = scores.take(found)
    if len(found) > k:
        # All that equal the last one stay in, so that the ids decide among them.
        is_among = chosen >= np.partition(chosen, len(chosen) - k)[len(chosen) - k]
        found, chosen = found[is_among], chosen[is_among]
    # Within one view chunks are numbered by document.
    documents = found if len(snapshot.views) == 1 else snapshot.documents_at(found)
    order = np.lexsort((found, documents, -chosen))[:k]
    return list(zip(snapshot.chunk_ids_at(found.take(order)), chosen.take(order).tolist(), strict=True))
