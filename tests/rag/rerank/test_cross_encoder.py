"""A cross-encoder of any folder, tried on a tiny random one that is made here."""

import re
from pathlib import Path

import pytest

from rag.errors import ModelMissing
from rag.rerank import load_reranker, reranker_identity
from tests.rag.fakes import scored, stored_chunk

pytestmark = pytest.mark.model
WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "gulls",
    "may",
    "be",
    "fed",
    "on",
    "fridays",
    "the",
    "ferry",
]


def make_cross_encoder(folder: Path, *, n_labels: int = 1) -> Path:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    torch.manual_seed(1)
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        num_labels=n_labels,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(vocab=str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_cross_encoder(tmp_path_factory.mktemp("models") / "tiny-ranker")


def test_a_folder_is_loaded_and_scores_as_the_library_does(folder):
    from sentence_transformers import CrossEncoder

    reranker = load_reranker(str(folder))
    assert reranker is not None
    assert reranker.name == reranker_identity(str(folder))
    assert re.fullmatch("tiny-ranker/[0-9a-f]{12}", reranker.name)
    texts = ["gulls may be fed on fridays", "the ferry", "the ferry may be fed " * 3] * 5
    candidates = [scored(stored_chunk(text), 0.5) for text in texts]
    done = reranker.rerank("gulls fed", candidates, embedding_model="any", time_limit_s=60)
    expected = CrossEncoder(str(folder), device="cpu").predict(
        [("gulls fed", text) for text in texts], show_progress_bar=False
    )
    assert done.relevance == pytest.approx([float(score) for score in expected], abs=1e-5)
    assert len(set(done.relevance)) == 3
    assert done.order == done.relevance
    assert not done.timed_out


def test_out_of_time_it_gives_no_score_at_all(folder):
    reranker = load_reranker(str(folder))
    candidates = [scored(stored_chunk("the ferry"), 0.5)] * 20
    done = reranker.rerank("gulls", candidates, embedding_model="any", time_limit_s=-1.0)
    assert (done.order, done.relevance, done.timed_out) == ((), (), True)


def test_a_model_with_several_scores_is_no_reranker(tmp_path):
    with pytest.raises(ModelMissing, match="gives 3 scores"):
        load_reranker(str(make_cross_encoder(tmp_path / "three", n_labels=3)))


def test_what_is_not_there_or_damaged_is_missing_and_says_what_to_do(tmp_path, folder):
    with pytest.raises(ModelMissing) as missing:
        load_reranker(str(tmp_path / "nowhere"))
    assert "folder" in missing.value.next_step
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    for file in folder.iterdir():
        (damaged / file.name).write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(ModelMissing):
        load_reranker(str(damaged))


def test_none_is_no_reranker():
    assert load_reranker("none") is None


@pytest.mark.parametrize("content", [b"", b"no pickle", b"\x80\x04\x95garbage", b"PK\x03\x04cut"])
def test_damaged_weights_of_any_kind_are_missing(tmp_path, folder, content):
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    for file in folder.iterdir():
        if file.suffix != ".safetensors":
            (damaged / file.name).write_bytes(file.read_bytes())
    (damaged / "pytorch_model.bin").write_bytes(content)
    with pytest.raises(ModelMissing):
        load_reranker(str(damaged))


def test_an_empty_name_is_no_reranker_and_says_so():
    with pytest.raises(ModelMissing, match="No reranker is named"):
        load_reranker("")


def test_two_folders_of_one_name_are_two_rerankers(tmp_path, folder):
    other = make_cross_encoder(tmp_path / "tiny-ranker")
    assert reranker_identity(str(other)) == reranker_identity(str(folder)), "the same weights"
    weights = other / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4] + b"\x00\x00\x80\x3f")
    assert reranker_identity(str(other)) != reranker_identity(str(folder))
    assert load_reranker(str(other)).name == reranker_identity(str(other))


@pytest.mark.parametrize("name", ["", "/nosuch", "nobody/has-this", "not a name: at all"])
def test_what_is_not_there_has_no_identity(name):
    with pytest.raises(ModelMissing):
        reranker_identity(name)


def test_a_folder_without_a_model_has_no_identity(tmp_path):
    with pytest.raises(ModelMissing):
        reranker_identity(str(tmp_path))
