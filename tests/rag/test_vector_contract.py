"""What every vector store must do; the same tests for each, a real server when QDRANT_URL is set."""

import os
import uuid
from dataclasses import replace

import numpy as np
import pytest
from qdrant_client import QdrantClient

from rag.errors import IndexMismatch, IndexMissing
from rag.types import EmbeddingModel, Locator, Scope, Span
from rag.vectors import open_edge_store, open_server_store
from tests.rag.fakes import stored_chunk

# qdrant-client's local mode says what it leaves out; the server leaves nothing out.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]

DIMENSION = 16
MODEL = EmbeddingModel("fake", "r1", DIMENSION, 64, "mean", normalised=True)
EVERYWHERE = Scope((1, 2, 3))


@pytest.fixture(params=["edge", "memory", "server"])
def store(request, tmp_path):
    if request.param == "edge":
        store = open_edge_store(tmp_path)
    elif request.param == "memory":
        store = open_server_store(client=QdrantClient(":memory:"))
    elif "TEST_QDRANT_URL" in os.environ:  # tests/isolation.py moves QDRANT_URL there
        store = open_server_store(os.environ["TEST_QDRANT_URL"])
    else:
        pytest.skip("QDRANT_URL is not set")
    yield store
    store.close()


@pytest.fixture
def collection(store):
    name = f"test-{uuid.uuid4().hex[:12]}"
    store.ensure(name, MODEL)
    yield name
    store.drop(name)


