import subprocess
import sys
import threading

import numpy as np
import pytest

from rag.errors import IndexMissing, StoreDown, StoreLocked
from rag.types import EmbeddingModel, Scope
from rag.vectors import open_edge_store
from tests.rag.test_vector_contract import DIMENSION, corpus, question

MODEL = EmbeddingModel("fake", "r1", DIMENSION, 64, "mean", normalised=True)


@pytest.fixture
def store(tmp_path):
    store = open_edge_store(tmp_path)
    store.ensure("main", MODEL)
    yield store
    store.close()


def test_what_was_written_is_there_after_reopening(store, tmp_path):
    chunks, vectors = corpus(30)
    store.upsert("main", chunks, vectors)
    before = store.search("main", question(), 5, Scope((1, 2, 3)))
    store.close()
    again = open_edge_store(tmp_path)
    again.ensure("main", MODEL)
    assert again.search("main", question(), 5, Scope((1, 2, 3))) == before
    again.close()


def test_what_was_written_survives_a_killed_process(tmp_path):
    script = f"""
import os, sys
sys.path.insert(0, {sys.path[0]!r})
from pathlib import Path
from rag.vectors import open_edge_store
from tests.rag.test_edge import MODEL
from tests.rag.test_vector_contract import corpus
store = open_edge_store(Path({str(tmp_path)!r}))
store.ensure("main", MODEL)
store.upsert("main", *corpus(30))
os._exit(9)
"""
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert done.returncode == 9, done.stderr
    store = open_edge_store(tmp_path)
    assert store.count("main") == 30
    store.close()


def test_a_second_owner_is_refused(store, tmp_path):
    second = open_edge_store(tmp_path)
    with pytest.raises(StoreLocked):
        second.ensure("main", MODEL)
    second.close()
    store.close()
    third = open_edge_store(tmp_path)
    third.ensure("main", MODEL)
    third.close()


def test_a_folder_without_a_stamp_is_what_a_crash_left_and_is_made_anew(store, tmp_path):
    store.upsert("main", *corpus(3))
    store.close()
    (tmp_path / "main" / "stamp.json").unlink()
    again = open_edge_store(tmp_path)
    assert not again.exists("main")
    again.ensure("main", MODEL)
    assert again.count("main") == 0
    again.close()


def test_a_damaged_folder_is_a_store_that_is_down(store, tmp_path):
    store.close()
    for path in (tmp_path / "main" / "shard").rglob("*"):
        if path.is_file():
            path.write_bytes(b"\0")
    again = open_edge_store(tmp_path)
    with pytest.raises((StoreDown, StoreLocked)) as caught:
        again.count("main")
    assert caught.value.code == "store_down"
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "x" * 101])
def test_a_name_cannot_leave_the_folder(store, name):
    with pytest.raises(ValueError, match="collection's name"):
        store.exists(name)


def test_threads_search_while_others_write(store):
    chunks, vectors = corpus(200)
    store.upsert("main", chunks[:50], vectors[:50])
    failures = []

    def guarded(work):
        try:
            work()
        except Exception as exc:  # noqa: BLE001  # a thread's failure has to reach the assertion
            failures.append(exc)

    def search():
        for _ in range(40):
            assert store.search("main", question(), 5, Scope((1, 2, 3)))

    def write(start):
        for at in range(start, start + 50, 10):
            store.upsert("main", chunks[at : at + 10], vectors[at : at + 10])

    work = [search, search, lambda: write(50), lambda: write(100), lambda: write(150)]
    threads = [threading.Thread(target=guarded, args=(each,)) for each in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert store.count("main") == 200


def test_many_vectors_get_a_graph_beside_the_searches_and_stay_exact_enough(store, monkeypatch):
    monkeypatch.setattr("rag.vectors.edge._UNINDEXED_LIMIT", 100)
    chunks, vectors = corpus(300)
    store.upsert("main", chunks, vectors)
    for thread in threading.enumerate():
        if thread.name == "hnsw":
            thread.join(30)
    found = {chunk.index for chunk, _ in store.search("main", question(), 10, Scope((1, 2, 3)))}
    assert found == set(np.argsort(-(vectors @ question()))[:10].tolist())


def test_a_missing_collection_in_a_new_folder(tmp_path):
    store = open_edge_store(tmp_path / "new")
    with pytest.raises(IndexMissing):
        store.count("main")


def test_a_graph_that_cannot_be_built_is_logged_and_the_next_one_tried(store, caplog):
    class Closed:
        def optimize(self):
            raise Exception("shard is closed")  # the engine raises nothing more specific

    for _ in range(2):
        store._optimise("main", Closed())
    assert [record.getMessage() for record in caplog.records] == [
        "building the graph of a vector folder failed"
    ] * 2
    assert store.count("main") == 0
