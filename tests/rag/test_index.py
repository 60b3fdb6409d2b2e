from dataclasses import replace

import numpy as np
import pytest

from rag.errors import IndexMismatch, IndexMissing, StoreDown
from rag.index import (
    ChunkCounts,
    DocumentText,
    chunks_of_document,
    count_chunks,
    drop_index,
    index_document,
    index_documents,
    open_index,
    probe_index,
    remove_document,
)
from rag.types import Scope
from tests.rag.conftest import CONFIG
from tests.rag.fakes import HashingEmbedder

GULLS = ("Gulls", "Gulls may be fed on Fridays only.")
FERRY = ("Ferry", "The ferry leaves at nine from the north pier.")


def put(index, extraction, document_id=1, folder_id=7, title="Handbook", **more):
    return index_document(
        index, extraction, document_id=document_id, folder_id=folder_id, title=title, **more
    )


def contents(index, document_id=1):
    return [chunk.content for chunk in chunks_of_document(index, document_id)]


def test_a_document_is_on_both_sides_and_the_report_is_read_back(index, handbook):
    report = put(index, handbook(GULLS, FERRY))
    assert report.n_chunks == 2
    assert (report.n_over_window, report.n_split_for_window) == (0, 0)
    assert 0 < report.n_header_tokens < report.n_tokens
    assert count_chunks(index) == count_chunks(index, 1) == ChunkCounts(2, 2)
    assert contents(index) == [GULLS[1], FERRY[1]]
    chunk = chunks_of_document(index, 1)[0]
    assert (chunk.document_id, chunk.folder_id, chunk.document_title) == (1, 7, "Handbook")
    assert chunk.text == f"[Handbook > Gulls]\n{GULLS[1]}"


