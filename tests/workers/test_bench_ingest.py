"""`manage.py bench ingest`: what it counts is what is there."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from tests.workers.conftest import HOTELS, LAPTOPS
from workers.bench_ingest import ingest_table, measure_ingest

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("data_folder")]


def test_files_chunks_and_stages_are_counted(tmp_path_factory: pytest.TempPathFactory) -> None:
    corpus: Path = tmp_path_factory.mktemp("handbook")
    (corpus / "hotels.md").write_bytes(HOTELS)
    (corpus / "laptops.md").write_bytes(LAPTOPS)
    (corpus / "broken.pdf").write_bytes(b"%PDF-1.7\nnot really")
    report = measure_ingest(corpus, repeats=1, max_texts=2)
    assert (report.n_files, report.n_failed, report.n_chunks) == (3, 1, 3)
    assert report.n_bytes == sum(file.stat().st_size for file in corpus.iterdir())
    stages = report.stages
    assert min(stages.read_s, stages.embed_s, stages.store_s) > 0
    assert stages.wait_s + stages.chunk_s + stages.embed_s + stages.store_s <= report.total_s
    console = Console(file=io.StringIO(), width=120)
    console.print(ingest_table([report]))
    assert "3 (1)" in console.file.getvalue()
