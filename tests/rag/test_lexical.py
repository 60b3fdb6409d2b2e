import math
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.lexical import LexicalIndex, stems

K1, B = 1.2, 0.75


def textbook(question, texts):
    """BM25 written out slowly: chunk id → score, zero scores left out."""
    bags = {chunk_id: stems(text) for chunk_id, text in texts.items()}
    n = len(bags)
    average = sum(map(len, bags.values())) / n if n else 0.0
    scores = {}
    for chunk_id, bag in bags.items():
        score = 0.0
        for term in set(stems(question)):
            df = sum(term in other for other in bags.values())
            tf = bag.count(term)
            if tf:
                idf = math.log(1 + (n - df + 0.5) / (df + 0.5))
                score += idf * tf / (tf + K1 * (1 - B + B * len(bag) / average))
        if score > 0:
            scores[chunk_id] = score
    return scores


WORDS = ["travel", "travelling", "hotel", "hotels", "rate", "oslo", "gull", "gulls", "the", "of", "12", "é"]
text = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
documents = st.lists(st.tuples(st.integers(1, 3), st.lists(text, max_size=3)), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lexical")


@settings(max_examples=60)
@given(documents, text)
def test_scores_are_the_textbooks(folder, contents, question):
    index = LexicalIndex(folder, k1=K1, b=B)
    index.drop()
    texts = {}
    for document_id, (folder_id, chunks) in enumerate(contents, start=1):
        named = [(f"{document_id}-{n}", words) for n, words in enumerate(chunks)]
        texts |= dict(named)
        index.put_document(document_id, folder_id, named)
    found = index.search(question, 100, [1, 2, 3])
    expected = textbook(question, texts)
    assert {chunk_id for chunk_id, _ in found} == set(expected)
    for chunk_id, score in found:
        assert score == pytest.approx(expected[chunk_id], rel=1e-4)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


@pytest.fixture
def index(tmp_path):
    index = LexicalIndex(tmp_path, k1=K1, b=B)
    index.put_document(1, 10, [("a", "the hotel rate in Oslo"), ("b", "gulls steal lunches")])
    index.put_document(2, 20, [("c", "hotels in Lisbon")])
    return index


def ids(found):
    return [chunk_id for chunk_id, _ in found]


def test_words_meet_by_stem_case_and_form(index):
    assert ids(index.search("HOTELS", 5, [10, 20])) == ["c", "a"]
    assert ids(index.search("stole a GULL’s lunch", 5, [10, 20])) == ["b"]


def test_the_scope_filters_folders_and_documents(index):
    assert ids(index.search("hotel", 5, [20])) == ["c"]
    assert ids(index.search("hotel", 5, [10, 20], [1])) == ["a"]
    assert index.search("hotel", 5, []) == []
    assert index.search("hotel", 5, [10], []) == []


def test_k_cuts_and_nothing_shared_is_nothing_found(index):
    assert len(index.search("hotel", 1, [10, 20])) == 1
    assert index.search("zebra", 5, [10, 20]) == []
    assert index.search("?!", 5, [10, 20]) == []
    assert index.search("hotel", 0, [10, 20]) == []


def test_putting_again_replaces_and_deleting_removes(index):
    index.put_document(1, 10, [("d", "ferries only")])
    assert ids(index.search("hotel", 5, [10, 20])) == ["c"]
    assert (index.count(), index.count(1), index.count(9)) == (2, 1, 0)
    index.delete_document(1)
    index.delete_document(1)
    assert index.search("ferries", 5, [10, 20]) == []
    assert index.count() == 1


def test_an_empty_index_and_a_document_without_words(tmp_path):
    index = LexicalIndex(tmp_path, k1=K1, b=B)
    assert index.search("hotel", 5, [1]) == []
    index.put_document(1, 1, [("a", "—")])
    assert index.search("hotel", 5, [1]) == []
    assert index.count() == 1


def test_another_process_sees_what_was_written_and_what_was_deleted(index, tmp_path):
    other = LexicalIndex(tmp_path, k1=K1, b=B)
    assert ids(other.search("gulls", 5, [10])) == ["b"]
    index.put_document(3, 10, [("e", "gulls gulls gulls")])
    assert ids(other.search("gulls", 5, [10])) == ["e", "b"]
    other.delete_document(1)
    assert ids(index.search("gulls", 5, [10])) == ["e"]


def test_the_matrix_is_built_once_a_generation_and_not_on_a_put(index, monkeypatch):
    builds = []
    built = LexicalIndex._built
    monkeypatch.setattr(LexicalIndex, "_built", lambda self, at: builds.append(at) or built(self, at))
    for n in range(5):
        index.put_document(9, 10, [("z", f"word {n}")])
    assert builds == []
    for _ in range(3):
        index.search("word", 5, [10])
    assert len(builds) == 1


def test_searches_go_on_over_the_old_snapshot_while_a_slow_one_is_built(index, monkeypatch):
    index.search("hotel", 5, [10])
    object.__setattr__(index._snapshot, "build_s", 10.0)
    release, built = threading.Event(), LexicalIndex._built

    def slow(self, generation):
        release.wait(10)
        return built(self, generation)

    monkeypatch.setattr(LexicalIndex, "_built", slow)
    index.put_document(3, 10, [("e", "hotel hotel")])
    assert ids(index.search("hotel", 5, [10])) == ["a"]
    release.set()
    for _ in range(500):
        if ids(index.search("hotel", 5, [10])) == ["e", "a"]:
            break
        threading.Event().wait(0.01)
    assert ids(index.search("hotel", 5, [10])) == ["e", "a"]


def test_threads_search_and_write_at_once(index):
    failures = []

    def search():
        try:
            for _ in range(30):
                index.search("hotel gulls", 5, [10, 20])
        except Exception as exc:  # noqa: BLE001  # a thread's failure has to reach the assertion
            failures.append(exc)

    def write(document_id):
        try:
            for n in range(10):
                index.put_document(document_id, 10, [(f"{document_id}{n}", f"hotel {n}")])
        except Exception as exc:  # noqa: BLE001  # a thread's failure has to reach the assertion
            failures.append(exc)

    threads = [threading.Thread(target=search) for _ in range(3)]
    threads += [threading.Thread(target=write, args=(document_id,)) for document_id in (5, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert index.count() == 5


def test_an_interrupted_write_leaves_the_old_segment(index, monkeypatch, tmp_path):
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        index.put_document(1, 10, [("x", "half")])
    assert ids(index.search("gulls", 5, [10])) == ["b"]
    assert not list(tmp_path.glob(".writing-*"))
