"""A small clean process that forks a child for each job.

An interpreter with the parsers loaded takes 0.1 s to start, a fork of one takes 5 ms. The server keeps one
thread, so forking is safe, and parses nothing itself.

A job is a line of JSON: `script` runs with `argv`, its standard input is the file `stdin`, its output goes
to the file `log`, its working and temporary folder is `folder`. The answers are two lines:
``{"pid": 7}`` at once and ``{"status": 0, "peak_kib": 9000}`` at its end; a negative status is the signal
that ended it, the peak is of its resident memory.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import signal
import sys
import tempfile
import traceback

# What most readers need. Nothing that starts threads: numpy does, and so what imports it.
_PRELOADED = ("rag.extract.child", "lxml.etree", "bs4", "markdown_it", "charset_normalizer", "pypdfium2")


def serve() -> None:
    """Run jobs one after another until standard input ends."""
    for name in _PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    while line := sys.stdin.buffer.readline():
        _run(json.loads(line))


def _run(job: dict[str, str]) -> None:
    ended, holds = os.pipe()  # its far end closes with the child
    child = os.fork()
    if child == 0:
        os.close(ended)
        os.setpgid(0, 0)
        _become(job)
    os.close(holds)
    with contextlib.suppress(OSError):
        os.setpgid(child, child)  # whoever comes first: the group exists before its number is told
    _say(pid=child)
    readable, _, _ = select.select([ended, sys.stdin.fileno()], [], [])
    if ended not in readable:  # the parent is gone: nobody wants the result
        _end_group(child)
        sys.exit(1)
    os.close(ended)
    _, status, usage = os.wait4(child, 0)
    _end_group(child)
    peak_kib = usage.ru_maxrss // 1024 if sys.platform == "darwin" else usage.ru_maxrss
    _say(status=os.waitstatus_to_exitcode(status), peak_kib=peak_kib)


def _say(**values: int) -> None:
    sys.stdout.buffer.write(json.dumps(values).encode() + b"\n")
    sys.stdout.buffer.flush()


def _end_group(child: int) -> None:
    """End what the child started and left behind."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)


def _become(job: dict[str, str]) -> None:
    """Run the job's script as an interpreter of its own would, and exit."""
    status = 1
    try:
        for number, path, flags in (
            (0, job["stdin"], os.O_RDONLY),
            (1, job["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND),
        ):
            handle = os.open(path, flags, 0o600)
            os.dup2(handle, number)
            os.close(handle)
        os.dup2(1, 2)
        os.chdir(job["folder"])
        os.environ["HOME"] = os.environ["TMPDIR"] = tempfile.tempdir = job["folder"]
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  (the process's own)
        sys.argv = ["-c", *json.loads(job["argv"])]
        exec(compile(job["script"], "<job>", "exec"), {"__name__": "__main__"})  # noqa: S102  (our parent's script)
        status = 0
    except SystemExit as stop:
        status = _status_of(stop.code)
    except BaseException:  # noqa: BLE001  (as an interpreter does at its end)
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _status_of(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    sys.stderr.write(f"{code}\n")
    return 1
