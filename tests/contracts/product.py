"""Run the product's own processes in a test, with a data folder of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HANDBOOK = """# Travel policy

## Hotels

The nightly hotel limit in capital cities is 180 EUR. Above it you need your lead's written approval.
"""


def wait_until(is_true: Callable[[], object], what: str, timeout_s: float = 60.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not is_true():
        assert time.monotonic() < deadline, f"waited {timeout_s} s for: {what}"
        time.sleep(0.1)


@dataclass
class Product:
    """A data folder and the processes that work on it."""

    home: Path
    port: int
    environment: dict[str, str] = field(default_factory=dict)
    token: str = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _environment(self) -> dict[str, str]:
        # As a user has it: without this what the product prints may stay in a buffer, and nobody would notice.
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        return {
            **inherited,
            "FOOTNOTE_HOME": str(self.home),
            "FOOTNOTE_BASE_URL": self.url,
            **self.environment,
        }

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        with (self.home / f"{Path(command[-1]).name}-{time.time():.0f}.log").open("wb") as log:
            return subprocess.Popen(command, cwd=ROOT, env=self._environment(), stdout=log, stderr=log)

    def serve(self, *options: str) -> subprocess.Popen[bytes]:
        process = self.start(
            sys.executable, "manage.py", "serve", "--port", str(self.port), "--no-sample", *options
        )
        self.wait_for_site(process)
        return process

    def wait_for_site(self, process: subprocess.Popen[bytes]) -> None:
        def answers() -> bool:
            assert process.poll() is None, f"the site ended; see the logs in {self.home}"
            try:
                return urllib.request.urlopen(f"{self.url}/healthz", timeout=2).status == 200
            except OSError:
                return False

        wait_until(answers, "the site to answer")

    def manage(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self._environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, f"{arguments}: {done.stdout}\n{done.stderr}"
        return done.stdout

    def make_token(self) -> None:
        code = (
            "from console.people.models import User; from console.people.services import create_token; "
            "u = User.objects.get(username='admin'); print(create_token(actor=u, user=u, name='test')[1])"
        )
        self.token = self.manage("shell", "-v", "0", "-c", code).strip().splitlines()[-1]

    def api(self, method: str, path: str, body: object = None, raw: tuple[str, bytes] | None = None) -> dict:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        if raw is not None:
            headers["Content-Type"], data = raw
        request = urllib.request.Request(
            f"{self.url}/api/v1{path}", data=data, headers=headers, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read()!r}") from error
        return json.loads(text) if text else {}

    def upload(self, folder_id: int, name: str, body: bytes) -> dict:
        edge = "----footnote"
        part = f'--{edge}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
        data = part.encode() + body + f"\r\n--{edge}--\r\n".encode()
        content_type = f"multipart/form-data; boundary={edge}"
        return self.api("POST", f"/folders/{folder_id}/documents", raw=(content_type, data))[0]["document"]
