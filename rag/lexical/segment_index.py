"""The embedded lexical index: segments in one folder, merged as they grow.

A document is written with the segment that is still small, so that a put costs the same however large the
corpus is; segments are merged so that each is at least twice as large as all smaller ones together, which
keeps them few (log₃ of the chunks) and rewrites a posting as seldom. Large merges run beside.

Locks, in this order: `_merging` (one merge at a time), `_writing` with the folder's own lock (one writer over
threads and processes), `_opening` (one thread opens what is new). Searches take none of them while nothing is new.
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rag.errors import RagError
from rag.lexical.bm25 import Scorer
from rag.lexical.faults import disk_faults
from rag.lexical.manifest import Entry, Folder
from rag.lexical.segment import Segment, document_segment, merged, write_segment
from rag.lexical.snapshot import Snapshot, View, read_snapshot
from rag.lexical.words import DEFAULT_LANGUAGE, bag_of

_log = logging.getLogger(__name__)
_GROWTH = 2
_SMALL_CHUNKS = 256
_BESIDE_CHUNKS = 2_048
"""Merges of more chunks than this run in a thread of their own."""
_CHEAP_CHUNKS = 4_096
"""Up to here all that no longer grows is one segment: searches cost a fixed share for each."""
_LARGEST_CHUNKS = 262_144
"""Larger segments are not made: merging takes 52 bytes a posting (measured), 0.7 GB at 47 postings a chunk."""


class SegmentIndex:
    """A `LexicalIndex` in a folder."""

    def __init__(self, directory: Path, *, k1: float, b: float, small_chunks: int = _SMALL_CHUNKS) -> None:
        """Opens the index in `directory`, which is created; nothing is read before it is asked.

        Raises:
            IndexMismatch: the folder holds an index of an earlier form.
            StoreDown: the folder cannot be made.
        """
        with disk_faults():
            self._folder = Folder(directory)
        self._k1 = k1
        self._b = b
        self._small_chunks = small_chunks
        self._merging = threading.Lock()
        self._writing = threading.Lock()
        self._opening = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._scored: Scorer | None = None

    def put_document(
        self,
        document_id: int,
        folder_id: int,
        chunks: Sequence[tuple[str, str]],
        language: str = DEFAULT_LANGUAGE,
    ) -> None:
        """See `LexicalIndex.put_document`."""
        if not chunks:
            self.delete_document(document_id)
            return
        bags = [(chunk_id, bag_of(text, language)) for chunk_id, text in chunks]
        self._put(document_id, document_segment(document_id, folder_id, language, bags))

    @disk_faults()
    def _put(self, document_id: int, segment: Segment) -> None:
        with self._writing, self._folder.locked():
            views = self._current().views
            small = self._small_view(views, segment.n_chunks)
            others = [view for view in views if view is not small]
            kept = self._without(document_id, others)
            if small is not None:
                dead = small.dead | (small.segment.document_ids == document_id)
                segment = merged([(small.segment, dead), (segment, np.zeros(1, dtype=np.bool_))])
            self._add(kept, segment, gone=[view.entry.name for view in views])
        self._merge_when_due()

    @disk_faults()
    def delete_document(self, document_id: int) -> None:
        """See `LexicalIndex.delete_document`."""
        with self._writing, self._folder.locked():
            views = self._current().views
            kept = self._without(document_id, views)
            if kept != [view.entry for view in views]:
                self._replace(kept, gone=[view.entry.name for view in views])
        self._merge_when_due()

    @disk_faults()
    def count(self, document_id: int | None = None) -> int:
        """See `LexicalIndex.count`."""
        snapshot = self._current()
        if document_id is None:
            return snapshot.n_chunks
        return sum(view.n_chunks_of(document_id) for view in snapshot.views)

    @disk_faults()
    def search(
        self,
        question: str,
        k: int,
        folder_ids: Sequence[int],
        document_ids: Sequence[int] | None = None,
    ) -> list[tuple[str, float]]:
        """See `LexicalIndex.search`. Equal scores rank by document id, then by place in the document."""
        return self._scorer().search(question, k, folder_ids, document_ids)

    @disk_faults()
    def drop(self) -> None:
        """See `LexicalIndex.drop`."""
        with self._merging, self._writing, self._folder.locked():
            self._folder.remove()
            self._snapshot = self._scored = None

    @disk_faults()
    def settle(self) -> None:
        """Wait for a merge under way and make those that are due."""
        with self._merging:
            while chosen := due(self._current().views, self._small_chunks):
                self._merge(chosen)

    def _current(self) -> Snapshot:
        snapshot = self._snapshot
        if snapshot is not None and snapshot.inode == self._folder.inode():
            return snapshot
        with self._opening:
            snapshot = self._snapshot
            if snapshot is None or snapshot.inode != self._folder.inode():
                snapshot = self._snapshot = read_snapshot(self._folder, snapshot)
            return snapshot

    def _scorer(self) -> Scorer:
        snapshot = self._current()
        scorer = self._scored
        if scorer is None or scorer.snapshot is not snapshot:
            scorer = self._scored = Scorer(snapshot, k1=self._k1, b=self._b)
        return scorer

    def _small_view(self, views: Sequence[View], n_added: int) -> View | None:
        smallest = min(views, key=lambda view: view.n_chunks, default=None)
        if smallest is not None and smallest.n_chunks + n_added <= self._small_chunks:
            return smallest
        return None

    def _without(self, document_id: int, views: Sequence[View]) -> list[Entry]:
        """The entries with this document dead; segments in which nothing lives any more are left out."""
        entries = []
        for view in views:
            at = view.document_at(document_id)
            if at is None:
                entries.append(view.entry)
            elif int(np.count_nonzero(~view.dead)) > 1:
                entries.append(self._folder.add_dead(view.entry, [at]))
        return entries

    def _add(self, kept: Sequence[Entry], segment: Segment, *, gone: Sequence[str]) -> None:
        entry = self._written(segment)
        self._publish(entry, [*kept, entry], gone=gone)

    def _written(self, segment: Segment) -> Entry:
        """The entry of a new segment, whose file does not count yet."""
        name = uuid.uuid4().hex
        path = self._folder.unfinished(name)
        try:
            write_segment(path, segment)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return Entry(name)

    def _publish(self, new: Entry, entries: Sequence[Entry], *, gone: Sequence[str]) -> None:
        self._folder.unfinished(new.name).replace(self._folder.segment(new.name))
        try:
            self._replace(entries, gone=gone)
        except BaseException:
            if new.name not in {entry.name for entry in self._folder.entries()}:
                self._folder.segment(new.name).unlink(missing_ok=True)
            raise

    def _replace(self, entries: Sequence[Entry], *, gone: Sequence[str]) -> None:
        stay = {entry.name for entry in entries}
        self._folder.replace(entries, gone=[name for name in gone if name not in stay])

    def _merge_when_due(self) -> None:
        chosen = due(self._current().views, self._small_chunks)
        if not chosen or not self._merging.acquire(blocking=False):
            return
        if sum(view.n_chunks for view in chosen) > _BESIDE_CHUNKS:
            threading.Thread(target=self._merge_beside, args=(chosen,), name="lexical", daemon=True).start()
            return
        try:
            self._merge(chosen)
        finally:
            self._merging.release()

    def _merge_beside(self, chosen: Sequence[View]) -> None:
        try:
            self._merge(chosen)
        except (OSError, RagError):  # searches go on over the segments as they are
            _log.exception("merging segments of the lexical index failed")
        finally:
            self._merging.release()

    def _merge(self, chosen: Sequence[View]) -> None:
        """Put one segment in the place of some; documents that died meanwhile are dead in it too."""
        segment = merged([(view.segment, view.dead) for view in chosen])
        new = self._written(segment)
        before = {view.entry.name: view for view in chosen}
        with self._writing, self._folder.locked():
            views = self._current().views
            now = [view for view in views if view.entry.name in before]
            if len(now) < len(before):  # merged by another process, or dropped
                self._folder.unfinished(new.name).unlink(missing_ok=True)
                return
            died = [
                place
                for view in now
                for at in np.flatnonzero(view.dead & ~before[view.entry.name].dead)
                if (place := segment.document_at(int(view.segment.document_ids[at]))) is not None
            ]
            kept = [view.entry for view in views if view.entry.name not in before]
            entry = self._folder.add_dead(new, died)
            alive = [entry] if len(died) < len(segment.document_ids) else []
            self._publish(new, [*kept, *alive], gone=list(before))


def due(views: Sequence[View], small_chunks: int) -> tuple[View, ...]:
    """The segments to merge next: the smaller ones that together outgrew a larger one, or one that is mostly dead."""
    for view in views:
        if 2 * view.n_chunks < view.segment.n_chunks:
            return (view,)
    ordered = sorted(views, key=lambda view: view.n_chunks, reverse=True)
    if ordered and ordered[-1].n_chunks < small_chunks:
        ordered.pop()  # it still grows with each put
    for at, view in enumerate(ordered):
        smaller = sum(each.n_chunks for each in ordered[at + 1 :])
        if not smaller or view.n_chunks + smaller > _LARGEST_CHUNKS:
            continue
        if view.n_chunks < _GROWTH * smaller or view.n_chunks + smaller <= _CHEAP_CHUNKS:
            return tuple(ordered[at:])
    return ()
