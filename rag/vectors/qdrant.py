"""What both sides of a Qdrant server share: how scopes are filtered and errors become ours."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rag.errors import IndexMissing, NotReady, RagError, StoreDown
from rag.types import Scope
from rag.vectors.payload import DOCUMENT_ID, FOLDER_ID

if TYPE_CHECKING:
    from qdrant_client import QdrantClient
    from qdrant_client.models import Filter

_TIMEOUT_S = 10


def connected(url: str, api_key: str | None) -> QdrantClient:
    """A client of the server at `url`; nothing is sent yet."""
    from qdrant_client import QdrantClient

    # The version check is a request of its own and warns instead of failing when nobody answers.
    return QdrantClient(url=url, api_key=api_key, timeout=_TIMEOUT_S, check_compatibility=False)


@contextmanager
def translated(collection: str) -> Iterator[None]:
    """Map qdrant-client's errors to ours; its local mode raises ValueError for a missing collection."""
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    try:
        yield
    except UnexpectedResponse as exc:
        raise _answered(collection, exc.status_code) from exc
    except (ResponseHandlingException, OSError) as exc:
        raise StoreDown("Qdrant cannot be reached.") from exc
    except ValueError as exc:
        if "not found" not in str(exc):
            raise
        raise IndexMissing(f"There is no collection {collection}.") from exc


def _answered(collection: str, status: int | None) -> RagError:
    if status == 404:
        return IndexMissing(f"There is no collection {collection}.")
    if status in {401, 403}:
        return NotReady("Qdrant refused the API key.", next_step="Check QDRANT_API_KEY.")
    if status is not None and 400 <= status < 500 and status not in {408, 429}:
        return NotReady(
            f"Qdrant refused the request with status {status}.", next_step="Look at Qdrant's log."
        )
    return StoreDown(f"Qdrant answered with status {status}.")


def scope_filter(scope: Scope, only: Collection[str] | None = None) -> Filter:
    """Points of the scope; with `only` these ids of them."""
    from qdrant_client import models

    must: list[models.Condition] = [
        models.FieldCondition(key=FOLDER_ID, match=models.MatchAny(any=list(scope.folder_ids)))
    ]
    if scope.document_ids is not None:
        must.append(
            models.FieldCondition(key=DOCUMENT_ID, match=models.MatchAny(any=list(scope.document_ids)))
        )
    if only is not None:
        must.append(models.HasIdCondition(has_id=list(only)))
    return models.Filter(must=must)


def document_filter(document_id: int, keep: Collection[str] = ()) -> Filter:
    """Points of a document except those in `keep`."""
    from qdrant_client import models

    return models.Filter(
        must=[models.FieldCondition(key=DOCUMENT_ID, match=models.MatchValue(value=document_id))],
        must_not=[models.HasIdCondition(has_id=list(keep))] if keep else None,
    )
