"""Borders that no reviewer should have to watch: import direction, and what the light path loads."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HEAVY = (
    "torch",
    "transformers",
    "sentence_transformers",
    "bm25s",
    "qdrant_client",
    "qdrant_edge",
    "onnxruntime",
)


def loaded_heavy_modules(statement: str) -> str:
    code = (
        f"import os, sys\nos.environ['DJANGO_SETTINGS_MODULE'] = 'console.settings'\n{statement}\n"
        f"print(','.join(name for name in {HEAVY!r} if name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env={**os.environ}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "statement",
    [
        "import rag",
        "import django; django.setup(); import console.urls",
        "import django; django.setup(); import bot, bot.urls",
        "import console.asgi",
    ],
)
def test_the_light_path_loads_no_model_library(statement: str) -> None:
    assert loaded_heavy_modules(statement) == ""


def test_the_measure_itself_sees_a_heavy_library() -> None:
    assert loaded_heavy_modules("import bm25s") == "bm25s"
