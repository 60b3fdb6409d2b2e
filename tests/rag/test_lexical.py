import errno
import json
import math
import os
import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import IndexMismatch, StoreDown
from rag.lexical import SegmentIndex, snapshot
from rag.lexical.segment_index import due
from rag.lexical.words import WORDS_VERSION, bag_of, question_terms

K1, B = 1.2, 0.75
EVERYWHERE = [1, 2, 3]


def textbook(question, corpus, folder_ids=EVERYWHERE):
    """BM25 written out slowly. `corpus`: document id → (folder, language, [(chunk id, text)])."""
    bags = {
        chunk_id: bag_of(text, language)
        for _, language, chunks in corpus.values()
        for chunk_id, text in chunks
    }
    average = sum(bag.length for bag in bags.values()) / len(bags) if bags else 0.0
    asked = question_terms(
        question, {lang for folder, lang, chunks in corpus.values() if folder in folder_ids and chunks}
    )
    scores = {}
    for folder, _, chunks in corpus.values():
        for chunk_id, _ in chunks if folder in folder_ids else []:
            bag, score = bags[chunk_id], 0.0
            for term in asked:
                df = sum(term in other.terms for other in bags.values())
                tf = bag.terms.count(term)
                if tf:
                    idf = math.log(1 + (len(bags) - df + 0.5) / (df + 0.5))
                    score += idf * tf / (tf + K1 * (1 - B + B * bag.length / average))
            if score > 0:
                scores[chunk_id] = score
    return scores


def assert_is_the_textbooks(index, question, corpus, folder_ids=EVERYWHERE):
    found = index.search(question, 1_000, folder_ids)
    assert dict(found) == pytest.approx(textbook(question, corpus, folder_ids), rel=1e-9)
    place = {
        chunk_id: (document_id, at)
        for document_id, (_, _, chunks) in corpus.items()
        for at, (chunk_id, _) in enumerate(chunks)
    }
    assert found == sorted(found, key=lambda one: (-one[1], place[one[0]]))
    assert index.search(question, 3, folder_ids) == found[:3]


