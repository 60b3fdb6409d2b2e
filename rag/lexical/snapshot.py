"""All chunks of one state of the index, ready to be searched; never changed once made."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from rag.lexical.faults import damaged
from rag.lexical.manifest import Entry, Folder
from rag.lexical.segment import Bools, Longs, Segment, open_segment

_MAX_SCOPES = 64
_TRIES = 100
"""A reader starts again when a merge removed what it was about to open; each time a newer manifest is there."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A segment without its dead documents.

    Attributes:
        dead: ``(n_documents,) bool``.
        live: ``(n_chunks,) bool``, or None where all are.
        length: words of all live chunks together.
    """

    entry: Entry
    segment: Segment
    dead: Bools
    live: Bools | None
    n_chunks: int
    length: int

    def document_at(self, document_id: int) -> int | None:
        """The place of a document that lives here, or None."""
        at = self.segment.document_at(document_id)
        return None if at is None or self.dead[at] else at

    def n_chunks_of(self, document_id: int) -> int:
        """Chunks of a document that lives here."""
        at = self.document_at(document_id)
        if at is None:
            return 0
        first, after = np.searchsorted(self.segment.documents, [at, at + 1])
        return int(after - first)


@dataclass(frozen=True, slots=True, eq=False)
class Visible:
    """What a scope shows of a snapshot.

    Attributes:
        languages: of the documents in it.
        chunks: ``(all chunks,) bool`` over the views one after another, dead chunks any; None where all are visible.
    """

    languages: tuple[str, ...]
    chunks: Bools | None


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Snapshot:
    """The views of one manifest. Chunks are numbered through them, dead ones too.

    The manifest is held open as long as the snapshot is in use: no newer one can have its `inode`.

    Attributes:
        offsets: the number of each view's first chunk, and at the end how many there are.
        n_chunks: live chunks.
        average_length: words a live chunk, 0.0 without any.
    """

    inode: int
    views: tuple[View, ...]
    offsets: tuple[int, ...]
    n_chunks: int
    average_length: float
    _scopes: dict[tuple[int, ...], Visible] = field(default_factory=dict)

    def visible(self, folder_ids: Sequence[int], document_ids: Sequence[int] | None) -> Visible:
        """What the scope shows; kept for the scopes asked last."""
        if document_ids is not None:
            return self._visible(folder_ids, document_ids)
        scope = tuple(folder_ids)
        found = self._scopes.get(scope)
        if found is None:
            if len(self._scopes) >= _MAX_SCOPES:
                self._scopes.clear()
            found = self._scopes[scope] = self._visible(folder_ids, None)
        return found

    def documents_at(self, chunks: Longs) -> Longs:
        """The document ids of some chunks, by their numbers."""
        found = np.empty(len(chunks), dtype=np.int64)
        for view, offset, is_here in self._by_view(chunks):
            found[is_here] = view.segment.document_ids[view.segment.documents[chunks[is_here] - offset]]
        return found

    def chunk_ids_at(self, chunks: Longs) -> list[str]:
        """The ids of some chunks, by their numbers."""
        if len(self.views) == 1:
            return self.views[0].segment.chunk_ids(chunks)
        found = np.empty(len(chunks), dtype=object)
        for view, offset, is_here in self._by_view(chunks):
            found[is_here] = view.segment.chunk_ids(chunks[is_here] - offset)
        return list(found)

    def _by_view(self, chunks: Longs) -> Iterator[tuple[View, int, Bools]]:
        at = np.searchsorted(self.offsets, chunks, side="right") - 1
        for number in dict.fromkeys(at.tolist()):
            yield self.views[number], self.offsets[number], at == number

    def _visible(self, folder_ids: Sequence[int], document_ids: Sequence[int] | None) -> Visible:
        languages: set[str] = set()
        chunks: list[Bools] = []
        for view in self.views:
            shown = np.isin(view.segment.folder_ids, np.asarray(folder_ids, dtype=np.int64))
            if document_ids is not None:
                shown &= np.isin(view.segment.document_ids, np.asarray(document_ids, dtype=np.int64))
            present = np.unique(view.segment.languages[shown & ~view.dead])
            languages.update(view.segment.names[at] for at in present)
            chunks.append(shown[view.segment.documents])
        is_everything = all(bool(each.all()) for each in chunks)
        return Visible(tuple(sorted(languages)), None if is_everything else np.concatenate(chunks))


def read_snapshot(folder: Folder, before: Snapshot | None) -> Snapshot:
    """The state on disk now; segments that `before` has open are taken from there.

    Raises:
        StoreDown: a file is gone or not what was written.
    """
    known = {view.entry.name: view for view in before.views} if before else {}
    for _ in range(_TRIES):
        entries, handle = folder.opened()
        inode = 0 if handle is None else os.fstat(handle).st_ino
        try:
            views = tuple(_view(folder, entry, known) for entry in entries)
        except FileNotFoundError:
            if handle is not None:
                os.close(handle)
            continue
        except BaseException:
            if handle is not None:
                os.close(handle)
            raise
        snapshot = _snapshot(inode, views)
        if handle is not None:
            weakref.finalize(snapshot, os.close, handle).atexit = False
        return snapshot
    raise damaged("The folder of segments")


def _snapshot(inode: int, views: tuple[View, ...]) -> Snapshot:
    n_chunks = sum(view.n_chunks for view in views)
    return Snapshot(
        inode=inode,
        views=views,
        offsets=tuple(accumulate((view.segment.n_chunks for view in views), initial=0)),
        n_chunks=n_chunks,
        average_length=sum(view.length for view in views) / n_chunks if n_chunks else 0.0,
    )


def open_view(folder: Folder, entry: Entry, segment: Segment | None = None) -> View:
    """A segment as the entry describes it; opened unless it is given."""
    segment = segment or open_segment(folder.segment(entry.name))
    dead = np.zeros(len(segment.document_ids), dtype=np.bool_)
    places = folder.dead(entry)
    if len(places) and not 0 <= int(places.min()) <= int(places.max()) < len(dead):
        raise damaged("The list of deleted documents")
    dead[places] = True
    live = ~dead[segment.documents] if entry.n_dead else None
    lengths = segment.lengths if live is None else segment.lengths[live]
    return View(
        entry=entry,
        segment=segment,
        dead=dead,
        live=live,
        n_chunks=len(lengths),
        length=int(lengths.sum(dtype=np.int64)),
    )


def _view(folder: Folder, entry: Entry, known: Mapping[str, View]) -> View:
    view = known.get(entry.name)
    if view is not None and view.entry == entry:
        return view
    return open_view(folder, entry, view.segment if view else None)
