"""Which segments make up a lexical index now: one small file, replaced in one step.

A writer holds the folder's lock, writes new files, then replaces the manifest; a crash before that leaves
files that no manifest names. Dead documents of a segment are appended to a file beside it; the manifest says
how many of its entries count. Readers need no lock: a file that a manifest named and that is gone was merged
away, and a newer manifest is there.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rag.atomic import write_atomically
from rag.errors import IndexMismatch, StoreDown
from rag.lexical.faults import REBUILD_WORDS, damaged
from rag.lexical.segment import Ints
from rag.lexical.words import WORDS_VERSION

_MANIFEST = "manifest.json"
_FORMAT = 1
_ABANDONED_S = 3_600.0
"""A merge writes for minutes at most; an older unfinished file is what a crash left."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One segment as the manifest names it, and how many of its documents are dead."""

    name: str
    n_dead: int = 0


def _entries_of(written: bytes) -> tuple[Entry, ...]:
    """The entries of a manifest.

    Raises:
        StoreDown: it is none.
        IndexMismatch: it is of another form.
    """
    try:
        described = json.loads(written)
        found, words = described["format"], described.get("words", 1)
        entries = tuple(Entry(str(name), int(n_dead)) for name, n_dead in described["segments"])
    except (ValueError, KeyError, TypeError, RecursionError) as exc:
        raise damaged("The manifest") from exc
    if found != _FORMAT:
        raise IndexMismatch(f"The lexical index has format {found} instead of {_FORMAT}.")
    if words != WORDS_VERSION and entries:
        raise IndexMismatch(
            f"The lexical index holds words of version {words}; this release reads version {WORDS_VERSION}.",
            next_step=REBUILD_WORDS,
        )
    return entries


class Folder:
    """The files of one lexical index."""

    def __init__(self, directory: Path) -> None:
        """Creates the folder.

        Raises:
            IndexMismatch: it holds an index of Footnote's earlier form.
        """
        self._directory = directory
        self._manifest = directory / _MANIFEST
        directory.mkdir(parents=True, exist_ok=True)
        if (directory / "generation").exists() and not self._manifest.exists():
            raise IndexMismatch("The lexical index was made by an earlier version of Footnote.")
        self._is_swept = False

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One writer at a time, over all processes; threads take a lock of their own before."""
        handle = os.open(self._directory / "lock", os.O_CREAT | os.O_RDWR, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if not self._is_swept:
                # Of a damaged manifest whoever reads it is told; dropping the index does not.
                with suppress(IndexMismatch, StoreDown):
                    self._sweep()
                    self._is_swept = True
            yield
        finally:
            os.close(handle)

    def inode(self) -> int:
        """What tells one manifest from the next as long as the first is held open; 0 when there is none."""
        try:
            return os.stat(self._manifest).st_ino  # noqa: PTH116  (asked before each search; a third of the time)
        except FileNotFoundError:
            return 0

    def opened(self) -> tuple[tuple[Entry, ...], int | None]:
        """The entries now and the open file they were read from, to be closed by who takes it."""
        try:
            handle = os.open(self._manifest, os.O_RDONLY)
        except FileNotFoundError:
            return (), None
        try:
            with os.fdopen(os.dup(handle), "rb") as file:
                return _entries_of(file.read()), handle
        except BaseException:
            os.close(handle)
            raise

    def entries(self) -> tuple[Entry, ...]:
        """The entries now."""
        entries, handle = self.opened()
        if handle is not None:
            os.close(handle)
        return entries

    def replace(self, entries: Iterable[Entry], *, gone: Iterable[str] = ()) -> None:
        """Make these the entries; the segments that are gone are removed afterwards."""
        self._sync()
        rows = [[entry.name, entry.n_dead] for entry in entries]
        write_atomically(
            self._manifest, json.dumps({"format": _FORMAT, "words": WORDS_VERSION, "segments": rows})
        )
        for name in gone:
            self.segment(name).unlink(missing_ok=True)
            self._dead(name).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove everything but the lock, which others may wait for."""
        self._manifest.unlink(missing_ok=True)
        self._sweep(abandoned_s=0.0)

    def segment(self, name: str) -> Path:
        """Where a segment lies."""
        return self._directory / f"{name}.segment"

    def unfinished(self, name: str) -> Path:
        """Where a segment is written before it counts."""
        return self._directory / f".writing-{name}"

    def dead(self, entry: Entry) -> Ints:
        """The places of the segment's dead documents."""
        if not entry.n_dead:
            return np.empty(0, dtype=np.int32)
        places = np.fromfile(self._dead(entry.name), dtype="<i4", count=entry.n_dead)
        if len(places) < entry.n_dead:  # what was deleted must not come back
            raise damaged("The list of deleted documents")
        return places

    def add_dead(self, entry: Entry, places: Iterable[int]) -> Entry:
        """The entry with these documents dead too; nothing changes until the manifest is replaced."""
        added = np.fromiter(places, dtype="<i4")
        if not len(added):
            return entry
        handle = os.open(self._dead(entry.name), os.O_CREAT | os.O_RDWR, 0o644)
        with os.fdopen(handle, "r+b") as file:
            # What a crash left behind the entries that count is written over.
            file.seek(entry.n_dead * added.itemsize)
            file.write(added.tobytes())
            file.flush()
            os.fsync(file.fileno())
        return Entry(entry.name, entry.n_dead + len(added))

    def _dead(self, name: str) -> Path:
        return self._directory / f"{name}.dead"

    def _sync(self) -> None:
        """Names of new files reach the disk before the manifest that tells of them."""
        handle = os.open(self._directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def _sweep(self, *, abandoned_s: float = _ABANDONED_S) -> None:
        named = {entry.name for entry in self.entries()}
        for path in [*self._directory.glob("*.segment"), *self._directory.glob("*.dead")]:
            if path.stem not in named:
                path.unlink(missing_ok=True)
        for path in self._directory.glob(".writing-*"):
            if time.time() - path.stat().st_mtime >= abandoned_s:
                path.unlink(missing_ok=True)
