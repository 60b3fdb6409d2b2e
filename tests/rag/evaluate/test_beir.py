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
    with pytest.raises(BadInput, match="folder, or a ZIP"):
        read_beir(tmp_path / "x.zip")


CORPUS_FILE, QUERIES_FILE, QRELS_FILE = "corpus.jsonl", "queries.jsonl", "qrels/test.tsv"
HEADER = "query-id\tcorpus-id\tscore\n"


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        (CORPUS_FILE, '{"title": "no id"}\n', "corpus.jsonl, line 1: .* _id"),
        (CORPUS_FILE, jsonl(CORPUS) + jsonl(CORPUS[:1]), "corpus.jsonl, line 4: the _id d1 stands twice"),
        (CORPUS_FILE, jsonl([{"_id": "d1", "text": None}]), "corpus.jsonl, line 1: text must be a text"),
        (CORPUS_FILE, jsonl([{"_id": "d1", "title": 5, "text": "x"}]), "title must be a text"),
        (CORPUS_FILE, "[" * 200_000, "corpus.jsonl, line 1: this is no JSON"),
        (CORPUS_FILE, "", "judges no document that corpus.jsonl holds"),
        (CORPUS_FILE, b"\xff\xfea\x00", "corpus.jsonl is not written in UTF-8"),
        (QUERIES_FILE, jsonl(QUERIES) + jsonl(QUERIES[:1]), "queries.jsonl, line 4: the _id q1 stands twice"),
        (QUERIES_FILE, jsonl([{"_id": "q1", "text": None}]), "queries.jsonl, line 1: text must be a text"),
        (
            QUERIES_FILE,
            jsonl([{"_id": "q1", "text": " ?! "}]),
            "queries.jsonl, line 1: the query holds no word",
        ),
        (QUERIES_FILE, jsonl(QUERIES[:1]), "judges the query q2, which queries.jsonl does not hold"),
        (QRELS_FILE, "", "judges nothing"),
        (QRELS_FILE, HEADER, "judges nothing"),
        (QRELS_FILE, HEADER + "q1\td1\n", "line 2: this is no query"),
        (QRELS_FILE, HEADER + "q1\t0\td1\t1\n", "line 2: this is no query"),
        (QRELS_FILE, HEADER + "q1\td1\thigh\n", "line 2: this is no query"),
        (QRELS_FILE, HEADER + "q1\t" + "d" * 200_000 + "\t1\nq2\td\t1", "judges no document"),
        (QRELS_FILE, HEADER + "q1\td1\t1\nq1\td1\t2\n", "line 3: d1 has two grades for q1"),
    ],
)
def test_what_is_not_as_beir_has_it_is_said_with_its_line(folder, file, text, told):
    (folder / file).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BadInput, match=told):
        read_beir(folder)


def test_judgements_without_names_of_columns_lose_no_row(folder):
    named = read_beir(folder)
    (folder / "qrels" / "test.tsv").write_text(QRELS.partition("\n")[2])
    assert read_beir(folder) == named


@pytest.mark.parametrize("damage", ["bytes", "password", "method"])
def test_a_zip_that_cannot_be_unpacked_is_said(tmp_path, files, damage):
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    content = bytearray((tmp_path / "x.zip").read_bytes())
    at = content.index(b"PK\x03\x04")
    while at != -1:
        name_length = int.from_bytes(content[at + 26 : at + 28], "little")
        if damage == "bytes":
            content[at + 30 + name_length] ^= 0xFF
        at = content.find(b"PK\x03\x04", at + 4)
    at = content.find(b"PK\x01\x02")
    while at != -1:
        if damage == "password":
            content[at + 8] |= 1
        elif damage == "method":
            content[at + 10] = 77
        at = content.find(b"PK\x01\x02", at + 4)
    (tmp_path / "x.zip").write_bytes(bytes(content))
    with pytest.raises(BadInput, match="whole and without a password"):
        read_beir(tmp_path / "x.zip")


def test_a_query_does_not_find_itself(index, folder):
    """ArguAna's and Quora's queries are documents of the corpus."""
    (folder / "queries.jsonl").write_text(jsonl([{"_id": "d1", "text": "Gulls eat bread"}]))
    (folder / "qrels" / "test.tsv").write_text(HEADER + "d1\td2\t1\n")
    beir = read_beir(folder)
    index_beir(beir, index)
    report = evaluate_beir(
        beir, search_with(CONFIGURATIONS["dense"], index=index, scope=Scope((1,))), configuration="dense"
    )
    assert report.ndcg_at_10 == (1.0,)


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
