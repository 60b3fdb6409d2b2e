import json
import zipfile

import pytest

from rag.errors import BadInput
from rag.evaluate import compare_beir, evaluate_beir, index_beir, read_beir
from rag.evaluate.retrieval import CONFIGURATIONS
from rag.evaluate.searches import search_with
from rag.types import Scope

CORPUS = [
    {"_id": "d1", "title": "Gulls", "text": "Gulls eat bread.\u2028They steal it."},
    {"_id": "d2", "title": "Ferries", "text": "The ferry leaves at nine. " + "It is slow and wet. " * 40},
    {"_id": "d3", "title": "Only a title", "text": ""},
]
QUERIES = [
    {"_id": "q1", "text": "what do gulls eat"},
    {"_id": "q2", "text": "when does the slow ferry leave"},
    {"_id": "q3", "text": "never judged"},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td2\t1\n"


def jsonl(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.fixture
def files():
    return {"corpus.jsonl": jsonl(CORPUS), "queries.jsonl": jsonl(QUERIES), "qrels/test.tsv": QRELS}


@pytest.fixture
def folder(tmp_path, files):
    (tmp_path / "birds" / "qrels").mkdir(parents=True)
    for name, text in files.items():
        (tmp_path / "birds" / name).write_text(text, encoding="utf-8")
    return tmp_path / "birds"


def test_a_folder_and_a_zip_hold_the_same(folder, tmp_path, files):
    with zipfile.ZipFile(tmp_path / "birds.zip", "w") as archive:
        for name, text in files.items():
            archive.writestr(f"birds/{name}", text)
    beir = read_beir(folder)
    assert read_beir(tmp_path / "birds.zip") == beir
    assert beir.name == "birds"
    assert [document.id for document in beir.documents] == ["d1", "d2", "d3"]
    assert beir.queries == {"q1": "what do gulls eat", "q2": "when does the slow ferry leave"}
    assert beir.qrels["q1"] == {"d1": 2, "d2": 0}


def test_what_is_no_collection_is_said(folder, tmp_path):
    with pytest.raises(BadInput, match="qrels/dev"):
        read_beir(folder, split="dev")
    (tmp_path / "x.zip").write_bytes(b"no zip")
    with pytest.raises(BadInput, match="folder or ZIP"):
        read_beir(tmp_path / "x.zip")
    (folder / "corpus.jsonl").write_text('{"title": "no id"}\n')
    with pytest.raises(BadInput, match="not as BEIR has it"):
        read_beir(folder)


def test_a_document_counts_with_its_best_chunk(index, folder):
    beir = read_beir(folder)
    progress = []
    n_chunks = index_beir(beir, index, on_progress=lambda done, of: progress.append((done, of)))
    assert n_chunks > len(beir.documents)
    assert progress == [(3, 3)]
    dense = search_with(CONFIGURATIONS["dense"], index=index, scope=Scope((1,)), n=n_chunks)
    assert len({found.chunk.document_id for found in dense("slow ferry")}) < len(dense("slow ferry"))
    report = evaluate_beir(beir, dense, configuration="dense")
    assert report.query_ids == ("q1", "q2")
    assert report.ndcg_at_10 == report.recall_at_100 == (1.0, 1.0)
    assert report.mean_ndcg.n == 2


def test_ways_to_search_are_paired_by_query(index, folder):
    beir = read_beir(folder)
    index_beir(beir, index)
    lexical = search_with(CONFIGURATIONS["bm25"], index=index, scope=Scope((1,)))
    good = evaluate_beir(beir, lexical, configuration="bm25")
    bad = evaluate_beir(beir, lambda question: [], configuration="nothing")
    test = compare_beir(good, bad)
    assert (test.wins, test.losses, test.ties) == (2, 0, 0)
    with pytest.raises(ValueError, match="same queries"):
        compare_beir(good, evaluate_beir(beir.__class__("x", (), {}, {}), lexical, configuration="none"))