WORDS = [
    "travel",
    "travelling",
    "hotel",
    "hotels",
    "rate",
    "Oslo",
    "gulls",
    "the",
    "of",
    "12",
    "ERR-4012",
    "é",
    "設定",
]
text = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
languages = st.sampled_from(["english", "norwegian", "none"])
put = st.tuples(
    st.just("put"), st.integers(1, 6), st.sampled_from(EVERYWHERE), languages, st.lists(text, max_size=3)
)
delete = st.tuples(st.just("delete"), st.integers(1, 6))
rest = st.tuples(st.sampled_from(["settle", "open again"]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Thousands of small writes go here; that they reach the disk is not what is tested with them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda _: None)
        patch.setattr("rag.lexical.segment_index._CHEAP_CHUNKS", 0)  # so that there are several segments
        yield tmp_path_factory.mktemp("lexical")


def did(index, corpus, step):
    """Do one step to the index and to the plain corpus."""
    if step[0] == "put":
        _, document_id, folder_id, language, texts = step
        chunks = [(f"{document_id}-{n}", words) for n, words in enumerate(texts)]
        index.put_document(document_id, folder_id, chunks, language)
        corpus[document_id] = (folder_id, language, chunks)
    elif step[0] == "delete":
        index.delete_document(step[1])
        corpus.pop(step[1], None)
    elif step[0] == "settle":
        index.settle()


@settings(max_examples=50, deadline=None)
@given(
    st.lists(put | put | delete | rest, max_size=14),
    text,
    st.sets(st.sampled_from(EVERYWHERE)),
    st.sampled_from([1, 4]),
)
def test_scores_are_the_textbooks_after_anything(folder, steps, question, scope, small_chunks):
    SegmentIndex(folder, k1=K1, b=B).drop()
    index, corpus = SegmentIndex(folder, k1=K1, b=B, small_chunks=small_chunks), {}
    for step in steps:
        did(index, corpus, step)
        if step[0] == "open again":
            index = SegmentIndex(folder, k1=K1, b=B, small_chunks=small_chunks)
        assert_is_the_textbooks(index, question, corpus)
    assert_is_the_textbooks(index, question, corpus, sorted(scope))
    for document_id in range(1, 7):
        chunks = corpus.get(document_id, (0, "", []))[2]
        assert index.count(document_id) == len(chunks)
    assert index.count() == sum(len(chunks) for _, _, chunks in corpus.values())
    assert_is_the_textbooks(SegmentIndex(folder, k1=K1, b=B), question, corpus)


@pytest.fixture
def index(tmp_path):
    index = SegmentIndex(tmp_path, k1=K1, b=B)
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
    index.put_document(2, 20, [])
    assert index.count() == index.count(2) == 0


def test_a_document_moves_between_folders_whole(index):
    index.put_document(1, 20, [("a", "the hotel rate in Oslo")])
    assert index.search("hotel", 5, [10]) == []
    assert ids(index.search("rate", 5, [20])) == ["a"]


def test_an_empty_index_and_a_document_without_words(tmp_path):
    index = SegmentIndex(tmp_path, k1=K1, b=B)
    assert index.search("hotel", 5, [1]) == []
    index.put_document(1, 1, [("a", "—")])
    assert index.search("hotel", 5, [1]) == []
    assert index.count() == 1


def test_exact_identifiers_come_first(tmp_path):
    index = SegmentIndex(tmp_path, k1=K1, b=B)
    texts = [
        "Error code ERR-4013 means 4012 sheets are left",
        "Error code ERR-4012 means no paper left in tray two",
        "$HOME/ssh",
        "$HOME/.ssh",
    ]
    index.put_document(1, 1, [(str(n), words) for n, words in enumerate(texts)])
    assert ids(index.search("what is ERR-4012", 5, [1]))[0] == "1"
    assert set(ids(index.search("4012", 5, [1]))) == {"0", "1"}
    assert ids(index.search("$HOME/.ssh", 5, [1]))[0] == "3"


def test_a_question_is_stemmed_in_each_language_of_the_scope(tmp_path):
    index = SegmentIndex(tmp_path, k1=K1, b=B)
    index.put_document(1, 1, [("no", "Reiser til kundene betales av avdelingen")], "norwegian")
    index.put_document(2, 2, [("en", "Travelling to customers is paid")], "english")
    index.put_document(3, 3, [("as is", "reiser")], "none")
    assert ids(index.search("reise til kunde", 5, [1])) == ["no"]
    assert ids(index.search("travels", 5, [2])) == ["en"]
    assert index.search("kunde", 5, [2]) == index.search("reise", 5, [3]) == []
    assert set(ids(index.search("reise traveller betalt travel", 5, [1, 2]))) == {"no", "en"}
    assert ids(index.search("Reiser", 5, [3])) == ["as is"]


def test_another_process_sees_what_was_written_and_what_was_deleted(index, tmp_path):
    other = SegmentIndex(tmp_path, k1=K1, b=B)
    assert ids(other.search("gulls", 5, [10])) == ["b"]
    index.put_document(3, 10, [("e", "gulls gulls gulls")])
    assert ids(other.search("gulls", 5, [10])) == ["e", "b"]
    other.delete_document(1)
    assert ids(index.search("gulls", 5, [10])) == ["e"]


def test_equal_scores_rank_by_document_whatever_the_segments(tmp_path):
    index = SegmentIndex(tmp_path, k1=K1, b=B, small_chunks=1)
    for document_id in (3, 1, 2):
        index.put_document(document_id, 10, [(f"{document_id}-{n}", "hotel") for n in (9, 4)])
    wanted = ["1-9", "1-4", "2-9", "2-4", "3-9", "3-4"]
    for _ in ("apart", "merged"):
        for k in range(1, 7):
            assert ids(index.search("hotel", k, [10])) == wanted[:k]
        index._merge(index._current().views)


def test_a_segment_merged_away_while_it_is_opened_is_looked_for_again(index, tmp_path, monkeypatch):
    real, n_opened = snapshot.open_segment, []

    def slow(path):
        n_opened.append(path)
        if len(n_opened) == 1:
            index.put_document(3, 10, [("e", "gulls gulls")])
        return real(path)

    index.search("gulls", 5, [10])
    other = SegmentIndex(tmp_path, k1=K1, b=B)
    monkeypatch.setattr(snapshot, "open_segment", slow)
    assert ids(other.search("gulls", 5, [10])) == ["e", "b"]


def test_what_is_not_new_is_not_read_again(index, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(
        "rag.lexical.snapshot.open_segment", lambda path: opened.append(path) or pytest.fail("read")
    )
    for _ in range(3):
        index.search("hotel", 5, [10])
    assert opened == []


def test_a_put_leaves_large_segments_alone(tmp_path):
    index = SegmentIndex(tmp_path, k1=K1, b=B, small_chunks=8)
    for document_id in range(1, 40):
        index.put_document(document_id, 1, [(f"{document_id}-{n}", f"hotel {document_id}") for n in range(3)])
    index.settle()
    large = {
        path: path.stat().st_mtime_ns for path in tmp_path.glob("*.segment") if path.stat().st_size > 4_000
    }
    for document_id in (5, 100):
        index.put_document(document_id, 1, [("x", "ferry")])
        assert {path: path.stat().st_mtime_ns for path in large} == large
    assert ids(index.search("ferry", 5, [1])) == ["x", "x"]


def test_segments_stay_few_and_the_dead_are_cleared(tmp_path, monkeypatch):
    monkeypatch.setattr("rag.lexical.segment_index._CHEAP_CHUNKS", 0)
    index = SegmentIndex(tmp_path, k1=K1, b=B, small_chunks=4)
    for document_id in range(80):
        index.put_document(document_id, 1, [(f"{document_id}", "hotel rate")])
    index.settle()
    assert 2 <= len(list(tmp_path.glob("*.segment"))) <= 6
    for document_id in range(70):
        index.delete_document(document_id)
    index.settle()
    snapshot = index._current()
    assert due(snapshot.views, 4) == ()
    assert snapshot.offsets[-1] <= 2 * snapshot.n_chunks == 20
    assert {path.stem for path in tmp_path.glob("*.segment")} == {view.entry.name for view in snapshot.views}


def test_documents_that_die_during_a_merge_stay_dead(tmp_path):
    index = SegmentIndex(tmp_path, k1=K1, b=B, small_chunks=1)
    for document_id in (1, 2, 3):
        index.put_document(document_id, 1, [(f"{document_id}", "hotel")])
    views = index._current().views
    index.delete_document(views[0].segment.document_ids[0])
    survivors = set(ids(index.search("hotel", 5, [1])))
    index._merge(views)
    assert len(list(tmp_path.glob("*.segment"))) == 1
    assert set(ids(index.search("hotel", 5, [1]))) == survivors
    assert len(survivors) == 2


def test_a_merge_that_another_process_made_first_is_thrown_away(tmp_path):
    index = SegmentIndex(tmp_path, k1=K1, b=B, small_chunks=1)
    index.put_document(1, 1, [("a", "hotel")])
    views = index._current().views
    SegmentIndex(tmp_path, k1=K1, b=B).put_document(2, 1, [("b", "hotel")])
    index._merge(views)
    assert set(ids(index.search("hotel", 5, [1]))) == {"a", "b"}
    assert not list(tmp_path.glob(".writing-*"))


def test_large_merges_run_beside_the_puts(tmp_path, monkeypatch):
    monkeypatch.setattr("rag.lexical.segment_index._BESIDE_CHUNKS", 0)
    index = SegmentIndex(tmp_path, k1=K1, b=B, small_chunks=2)
    corpus = {}
    for document_id in range(60):
        did(
            index,
            corpus,
            ("put", document_id % 40, 1 + document_id % 3, "english", ["hotel", f"rate {document_id}"]),
        )
        if document_id % 7 == 0:
            did(index, corpus, ("delete", document_id % 11))
    index.settle()
    assert_is_the_textbooks(index, "hotel rate 45", corpus)


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


WRITER = """
import sys
from pathlib import Path
from rag.lexical import SegmentIndex, snapshot
index = SegmentIndex(Path(sys.argv[1]), k1=1.2, b=0.75, small_chunks=4)
first = int(sys.argv[2])
for document_id in range(first, first + 15):
    index.put_document(document_id, 1, [(f"{document_id}-{n}", f"hotel {document_id}") for n in range(2)])
    if document_id % 3 == 0:
        index.delete_document(document_id)
"""


def test_processes_write_at_once_and_nothing_is_lost(tmp_path):
    writers = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", WRITER, str(tmp_path), str(first)])
        for first in (0, 100)
    ]
    index = SegmentIndex(tmp_path, k1=K1, b=B)
    while any(writer.poll() is None for writer in writers):
        index.search("hotel", 5, [1])
    assert [writer.returncode for writer in writers] == [0, 0]
    kept = [n for n in (*range(15), *range(100, 115)) if n % 3]
    assert index.count() == 2 * len(kept)
    assert {chunk_id.partition("-")[0] for chunk_id, _ in index.search("hotel", 100, [1])} == set(
        map(str, kept)
    )


@pytest.mark.parametrize("failing", [1, 2, 3, 4])
def test_an_interrupted_write_leaves_the_old_state(index, monkeypatch, tmp_path, failing):
    real, calls = os.fsync, []

    def fsync(handle):
        calls.append(handle)
        if len(calls) == failing:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    index = SegmentIndex(tmp_path, k1=K1, b=B, small_chunks=1)
    index.put_document(3, 10, [("e", "ferry"), ("f", "ferry")])
    monkeypatch.setattr("os.fsync", fsync)
    with pytest.raises(StoreDown, match="disk of the lexical index is full") as error:
        index.put_document(1, 10, [("x", "half"), ("y", "half")])
    assert "Free space" in error.value.next_step
    monkeypatch.undo()
    for each in (index, SegmentIndex(tmp_path, k1=K1, b=B)):
        assert ids(each.search("gulls half", 5, [10])) == ["b"]
        assert each.count() == 5
    assert not list(tmp_path.glob(".writing-*"))
    index.put_document(1, 10, [("x", "whole")])
    assert ids(index.search("gulls whole", 5, [10])) == ["x"]


def test_what_a_crash_left_is_swept(index, tmp_path):
    (tmp_path / "orphan.segment").write_bytes(b"x")
    (tmp_path / "orphan.dead").write_bytes(b"x")
    old, fresh = tmp_path / ".writing-old", tmp_path / ".writing-fresh"
    old.touch()
    fresh.touch()
    os.utime(old, (0, 0))
    again = SegmentIndex(tmp_path, k1=K1, b=B)
    again.delete_document(2)
    assert not (tmp_path / "orphan.segment").exists()
    assert not (tmp_path / "orphan.dead").exists()
    assert (old.exists(), fresh.exists()) == (False, True)
    assert ids(again.search("hotel", 5, [10, 20])) == ["a"]


def test_dropping_removes_every_file(index, tmp_path):
    index.drop()
    index.drop()
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]
    assert index.search("hotel", 5, [10, 20]) == []
    index.put_document(1, 10, [("a", "hotel")])
    assert index.count() == 1


