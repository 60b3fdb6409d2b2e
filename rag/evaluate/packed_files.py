"""Text files by name out of a folder or a ZIP, in which they may lie in a folder of their own."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rag.errors import BadInput

ReadText = Callable[[str], str | None]
"""File name → its text without a byte order mark; None where there is no such file."""


@contextmanager
def packed_files(path: Path) -> Iterator[ReadText]:
    """A reader of the files in a folder or ZIP.

    Raises:
        BadInput: it is neither, is damaged or needs a password, or a file is not written in UTF-8.
    """
    try:
        if path.is_dir():
            yield _of_folder(path)
            return
        with zipfile.ZipFile(path) as archive:
            yield _of_archive(archive)
    # A password and an unknown method are a RuntimeError and a NotImplementedError of zipfile; damaged bytes are told
    # by the method's own library.
    except (
        OSError,
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        RuntimeError,
        NotImplementedError,
    ) as exc:
        raise BadInput(f"{path} must be a folder, or a ZIP that is whole and without a password.") from exc


def _of_folder(folder: Path) -> ReadText:
    def read(file: str) -> str | None:
        path = folder / file
        return _decoded(file, path.read_bytes()) if path.is_file() else None

    return read


def _of_archive(archive: zipfile.ZipFile) -> ReadText:
    names = [name for name in archive.namelist() if not name.startswith("__MACOSX/")]

    def read(file: str) -> str | None:
        name = next((name for name in names if name == file or name.endswith(f"/{file}")), None)
        return _decoded(file, archive.read(name)) if name is not None else None

    return read


def _decoded(file: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise BadInput(f"{file} is not written in UTF-8.") from exc
