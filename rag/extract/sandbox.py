"""Extraction in a process of its own, so that no file can take the worker with it.

The child limits itself before it loads anything; the parent stops it at the time limit. A fresh
interpreter (not fork) keeps the parent's threads, locks and models out of it, and its environment
holds none of the parent's secrets.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, EmptyDocument, ExtractorCrashed, ResourceLimit
from rag.extract.wire import decode_result, encode_request
from rag.types import Extraction

_log = logging.getLogger(__name__)

_PACKAGE = str(Path(__file__).resolve().parents[1])
# The package without its door: `import rag` loads numpy and everything about indexes, which
# would double the time that a small file takes.
_BOOTSTRAP = """
import sys, types
rag = types.ModuleType("rag")
rag.__path__ = [sys.argv[1]]
sys.modules["rag"] = rag
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
)
_THREAD_LIMITS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "2")


def extract_in_sandbox(path: Path, *, filename: str, limits: ExtractionLimits) -> Extraction:
    """`rag.extract.extract_file`; see there."""
    try:
        if path.stat().st_size == 0:
            raise EmptyDocument("The file has no bytes.")
    except OSError as exc:
        raise DamagedDocument(
            "The stored file cannot be opened.", next_step="Upload the file again."
        ) from exc
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="footnote-extract-") as folder:
        result, log = Path(folder, "result"), Path(folder, "log")
        request = encode_request(str(path.resolve()), filename, limits)
        status = _run_child(request, result=result, log=log, time_s=limits.time_s)
        _log_child(log, status, time.monotonic() - started)
        if status is None:
            raise ResourceLimit(f"Reading the file took longer than {limits.time_s:g} seconds.")
        if status == 0 and result.exists():
            return decode_result(result.read_bytes())
        if _ran_out(status, log):
            raise ResourceLimit(f"Reading the file needs more than {limits.memory_mib:,} MiB of memory.")
        raise ExtractorCrashed("The process that reads files ended without a result.")


def _run_child(request: bytes, *, result: Path, log: Path, time_s: float) -> int | None:
    """The child's exit status, negative for a signal; None when it was stopped at the time limit."""
    command = [sys.executable, "-P", "-c", _BOOTSTRAP, _PACKAGE, str(result)]
    with log.open("wb") as log_file:
        child = subprocess.Popen(  # noqa: S603  (our own interpreter and module)
            command,
            stdin=subprocess.PIPE,
            stdout=log_file,
            stderr=subprocess.STDOUT,
            cwd=result.parent,
            env=_child_environment(result.parent),
            start_new_session=True,
        )
        try:
            child.communicate(request, timeout=time_s)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _stop(child)
        return child.returncode


def _child_environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "PYTHONUTF8": "1",
        "LANG": "C.UTF-8",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        # Each malloc arena reserves 64 MiB of address space, which the memory limit counts.
        "MALLOC_ARENA_MAX": "2",
        **_THREAD_LIMITS,
    }


def _stop(child: subprocess.Popen[bytes]) -> None:
    """End the child and whatever it started; then collect its status."""
    if child.poll() is None:
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    child.wait()


def _ran_out(status: int, log: Path) -> bool:
    """Killed from outside (the kernel's memory killer), by its CPU limit, or by a failed allocation."""
    if status in (-signal.SIGKILL, -signal.SIGXCPU):
        return True
    said = _tail(log).lower()
    return any(word in said for word in _MEMORY_WORDS)


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