def test_progress_is_told(index, handbook):
    told = []
    put(index, handbook(GULLS, FERRY), on_progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (2, 2)


def test_indexing_again_replaces(index, handbook):
    put(index, handbook(GULLS, FERRY))
    put(index, handbook(("Ferry", "The ferry leaves at ten.")))
    assert contents(index) == ["The ferry leaves at ten."]
    assert count_chunks(index) == ChunkCounts(1, 1)
    assert index.lexical.search("gulls", 5, [7]) == []


def test_the_same_content_keeps_its_ids_and_a_moved_one_its_place(index, handbook):
    put(index, handbook(GULLS))
    before = chunks_of_document(index, 1)
    put(index, handbook(GULLS))
    assert chunks_of_document(index, 1) == before
    put(index, handbook(GULLS), folder_id=8)
    assert [chunk.folder_id for chunk in chunks_of_document(index, 1)] == [8]
    vector = index.embedder.encode_question("gulls")
    assert index.store.search("main", vector, 5, Scope((7,))) == []
    assert index.lexical.search("gulls", 5, [7]) == []


def test_two_documents_with_the_same_text_do_not_share_chunks(index, handbook):
    put(index, handbook(GULLS), document_id=1)
    put(index, handbook(GULLS), document_id=2)
    remove_document(index, 1)
    assert contents(index, 2) == [GULLS[1]]


@pytest.mark.parametrize("broken", ["store", "lexical"])
def test_a_failure_half_way_leaves_the_old_state(index, handbook, monkeypatch, broken):
    put(index, handbook(GULLS, FERRY))
    if broken == "store":
        upsert = index.store.upsert

        def fail(collection, chunks, vectors):
            upsert(collection, chunks[:1], vectors[:1])
            raise StoreDown("gone")

        monkeypatch.setattr(index.store, "upsert", fail)
    else:
        monkeypatch.setattr(
            index.lexical, "put_document", lambda *_: (_ for _ in ()).throw(StoreDown("gone"))
        )
    with pytest.raises(StoreDown):
        put(index, handbook(("New", "Everything is new."), ("Newer", "And newer.")))
    assert contents(index) == [GULLS[1], FERRY[1]]
    assert count_chunks(index) == ChunkCounts(2, 2)
    monkeypatch.undo()
    put(index, handbook(("New", "Everything is new.")))
    assert contents(index) == ["Everything is new."]


def test_a_failure_while_indexing_the_same_content_again_removes_nothing(index, handbook, monkeypatch):
    put(index, handbook(GULLS))
    monkeypatch.setattr(index.lexical, "put_document", lambda *_: (_ for _ in ()).throw(StoreDown("gone")))
    with pytest.raises(StoreDown):
        put(index, handbook(GULLS))
    assert contents(index) == [GULLS[1]]


def test_a_removed_document_is_nowhere(index, handbook):
    put(index, handbook(GULLS))
    remove_document(index, 1)
    remove_document(index, 1)
    assert count_chunks(index, 1) == ChunkCounts(0, 0)
    assert contents(index) == []


def test_a_document_without_text_has_no_chunks(index, handbook):
    put(index, handbook(GULLS))
    assert put(index, handbook()).n_chunks == 0
    assert count_chunks(index, 1) == ChunkCounts(0, 0)


def test_opening_twice_is_the_same_index_and_another_model_is_refused(index, handbook, store, tmp_path):
    put(index, handbook(GULLS))
    again = open_index("main", config=CONFIG, directory=tmp_path, store=store, embedder=HashingEmbedder())
    assert count_chunks(again) == ChunkCounts(1, 1)
    with pytest.raises(IndexMismatch):
        open_index(
            "main", config=CONFIG, directory=tmp_path, store=store, embedder=HashingEmbedder(name="other")
        )


def test_a_dropped_index_is_gone(index, handbook):
    put(index, handbook(GULLS))
    drop_index(index)
    assert index.lexical.count() == 0
    with pytest.raises(IndexMissing):
        count_chunks(index)


def test_the_probe_finds_vectors_of_another_model_behind_the_same_name(index, handbook):
    assert probe_index(index) == 1.0
    put(index, handbook(GULLS, FERRY))
    assert probe_index(index) > 0.99
    impostor = HashingEmbedder(revision="2")
    with pytest.raises(IndexMismatch, match="cosine"):
        probe_index(replace(index, embedder=impostor))


def test_sides_that_disagree_are_an_error(index, handbook, monkeypatch):
    monkeypatch.setattr(index.lexical, "put_document", lambda *_: None)
    with pytest.raises(IndexMismatch, match="lexical"):
        put(index, handbook(GULLS))


def test_the_fake_embedder_puts_like_texts_near_each_other(embedder):
    near, far = embedder.encode_passages(["feeding gulls on fridays", "ferry timetable"])
    asked = embedder.encode_question("may gulls be fed on friday")
    assert asked @ near > asked @ far + 0.2
    assert np.linalg.norm(asked) == pytest.approx(1.0, abs=1e-5)


def test_documents_indexed_together_are_as_if_one_by_one(index, handbook, tmp_path):
    texts = [handbook(GULLS), handbook(FERRY), handbook(GULLS, FERRY)]
    together = index_documents(
        index, [DocumentText(number, 7, f"Book {number}", text) for number, text in enumerate(texts)]
    )
    apart = [
        put(index, text, document_id=10 + number, title=f"Book {number}") for number, text in enumerate(texts)
    ]
    assert list(together.documents) == apart
    for number in range(3):
        assert contents(index, number) == contents(index, 10 + number)
    assert [report.offsets for report in together.documents] == [
        tuple((chunk.start, chunk.end) for chunk in chunks_of_document(index, number)) for number in range(3)
    ]
    assert min(together.chunk_s, together.embed_s, together.store_s) > 0


def test_a_batch_that_fails_half_way_leaves_each_document_old_or_new(index, handbook, monkeypatch):
    put(index, handbook(GULLS), document_id=1)
    put(index, handbook(GULLS), document_id=2)
    real = index.lexical.put_document

    def fail_at_the_second(document_id, folder_id, chunks, language):
        if document_id == 2:
            raise StoreDown("full")
        real(document_id, folder_id, chunks, language)

    monkeypatch.setattr(index.lexical, "put_document", fail_at_the_second)
    with pytest.raises(StoreDown):
        index_documents(index, [DocumentText(number, 7, "Handbook", handbook(FERRY)) for number in (1, 2, 3)])
    assert FERRY[1] in contents(index, 1)
    assert contents(index, 2) == [GULLS[1]]
    assert contents(index, 3) == []