def test_an_index_of_the_earlier_form_is_not_read_as_this_one(tmp_path):
    (tmp_path / "7.json").write_text(
        json.dumps({"folder_id": 1, "document_id": 7, "chunks": [["a", "hotel"]]})
    )
    (tmp_path / "generation").write_text("abc")
    with pytest.raises(IndexMismatch):
        SegmentIndex(tmp_path, k1=K1, b=B)
    (tmp_path / "generation").unlink()
    (tmp_path / "manifest.json").write_text('{"format": 99, "segments": []}')
    with pytest.raises(IndexMismatch, match="99"):
        SegmentIndex(tmp_path, k1=K1, b=B).count()


def head_of(whole):
    return whole.index(b"\n", whole.index(b"\n") + 1)


HARMS = {
    "cut": lambda whole: whole[:-20],
    "other": lambda whole: b"something else\n",
    "empty": lambda whole: b"",
    "head cut": lambda whole: whole[: head_of(whole) - 9],
    "head no JSON": lambda whole: whole.replace(b'{"names"', b'}"names"', 1),
    "head no object": lambda whole: whole.replace(b'"sizes"', b'"sixes"', 1),
    "a size below 0": lambda whole: whole.replace(b'"keys": ', b'"keys": -', 1),
    "another size": lambda whole: whole.replace(b'"keys": 9', b'"keys": 8', 1),
}


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_a_damaged_segment_is_said_to_be_damaged(index, tmp_path, harm):
    (path,) = tmp_path.glob("*.segment")
    whole = path.read_bytes()
    path.write_bytes(harm(whole))
    assert path.read_bytes() != whole
    damaged = SegmentIndex(tmp_path, k1=K1, b=B)
    for use in USES:
        with pytest.raises(StoreDown) as error:
            use(damaged)
        assert "rebuild_words" in error.value.next_step
    damaged.drop()
    assert damaged.count() == 0


