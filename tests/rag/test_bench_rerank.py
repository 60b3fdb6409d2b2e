import pytest

from rag.bench_rerank import RerankReport, measure_rerank
from tests.rag.fakes import ScriptedReranker, scored, stored_chunk


@pytest.mark.model
def test_both_sides_read_every_pair_as_often():
    class Counting(ScriptedReranker):
        n = 0

        def rerank(self, *arguments, **more):
            self.n += 1
            return super().rerank(*arguments, **more)

    reranker = Counting({})
    candidates = [scored(stored_chunk(f"The ferry leaves at {hour}."), 0.5) for hour in range(5)]
    report = measure_rerank("When does the ferry leave?", candidates, reranker, repeats=2)
    assert (report.n_pairs, report.repeats, reranker.n) == (5, 2, 3)
    assert reranker.read == [candidate.chunk.content for candidate in candidates]
    # The scripted side reads nothing at all, so the library has to be the slower one.
    assert 0 <= report.ours_ms < report.cross_encoder_ms


def test_the_share_is_ours_of_the_librarys():
    assert RerankReport(25, 3, ours_ms=100.0, cross_encoder_ms=400.0).share == 0.25
