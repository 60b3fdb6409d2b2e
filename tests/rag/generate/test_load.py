import pytest

from rag.generate import ChatEndpoint, ExtractiveGenerator, LocalModelGenerator, load_generator
from tests.rag.fakes import HashingEmbedder

EMBEDDER = HashingEmbedder()


def test_loading_by_name():
    assert isinstance(load_generator(embedder=EMBEDDER), ExtractiveGenerator)
    endpoint = ChatEndpoint("http://127.0.0.1:1/v1", "small-model")
    assert load_generator("chat", embedder=EMBEDDER, endpoint=endpoint).name == "chat/small-model"
    local = load_generator("local:/models/small.gguf", embedder=EMBEDDER)
    assert isinstance(local, LocalModelGenerator)
    assert local.name == "local/small.gguf"


@pytest.mark.parametrize("name", ["oracle", "local:", "local", "chat/gpt", ""])
def test_an_unknown_name_is_told_what_there_is(name):
    with pytest.raises(ValueError, match="accepted: extractive, chat, local:<name or path of a model>"):
        load_generator(name, embedder=EMBEDDER)


def test_chat_needs_to_know_where():
    with pytest.raises(ValueError, match="needs an endpoint"):
        load_generator("chat", embedder=EMBEDDER)
