"""Answers out of passages. A generator sees only the passages; the server binds the citations."""

from rag.config import RagConfig
from rag.embed import Embedder
from rag.generate.extractive import ExtractiveGenerator
from rag.generate.protocol import Draft, DraftSentence, Generator, read_markers

__all__ = ["Draft", "DraftSentence", "ExtractiveGenerator", "Generator", "load_generator", "read_markers"]

_DEFAULTS = RagConfig()


def load_generator(
    name: str = "extractive",
    *,
    embedder: Embedder,
    max_sentences: int = _DEFAULTS.max_sentences,
    evidence_floor: float = _DEFAULTS.evidence_floor,
    reranked_evidence_floor: float = _DEFAULTS.reranked_evidence_floor,
) -> Generator:
    """The generator called `name`; accepted: ``extractive``.

    Raises:
        ValueError: there is no generator of that name.
    """
    if name == "extractive":
        return ExtractiveGenerator(
            embedder,
            max_sentences=max_sentences,
            evidence_floor=evidence_floor,
            reranked_evidence_floor=reranked_evidence_floor,
        )
    raise ValueError(f"unknown generator {name!r}; accepted: extractive")
