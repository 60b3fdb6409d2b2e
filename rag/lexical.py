"""BM25 over chunks: exact words, numbers and names, where the dense side is weak.

Robertson and Zaragoza 2009 with idf = ln(1 + (N − n + 0.5)/(n + 0.5)) (Lucene's; never negative) and
term weight tf / (tf + k1 (1 − b + b·len/avg)). One segment file a document; the matrix over all
segments is built by bm25s when a search meets a generation it has not seen.

Locks: `_writing` serialises this process's writers; `_building` lets one thread build while the others
search the snapshot before; `_reading` guards the vocabulary and the segments in memory. Files are
replaced atomically, so readers in other processes need no lock.
"""

from __future__ import annotations

import json
import logging
import re
import threading
import time
import unicodedata
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rag.atomic import write_atomically
from rag.extract.canonical import visible_text

if TYPE_CHECKING:
    from bm25s import BM25

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_GENERATION = "generation"
_SLOW_BUILD_S = 0.25
"""A build that took longer runs beside the searches next time, which go on over the old snapshot."""

_stemmers = threading.local()


def stems(text: str) -> list[str]:
    """The words of `text` as they are indexed and asked: NFKC, lower case, English (Porter2) stem.

    No word is left out: what counts as a stop word on one side and not on the other is never found.
    """
    from Stemmer import Stemmer

    stemmer = getattr(_stemmers, "english", None)
    if stemmer is None:
        # A PyStemmer object is not safe to share between threads.
        stemmer = _stemmers.english = Stemmer("english")
    return [str(word) for word in stemmer.stemWords(_WORD.findall(folded(text)))]


def folded(text: str) -> str:
    """`text` in NFKC and lower case with straight apostrophes and nothing invisible: one writing of each word.

    Wider than what is stored and quoted, in which 10² stays 10² (docs/adr/006). Documents and questions
    are folded alike, so 10² is found by 102 too: the price of finding m² by m2.
    """
    return unicodedata.normalize("NFKC", visible_text(text)).replace("’", "'").lower()


@dataclass(frozen=True, slots=True)
class _Segment:
    folder_id: int
    document_id: int
    chunk_ids: tuple[str, ...]
    token_ids: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """All chunks of one generation, ready to be searched; never changed once built."""

    generation: str
    chunk_ids: list[str]
    folder_ids: npt.NDArray[np.int64]
    document_ids: npt.NDArray[np.int64]
    matrix: BM25 | None
    n_terms: int
    """Stems known when it was built; later ones are in no chunk of it."""
    build_s: float


