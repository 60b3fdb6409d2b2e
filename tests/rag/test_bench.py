import pytest

from rag.bench import measure_chunks, measure_latency, measure_throughput
from rag.config import RagConfig
from rag.embed import load_embedder
from rag.evaluate import GoldenNeedle
from rag.types import RefusalReason, Refused, Stage, Trace
from tests.rag.fakes import HashingEmbedder


def test_latency_by_stage():
    times = iter([1_000.0, 1.0, 2.0, 3.0])

    def ask(_question):
        elapsed = next(times)
        stages = (Stage("retrieve", elapsed), Stage("gate", 1.0))
        return Refused(RefusalReason.BELOW_THRESHOLD, 0.9, 0.5, (), Trace(stages))

    report = measure_latency(["a", "b", "c"], ask)
    assert (report.total.n, report.total.p50_ms) == (3, 3.0)
    assert report.stages["retrieve"].p50_ms == 2.0
    assert report.stages["retrieve"].p95_ms == pytest.approx(2.9)
    assert (report.n_answered, report.n_refused) == (0, 3)


def test_no_questions_no_percentiles():
    assert measure_latency([], lambda _: pytest.fail("asked")).total.n == 0


def test_chunks_are_counted_anew(handbook):
    needles = [
        GoldenNeedle("held", "a.md", "Gulls eat bread.", "q", ""),
        GoldenNeedle("gone", "a.md", "Gulls eat fish.", "q", ""),
    ]
    documents = [handbook(("Gulls", "Gulls eat bread.")), handbook(("Long", "word " * 200))]
    report = measure_chunks(
        documents, HashingEmbedder(), config=RagConfig(chunk_chars=5_000), needles=needles
    )
    assert report.n_documents == 2
    assert report.n_over_window == 0
    assert report.n_split_for_window > 0
    assert (report.needles_destroyed, report.n_needles) == (("gone",), 2)
    assert 0 < report.header_share < 1
    assert measure_chunks([], HashingEmbedder(), config=RagConfig()).header_share == 0.0


@pytest.mark.model
def test_throughput_compares_the_same_texts_in_one_run():
    texts = [f"Sentence number {n} about gulls and ferries. " * (1 + n % 6) for n in range(3)]
    report = measure_throughput(texts, load_embedder(), repeats=1)
    assert (report.n_texts, report.repeats) == (3, 1)
    assert report.n_tokens > 3
    assert report.lowest_cosine > 0.999
    # No floor on speed: one repeat on a shared machine says nothing. `manage.py bench` measures it.
    assert report.times_loop == report.ours_per_s / report.loop_per_s > 0
    assert report.times_batched == report.ours_per_s / report.batched_per_s > 0
