"""The process is killed again and again while files are ingested: every file ends once, nothing is stored twice.

``TEST_KILLS=20 python -m pytest tests/contracts/test_kills.py`` kills it more often than the default.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from tests.contracts.product import Product, wait_until
from tests.contracts.services import free_port

pytestmark = pytest.mark.model

N_KILLS = int(os.environ.get("TEST_KILLS", "3"))
N_FILES = 100
N_BROKEN = 10
N_RULES = 8 + 3 * N_KILLS
"""Enough to read that every kill meets work."""
SEED = 20_261_130

UPLOAD = """
import sys
from pathlib import Path
from console.sources.services import create_folder
from console.sources.uploads import upload_document
folder = create_folder(actor=None, name="Rules", is_open=True)
for path in sorted(Path({folder!r}).iterdir()):
    upload_document(actor=None, folder=folder, name=path.name, pieces=[path.read_bytes()])
"""
AUDIT = """
import json
import rag
from console import engine
from console.index.models import DocumentIndex
from console.index.selectors import active_version
from console.sources.models import Document
version = active_version()
index = engine.index_of(version)
rows = []
for document in Document.objects.all():
    counts = rag.count_chunks(index, document.pk)
    chunks = rag.chunks_of_document(index, document.pk)
    rows.append({
        "name": document.name, "state": document.state, "reason_code": document.reason_code,
        "n_chunks": document.n_chunks or 0, "vectors": counts.vectors, "lexical": counts.lexical,
        "stamps": [stamp.n_vectors for stamp in DocumentIndex.objects.filter(document=document)],
        "places": [[chunk.start, chunk.end] for chunk in chunks], "lease": document.lease_until is not None,
        "open_attempts": document.attempts.filter(finished_at=None).count(),
    })
total = rag.count_chunks(index)
print(json.dumps({"rows": rows, "vectors": total.vectors, "lexical": total.lexical}))
engine.close()
"""


def write_files(folder: Path) -> None:
    folder.mkdir()
    for number in range(N_FILES - N_BROKEN):
        rules = "\n\n".join(
            f"## Rule {rule}\n\nBerth {number} pays {number * 31 + rule} EUR, and {rule % 7} EUR a night after that."
            for rule in range(N_RULES)
        )
        (folder / f"berth-{number:03}.md").write_text(f"# Berth {number}\n\n{rules}\n")
    for number in range(N_BROKEN):
        (folder / f"broken-{number}.pdf").write_bytes(b"%PDF-1.7\n" + bytes([number]) * 50)


def test_killed_at_random_moments_every_file_ends_once_and_the_counters_are_those_of_the_index(
    tmp_path: Path,
) -> None:
    dice = random.Random(SEED)
    product = Product(tmp_path, free_port())
    write_files(tmp_path / "files-to-read")
    product.manage("setup", "--no-sample")
    product.manage("shell", "-v", "0", "-c", UPLOAD.format(folder=str(tmp_path / "files-to-read")))

    for _ in range(N_KILLS):
        server = product.serve()
        time.sleep(dice.uniform(0.0, 1.5))
        server.send_signal(signal.SIGKILL)
        server.wait(10)
        assert n_working(tmp_path), "it was killed while there was work"
    server = product.serve()
    try:
        wait_until(lambda: not n_working(tmp_path), "the last files", timeout_s=400)
    finally:
        server.kill()
        server.wait(10)

    assert_ended_once(json.loads(product.manage("shell", "-v", "0", "-c", AUDIT).splitlines()[-1]))


def n_working(home: Path) -> int:
    """Read beside the product: a process of Django for each look would take its time from what is measured."""
    with contextlib.closing(sqlite3.connect(home / "footnote.sqlite3", timeout=30)) as database:
        query = "SELECT count(*) FROM sources_document WHERE state IN ('queued', 'extracting', 'indexing')"
        return database.execute(query).fetchone()[0]


def assert_ended_once(audit: dict) -> None:
    rows = audit["rows"]
    assert len(rows) == N_FILES
    assert {row["state"] for row in rows if row["name"].endswith(".pdf")} == {"failed"}
    assert {(row["state"], row["reason_code"]) for row in rows if row["name"].endswith(".md")} == {
        ("indexed", "")
    }
    for row in rows:
        assert row["n_chunks"] == row["vectors"] == row["lexical"] == sum(row["stamps"]), row["name"]
        assert len(row["stamps"]) == (row["state"] == "indexed")
        assert len({tuple(place) for place in row["places"]}) == len(row["places"]), "stored twice"
        assert not row["lease"]
        assert row["open_attempts"] == 0
    assert audit["vectors"] == audit["lexical"] == sum(row["n_chunks"] for row in rows)
