import httpx
import pytest
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from rag.errors import IndexMismatch, IndexMissing, NotReady, StoreDown
from rag.types import EmbeddingModel
from rag.vectors import open_server_store

MODEL = EmbeddingModel("fake", "r1", 8, 64, "mean", normalised=True)


class FailingClient:
    """Raises the same error whatever is asked."""

    def __init__(self, error):
        self.error = error

    def __getattr__(self, name):
        def fail(*_args, **_kwargs):
            raise self.error

        return fail


def answered(status):
    return UnexpectedResponse(status, "reason", b"{}", httpx.Headers())


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ResponseHandlingException(httpx.ConnectError("secret text")), StoreDown),
        (ConnectionResetError(), StoreDown),
        (TimeoutError(), StoreDown),
        (answered(500), StoreDown),
        (answered(503), StoreDown),
        (answered(429), StoreDown),
        (answered(404), IndexMissing),
        (answered(401), NotReady),
        (answered(403), NotReady),
        (answered(400), NotReady),
        (ValueError("Collection x not found"), IndexMissing),
    ],
)
def test_every_foreign_error_is_ours_and_keeps_its_cause(error, kind):
    store = open_server_store(client=FailingClient(error))
    with pytest.raises(kind) as caught:
        store.count("x")
    assert type(caught.value) is kind
    assert caught.value.__cause__ is error
    assert "secret" not in caught.value.message


def test_a_programming_error_is_not_hidden():
    with pytest.raises(ValueError, match="wrong shape"):
        open_server_store(client=FailingClient(ValueError("wrong shape"))).count("x")


def test_nobody_listening_is_a_store_that_is_down():
    store = open_server_store("http://127.0.0.1:1")
    with pytest.raises(StoreDown):
        store.exists("x")
    store.close()


def test_a_collection_without_a_stamp_is_not_ours():
    from qdrant_client import QdrantClient, models

    client = QdrantClient(":memory:")
    client.create_collection("x", vectors_config=models.VectorParams(size=8, distance=models.Distance.COSINE))
    with pytest.raises(IndexMismatch, match="no stamp"):
        open_server_store(client=client).ensure("x", MODEL)
