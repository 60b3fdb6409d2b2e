"""Many files: the next ones are read by sub-processes while the caller works with those that are ready."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from rag.config import ExtractionLimits
from rag.types import Extraction

_K = TypeVar("_K")
Extract = Callable[..., Extraction]


@dataclass(frozen=True, slots=True)
class FileToRead(Generic[_K]):
    """A stored file; `key` is the caller's own and comes back with the result."""

    key: _K
    path: Path
    filename: str
    limits: ExtractionLimits = field(default_factory=ExtractionLimits)


@dataclass(frozen=True, slots=True)
class FileRead(Generic[_K]):
    """What became of a file: its extraction, or the error that `extract` raised."""

    key: _K
    extraction: Extraction | None
    error: Exception | None
    elapsed_s: float

    def result(self) -> Extraction:
        """The extraction; raises `error` where there is none."""
        if self.extraction is None:
            raise self.error or ValueError("neither an extraction nor an error")
        return self.extraction


def read_files(
    files: Iterator[FileToRead[_K]],
    extract: Extract,
    *,
    n_readers: int = 2,
    n_ahead: int = 32,
    max_ready_chars: int = 4_000_000,
    on_wait: Callable[[], None] | None = None,
    wait_s: float = 15.0,
) -> Generator[list[FileRead[_K]], None, None]:
    """Batches of files in the order they were read; a batch is what became ready since the last one.

    `files` is asked for the next only in the caller's thread and only while fewer than `n_ahead` are
    on their way, so it may claim them one by one. No file waits for a slower one. Closing the generator
    waits for the files that are being read and drops those that wait.

    Args:
        files: what to read.
        extract: `rag.extract_file`; called in threads as ``extract(path, filename=…, limits=…)``.
        n_readers: files read at one time.
        n_ahead: files taken from `files` and not yet given back.
        max_ready_chars: a batch ends once its texts pass this, so that memory stays bounded.
        on_wait: called about every `wait_s` seconds while nothing is ready.
    """
    pool = ThreadPoolExecutor(n_readers, thread_name_prefix="reader")
    try:
        running: dict[Future[FileRead[_K]], None] = {}
        ready: list[Future[FileRead[_K]]] = []
        while True:
            while len(running) + len(ready) < n_ahead and (file := next(files, None)) is not None:
                running[pool.submit(_read, file, extract)] = None
            if not running and not ready:
                return
            # Ready ones first, without waiting; else whatever comes next.
            done, _ = wait(running, timeout=0 if ready else wait_s, return_when=FIRST_COMPLETED)
            for future in done:
                del running[future]
            ready += done
            if not ready:
                if on_wait is not None:
                    on_wait()
                continue
            batch, n_chars = [], 0
            while ready and n_chars <= max_ready_chars:
                read = ready.pop(0).result()
                batch.append(read)
                n_chars += len(read.extraction.text) if read.extraction is not None else 0
            yield batch
    finally:
        # Files that no reader has begun are dropped: reading all of `n_ahead` would take long.
        pool.shutdown(cancel_futures=True)


def _read(file: FileToRead[_K], extract: Extract) -> FileRead[_K]:
    started = time.perf_counter()
    extraction: Extraction | None = None
    error: Exception | None = None
    try:
        extraction = extract(file.path, filename=file.filename, limits=file.limits)
    except Exception as fault:  # noqa: BLE001  (a reason or a fault of ours: the caller decides, file by file)
        error = fault
    return FileRead(file.key, extraction, error, time.perf_counter() - started)
