"""Files of this machine that a command uploads."""

from __future__ import annotations

from pathlib import Path

from console.people.models import User
from console.sources.models import Folder
from console.sources.services import upload_document

PIECE_BYTES = 1024 * 1024


def files_below(path: Path) -> list[tuple[Path, str]]:
    """Every file below `path` with its name relative to it. A file is itself.

    Left out: hidden files, and links that lead out of `path` (`links_out_of` names them): a shared folder
    must not be a way to read other files of this machine.
    """
    if path.is_file():
        return [(path, path.name)]
    root = path.resolve()
    return [
        (file, file.relative_to(path).as_posix())
        for file in sorted(path.rglob("*"))
        if file.is_file() and not _is_hidden(file.relative_to(path)) and file.resolve().is_relative_to(root)
    ]


def links_out_of(path: Path) -> list[str]:
    """Names of the files below `path` that are links to somewhere outside it."""
    root = path.resolve()
    return [
        file.relative_to(path).as_posix()
        for file in sorted(path.rglob("*"))
        if file.is_file() and not file.resolve().is_relative_to(root)
    ]


def _is_hidden(name: Path) -> bool:
    return any(part.startswith(".") for part in name.parts)


def upload_file(*, actor: User | None, folder: Folder, path: Path, name: str) -> tuple[int, bool]:
    """Upload one file from disk; gives back the document's id and whether anything changed.

    Raises:
        Rejected: see `console.sources.services.upload_document`.
    """
    with path.open("rb") as file:
        document, has_changed = upload_document(
            actor=actor, folder=folder, name=name, pieces=iter(lambda: file.read(PIECE_BYTES), b"")
        )
    return document.pk, has_changed
