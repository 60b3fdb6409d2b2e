"""The identity of a collection: vectors of two models never meet in one search."""

from __future__ import annotations

from collections.abc import Mapping

from rag.config import PIPELINE_VERSION
from rag.errors import IndexMismatch
from rag.types import EmbeddingModel


def stamp_for(model: EmbeddingModel) -> dict[str, str | int | bool]:
    """What a collection made now by `model` is stamped with; the window is no part of it: it changes no vector."""
    return {
        "name": model.name,
        "revision": model.revision,
        "dimension": model.dimension,
        "pooling": model.pooling,
        "normalised": model.normalised,
        "pipeline": PIPELINE_VERSION,
    }


def check_stamp(collection: str, found: Mapping[str, object], model: EmbeddingModel) -> None:
    """Raise IndexMismatch naming every difference between the stored stamp and `model`."""
    differences = [
        f"{name} {found.get(name)!r} instead of {value!r}"
        for name, value in stamp_for(model).items()
        if found.get(name) != value
    ]
    if differences:
        raise IndexMismatch(f"The collection {collection} was made with {', '.join(differences)}.")
