"""Keep a folder in step with a directory or an archive: new, changed, renamed and deleted files.

Every file is hashed first, then the whole is planned, then it is done: what is a rename and which name
holds the same bytes can be told only when all names are known.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import IO

import rag
from console.access import Rejected, require_admin
from console.people.models import User
from console.sources.models import Document, Folder
from console.sources.names import clean_name
from console.sources.services import delete_document
from console.sources.sync_report import SyncReport, SyncResult, SyncRow
from console.sources.uploads import (
    UploadOutcome,
    adopt_document,
    holder_of,
    pieces_of,
    rename_document,
    upload_document,
    within_limit,
)


@dataclass(frozen=True, slots=True)
class SyncFile:
    """A file that is there: its path with `/`, how to open it, and what knows its SHA-256 without reading it."""

    name: str
    open: Callable[[], IO[bytes]]
    digest: Callable[[], str] | None = None


def sync_files(
    *,
    actor: User | None,
    folder: Folder,
    origin: str,
    files: Iterable[SyncFile],
    unlisted: Collection[str] = (),
    dry_run: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> SyncReport:
    """Make the folder's documents of this `origin` what `files` are; other documents are never deleted.

    A name that is gone while its bytes stand under a new one is a rename: the document keeps its id.
    A file that cannot be opened is not taken for gone. With `dry_run` nothing is changed.

    Args:
        actor: who does it; None is the system.
        folder: where to.
        origin: ``directory:PATH`` or ``zip:NAME``.
        files: all files there are.
        unlisted: directories whose files are unknown, by their name; ``.`` is the whole. What came from there stays.
        dry_run: only say what would be done.
        on_progress: called with (changes done, changes in all).

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: there is no file at all, though documents came from this origin.
    """
    require_admin(actor)
    report = SyncReport(origin=origin, is_dry_run=dry_run)
    given = _Given()
    for file in files:
        given.take(file, report.rows)
    for name in unlisted:
        why = Rejected(
            "directory_unlisted", "The directory cannot be listed; what came from it stays as it is."
        )
        report.rows.append(_rejection(name, why))
    documents = list(Document.objects.filter(folder=folder, parent=None, deleted_at=None).order_by("pk"))
    if not given.names and any(document.origin == origin for document in documents):
        raise Rejected(
            "sync_empty",
            "There is no file at all, so nothing was changed. If they are meant to go, delete the documents.",
        )
    steps = _plan(documents, given, origin, list(unlisted))
    for n_done, step in enumerate(steps, start=1):
        report.rows.append(step if dry_run else _done(step, actor, folder, origin, given))
        if on_progress is not None:
            on_progress(n_done, len(steps))
    order = list(SyncResult)
    report.rows.sort(key=lambda row: (order.index(row.result), row.name))
    return report


class _Given:
    """The files of one run by their name in the folder, with their SHA-256."""

    def __init__(self) -> None:
        self.files: dict[str, SyncFile] = {}
        self.sha256: dict[str, str] = {}
        self.names: set[str] = set()
        """Of every file that is there, also of those that could not be read: they are not gone."""

    def take(self, file: SyncFile, rejected: list[SyncRow]) -> None:
        try:
            name = self._new_name(file.name)
            self.sha256[name] = _digest(file, name)
            self.files[name] = file
        except Rejected as error:
            rejected.append(_rejection(file.name, error))

    def _new_name(self, given: str) -> str:
        name = clean_name(given)
        if name in self.names:
            raise Rejected("name_twice", f"Another file has the name {name} here.")
        self.names.add(name)
        return name


def _digest(file: SyncFile, name: str) -> str:
    if file.digest is not None:
        with _told_as_rejected():
            return file.digest()
    digest = hashlib.sha256()
    for piece in within_limit(_pieces(file), name):
        digest.update(piece)
    return digest.hexdigest()


def _pieces(file: SyncFile) -> Iterator[bytes]:
    with _told_as_rejected(), file.open() as opened:
        yield from pieces_of(opened)


@contextmanager
def _told_as_rejected() -> Iterator[None]:
    """A file that cannot be opened, or whose packing is damaged, is one that is not taken."""
    try:
        yield
    except rag.UNPACK_ERRORS as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "it is damaged"
        raise Rejected("file_unreadable", f"The file could not be read: {why}.") from error


def _rejection(name: str, error: Rejected) -> SyncRow:
    return SyncRow(name, SyncResult.REJECTED, code=error.code, detail=str(error))


def _plan(documents: list[Document], given: _Given, origin: str, unlisted: list[str]) -> list[SyncRow]:
    """What to do, in an order in which no step disturbs a later one: changed, renamed, new, gone."""
    of_name = {document.name: document for document in documents}
    gone = {
        document.pk: document
        for document in documents
        if document.origin == origin
        and document.name not in given.names
        and not any(name == "." or document.name.startswith(f"{name}/") for name in unlisted)
    }
    changed, same, new = [], [], []
    for name, sha256 in given.sha256.items():
        document = of_name.get(name)
        if document is None:
            new.append(name)
        elif document.sha256 == sha256:
            same.append(SyncRow(name, SyncResult.UNCHANGED, document))
        else:
            changed.append(SyncRow(name, SyncResult.REPLACED, document))
    # Who holds which bytes once what changed is stored.
    holder = {
        given.sha256.get(document.name, document.sha256): document.name
        for document in reversed(documents)
        if document.pk not in gone
    }
    renamed, created = [], []
    for name, earlier in _renames(new, gone, given):
        renamed.append(SyncRow(name, SyncResult.RENAMED, earlier, detail=earlier.name))
        holder.setdefault(given.sha256[name], name)
        new.remove(name)
    for name in new:
        held_as = holder.setdefault(given.sha256[name], name)
        if held_as == name:
            created.append(SyncRow(name, SyncResult.CREATED))
        else:
            created.append(SyncRow(name, SyncResult.SAME_BYTES, of_name.get(held_as), "same_bytes", held_as))
    deleted = [SyncRow(document.name, SyncResult.DELETED, document) for document in gone.values()]
    return [*same, *changed, *renamed, *created, *deleted]


def _renames(new: list[str], gone: dict[int, Document], given: _Given) -> list[tuple[str, Document]]:
    """New names with the gone document whose bytes they hold, the same last part first; taken out of `gone`."""
    by_sha256: defaultdict[str, list[Document]] = defaultdict(list)
    for document in gone.values():
        by_sha256[document.sha256].append(document)
    found = []
    for name in new:
        candidates = by_sha256[given.sha256[name]]
        if candidates:
            last = PurePosixPath(name).name
            earlier = min(candidates, key=lambda document: PurePosixPath(document.name).name != last)
            candidates.remove(earlier)
            del gone[earlier.pk]
            found.append((name, earlier))
    return found


def _done(step: SyncRow, actor: User | None, folder: Folder, origin: str, given: _Given) -> SyncRow:
    """Do one step; gives back what came of it."""
    try:
        if step.result in {SyncResult.CREATED, SyncResult.REPLACED}:
            pieces = _pieces(given.files[step.name])
            uploaded = upload_document(
                actor=actor, folder=folder, name=step.name, pieces=pieces, origin=origin
            )
            is_elsewhere = uploaded.outcome is UploadOutcome.SAME_BYTES
            return SyncRow(
                step.name,
                SyncResult(uploaded.outcome.value),
                uploaded.document,
                "same_bytes" if is_elsewhere else "",
                uploaded.document.name if is_elsewhere else "",
            )
        if step.result is SyncResult.SAME_BYTES:
            return replace(step, document=holder_of(folder, given.sha256[step.name]))
        if step.document is not None:
            _change(step.result, step.document, step.name, actor, origin)
    except Rejected as error:
        return _rejection(step.name, error)
    return step


def _change(result: SyncResult, document: Document, name: str, actor: User | None, origin: str) -> None:
    if result is SyncResult.RENAMED:
        rename_document(actor=actor, document=document, name=name)
    elif result is SyncResult.DELETED:
        delete_document(actor=actor, document=document)
    elif result is SyncResult.UNCHANGED:
        adopt_document(document, origin)
