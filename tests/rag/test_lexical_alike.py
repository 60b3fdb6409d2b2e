"""The embedded lexical index and the server's rank alike; the server is its in-process double unless one runs."""

import os
import uuid
from pathlib import Path

import pytest
from qdrant_client import QdrantClient

from rag.chunk import chunk_document
from rag.config import RagConfig
from rag.errors import IndexMismatch, IndexMissing
from rag.evaluate import read_needles
from rag.extract import extract_file
from rag.lexical import SegmentIndex, drop_server_lexical, open_server_lexical
from rag.lexical.words import bag_of

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]
CONFIG = RagConfig()


def chunk_id(name):
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))


def connected(kind):
    if kind == "memory":
        return QdrantClient(":memory:")
    if "TEST_QDRANT_URL" in os.environ:  # tests/isolation.py moves QDRANT_URL there
        return QdrantClient(os.environ["TEST_QDRANT_URL"])
    return pytest.skip("QDRANT_URL is not set")


@pytest.fixture(params=["memory", "server"])
def client(request):
    client = connected(request.param)
    yield client
    client.close()


@pytest.fixture
def name():
    return f"test-{uuid.uuid4().hex[:12]}"


@pytest.fixture(params=["segments", "memory", "server"])
def index(request, tmp_path, name):
    if request.param == "segments":
        yield SegmentIndex(tmp_path, k1=CONFIG.bm25_k1, b=CONFIG.bm25_b)
        return
    client = connected(request.param)
    index = open_server_lexical(name, config=CONFIG, client=client)
    yield index
    index.drop()
    client.close()


def found(index, question, folder_ids=(1, 2), document_ids=None, k=10):
    return [name for name, _ in index.search(question, k, folder_ids, document_ids)]


def test_both_keep_the_contract(index):
    a, b, c, d = map(chunk_id, "abcd")
    index.put_document(1, 1, [(a, "the hotel rate in Oslo, ERR-4012"), (b, "gulls steal lunches")])
    index.put_document(2, 2, [(c, "Reiser til kundene")], "norwegian")
    assert found(index, "hotels") == [a]
    assert found(index, "reise") == [c]
    assert found(index, "ERR-4012 gull", (1,)) == found(index, "ERR-4012 gull", (1, 2), [1]) != []
    assert found(index, "hotel", (2,)) == found(index, "hotel", (1,), [2]) == found(index, "zebra") == []
    assert found(index, "hotel", ()) == found(index, "hotel", (1,), []) == found(index, "?") == []
    assert len(found(index, "hotel gulls", k=1)) == 1
    assert found(index, "hotel", k=0) == []
    assert (index.count(), index.count(1), index.count(9)) == (3, 2, 0)
    index.put_document(1, 2, [(a, "the hotel rate in Oslo"), (d, "—")])
    assert (index.count(), index.count(1)) == (3, 2)
    assert found(index, "gulls") == found(index, "hotel", (1,)) == []
    assert found(index, "hotel", (2,)) == [a]
    index.delete_document(1)
    index.delete_document(1)
    assert index.count() == 1
    index.put_document(2, 2, [])
    assert index.count() == 0
    assert found(index, "reise") == []


def test_both_find_each_spelling(index):
    spelled = ["Ask Núñez", "Ask Nunez", "Ask Mueller", "Ask Müller", "see RFC 2616", "第三款规定"]
    ids = [chunk_id(text) for text in spelled]
    index.put_document(1, 1, list(zip(ids, spelled, strict=True)))
    assert found(index, "Where is Núñez?") == ids[:2], "as it is written first"
    assert set(found(index, "where is nunez?")) == set(ids[:2])
    assert set(found(index, "Where is Müller?")) == {ids[2], ids[3]}
    assert set(found(index, "mueller")) == {ids[2], ids[3]}
    assert found(index, "muller") == [ids[3]]
    assert found(index, "RFC2616") == [ids[4]]
    assert found(index, "款") == [ids[5]]


