"""Answers out of passages. A generator sees only the passages; the server binds the citations."""

import time

from rag.config import RagConfig
from rag.embed import Embedder
from rag.generate.chat_endpoint import ChatEndpoint, ChatEndpointGenerator
from rag.generate.extractive import ExtractiveGenerator
from rag.generate.local_model import LocalModelGenerator
from rag.generate.prompt import without_foreign_links
from rag.generate.protocol import Draft, DraftSentence, Generator, read_markers
from rag.types import Locator, ScoredChunk, StoredChunk

__all__ = [
    "ChatEndpoint",
    "ChatEndpointGenerator",
    "Draft",
    "DraftSentence",
    "ExtractiveGenerator",
    "Generator",
    "LocalModelGenerator",
    "load_generator",
    "probe_generator",
    "read_markers",
    "without_foreign_links",
]

_DEFAULTS = RagConfig()
_LOCAL = "local:"


def load_generator(
    name: str = "extractive",
    *,
    embedder: Embedder,
    max_sentences: int = _DEFAULTS.max_sentences,
    evidence_floor: float = _DEFAULTS.evidence_floor,
    reranked_evidence_floor: float = _DEFAULTS.reranked_evidence_floor,
    endpoint: ChatEndpoint | None = None,
) -> Generator:
    """The generator called `name`; keep it, because a model's limits on requests are counted in the instance.

    Args:
        name: ``extractive``, ``chat``, or ``local:`` and the name or path of a model (see `LocalModelGenerator`).
        embedder: compares sentences with the question, for ``extractive``.
        max_sentences: the most that ``extractive`` quotes.
        evidence_floor, reranked_evidence_floor: see `RagConfig`, for ``extractive``.
        endpoint: where the model of ``chat`` answers.

    Raises:
        ValueError: there is no generator of that name, or ``chat`` has no endpoint.
    """
    if name == "extractive":
        return ExtractiveGenerator(
            embedder,
            max_sentences=max_sentences,
            evidence_floor=evidence_floor,
            reranked_evidence_floor=reranked_evidence_floor,
        )
    if name == "chat":
        if endpoint is None:
            raise ValueError("the generator chat needs an endpoint: the address and name of a model")
        return ChatEndpointGenerator(endpoint)
    if name.startswith(_LOCAL) and len(name) > len(_LOCAL):
        return LocalModelGenerator(name.removeprefix(_LOCAL))
    raise ValueError(
        f"unknown generator {name!r}; accepted: extractive, chat, local:<name or path of a model>"
    )


def probe_generator(generator: Generator, *, time_limit_s: float) -> float:
    """Seconds that one small question takes; whatever it answers, it can be asked.

    A real request: it needs the address, the name, the key and the model, and costs some hundred tokens.

    Raises:
        Unavailable, ModelRefused, ModelMissing: see `Generator.generate`; quoting would take its place.
    """
    words = "The answer to the test question is yes."
    chunk = StoredChunk("probe", 0, 0, "Test", 0, words, words, "", 0, len(words), Locator())
    started = time.monotonic()
    passage = ScoredChunk(chunk, distance=0.0, bm25_score=None, rrf_score=1.0)
    generator.generate("What is the answer to the test question?", (passage,), time_limit_s=time_limit_s)
    return time.monotonic() - started
