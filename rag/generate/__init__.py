"""Answers out of passages. A generator sees only the passages; the server binds the citations."""

from rag.embed import Embedder
from rag.generate.extractive import ExtractiveGenerator
from rag.generate.protocol import Draft, DraftSentence, Generator, read_markers

__all__ = ["Draft", "DraftSentence", "ExtractiveGenerator", "Generator", "load_generator", "read_markers"]


def load_generator(name: str = "extractive", *, embedder: Embedder, max_sentences: int = 4) -> Generator:
    """The generator called `name`; accepted: ``extractive``.

    Raises:
        ValueError: there is no generator of that name.
    """
    if name == "extractive":
        return ExtractiveGenerator(embedder, max_sentences=max_sentences)
    raise ValueError(f"unknown generator {name!r}; accepted: extractive")
