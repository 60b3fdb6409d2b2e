"""The identity of a collection: vectors of two models never meet in one search."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from rag.config import PIPELINE_VERSION
from rag.errors import IndexMismatch
from rag.types import EmbeddingModel


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a collection was made with. The window is no part of it: it changes no vector."""

    name: str
    revision: str
    dimension: int
    pooling: str
    normalised: bool
    pipeline: str

    def as_dict(self) -> dict[str, str | int | bool]:
        """Plain values, as they are stored."""
        return asdict(self)


def stamp_for(model: EmbeddingModel) -> Stamp:
    """The stamp a collection made now by `model` gets."""
    return Stamp(
        model.name, model.revision, model.dimension, model.pooling, model.normalised, PIPELINE_VERSION
    )


def check_stamp(collection: str, found: dict[str, object], model: EmbeddingModel) -> None:
    """Raise IndexMismatch naming every difference between the stored stamp and `model`."""
    expected = stamp_for(model).as_dict()
    differences = [
        f"{name} {found.get(name)!r} instead of {value!r}"
        for name, value in expected.items()
        if found.get(name) != value
    ]
    if differences:
        raise IndexMismatch(f"The collection {collection} was made with {', '.join(differences)}.")
