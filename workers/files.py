"""Files of this machine that a command uploads."""

from __future__ import annotations

import hashlib
import os
import time
from functools import partial
from pathlib import Path
from typing import IO

from console.people.models import User
from console.sources.models import Folder
from console.sources.names import is_system_file
from console.sources.sync import SyncFile
from console.sources.uploads import Uploaded, pieces_of, upload_document

SETTLED_AFTER_S = 2.0
"""A file changed more recently may change again within the same tick of the file system's clock."""


def files_below(path: Path) -> list[tuple[Path, str]]:
    """Every file below `path` with its name relative to it. A file is itself.

    Left out: hidden files and those of operating systems, and links that lead out of `path`
    (`links_out_of` names them): a shared folder must not be a way to read other files of this machine.
    """
    return _walk(path)[0]


def unlisted_below(path: Path) -> list[str]:
    """Names of the directories below `path` that may not be listed; ``.`` is `path` itself."""
    return _walk(path)[1]


def _walk(path: Path) -> tuple[list[tuple[Path, str]], list[str]]:
    """The files below `path` with their names, and the directories that hide theirs."""
    if path.is_file():
        return [(path, path.name)], []
    root = path.resolve()
    unlisted: list[str] = []

    def note(error: OSError) -> None:
        unlisted.append(Path(error.filename).relative_to(path).as_posix())

    found = [Path(folder, name) for folder, _, names in os.walk(path, onerror=note) for name in names]
    files = []
    for file in sorted(found):
        name = file.relative_to(path).as_posix()
        try:
            if not is_system_file(name) and file.is_file() and file.resolve().is_relative_to(root):
                files.append((file, name))
        except PermissionError:  # the directory may be listed but not entered
            unlisted.append(file.parent.relative_to(path).as_posix())
    return files, sorted(set(unlisted))


def links_out_of(path: Path) -> list[str]:
    """Names of the files and directories below `path` that are links to somewhere outside it."""
    root = path.resolve()
    return [
        file.relative_to(path).as_posix()
        for file in sorted(path.rglob("*"))
        if (file.is_file() or file.is_symlink()) and not file.resolve().is_relative_to(root)
    ]


def upload_file(*, actor: User | None, folder: Folder, path: Path, name: str) -> Uploaded:
    """Upload one file from disk.

    Raises:
        Rejected: see `console.sources.uploads.upload_document`.
    """
    with path.open("rb") as file:
        return upload_document(actor=actor, folder=folder, name=name, pieces=pieces_of(file))


def _opened(path: Path) -> IO[bytes]:
    return path.open("rb")


class WatchedDirectory:
    """A directory that is looked at again and again; a file is hashed anew only when it seems changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.unlisted: list[str] = []
        """Directories that could not be listed when `files` looked last."""
        self._known: dict[Path, tuple[tuple[int, ...], str]] = {}

    def files(self) -> list[SyncFile]:
        """Every file there is now."""
        found, self.unlisted = _walk(self.path)
        self._known = {path: self._known[path] for path, _ in found if path in self._known}
        return [SyncFile(name, partial(_opened, path), partial(self._sha256, path)) for path, name in found]

    def _sha256(self, path: Path) -> str:
        status = path.stat()
        seen = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        known = self._known.get(path)
        if known is not None and known[0] == seen:
            return known[1]
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        if time.time() - max(status.st_mtime, status.st_ctime) > SETTLED_AFTER_S:
            self._known[path] = (seen, sha256)
        return sha256
