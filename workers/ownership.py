"""Which process owns the data folder.

Qdrant Edge locks its folder, so in embedded mode exactly one process does the work. Whoever holds
this lock is it; a command that does not get the lock leaves its work pending in the database, where
the owner finds it.
"""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from filelock import FileLock, Timeout


class DataFolderOwnership:
    """A lock file in the data folder, released when the process ends, however it ends."""

    def __init__(self) -> None:
        self._lock = FileLock(Path(settings.HOME) / "owner.lock")

    def claim(self) -> bool:
        """True if this process owns the data folder now; always False in server mode."""
        if not settings.IS_EMBEDDED:
            return False
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            return False
        return True

    def release(self) -> None:
        """Let another process own the folder."""
        self._lock.release()