class LexicalIndex:
    """A BM25 index in one folder. Safe to share between threads and, for reading, between processes."""

    def __init__(self, directory: Path, *, k1: float, b: float) -> None:
        self._directory = directory
        self._k1 = k1
        self._b = b
        self._writing = threading.Lock()
        self._building = threading.Lock()
        self._reading = threading.Lock()
        self._vocabulary: dict[str, int] = {}
        self._segments: dict[str, tuple[tuple[int, int, int], _Segment]] = {}
        self._snapshot: _Snapshot | None = None
        directory.mkdir(parents=True, exist_ok=True)

    def put_document(self, document_id: int, folder_id: int, chunks: Sequence[tuple[str, str]]) -> None:
        """Replace the chunks of one document, given as (chunk id, text)."""
        segment = {
            "folder_id": folder_id,
            "document_id": document_id,
            "chunks": [[chunk_id, " ".join(stems(text))] for chunk_id, text in chunks],
        }
        with self._writing:
            write_atomically(self._path(document_id), json.dumps(segment, ensure_ascii=False))
            self._next_generation()

    def delete_document(self, document_id: int) -> None:
        """Remove one document; nothing happens when it is not there."""
        with self._writing:
            path = self._path(document_id)
            if path.exists():
                path.unlink()
                self._next_generation()

    def count(self, document_id: int | None = None) -> int:
        """Chunks of one document, or of all, read back from the segments."""
        paths = self._paths() if document_id is None else [self._path(document_id)]
        return sum(len(segment.chunk_ids) for segment in self._read(paths))

    def search(
        self,
        question: str,
        k: int,
        folder_ids: Sequence[int],
        document_ids: Sequence[int] | None = None,
    ) -> list[tuple[str, float]]:
        """The best `k` (chunk id, BM25 score > 0) in the scope, best first.

        Each word of the question counts once. Chunks that share no word with it are not returned.
        """
        snapshot = self._current()
        terms = self._term_ids(question, snapshot)
        if snapshot.matrix is None or not terms or k <= 0:
            return []
        scores = np.asarray(snapshot.matrix.get_scores_from_ids(terms), dtype=np.float32)
        visible = np.isin(snapshot.folder_ids, np.asarray(folder_ids, dtype=np.int64))
        if document_ids is not None:
            visible &= np.isin(snapshot.document_ids, np.asarray(document_ids, dtype=np.int64))
        found = np.flatnonzero(visible & (scores > 0.0))
        if len(found) > k:
            found = found[np.argpartition(-scores[found], k - 1)[:k]]
        ranked = found[np.argsort(-scores[found], kind="stable")]
        return [(snapshot.chunk_ids[at], float(scores[at])) for at in ranked]

    def drop(self) -> None:
        """Remove every file of the index."""
        with self._writing:
            for path in [*self._paths(), self._directory / _GENERATION]:
                path.unlink(missing_ok=True)
            with self._reading:
                self._segments.clear()
            self._snapshot = None

    def _term_ids(self, question: str, snapshot: _Snapshot) -> list[int]:
        known = (self._vocabulary.get(stem) for stem in dict.fromkeys(stems(question)))
        return [term for term in known if term is not None and term < snapshot.n_terms]

    def _current(self) -> _Snapshot:
        """The snapshot of the generation on disk, or the one before while another thread builds it."""
        snapshot = self._snapshot
        generation = self._generation()
        if snapshot is not None and snapshot.generation == generation:
            return snapshot
        if snapshot is not None and snapshot.build_s > _SLOW_BUILD_S:
            if not self._building.locked():
                threading.Thread(target=self._build, args=(generation,), daemon=True).start()
            return snapshot
        return self._build(generation)

    def _build(self, generation: str) -> _Snapshot:
        if not self._building.acquire(blocking=self._snapshot is None):
            assert self._snapshot is not None  # only a first build blocks
            return self._snapshot
        try:
            if self._snapshot is not None and self._snapshot.generation == generation:
                return self._snapshot
            self._snapshot = snapshot = self._built(generation)
            return snapshot
        finally:
            self._building.release()

    def _built(self, generation: str) -> _Snapshot:
        started = time.perf_counter()
        segments = self._read(self._paths())
        rows = [tokens for segment in segments for tokens in segment.token_ids]
        sizes = [len(segment.chunk_ids) for segment in segments]
        n_terms = len(self._vocabulary)
        return _Snapshot(
            generation=generation,
            chunk_ids=[chunk_id for segment in segments for chunk_id in segment.chunk_ids],
            folder_ids=np.repeat(np.array([s.folder_id for s in segments], dtype=np.int64), sizes),
            document_ids=np.repeat(np.array([s.document_id for s in segments], dtype=np.int64), sizes),
            matrix=self._matrix(rows, n_terms) if any(rows) else None,
            n_terms=n_terms,
            build_s=time.perf_counter() - started,
        )

    def _matrix(self, rows: list[tuple[int, ...]], n_terms: int) -> BM25:
        from bm25s import BM25

        # bm25s sets its logger to DEBUG on import and would write a line a build.
        logging.getLogger("bm25s").setLevel(logging.WARNING)
        matrix = BM25(k1=self._k1, b=self._b, method="lucene")
        vocabulary = {str(term): term for term in range(n_terms)}
        matrix.index(([list(row) for row in rows], vocabulary), create_empty_token=False, show_progress=False)
        return matrix

    def _read(self, paths: Sequence[Path]) -> list[_Segment]:
        """The segments that are there; one may be deleted between listing and reading."""
        segments = []
        with self._reading:
            for path in paths:
                try:
                    segments.append(self._segment(path))
                except FileNotFoundError:
                    self._segments.pop(path.name, None)
        return segments

    def _segment(self, path: Path) -> _Segment:
        """A document's segment; read again only when its file was replaced."""
        stat = path.stat()
        stamp = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
        cached = self._segments.get(path.name)
        if cached is not None and cached[0] == stamp:
            return cached[1]
        raw = json.loads(path.read_text(encoding="utf-8"))
        segment = _Segment(
            folder_id=raw["folder_id"],
            document_id=raw["document_id"],
            chunk_ids=tuple(chunk_id for chunk_id, _ in raw["chunks"]),
            token_ids=tuple(
                tuple(self._vocabulary.setdefault(stem, len(self._vocabulary)) for stem in words.split())
                for _, words in raw["chunks"]
            ),
        )
        self._segments[path.name] = (stamp, segment)
        return segment

    def _paths(self) -> list[Path]:
        return sorted(self._directory.glob("*.json"), key=lambda path: int(path.stem))

    def _path(self, document_id: int) -> Path:
        return self._directory / f"{document_id}.json"

    def _generation(self) -> str:
        try:
            return (self._directory / _GENERATION).read_text(encoding="ascii")
        except FileNotFoundError:
            return ""

    def _next_generation(self) -> None:
        # Random, not counted: two processes that write at once cannot arrive at the same value.
        write_atomically(self._directory / _GENERATION, uuid.uuid4().hex)
