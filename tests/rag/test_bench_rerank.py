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
    asked = [("When does the ferry leave?", candidates), ("When does it land?", candidates[:2])]
    report = measure_rerank(asked, reranker, repeats=2)
    assert (report.n_pairs, reranker.n) == ((5, 2), 6)
    assert reranker.read == [candidate.chunk.content for candidate in candidates[:2]]
    # The scripted side reads nothing at all, so the library has to be the slower one.
    for ours_ms, library_ms in zip(report.ours_ms, report.cross_encoder_ms, strict=True):
        assert 0 <= ours_ms < library_ms


def test_the_share_is_ours_of_the_librarys_on_the_same_question():
    report = RerankReport((25, 25, 9), ours_ms=(100.0, 30.0, 9.0), cross_encoder_ms=(400.0, 40.0, 10.0))
    assert report.share == 0.75
