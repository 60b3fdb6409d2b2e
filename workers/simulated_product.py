"""The product as a process of its own beside a simulated Slack: `manage.py serve` with other settings."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError

ADMIN_PASSWORD = "simulated-harbour"  # noqa: S105 - of a sample that only this machine can reach
START_S = 180


class SimulatedProduct:
    """Starts, kills and restarts `manage.py serve`. Its data lie apart from the real ones: nothing owed to a
    real workspace is ever sent to the simulated one."""

    def __init__(self, home: Path, port: int, environment: dict[str, str], *, is_quiet: bool = False) -> None:
        self._home = home
        self._port = port
        self._is_quiet = is_quiet
        self._environment = {
            **os.environ,
            "FOOTNOTE_HOME": str(home),
            "FOOTNOTE_ADMIN_PASSWORD": ADMIN_PASSWORD,
            **environment,
        }
        self._has_sample = True
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, name: str, text: str) -> None:
        """Before a start: one document in an open folder instead of the sample.

        Raises:
            CommandError: it could not be read.
        """
        self._has_sample = False
        self._home.mkdir(parents=True, exist_ok=True)
        folder = self._home / "to-read"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
        for command in (["setup", "--no-sample"], ["ingest", str(folder), "--folder", "Handbook", "--open"]):
            done = subprocess.run(  # noqa: S603 - our own command
                [sys.executable, "manage.py", *command],
                cwd=settings.BASE_DIR,
                env=self._environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise CommandError(f"`manage.py {command[0]}` failed: {done.stderr[-1_000:]}")

    def start(self, timeout_s: float = START_S) -> None:
        """Start it and wait until it answers.

        Raises:
            CommandError: it ended, or did not answer in time.
        """
        self._home.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "manage.py", "serve", "--port", str(self._port)]
        command += [] if self._has_sample else ["--no-sample"]
        with (self._home / "product.log").open("ab") as log:
            out = log if self._is_quiet else None
            self._process = subprocess.Popen(  # noqa: S603 - our own command
                command, cwd=settings.BASE_DIR, env=self._environment, stdout=out, stderr=out
            )
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                where = f"in {self._home / 'product.log'}" if self._is_quiet else "above"
                raise CommandError(f"The product did not start; its own words stand {where}.")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/healthz", timeout=2):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.2)
        raise CommandError(f"The product did not answer within {timeout_s:.0f} s.")

    def wait_until_read(self, timeout_s: float = START_S) -> None:
        """Wait until no document of the sample is being read, looking from outside."""
        query = "SELECT count(*) FROM sources_document WHERE state IN ('queued', 'extracting', 'indexing')"
        deadline = time.monotonic() + timeout_s
        with contextlib.closing(sqlite3.connect(self._home / "footnote.sqlite3", timeout=30)) as database:
            while time.monotonic() < deadline and database.execute(query).fetchone()[0]:
                time.sleep(0.3)

    def n_answering(self) -> int:
        """How many questions are being answered at this moment, looking from outside."""
        query = "SELECT count(*) FROM questions_question WHERE state = 'answering'"
        with contextlib.closing(sqlite3.connect(self._home / "footnote.sqlite3", timeout=30)) as database:
            return int(database.execute(query).fetchone()[0])

    def wait(self) -> None:
        """Wait until it ends."""
        if self._process is not None:
            self._process.wait()

    def kill(self) -> None:
        """End it as a power cut would."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def stop(self, timeout_s: float = 20) -> None:
        """End it as Ctrl+C does."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()


def free_port() -> int:
    """A port of this machine that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