USES = (
    lambda index: index.search("hotel", 5, [10]),
    lambda index: index.count(),
    lambda index: index.put_document(9, 10, [("z", "zebra")]),
    lambda index: index.delete_document(1),
)


@pytest.mark.parametrize(
    "written",
    ["", "no JSON", "[]", "{}", '{"format": 1}', '{"format": 1, "segments": [["a"]]}', "\xff", "[" * 100_000],
    ids=["empty", "no JSON", "list", "blank", "no segments", "no count", "no text", "deep"],
)
def test_a_damaged_manifest_is_said_to_be_damaged(index, tmp_path, written):
    (tmp_path / "manifest.json").write_text(written, encoding="latin-1")
    damaged = SegmentIndex(tmp_path, k1=K1, b=B)
    for use in USES:
        with pytest.raises(StoreDown, match="manifest"):
            use(damaged)
    damaged.drop()
    assert damaged.count() == 0


@pytest.mark.parametrize("kind", ["*.segment", "*.dead"])
def test_a_file_that_is_gone_is_said(tmp_path, kind):
    index = SegmentIndex(tmp_path, k1=K1, b=B, small_chunks=1)
    for document_id in range(1, 9):
        index.put_document(document_id, 10, [(f"c{document_id}", "hotel")])
    index.settle()
    index.delete_document(1)
    paths = list(tmp_path.glob(kind))
    assert paths
    for path in paths:
        path.unlink()
    with pytest.raises(StoreDown):
        SegmentIndex(tmp_path, k1=K1, b=B).search("hotel", 5, [10])


