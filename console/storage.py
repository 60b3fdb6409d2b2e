"""Files on disk: originals stored once by SHA-256, canonical texts beside them.

Everything is written to a temporary name in the same folder and renamed, so a reader never sees
half a file, whatever is killed when.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from django.conf import settings

import rag

MIN_AGE_S = 60.0


def _path(kind: str, digest: str) -> Path:
    return Path(settings.HOME) / kind / digest[:2] / digest


def original_path(sha256: str) -> Path:
    """Where the original bytes with this SHA-256 lie."""
    return _path("files", sha256)


def store_original(pieces: Iterable[bytes]) -> tuple[str, int]:
    """Store a file's bytes and give back their SHA-256 (hex) and size; the same bytes are kept once."""
    return _store("files", pieces)


def _store(kind: str, pieces: Iterable[bytes]) -> tuple[str, int]:
    root = Path(settings.HOME) / kind
    root.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    size = 0
    handle, name = tempfile.mkstemp(dir=root, prefix=".incoming-")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
                file.write(piece)
        target = _path(kind, digest.hexdigest())
        target.parent.mkdir(exist_ok=True)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    return digest.hexdigest(), size


def remove_unreferenced(kind: Literal["files", "canonical", "pages"], referenced: set[str]) -> int:
    """Remove what no key of `referenced` names and is older than a minute; gives back how many went.

    The age spares a file that is being uploaded: its bytes are stored before its row is written.
    """
    n_removed = 0
    root = Path(settings.HOME) / kind
    for path in [*root.glob("*/*"), *root.glob(".incoming-*")]:  # the second: of a process that was killed
        if path.name in referenced or time.time() - path.stat().st_mtime < MIN_AGE_S:
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        n_removed += 1
    return n_removed


def store_canonical(extraction: rag.Extraction) -> str:
    """Store an extraction without its attachments; gives back the key (SHA-256 of what was stored)."""
    return _store("canonical", [rag.dump_extraction(extraction)])[0]


def load_canonical(key: str) -> rag.Extraction:
    """The extraction stored under `key`.

    Raises:
        FileNotFoundError: the file is gone from the data folder, or nothing that can be read.
    """
    try:
        return rag.load_extraction(_path("canonical", key).read_bytes())
    except rag.DocumentError as error:
        raise FileNotFoundError(f"the canonical text {key} is damaged") from error
