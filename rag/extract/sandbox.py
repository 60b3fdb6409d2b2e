"""Extraction in a process of its own, so that no file can take the worker with it.

The child limits itself before it reads anything; the parent stops it at the time limit. It is forked by a
clean process of its own (`rag.extract.fork_server`), never by this one: the parent's threads, locks, models
and secrets stay out of it.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, EmptyDocument, ExtractorCrashed, ResourceLimit
from rag.extract.sniff import is_recording
from rag.extract.wire import decode_result, encode_request
from rag.types import Extraction

_log = logging.getLogger(__name__)

_PACKAGE = str(Path(__file__).resolve().parents[1])
# The package without its door: `import rag` loads numpy and everything about indexes.
_SERVER = """
import sys, types
rag = types.ModuleType("rag")
rag.__path__ = [sys.argv[1]]
sys.modules["rag"] = rag
from rag.extract.fork_server import serve
serve()
"""
_BOOTSTRAP = """
import sys
from pathlib import Path
from rag.extract.child import main
sys.exit(main(Path(sys.argv[2])))
"""
_MAX_LOG_BYTES = 4_000
_MEMORY_WORDS = (
    b"bad_alloc",
    b"memoryerror",
    b"out of memory",
    b"cannot allocate memory",
    b"failed to allocate",
    b"memory allocation of",
)
_ABORTS = tuple(
    -number for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGTRAP, signal.SIGILL)
)
_NEAR_LIMIT = 0.5
_THREAD_LIMITS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "2")


def extract_in_sandbox(path: Path, *, filename: str, limits: ExtractionLimits) -> Extraction:
    """`rag.extract.extract_file`; see there."""
    try:
        if path.stat().st_size == 0:
            raise EmptyDocument("The file has no bytes.")
        if limits.speech_model and is_recording(path):
            limits = replace(limits, time_s=limits.recording_time_s)
    except OSError as exc:
        raise DamagedDocument(
            "The stored file cannot be opened.", next_step="Upload the file again."
        ) from exc
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="footnote-extract-") as folder:
        result, log = Path(folder, "result"), Path(folder, "log")
        Path(folder, "request").write_bytes(encode_request(str(path.resolve()), filename, limits))
        log.touch()
        with _servers.borrowed() as server:
            end = server.run(Path(folder), time_s=limits.time_s)
        _log_child(log, end.status, time.monotonic() - started)
        if end.status is None:
            raise ResourceLimit(f"Reading the file took longer than {limits.time_s:g} seconds.")
        if end.status == 0 and result.exists():
            return decode_result(result.read_bytes())
        if _ran_out(end.status, log) or _fell_near_the_limit(end, limits.memory_mib):
            raise ResourceLimit(f"Reading the file needs more than {limits.memory_mib:,} MiB of memory.")
        raise ExtractorCrashed("The process that reads files ended without a result.")


@dataclass(frozen=True, slots=True)
class _End:
    """How a job ended: exit status, negative for a signal, None at the time limit; its peak memory."""

    status: int | None
    peak_kib: int


class _Server:
    """A fork server (`rag.extract.fork_server`): runs one job at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603  (our own interpreter and module)
            [sys.executable, "-P", "-c", _SERVER, _PACKAGE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,  # `select` must see every line that was not read yet
            cwd=tempfile.gettempdir(),
            env=_clean_environment(),
            start_new_session=True,
        )

    def run(self, folder: Path, *, time_s: float) -> _End:
        """How the job ended, after at most `time_s` seconds.

        Raises:
            ExtractorCrashed: the server itself is gone.
        """
        job = {
            "script": _BOOTSTRAP,
            "argv": json.dumps([_PACKAGE, str(folder / "result")]),
            "stdin": str(folder / "request"),
            "log": str(folder / "log"),
            "folder": str(folder),
        }
        child = None
        try:
            self._pipe(self._process.stdin).write(json.dumps(job).encode() + b"\n")
            self._pipe(self._process.stdin).flush()
            child = self._answer()["pid"]
            answers, _, _ = select.select([self._pipe(self._process.stdout)], [], [], time_s)
            if not answers:
                os.killpg(child, signal.SIGKILL)
            answer = self._answer()
            end = _End(answer["status"] if answers else None, answer["peak_kib"])
        except (OSError, ValueError, KeyError) as exc:
            raise ExtractorCrashed("The process that starts the readers of files ended.") from exc
        except BaseException:  # Ctrl+C, or a task's own time limit
            self.close(child)
            raise
        return end

    def is_alive(self) -> bool:
        """False once the process has ended."""
        return self._process.poll() is None

    def close(self, child: int | None = None) -> None:
        """End the server and, where one runs, its job."""
        if child is not None:
            with contextlib.suppress(OSError):
                os.killpg(child, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self._pipe(self._process.stdin).close()
            self._pipe(self._process.stdout).close()
        self._process.kill()
        self._process.wait()

    def _answer(self) -> dict[str, int]:
        answer: dict[str, int] = json.loads(self._pipe(self._process.stdout).readline())
        return answer

    def _pipe(self, pipe: IO[bytes] | None) -> IO[bytes]:
        if pipe is None:
            raise ValueError("the process was started without pipes")
        return pipe


class _Servers:
    """Fork servers that wait for a job: as many as files were read at one time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._idle: list[_Server] = []

    @contextlib.contextmanager
    def borrowed(self) -> Iterator[_Server]:
        """A server of one's own; one that is still alive afterwards is kept for the next job."""
        with self._lock:
            if self._owner != os.getpid():  # a forked process must not talk through its parent's pipes
                self._owner, self._idle = os.getpid(), []
            server = self._idle.pop() if self._idle else None
        if server is not None and not server.is_alive():
            server.close()
            server = None
        server = server or _Server()
        try:
            yield server
        finally:
            if server.is_alive():
                with self._lock:
                    self._idle.append(server)
            else:
                server.close()

    def close(self) -> None:
        """End all that wait."""
        with self._lock:
            idle, self._idle = self._idle, []
        if self._owner == os.getpid():
            for server in idle:
                server.close()


_servers = _Servers()
atexit.register(_servers.close)


def _clean_environment() -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "PYTHONUTF8": "1",
        "LANG": "C.UTF-8",
        # Each malloc arena reserves 64 MiB of address space, which the memory limit counts.
        "MALLOC_ARENA_MAX": "2",
        **_THREAD_LIMITS,
    }


def _ran_out(status: int, log: Path) -> bool:
    """Killed from outside (the kernel's memory killer), by its CPU limit, or by a failed allocation."""
    if status in (-signal.SIGKILL, -signal.SIGXCPU):
        return True
    said = _tail(log).lower()
    return any(word in said for word in _MEMORY_WORDS)


def _fell_near_the_limit(end: _End, memory_mib: int) -> bool:
    """A C library that gets no memory may abort without a word: PDFium does.

    What is resident is less than the address space that the limit counts.
    """
    return end.status in _ABORTS and end.peak_kib > _NEAR_LIMIT * memory_mib * 1024


def _tail(log: Path) -> bytes:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _MAX_LOG_BYTES))
        return file.read()


def _log_child(log: Path, status: int | None, elapsed_s: float) -> None:
    level = logging.DEBUG if status == 0 else logging.WARNING
    if _log.isEnabledFor(level):
        text = _tail(log).decode("utf-8", errors="replace")
        _log.log(
            level, "extraction process ended: status=%s elapsed_s=%.2f output=%r", status, elapsed_s, text
        )