def corpus(n=60, *, seed=0):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(n, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    chunks = [
        stored_chunk(
            f"Passage {at}.",
            chunk_id=str(uuid.uuid5(uuid.NAMESPACE_OID, f"{seed}-{at}")),
            document_id=1 + at % 7,
            folder_id=1 + at % 3,
            index=at,
        )
        for at in range(n)
    ]
    return chunks, vectors


def question(seed=99):
    vector = np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize(
    "scope", [EVERYWHERE, Scope((2,)), Scope((1, 3)), Scope((1, 2, 3), (4, 5)), Scope((2,), (1,))]
)
def test_results_and_distances_are_brute_force(store, collection, scope):
    chunks, vectors = corpus()
    store.upsert(collection, chunks, vectors)
    found = store.search(collection, question(), 10, scope)
    visible = [
        at
        for at, chunk in enumerate(chunks)
        if chunk.folder_id in scope.folder_ids
        and (scope.document_ids is None or chunk.document_id in scope.document_ids)
    ]
    distances = {at: 1.0 - float(vectors[at] @ question()) for at in visible}
    expected = sorted(visible, key=distances.__getitem__)[:10]
    assert [chunk.index for chunk, _ in found] == expected
    for (_, distance), at in zip(found, expected, strict=True):
        assert distance == pytest.approx(distances[at], abs=1e-3)


def test_an_empty_scope_sees_nothing(store, collection):
    store.upsert(collection, *corpus())
    assert store.search(collection, question(), 5, Scope(())) == []
    assert store.search(collection, question(), 5, Scope((1,), ())) == []
    assert store.search(collection, question(), 0, EVERYWHERE) == []


def test_only_restricts_to_ids_inside_the_scope(store, collection):
    chunks, vectors = corpus()
    store.upsert(collection, chunks, vectors)
    wanted = [chunks[0].chunk_id, chunks[1].chunk_id]
    found = store.search(collection, question(), 5, EVERYWHERE, only=wanted)
    assert {chunk.chunk_id for chunk, _ in found} == set(wanted)
    only_first_folder = store.search(collection, question(), 5, Scope((1,)), only=wanted)
    assert [chunk.chunk_id for chunk, _ in only_first_folder] == [chunks[0].chunk_id]
    assert store.search(collection, question(), 5, EVERYWHERE, only=[]) == []


def test_a_deleted_document_is_found_by_nobody(store, collection):
    chunks, vectors = corpus()
    store.upsert(collection, chunks, vectors)
    assert store.count(collection, 3) > 0
    store.delete_document(collection, 3)
    assert store.count(collection, 3) == 0
    assert store.count(collection) == sum(chunk.document_id != 3 for chunk in chunks)
    assert store.search(collection, question(), 60, Scope((1, 2, 3), (3,))) == []
    assert store.document_chunks(collection, 3) == []
    gone = [chunk.chunk_id for chunk in chunks if chunk.document_id == 3]
    assert store.search(collection, question(), 60, EVERYWHERE, only=gone) == []
    assert store.fetch(collection, gone) == []


def test_deleting_a_document_can_keep_chunks_and_chunks_can_go_alone(store, collection):
    chunks, vectors = corpus()
    store.upsert(collection, chunks, vectors)
    kept = [chunk for chunk in chunks if chunk.document_id == 2][:2]
    store.delete_document(collection, 2, keep=[chunk.chunk_id for chunk in kept])
    assert store.document_chunks(collection, 2) == kept
    store.delete_chunks(collection, [kept[0].chunk_id])
    assert store.document_chunks(collection, 2) == kept[1:]


def test_a_chunk_comes_back_as_it_was_stored(store, collection):
    place = Locator(sheet="Rates", cells="A2:B3", heading_path=("Travel", "Höhe"), page=4, anchor="a")
    rows = tuple(
        Span(at, at + 5, "table_row", replace(place, cells=cells, anchor=None), "City | Rate")
        for at, cells in ((10, "A2:B2"), (16, "A3:B3"))
    )
    chunk = stored_chunk("Oslo\n\nRoma — 汉", locator=place, section="Travel > Höhe", start=10, spans=rows)
    store.upsert(collection, [chunk], question()[None, :])
    assert store.fetch(collection, [chunk.chunk_id]) == [chunk]
    assert store.document_chunks(collection, 1) == [chunk]
    assert store.sample(collection, 3) == [chunk]
    assert store.search(collection, question(), 1, EVERYWHERE)[0][0] == chunk
    assert store.vectors_of(collection, [chunk.chunk_id])[0] == pytest.approx(question(), abs=1e-5)


def test_fetching_keeps_the_order_asked_and_leaves_out_what_is_not_there(store, collection):
    chunks, vectors = corpus(5)
    store.upsert(collection, chunks, vectors)
    wanted = [chunks[3].chunk_id, str(uuid.uuid4()), chunks[1].chunk_id]
    assert store.fetch(collection, wanted) == [chunks[3], chunks[1]]
    assert store.vectors_of(collection, [chunks[3].chunk_id, chunks[1].chunk_id]) == pytest.approx(
        vectors[[3, 1]], abs=1e-5
    )


def test_writing_twice_counts_once(store, collection):
    chunks, vectors = corpus(20)
    store.upsert(collection, chunks, vectors)
    store.upsert(collection, chunks, vectors)
    assert store.count(collection) == 20
    assert store.count(collection, 1) == sum(chunk.document_id == 1 for chunk in chunks)
    store.upsert(collection, [], np.empty((0, DIMENSION), dtype=np.float32))
    assert store.count(collection) == 20


def test_a_long_document_comes_back_whole_and_in_order(store, collection):
    chunks, vectors = corpus(1_300)
    chunks = [replace(chunk, document_id=1) for chunk in chunks]
    store.upsert(collection, chunks, vectors)
    assert store.document_chunks(collection, 1) == chunks


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", "other"), ("revision", "r2"), ("pooling", "cls"), ("normalised", False), ("dimension", 8)],
)
def test_another_model_is_refused(store, collection, field, value):
    store.ensure(collection, MODEL)
    with pytest.raises(IndexMismatch, match=field):
        store.ensure(collection, replace(MODEL, **{field: value}))


def test_another_pipeline_version_is_refused(store, collection, monkeypatch):
    monkeypatch.setattr("rag.vectors.stamp.PIPELINE_VERSION", "next")
    with pytest.raises(IndexMismatch, match="pipeline"):
        store.ensure(collection, MODEL)


def test_a_collection_that_is_not_there_is_missing(store):
    assert not store.exists("nowhere")
    store.drop("nowhere")
    for ask in (
        lambda: store.search("nowhere", question(), 3, EVERYWHERE),
        lambda: store.count("nowhere"),
        lambda: store.fetch("nowhere", [str(uuid.uuid4())]),
        lambda: store.upsert("nowhere", *corpus(1)),
        lambda: store.delete_document("nowhere", 1),
    ):
        with pytest.raises(IndexMissing):
            ask()


def test_a_dropped_collection_can_be_made_again_by_another_model(store, collection):
    store.upsert(collection, *corpus(3))
    store.drop(collection)
    assert not store.exists(collection)
    store.ensure(collection, replace(MODEL, name="other"))
    assert store.count(collection) == 0
