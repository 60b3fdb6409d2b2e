"""`manage.py bench ask`: every question of the golden set, as often as it says, with the product's own models."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from rich.console import Console

from tests.workers.conftest import HOTELS
from workers.bench_ask import asking_table, measure_asking
from workers.evaluation_corpus import corpus_of

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("data_folder")]
NEEDLE = {
    "id": "n1",
    "document": "hotels.md",
    "needle": "The nightly hotel limit in capital cities is 180 EUR.",
    "question": "What is the nightly hotel limit in capital cities?",
    "ticket": "hotel in a capital, how much",
}
REFUSAL = {"id": "r1", "kind": "far", "question": "Who won the world cup in 1998?"}


@pytest.fixture
def entry(tmp_path: Path) -> str:
    folder, golden = tmp_path / "handbook", tmp_path / "golden"
    folder.mkdir()
    golden.mkdir()
    (folder / "hotels.md").write_bytes(HOTELS)
    (golden / "needles.jsonl").write_text(json.dumps(NEEDLE))
    (golden / "refusals.jsonl").write_text(json.dumps(REFUSAL))
    return f"{folder}={golden}"


def test_each_run_asks_everything_and_stages_are_within_the_whole(entry: str) -> None:
    report = measure_asking(corpus_of(entry), runs=2)
    assert (report.n_questions, report.wall.n, [run.n for run in report.by_run]) == (3, 6, [3, 3])
    assert report.latency.n_answered + report.latency.n_refused == 6
    assert set(report.latency.stages) >= {"retrieve", "fuse", "gate", "grade"}
    assert 0 < report.latency.total.p50_ms <= report.wall.p50_ms
    console = Console(file=io.StringIO(), width=120)
    console.print(asking_table([report]))
    shown = console.file.getvalue()
    assert "3 × 2" in shown
    assert "goal 400 / 1,200" in shown


def test_the_command_writes_what_it_measured(entry: str, tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    call_command("bench", "ask", entry, runs=1, json=figures)
    (report,) = json.loads(figures.read_text())
    assert (report["n_questions"], report["wall"]["n"], len(report["by_run"])) == (3, 3, 1)


def test_a_corpus_without_questions_or_no_run_is_told(entry: str) -> None:
    with pytest.raises(CommandError, match="has no golden set"):
        measure_asking(corpus_of(entry.partition("=")[0]), runs=1)
    with pytest.raises(CommandError, match="at least 1"):
        measure_asking(corpus_of(entry), runs=0)
