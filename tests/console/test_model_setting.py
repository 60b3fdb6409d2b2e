"""A language model's address that cannot be asked: `FOOTNOTE_LLM_URL`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def started(home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FOOTNOTE_")}
    return subprocess.run(
        [sys.executable, "-c", "import console.settings"],
        env=kept | {"FOOTNOTE_HOME": str(home), "FOOTNOTE_IGNORE_DOTENV": "1"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("url", ["ftp://x", "notaurl", "http://", "http://x:99999/v1", "http://a b/v1"])
def test_an_address_that_cannot_be_asked_stops_the_start(tmp_path: Path, url: str) -> None:
    result = started(
        tmp_path,
        FOOTNOTE_GENERATOR="chat",
        FOOTNOTE_LLM_URL=url,
        FOOTNOTE_LLM_MODEL="qwen3",
        FOOTNOTE_LLM_KEY="s3cret",
    )
    assert result.returncode != 0
    told = result.stderr.strip().splitlines()[-1]
    assert "Set FOOTNOTE_LLM_URL to the address before /chat/completions" in told
    assert "s3cret" not in result.stderr


def test_a_good_address_starts_and_an_unused_one_does_not_matter(tmp_path: Path) -> None:
    good = {"FOOTNOTE_LLM_URL": "http://127.0.0.1:8000/v1", "FOOTNOTE_LLM_MODEL": "qwen3"}
    assert started(tmp_path, FOOTNOTE_GENERATOR="chat", **good).returncode == 0
    assert started(tmp_path, FOOTNOTE_LLM_URL="notaurl").returncode == 0
