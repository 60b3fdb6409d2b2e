"""Where the words are kept: `LEXICAL`."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

import rag
from console import engine
from console.index.models import IndexVersion


def test_the_lexical_side_lies_where_the_settings_say(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    monkeypatch.setattr(rag, "open_server_lexical", lambda *args, **named: opened.append((args, named)))
    monkeypatch.setattr(rag, "open_index", lambda name, **named: named["lexical"])
    monkeypatch.setattr(engine, "_indexes", {})
    monkeypatch.setattr(engine, "store", lambda: None)
    model = rag.EmbeddingModel("m", "r", 4, 8, "mean", normalised=True)
    monkeypatch.setattr(engine, "embedder", lambda _: type("Fake", (), {"model": model})())
    version = IndexVersion(pk=1, model_name="m", model_revision="r", dimension=4, collection="c")
    settings.LEXICAL = "local"
    engine.index_of(version)
    assert opened == []
    engine._indexes.clear()
    settings.LEXICAL, settings.QDRANT_URL, settings.QDRANT_API_KEY = "qdrant", "http://qdrant:6333", "key"
    engine.index_of(version)
    assert opened == [(("c", "http://qdrant:6333"), {"api_key": "key", "config": engine.config()})]


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"LEXICAL": "solr"}, "must be 'local' or 'qdrant'"),
        ({"LEXICAL": "qdrant"}, "QDRANT_URL is not set"),
        ({"LEXICAL": "qdrant", "QDRANT_URL": "http://localhost:6333"}, ""),
    ],
    ids=["unknown", "without a server", "with one"],
)
def test_a_setting_that_cannot_work_stops_the_start(
    tmp_path: Any, environment: dict[str, str], told: str
) -> None:
    kept = {name: value for name, value in os.environ.items() if name not in {"LEXICAL", "QDRANT_URL"}}
    started = subprocess.run(
        [sys.executable, "-c", "import console.settings"],
        env=kept | {"FOOTNOTE_HOME": str(tmp_path), "FOOTNOTE_IGNORE_DOTENV": "1"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (started.returncode != 0) == bool(told)
    assert told in started.stderr
