"""Settings of several workspaces fail loudly at the start, and a key is made once where none is given."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from console import sealing

ROOT = Path(__file__).resolve().parents[2]
SERVER = {
    "FOOTNOTE_MODE": "server",
    "SECRET_KEY": "k" * 50,
    "DATABASE_URL": "postgres://u:p@127.0.0.1:1/x",
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "QDRANT_URL": "http://127.0.0.1:1",
}


def start(home: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Read the settings in a process of their own; it prints the keys."""
    code = "from console import settings; print(','.join(settings.SLACK_TOKEN_KEYS))"
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("SLACK_", "FOOTNOTE_"))
    }
    env = {**clean, "FOOTNOTE_IGNORE_DOTENV": "1", "FOOTNOTE_HOME": str(home), **variables}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )


def test_a_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    first, second = start(tmp_path), start(tmp_path)
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    assert len(first.stdout.strip()) == 44
    path = tmp_path / "slack_token_key"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [found.name for found in tmp_path.glob("slack_token_key*")] == [path.name]


def test_given_keys_count_in_their_order_and_none_is_made(tmp_path: Path) -> None:
    new, old = sealing.new_key(), sealing.new_key()
    assert start(tmp_path, SLACK_TOKEN_KEYS=f"{new}, {old}").stdout.strip() == f"{new},{old}"
    assert not (tmp_path / "slack_token_key").exists()


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"SLACK_TOKEN_KEYS": "not-a-key"}, "Key 1 of SLACK_TOKEN_KEYS"),
        ({"SLACK_CLIENT_ID": "1.2"}, "SLACK_CLIENT_SECRET"),
        ({"SLACK_CLIENT_SECRET": "x"}, "SLACK_CLIENT_ID"),
        ({**SERVER, "SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": "x"}, "rotate-keys --new"),
    ],
)
def test_what_cannot_work_stops_the_start_with_a_sentence(tmp_path: Path, variables: dict, says: str) -> None:
    started = start(tmp_path, **variables)
    assert started.returncode != 0
    assert says in started.stderr
    assert "not-a-key" not in started.stderr.splitlines()[-1]


def test_server_mode_without_workspaces_needs_no_key(tmp_path: Path) -> None:
    started = start(tmp_path, **SERVER)
    assert started.returncode == 0, started.stderr
    assert started.stdout.strip() == ""
    assert not (tmp_path / "slack_token_key").exists()
