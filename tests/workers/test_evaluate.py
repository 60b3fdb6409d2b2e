"""`manage.py evaluate`: its figures are those of the real index and gate, printed and written."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

import rag
from console.evaluation.files import export_archive
from tests.rag.fakes import ScriptedReranker
from tests.workers.conftest import HOTELS, LAPTOPS
from workers import evaluation
from workers.evaluation_corpus import corpus_of

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("data_folder")]

GOLDEN = rag.GoldenSet(
    "handbook",
    (
        rag.GoldenNeedle(
            "n1",
            "hotels.md",
            "The nightly hotel limit in capital cities is 180 EUR.",
            "What is the nightly hotel limit in capital cities?",
            "how posh may my room in paris be?",
        ),
        rag.GoldenNeedle(
            "n2",
            "laptops.md",
            "Every employee gets a new laptop after 42 months.",
            "After how many months does an employee get a new laptop?",
            "my thinkpad is ancient, when can i swap it?",
        ),
    ),
    (rag.GoldenRefusal("r1", "far", "Who won the football on Saturday?"),),
    (
        rag.GoldenMultihop(
            "m1",
            "What is the hotel limit in capital cities, and when do I get a new laptop?",
            (
                rag.NeedlePlace("hotels.md", "The nightly hotel limit in capital cities is 180 EUR."),
                rag.NeedlePlace("laptops.md", "Every employee gets a new laptop after 42 months."),
            ),
        ),
    ),
)


@pytest.fixture
def corpus(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("evaluate")
    (folder / "handbook").mkdir()
    (folder / "handbook" / "hotels.md").write_bytes(HOTELS)
    (folder / "handbook" / "laptops.md").write_bytes(LAPTOPS)
    (folder / "handbook" / "broken.pdf").write_bytes(b"%PDF-1.7\nnot really")
    rag.write_golden_set(GOLDEN, folder / "golden")
    return f"{folder / 'handbook'}={folder / 'golden'}"


@pytest.fixture
def beir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("beir")
    (folder / "qrels").mkdir()
    documents = [("d1", "Gulls", "Gulls eat bread."), ("d2", "Ferry", "The ferry leaves at nine.")]
    rows = [json.dumps({"_id": at, "title": title, "text": text}) for at, title, text in documents]
    (folder / "corpus.jsonl").write_text("\n".join(rows))
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": "What do gulls eat?"}))
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    return folder


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> str:
    call_command("evaluate", *arguments, stdout=io.StringIO())
    return capsys.readouterr().out


def test_everything_is_measured_and_written(
    corpus: str, beir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = tmp_path / "figures.json"
    arguments = [corpus, "--strategies", "E,A", "--calibrate", "--end-to-end", "--beir", str(beir)]
    printed = run(*arguments, "--json", str(figures), capsys=capsys)
    for title in (
        "questions, n = 2",
        "tickets, n = 2",
        "multihop, n = 1",
        "at the chosen cut",
        "E dense against",
    ):
        assert title in printed
    written = json.loads(figures.read_text())
    settings = written["settings"]
    assert (settings["budget"], settings["bound"], settings["max_chunks"]) == (0.1, "rate", 4)
    assert settings["strategies"] == ["E", "A"]
    assert 0.0 < settings["distance_cut"] < 2.0
    (made,) = written["corpora"]
    assert made["reranker"] == ""
    assert made["strategies"][0]["model"].startswith("all-MiniLM-L6-v2 ")
    assert {"questions", "tickets", "multihop", "both"} == {pair["wording"] for pair in made["paired"]}
    assert not [pair for pair in made["paired"] if pair["wording"] == "multihop" and pair["k"] == 1]
    assert (made["n_files"], made["n_failed"], made["faults"]) == (3, 1, [])
    assert made["golden_id"] == GOLDEN.fingerprint
    assert [strategy["chunking"]["strategy"] for strategy in made["strategies"]] == ["E", "A"]
    hybrid = made["strategies"][0]["retrieval"][2]
    assert hybrid["configuration"] == {
        "name": "E hybrid",
        "chunking": "E",
        "retrieval": "hybrid",
        "reranked": False,
        "model": "all-MiniLM-L6-v2",
    }
    assert hybrid["figures"]["questions"]["recall"]["1"]["rate"] == 1.0
    assert hybrid["figures"]["multihop"]["recall"]["4"]["rate"] == 1.0
    (calibration,) = made["calibrations"]
    assert calibration["calibration"]["chosen"]["bluffs"]["successes"] == 0
    assert calibration["calibration"]["chosen"]["right"]["n"] == 4
    answers = made["answers"]["hybrid"]
    assert answers["by_wording"]["questions"]["right_passage"] == {"successes": 2, "n": 2}
    assert answers["bluffs"] == {"successes": 0, "n": 1}
    (collection,) = written["beir"]
    assert [report["figures"]["ndcg_at_10"]["value"] for report in collection["reports"]] == [1.0, 1.0, 1.0]


def test_faults_of_the_golden_set_are_said(corpus: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(corpus.partition("=")[0])
    (folder / "copy.md").write_bytes(LAPTOPS)
    printed = run(corpus, "--compare", "bm25", capsys=capsys)
    assert "n2: The needle stands 2 times, in copy.md, laptops.md." in printed
    assert "against" not in printed


def test_a_reranker_is_compared_swept_by_relevance_and_asked(
    corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = {"nightly hotel limit": 0.9, "new laptop": 0.8}
    monkeypatch.setattr(evaluation, "load_reranker", lambda: ScriptedReranker(scores))
    figures = tmp_path / "figures.json"
    arguments = [corpus, "--compare", "hybrid,reranked", "--calibrate", "--end-to-end"]
    printed = run(*arguments, "--json", str(figures), capsys=capsys)
    assert "hybrid against reranked" in printed
    (made,) = json.loads(figures.read_text())["corpora"]
    swept = {each["configuration"]: each["calibration"] for each in made["calibrations"]}
    assert {name: each["score"] for name, each in swept.items()} == {
        "hybrid": "distance",
        "reranked": "relevance",
    }
    # The reranker says 0.9 or 0.8 to the right passages, and to the football question too.
    assert swept["reranked"]["curve"][0]["cut"] > 0.9
    assert swept["reranked"]["curve"][-1]["bluffs"] == {"successes": 1, "n": 1}
    assert list(made["answers"]) == ["hybrid", "reranked"]
    assert "rerank" in made["answers"]["reranked"]["latency"]["stages"]


def test_a_model_that_is_not_there_is_said(corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise rag.ModelMissing("There is no such model.", next_step="Install it.")

    monkeypatch.setattr(evaluation, "load_reranker", missing)
    with pytest.raises(CommandError, match=r"no such model\. Install it"):
        call_command("evaluate", corpus, "--compare", "reranked")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["/no/such/folder"], "is no folder"),
        (["--compare", "dense,magic"], "--compare takes dense, bm25, hybrid"),
        (["--strategies", "G"], "--strategies takes A, B"),
        (["--budget", "1.5"], "between 0 and 1"),
        (["--beir", "/no/such/folder"], "must be a folder, or a ZIP"),
    ],
)
def test_what_cannot_be_measured_is_said(arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("evaluate", *arguments)


def test_a_folder_without_a_golden_set_cannot_be_evaluated(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="has no golden set"):
        call_command("evaluate", str(tmp_path))
    with pytest.raises(CommandError, match=r"must hold needles\.jsonl"):
        corpus_of(f"{tmp_path}={tmp_path}")


def test_the_sample_set_has_all_three_kinds_of_questions() -> None:
    golden = corpus_of("sample").golden
    assert golden is not None
    assert (len(golden.needles), len(golden.refusals), len(golden.multihop)) == (80, 52, 10)


@pytest.mark.parametrize(
    "golden",
    [rag.GoldenSet("g"), replace(GOLDEN, refusals=()), replace(GOLDEN, needles=())],
    ids=["empty", "nothing to refuse", "only several needles"],
)
def test_a_set_that_lacks_a_side_is_not_calibrated_on(golden: rag.GoldenSet, corpus: str) -> None:
    golden_folder = corpus.partition("=")[2]
    rag.write_golden_set(golden, Path(golden_folder))
    with pytest.raises(CommandError, match="lacks one side"):
        call_command("evaluate", corpus, "--calibrate")


def test_figures_that_cannot_be_written_are_not_measured_first(corpus: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be written: No such file"):
        call_command("evaluate", corpus, "--json", str(tmp_path / "missing" / "figures.json"))


def test_a_golden_set_may_be_the_zip_that_the_console_exports(
    corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "golden.zip").write_bytes(export_archive(GOLDEN))
    folder = corpus.partition("=")[0]
    assert "questions, n = 2" in run(
        f"{folder}={tmp_path / 'golden.zip'}", "--compare", "bm25", capsys=capsys
    )
