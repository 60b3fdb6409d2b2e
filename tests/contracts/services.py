"""Start PostgreSQL and Redis for a test: real servers on the loopback, in a folder of their own."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _postgres_binary(name: str) -> str | None:
    found = shutil.which(name)
    if found:
        return str(Path(found).resolve())
    candidates = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(candidates[-1]) if candidates else None


def _as_postgres_user(folder: Path) -> list[str]:
    """PostgreSQL refuses to run as root; then its own user runs it."""
    if os.getuid() != 0:
        return []
    try:
        entry = pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("PostgreSQL cannot run as root and there is no user `postgres`")
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    return ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]


def _wait_for(port: int, process: subprocess.Popen[bytes], what: str) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        assert process.poll() is None, f"{what} ended at once"
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"{what} does not listen")


@contextmanager
def running(command: list[str], port: int, what: str) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, process, what)
        yield
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()


@contextmanager
def postgres() -> Iterator[str]:
    """A PostgreSQL server; gives its URL. The test is skipped where it is not installed."""
    initdb, server = _postgres_binary("initdb"), _postgres_binary("postgres")
    if initdb is None or server is None:
        pytest.skip("PostgreSQL is not installed")
    # Not below pytest's folder: another user could not enter it.
    folder = Path("/tmp") / f"footnote-postgres-{os.getpid()}-{free_port()}"
    folder.mkdir(mode=0o700)
    user = _as_postgres_user(folder)
    try:
        subprocess.run(
            [
                *user,
                initdb,
                "-D",
                str(folder / "data"),
                "-U",
                "footnote",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--no-sync",
            ],
            check=True,
            capture_output=True,
        )
        port = free_port()
        command = [
            *user,
            server,
            "-D",
            str(folder / "data"),
            "-p",
            str(port),
            "-k",
            str(folder),
            "-h",
            "127.0.0.1",
        ]
        with running([*command, "-c", "fsync=off"], port, "PostgreSQL"):
            time.sleep(0.3)
            yield f"postgres://footnote@127.0.0.1:{port}/postgres"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def redis(tmp: Path) -> Iterator[str]:
    """A Redis server; gives its URL. The test is skipped where it is not installed."""
    binary = shutil.which("redis-server") or shutil.which("valkey-server")
    if binary is None:
        pytest.skip("Redis is not installed")
    port = free_port()
    command = [binary, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp)]
    with running(command, port, "Redis"):
        yield f"redis://127.0.0.1:{port}/0"