def test_a_dropped_server_index_is_missing_until_it_is_filled_again(client, name):
    server = open_server_lexical(name, config=CONFIG, client=client)
    server.drop()
    with pytest.raises(IndexMissing):
        server.count()
    server.put_document(1, 1, [(chunk_id("a"), "hotel")])
    assert found(server, "hotel") == [chunk_id("a")]
    server.drop()


def test_an_index_made_with_other_numbers_is_refused(client, name):
    index = open_server_lexical(name, config=CONFIG, client=client)
    open_server_lexical(name, config=CONFIG, client=client)
    with pytest.raises(IndexMismatch, match=r"average_words 59\.0 instead of 80"):
        open_server_lexical(name, config=RagConfig(bm25_average_words=80.0), client=client)
    index.drop()


def test_an_index_with_the_words_of_another_release_is_refused_until_it_is_dropped(client, name, monkeypatch):
    with monkeypatch.context() as earlier:
        earlier.setattr("rag.lexical.sparse.WORDS_VERSION", 1)
        open_server_lexical(name, config=CONFIG, client=client)
    with pytest.raises(IndexMismatch, match="words 1 instead of 2") as error:
        open_server_lexical(name, config=CONFIG, client=client)
    assert "rebuild_words" in error.value.next_step
    drop_server_lexical(name, client=client)
    drop_server_lexical(name, client=client)
    open_server_lexical(name, config=CONFIG, client=client).drop()


def sample():
    """Chunks of the sample's Markdown pages, and the golden questions in both wordings."""
    folder = Path(__file__).resolve().parents[2] / "console" / "sample"
    pages = sorted((folder / "handbook").rglob("*.md"))
    assert len(pages) > 5
    documents = []
    for page in pages:
        chunked = chunk_document(
            extract_file(page, filename=page.name),
            budget_chars=512,
            window_tokens=256,
            count_tokens=lambda texts: [len(text.split()) for text in texts],
        )
        documents.append([chunk.text for chunk in chunked.chunks])
    needles = read_needles((folder / "questions" / "needles.jsonl").read_text(encoding="utf-8").splitlines())
    return documents, [
        question for needle in needles for question in (needle.question, needle.ticket) if question
    ]


@pytest.mark.parametrize(
    ("average", "least_overlap", "rounding"), [("counted", 0.9, 1e-5), ("configured", 0.6, 0.02)]
)
def test_both_rank_real_chunks_alike(tmp_path, client, name, average, least_overlap, rounding):
    """With the true average length only float32 parts them; with the configured one the length's weight too."""
    documents, questions = sample()
    words = [bag_of(text).length for texts in documents for text in texts]
    config = RagConfig(bm25_average_words=sum(words) / len(words)) if average == "counted" else CONFIG
    embedded = SegmentIndex(tmp_path, k1=config.bm25_k1, b=config.bm25_b)
    server = open_server_lexical(name, config=config, client=client)
    for number, texts in enumerate(documents, start=1):
        chunks = [(chunk_id(f"{number}-{at}"), text) for at, text in enumerate(texts)]
        embedded.put_document(number, 1, chunks)
        server.put_document(number, 1, chunks)
    assert embedded.count() == server.count() > 100
    overlaps, n_firsts = [], 0
    for question in questions:
        here, there = embedded.search(question, 10, [1]), server.search(question, 10, [1])
        overlaps.append(len({chunk for chunk, _ in here} & {chunk for chunk, _ in there}) / len(here))
        if here[0][1] > here[1][1] * (1 + rounding):
            assert there[0][0] == here[0][0], question
            n_firsts += 1
        assert there[0][1] == pytest.approx(here[0][1], rel=5 * rounding)
    assert sum(overlaps) / len(overlaps) >= 0.9
    assert min(overlaps) >= least_overlap
    assert n_firsts > 0.8 * len(questions)
    server.drop()
