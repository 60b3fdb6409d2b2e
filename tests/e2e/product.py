"""The real product for a browser: `manage.py serve` on a free port with a data folder of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, Playwright

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "tide-gauge-42-north"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
# The last five keep the browser from talking to its vendor.
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass(frozen=True)
class Product:
    url: str
    home: Path
    log: Path


@contextmanager
def running_product(home: Path, *, has_sample: bool) -> Iterator[Product]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("FOOTNOTE_", "SLACK_", "DJANGO_"))}
    url = f"http://127.0.0.1:{port}"
    environment = kept | {
        "FOOTNOTE_HOME": str(home),
        "FOOTNOTE_IGNORE_DOTENV": "1",
        "FOOTNOTE_ADMIN_PASSWORD": PASSWORD,
        "FOOTNOTE_BASE_URL": url,
    }
    log = home / "serve.log"
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command + ([] if has_sample else ["--no-sample"]),
            cwd=ROOT,
            env=environment,
            stdout=out,
            stderr=out,
        )
    try:
        _wait_until_up(process, url, log)
        yield Product(url, home, log)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_up(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"`serve` ended: {log.read_text()[-3_000:]}")
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"`serve` did not answer within 90 s: {log.read_text()[-3_000:]}")


def launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)


def sign_in(page: Page, url: str) -> None:
    page.goto(f"{url}/sign-in")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{url}/")
