import pytest

from rag.bench_lexical import DictionaryBM25, PutCost, measure_lexical
from rag.config import RagConfig
from rag.lexical import SegmentIndex

TEXTS = [f"Ferry {n} leaves the harbour at {n % 7} for Oslo and ERR-{n}" for n in range(40)]


def test_the_sides_are_measured_on_the_same_chunks_and_agree():
    report = measure_lexical(
        TEXTS,
        ["When does ferry 3 leave?", "ERR-12"],
        config=RagConfig(),
        n_chunks=60,
        sizes=(50, 90),
        repeats=2,
    )
    assert (report.n_chunks, report.n_questions, report.n_agreed) == (60, 2, 2)
    assert report.ours.n == report.dictionary.n == report.library.n == 4
    assert report.times_dictionary == report.dictionary.p50_ms / report.ours.p50_ms > 0
    assert [cost.n_chunks for cost in report.puts] == [50, 90]
    assert all(isinstance(cost, PutCost) and cost.put_ms > 0 for cost in report.puts)
    assert min(report.library_build_ms, report.open_ms) > 0


def test_the_dictionary_scores_as_the_index_does(tmp_path):
    index = SegmentIndex(tmp_path, k1=1.2, b=0.75)
    index.put_document(1, 1, [(str(at), text) for at, text in enumerate(TEXTS)])
    found = DictionaryBM25(TEXTS, k1=1.2, b=0.75).search("ferry to Oslo ERR-7", 5)
    assert [(str(at), pytest.approx(score)) for at, score in found] == index.search(
        "ferry to Oslo ERR-7", 5, [1]
    )
