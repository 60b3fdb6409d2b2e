"""What the disk and damaged files raise becomes `StoreDown` where it leaves the embedded lexical index."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from rag.errors import StoreDown

REBUILD_WORDS = (
    "Stop Footnote and run `manage.py rebuild_words`: it takes the words from the stored passages."
)
REBUILD = f"Check the disk. {REBUILD_WORDS}"
_FREE_SPACE = "Free space on the disk that holds Footnote's data folder, then try again."
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


def damaged(what: str) -> StoreDown:
    """The error for a file that is not what was written."""
    return StoreDown(f"{what} of the lexical index is damaged.", next_step=REBUILD)


@contextmanager
def disk_faults() -> Iterator[None]:
    """A full disk, a file that cannot be read or written, and postings that point nowhere.

    Raises:
        StoreDown: for each of them.
    """
    try:
        yield
    except OSError as exc:
        if exc.errno in _FULL:
            raise StoreDown("The disk of the lexical index is full.", next_step=_FREE_SPACE) from exc
        raise StoreDown(
            f"The files of the lexical index cannot be used ({exc.strerror or 'input or output failed'}).",
            next_step=REBUILD,
        ) from exc
    except (IndexError, ValueError) as exc:  # an array's numbers are no places of another
        raise damaged("A segment") from exc
