"""Files of this machine that a command uploads."""

from __future__ import annotations

import hashlib
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
    if path.is_file():
        return [(path, path.name)]
    root = path.resolve()
    return [
        (file, name)
        for file in sorted(path.rglob("*"))
        if file.is_file()
        and not is_system_file(name := file.relative_to(path).as_posix())
        and file.resolve().is_relative_to(root)
    ]


def links_out_of(path: Path) -> list[str]:
    """Names of the files below `path` that are links to somewhere outside it."""
    root = path.resolve()
    return [
        file.relative_to(path).as_posix()
        for file in sorted(path.rglob("*"))
        if file.is_file() and not file.resolve().is_relative_to(root)
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
        self._known: dict[Path, tuple[tuple[int, int, int], str]] = {}

    def files(self) -> list[SyncFile]:
        """Every file there is now."""
        found = files_below(self.path)
        self._known = {path: self._known[path] for path, _ in found if path in self._known}
        return [SyncFile(name, partial(_opened, path), partial(self._sha256, path)) for path, name in found]

    def _sha256(self, path: Path) -> str:
        status = path.stat()
        seen = (status.st_mtime_ns, status.st_size, status.st_ino)
        known = self._known.get(path)
        if known is not None and known[0] == seen:
            return known[1]
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        if time.time() - status.st_mtime > SETTLED_AFTER_S:
            self._known[path] = (seen, sha256)
        return sha256
