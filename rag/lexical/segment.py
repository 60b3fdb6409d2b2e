"""A segment: the postings of some documents' chunks, in one file that is mapped into memory and never changed.

Term frequencies and lengths are stored, not scores: document frequency and average length are those of the
whole corpus and change with every document (docs/adr/009).
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rag.lexical.faults import damaged
from rag.lexical.words import Bag

_MAGIC = b"footnote-lexical-1\n"
_ALIGNMENT = 64

Bools = npt.NDArray[np.bool_]
Keys = npt.NDArray[np.uint64]
Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Postings by term in compressed sparse columns, and what is known of the chunks and documents.

    Attributes:
        keys: ``(n_terms,) uint64`` ascending, see `term_key`.
        starts: ``(n_terms + 1,) int64``; the postings of term t are ``starts[t]:starts[t + 1]``.
        chunks: ``(n_postings,) int32``, a chunk's place in this segment.
        counts: ``(n_postings,) int32``, how often the term occurs in it.
        lengths: ``(n_chunks,) int32`` in words, as `Bag.length`.
        documents: ``(n_chunks,) int32`` ascending, the place of each chunk's document.
        document_ids: ``(n_documents,) int64`` ascending.
        folder_ids: ``(n_documents,) int64``.
        languages: ``(n_documents,) int32``, places in `names`.
        id_ends: ``(n_chunks + 1,) int64`` from 0, where each chunk's id begins and the one before ends in `id_bytes`.
        id_bytes: ``uint8``, all chunk ids in UTF-8.
        names: languages.
    """

    keys: Keys
    starts: Longs
    chunks: Ints
    counts: Ints
    lengths: Ints
    documents: Ints
    document_ids: Longs
    folder_ids: Longs
    languages: Ints
    id_ends: Longs
    id_bytes: Bytes
    names: tuple[str, ...]

    @property
    def n_chunks(self) -> int:
        """Chunks, dead ones too."""
        return len(self.lengths)

    def chunk_ids(self, places: Longs) -> list[str]:
        """The ids of the chunks at these places."""
        begins, ends = self.id_ends.take(places).tolist(), self.id_ends.take(places + 1).tolist()
        stored = self.id_bytes.data
        return [str(stored[begin:end], "utf-8") for begin, end in zip(begins, ends, strict=True)]

    def document_at(self, document_id: int) -> int | None:
        """The place of a document, or None."""
        at = int(np.searchsorted(self.document_ids, document_id))
        return at if at < len(self.document_ids) and int(self.document_ids[at]) == document_id else None


_ARRAYS: Mapping[str, str] = {
    "keys": "<u8",
    "starts": "<i8",
    "chunks": "<i4",
    "counts": "<i4",
    "lengths": "<i4",
    "documents": "<i4",
    "document_ids": "<i8",
    "folder_ids": "<i8",
    "languages": "<i4",
    "id_ends": "<i8",
    "id_bytes": "<u1",
}


@lru_cache(maxsize=50_000)
def term_key(term: str) -> int:
    """64 bits of BLAKE2b. Among ten million terms one pair shares a key with probability 3·10⁻⁶."""
    return int.from_bytes(hashlib.blake2b(term.encode(errors="replace"), digest_size=8).digest(), "little")


def term_keys(terms: Iterable[str]) -> Keys:
    """`term_key` of each."""
    return np.fromiter(map(term_key, terms), dtype=np.uint64)