@pytest.mark.parametrize("content", [b"", b"\x01\x00", b"\xff\xff\xff\x7f"], ids=["empty", "cut", "far"])
def test_a_deleted_document_does_not_come_back_with_a_damaged_list(tmp_path, content):
    index = SegmentIndex(tmp_path, k1=K1, b=B, small_chunks=1)
    for document_id in range(1, 9):
        index.put_document(document_id, 10, [(f"c{document_id}", "hotel")])
    index.settle()
    index.delete_document(1)
    for path in tmp_path.glob("*.dead"):
        path.write_bytes(content)
    with pytest.raises(StoreDown, match="deleted documents"):
        SegmentIndex(tmp_path, k1=K1, b=B).search("hotel", 5, [10])


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreDown):
        SegmentIndex(tmp_path / "file" / "lexical", k1=K1, b=B)


def test_words_of_an_earlier_release_are_not_searched(index, tmp_path):
    manifest = tmp_path / "manifest.json"
    described = json.loads(manifest.read_text())
    assert described.pop("words") == WORDS_VERSION
    manifest.write_text(json.dumps(described))
    old = SegmentIndex(tmp_path, k1=K1, b=B)
    for use in USES:
        with pytest.raises(IndexMismatch, match="words of version 1") as error:
            use(old)
        assert "rebuild_words" in error.value.next_step
    old.drop()
    old.put_document(1, 10, [("a", "hotel")])
    assert ids(SegmentIndex(tmp_path, k1=K1, b=B).search("hotel", 5, [10])) == ["a"]


def test_an_earlier_index_without_words_goes_on(tmp_path):
    (tmp_path / "manifest.json").write_text('{"format": 1, "segments": []}')
    index = SegmentIndex(tmp_path, k1=K1, b=B)
    index.put_document(1, 10, [("a", "hotel")])
    assert ids(index.search("hotel", 5, [10])) == ["a"]
