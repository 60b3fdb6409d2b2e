"""Many files: the next ones are read by sub-processes while the caller works with those that are ready."""

from __future__ import annotations

import contextlib
import threading
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
    n_slow: int = 2,
    slow_s: float = 10.0,
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
        n_slow: further readers for as many files that have taken longer than `slow_s` seconds, so that a few
            scans do not hold up everything else.
        n_ahead: files taken from `files` and not yet given back.
        max_ready_chars: a batch ends once its texts pass this, so that memory stays bounded.
        on_wait: called about every `wait_s` seconds while nothing is ready.
    """
    pool = ThreadPoolExecutor(n_readers + n_slow, thread_name_prefix="reader")
    slots = _Slots(n_readers, slow_s)
    try:
        running: dict[Future[FileRead[_K]], None] = {}
        ready: list[Future[FileRead[_K]]] = []
        while True:
            while len(running) + len(ready) < n_ahead and (file := next(files, None)) is not None:
                running[pool.submit(_read, file, extract, slots)] = None
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
        slots.close()
        pool.shutdown(cancel_futures=True)


class _Slots:
    """Lets `n` files be read at one time; one that is slow gives its slot to the next."""

    def __init__(self, n: int, slow_s: float) -> None:
        self._free = threading.Semaphore(n)
        self._slow_s = slow_s
        self.is_closed = False

    def close(self) -> None:
        """Have whoever waits for a slot find out that its file is not wanted any more."""
        self.is_closed = True

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """A slot for the time of the block, or for its first `slow_s` seconds."""
        self._free.acquire()
        given_back = threading.Lock()

        def give_back() -> None:
            if given_back.acquire(blocking=False):
                self._free.release()

        late = threading.Timer(self._slow_s, give_back)
        late.daemon = True
        late.start()
        try:
            yield
        finally:
            late.cancel()
            give_back()


def _read(file: FileToRead[_K], extract: Extract, slots: _Slots) -> FileRead[_K]:
    extraction: Extraction | None = None
    error: Exception | None = None
    with slots.taken():
        started = time.perf_counter()
        if not slots.is_closed:
            try:
                extraction = extract(file.path, filename=file.filename, limits=file.limits)
            except Exception as fault:  # noqa: BLE001  (a reason or a fault of ours: the caller decides)
                error = fault
    return FileRead(file.key, extraction, error, time.perf_counter() - started)