def document_segment(
    document_id: int, folder_id: int, language: str, chunks: Sequence[tuple[str, Bag]]
) -> Segment:
    """The segment of one document, given as (chunk id, bag)."""
    counted = [Counter(bag.terms) for _, bag in chunks]
    sizes = [len(terms) for terms in counted]
    ids = [chunk_id.encode() for chunk_id, _ in chunks]
    keys, starts, order = _columns(term_keys(term for terms in counted for term in terms))
    return Segment(
        keys=keys,
        starts=starts,
        chunks=np.repeat(np.arange(len(chunks), dtype=np.int32), sizes)[order],
        counts=np.fromiter((n for terms in counted for n in terms.values()), dtype=np.int32)[order],
        lengths=np.array([bag.length for _, bag in chunks], dtype=np.int32),
        documents=np.zeros(len(chunks), dtype=np.int32),
        document_ids=np.array([document_id], dtype=np.int64),
        folder_ids=np.array([folder_id], dtype=np.int64),
        languages=np.zeros(1, dtype=np.int32),
        id_ends=np.cumsum([0, *map(len, ids)], dtype=np.int64),
        id_bytes=np.frombuffer(b"".join(ids), dtype=np.uint8),
        names=(language,),
    )


def merged(parts: Sequence[tuple[Segment, Bools]]) -> Segment:
    """One segment of what lives in some; each with ``(n_documents,) bool``, True for its dead documents.

    A document lives in one segment at most; documents are ordered by id, so equal scores rank alike however
    the corpus is cut into segments. Sorting runs over term keys that ascend already within each part.
    """
    names = tuple(dict.fromkeys(name for segment, _ in parts for name in segment.names))
    ids = np.concatenate([segment.document_ids[~dead] for segment, dead in parts])
    rank = np.empty(len(ids), dtype=np.int64)
    rank[np.argsort(ids)] = np.arange(len(ids))
    gathered = list(_renumbered(parts, rank, names))
    documents = np.concatenate([part.documents for part in gathered])
    # Stable: a document's chunks stay in their order.
    order = np.argsort(documents, kind="stable")
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    keys, starts, by_key = _columns(np.concatenate([part.posting_keys for part in gathered]))
    sizes = np.cumsum([0, *(len(part.documents) for part in gathered)])
    chunks = np.concatenate([part.chunks + size for part, size in zip(gathered, sizes, strict=False)])
    id_ends, id_bytes = _reordered_ids(gathered, order)
    by_rank = np.argsort(rank)  # rank is a permutation: its inverse
    return Segment(
        keys=keys,
        starts=starts,
        chunks=place[chunks[by_key]],
        counts=np.concatenate([part.counts for part in gathered])[by_key],
        lengths=np.concatenate([part.lengths for part in gathered])[order],
        documents=documents[order].astype(np.int32),
        document_ids=ids[by_rank],
        folder_ids=np.concatenate([segment.folder_ids[~dead] for segment, dead in parts])[by_rank],
        languages=np.concatenate([part.languages for part in gathered])[by_rank],
        id_ends=id_ends,
        id_bytes=id_bytes,
        names=names,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """What lives in one segment, in numbers that hold for all parts."""

    posting_keys: Keys
    chunks: Longs
    counts: Ints
    lengths: Ints
    documents: Longs
    languages: Ints
    id_lengths: Longs
    id_bytes: Bytes


def _renumbered(parts: Sequence[tuple[Segment, Bools]], rank: Longs, names: Sequence[str]) -> Iterable[_Part]:
    n_before = 0
    for segment, dead in parts:
        lives = ~dead
        chunk_lives = lives[segment.documents]
        posting_lives = chunk_lives[segment.chunks]
        n_live = int(np.count_nonzero(lives))
        document_rank = np.full(len(lives), -1, dtype=np.int64)
        document_rank[lives] = rank[n_before : n_before + n_live]
        n_before += n_live
        id_lengths = np.diff(segment.id_ends)
        language_of = np.array([names.index(name) for name in segment.names], dtype=np.int32)
        yield _Part(
            posting_keys=np.repeat(segment.keys, np.diff(segment.starts))[posting_lives],
            chunks=(np.cumsum(chunk_lives) - 1)[segment.chunks[posting_lives]],
            counts=segment.counts[posting_lives],
            lengths=segment.lengths[chunk_lives],
            documents=document_rank[segment.documents[chunk_lives]],
            languages=language_of[segment.languages[lives]],
            id_lengths=id_lengths[chunk_lives],
            id_bytes=segment.id_bytes[np.repeat(chunk_lives, id_lengths)],
        )


def _reordered_ids(parts: Sequence[_Part], order: Longs) -> tuple[Longs, Bytes]:
    lengths = np.concatenate([part.id_lengths for part in parts])
    begins = (np.cumsum(lengths) - lengths)[order]
    ends = np.cumsum(lengths[order])
    # The bytes of one id lie together: its first one, then counting up.
    within = np.arange(int(lengths.sum())) - np.repeat(ends - lengths[order], lengths[order])
    at = np.repeat(begins, lengths[order]) + within
    return np.concatenate(([0], ends)).astype(np.int64), np.concatenate([part.id_bytes for part in parts])[at]


def _columns(posting_keys: Keys) -> tuple[Keys, Longs, Longs]:
    """(distinct keys, where the postings of each start, the order that brings them together)."""
    order = np.argsort(posting_keys, kind="stable")
    ordered = posting_keys[order]
    firsts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(ordered) else order
    return ordered[firsts], np.append(firsts, len(ordered)).astype(np.int64), order


def write_segment(path: Path, segment: Segment) -> None:
    """Write a new file; on disk when it returns."""
    arrays = {name: np.ascontiguousarray(getattr(segment, name), dtype) for name, dtype in _ARRAYS.items()}
    head = {"names": segment.names, "sizes": {name: len(array) for name, array in arrays.items()}}
    with path.open("xb") as file:
        file.write(_MAGIC + json.dumps(head).encode() + b"\n")
        for array in arrays.values():
            file.write(bytes(-file.tell() % _ALIGNMENT))
            file.write(array.data)
        file.flush()
        os.fsync(file.fileno())


def open_segment(path: Path) -> Segment:
    """The segment in a file, mapped: what is not asked for is not read.

    Raises:
        FileNotFoundError: another process merged it away.
        StoreDown: the file is not what was written.
    """
    with path.open("rb") as file:
        magic, head = file.readline(len(_MAGIC)), file.readline()
        at = file.tell()
        if magic != _MAGIC:
            raise damaged(path.name)
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        described = json.loads(head)
        sizes = {name: int(described["sizes"][name]) for name in _ARRAYS}
        names = tuple(map(str, described["names"]))
    except (ValueError, KeyError, TypeError, RecursionError) as exc:
        raise damaged(path.name) from exc
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    for name, dtype in _ARRAYS.items():
        at += -at % _ALIGNMENT
        n = sizes[name]
        if n < 0 or at + n * np.dtype(dtype).itemsize > len(mapped):
            raise damaged(path.name)
        arrays[name] = np.frombuffer(mapped, dtype, count=n, offset=at) if n else np.empty(0, dtype)
        at += n * np.dtype(dtype).itemsize
    segment = Segment(**arrays, names=names)  # type: ignore[arg-type]
    if not _is_whole(segment):
        raise damaged(path.name)
    return segment


def _is_whole(segment: Segment) -> bool:
    """Whether the arrays fit together, as far as their lengths and ends tell: nothing large is read."""
    lengths = (
        (len(segment.starts), len(segment.keys) + 1),
        (len(segment.counts), len(segment.chunks)),
        (len(segment.documents), segment.n_chunks),
        (len(segment.id_ends), segment.n_chunks + 1),
        (len(segment.folder_ids), len(segment.document_ids)),
        (len(segment.languages), len(segment.document_ids)),
    )
    return (
        all(found == wanted for found, wanted in lengths)
        and int(segment.starts[-1]) == len(segment.chunks)
        and int(segment.id_ends[-1]) == len(segment.id_bytes)
    )


assert [*_ARRAYS, "names"] == [field.name for field in fields(Segment)]
