"""The packaged relevance model: the real weights."""

import json
import shutil
import threading
import time

import pytest

from rag.errors import ModelMissing
from rag.rerank import load_reranker, reranker_identity
from rag.rerank.packaged import Blend, PackagedReranker, Relevance
from tests.rag.fakes import scored, stored_chunk

pytestmark = pytest.mark.model
QUESTION = "How many weeks of parental leave do employees get?"
ANSWERS = "Parental leave. Every employee gets sixteen weeks of paid parental leave."
ON_TOPIC = "Parental leave. Ask the people team about parental leave before you book it."
FAR = "The ferry leaves at nine from the north pier."


@pytest.fixture(scope="module")
def reranker():
    return load_reranker()


@pytest.fixture(scope="module")
def folder():
    return PackagedReranker()._model._folder


def rerank(reranker, texts, *, distance=0.4, model="footnote-minilm", limit_s=60.0, question=QUESTION):
    candidates = [scored(stored_chunk(text), distance) for text in texts]
    return reranker.rerank(question, candidates, embedding_model=model, time_limit_s=limit_s)


def test_what_answers_stands_before_what_is_on_the_topic_and_before_the_rest(reranker):
    answers, on_topic, far = rerank(reranker, [ANSWERS, ON_TOPIC, FAR]).relevance
    assert 1 >= answers > 3 * on_topic > 0
    assert answers > 3 * far > 0


def test_scores_do_not_depend_on_what_else_is_read(reranker):
    texts = [ANSWERS, FAR, ON_TOPIC * 9, ON_TOPIC, "Leave.", ANSWERS * 20]
    together = rerank(reranker, texts).relevance
    alone = [rerank(reranker, [text]).relevance[0] for text in texts]
    # Activations are quantised batch by batch: alike, not equal.
    assert together == pytest.approx(alone, abs=0.1)
    assert rerank(reranker, texts).relevance == together


def test_a_distance_counts_only_with_the_model_it_was_fitted_with(reranker):
    near, far = (rerank(reranker, [ANSWERS], distance=d, model="another").order for d in (0.1, 0.9))
    assert near == far
    assert rerank(reranker, [ANSWERS], distance=0.1).order > rerank(reranker, [ANSWERS], distance=0.9).order


def test_a_passage_is_as_relevant_as_its_best_sentence(reranker):
    text = f"{FAR} {ANSWERS} {ON_TOPIC}"
    done = rerank(reranker, [text])
    (read,) = done.sentences
    assert [text[each.start : each.end] for each in read] == [
        FAR,
        "Parental leave.",
        "Every employee gets sixteen weeks of paid parental leave.",
        "Parental leave.",
        "Ask the people team about parental leave before you book it.",
    ]
    best = max(read, key=lambda each: each.relevance)
    assert "sixteen weeks" in text[best.start : best.end]
    assert done.relevance == (best.relevance,)


def test_a_passage_of_which_nothing_can_be_quoted_is_not_relevant(reranker):
    assert (
        rerank(reranker, ["TODO", "How many weeks of parental leave do employees get?"]).relevance[0] == 0.0
    )


def test_only_the_closest_passages_are_read_by_sentence(reranker):
    done = rerank(reranker, [ANSWERS, *[FAR] * 9])
    assert len(done.order) == 10
    assert sum(each is not None for each in done.relevance) == 6
    assert [bool(each) for each in done.sentences] == [each is not None for each in done.relevance]
    assert done.relevance[0] is not None


def test_out_of_time(reranker):
    started = time.monotonic()
    done = rerank(reranker, [ON_TOPIC * 10] * 200, limit_s=0.05)
    assert (done.order, done.relevance, done.timed_out) == ((), (), True)
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("text", ["", "\x00", "汉字 " * 2000, "a" * 50_000, "🙂"])
def test_any_text_can_be_read(reranker, text):
    (score,) = rerank(reranker, [text]).relevance
    assert 0 <= score <= 1
    (score,) = rerank(reranker, [ANSWERS], question=text).relevance
    assert 0 <= score <= 1


def test_nothing_to_read(reranker):
    assert rerank(reranker, []).relevance == ()


def test_threads_share_it(reranker):
    expected = rerank(reranker, [ANSWERS, FAR]).relevance
    found = []

    def read():
        found.append(rerank(reranker, [ANSWERS, FAR]).relevance)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_the_order_and_the_relevance_are_two_scores(reranker):
    done = rerank(reranker, [ANSWERS, ON_TOPIC, FAR])
    assert len(done.order) == len(done.relevance) == 3
    assert done.order[0] > done.order[2]
    # The order leans on the cosine, where the reranker knows the embedding model.
    near, far = (rerank(reranker, [ON_TOPIC], distance=distance).order[0] for distance in (0.1, 0.9))
    assert near > far


def test_the_name_holds_the_revision(reranker):
    name, revision = reranker.name.split("/")
    assert name == "footnote-relevance"
    assert len(revision) == 12
    assert reranker_identity() == reranker.name
    assert reranker_identity("none") == ""


def test_a_blend_is_a_sum():
    assert Blend(logit=1.0, cosine=2.0).score(3.0, 0.25) == 3.0 + 2.0 * 0.75


def test_the_relevance_is_a_probability_however_large_the_logits():
    relevance = Relevance(passage=1.0, sentence=2.0, bias=1.0)
    assert relevance.probability(1.0, -1.0) == 0.5
    assert relevance.probability(-1e9, -1e9) == 0.0
    assert relevance.probability(1e9, 1e9) == 1.0


@pytest.mark.parametrize("part", ["model.onnx", "tokenizer.json", "model.json"])
@pytest.mark.parametrize("damage", ["remove", "halve", "other"])
def test_a_damaged_model_is_missing(tmp_path, folder, part, damage):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    if damage == "remove":
        (copy / part).unlink()
    elif damage == "halve":
        (copy / part).write_bytes((copy / part).read_bytes()[:100])
    else:
        (copy / part).write_text(json.dumps({"order": {"": {"logit": 1}}}))
    with pytest.raises(ModelMissing):
        PackagedReranker(copy)
