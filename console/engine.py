"""The process's one way to models and indexes; nothing heavy is loaded before it is first needed."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

import rag
from console.index.models import IndexVersion

_lock = threading.RLock()
_embedders: dict[str, rag.Embedder] = {}
_indexes: dict[int, rag.Index] = {}
_store: rag.VectorStore | None = None
_reranker: rag.Reranker | None = None
_absent: tuple[float, rag.AbsentReranker] | None = None
"""A reranker that could not be loaded, and the `time.monotonic` moment at which it is tried again."""
_support: rag.SupportModel | None = None
_generator: rag.Generator | None = None


_identities: dict[str, str] = {}
LOAD_AGAIN_S = 60.0


def config() -> rag.RagConfig:
    """The frozen configuration every index of this process works with."""
    return rag.RagConfig(model=settings.EMBEDDING_MODEL, reranker=settings.RERANKER)


def limits() -> rag.ExtractionLimits:
    """What one file may cost."""
    return rag.ExtractionLimits(
        speech_model=settings.SPEECH_MODEL, recording_time_s=settings.RECORDING_TIME_S
    )


def embedder(model: str) -> rag.Embedder:
    """The loaded embedding model of that name or path.

    Raises:
        rag.ModelMissing: its weights are not on this machine.
    """
    with _lock:
        if model not in _embedders:
            _embedders[model] = rag.load_embedder(model, threads=config().threads)
        return _embedders[model]


def reranker() -> rag.Reranker | None:
    """The configured reranker, loaded once; None when there shall be none.

    Raises:
        rag.ModelMissing: it is not on this machine.
    """
    global _reranker  # noqa: PLW0603 - one model a process
    with _lock:
        if _reranker is None:
            _reranker = rag.load_reranker(config().reranker, threads=config().threads)
        return _reranker


def reranker_for_answers() -> rag.Reranker | None:
    """The configured reranker; where it cannot be loaded one that says so, for the question is decided without it.

    Loading is tried again after a minute: a damaged model takes seconds to be found damaged.
    """
    global _absent  # noqa: PLW0603 - one model a process
    with _lock:
        if _absent is not None and time.monotonic() < _absent[0]:
            return _absent[1]
        try:
            found = reranker()
        except rag.RagError as error:
            absent = rag.AbsentReranker(config().reranker, error)
            _absent = (time.monotonic() + LOAD_AGAIN_S, absent)
            return absent
        _absent = None
        return found


def serving_reranker() -> str:
    """Name and revision of the configured reranker, read from its files; empty where there is none."""
    name = config().reranker
    with _lock:
        if name not in _identities:
            try:
                _identities[name] = rag.reranker_identity(name)
            except rag.ModelMissing:
                return ""
        return _identities[name]


def reranker_fault() -> rag.RagError | None:
    """Why this process could not load the reranker when it last tried; loads nothing itself."""
    absent = _absent
    return None if absent is None else absent[1].error


def support() -> rag.SupportModel | None:
    """The configured support model, loaded once; None when there shall be none.

    Raises:
        rag.ModelMissing: it is not on this machine.
    """
    global _support  # noqa: PLW0603 - one model a process
    with _lock:
        if _support is None:
            _support = rag.load_support(settings.SUPPORT_MODEL, threads=config().threads)
        return _support


def generator() -> rag.Generator | None:
    """The configured language model, one for the process because it counts its requests; None quotes.

    Raises:
        ImproperlyConfigured: the settings name none that there is.
    """
    global _generator  # noqa: PLW0603 - one model a process
    if settings.GENERATOR == "extractive":
        return None
    with _lock:
        if _generator is None:
            try:
                _generator = rag.load_generator(
                    settings.GENERATOR, embedder=embedder(config().model), endpoint=_endpoint()
                )
            except ValueError as error:
                raise ImproperlyConfigured(f"FOOTNOTE_GENERATOR, FOOTNOTE_LLM_…: {error}") from error
        return _generator


def _endpoint() -> rag.ChatEndpoint | None:
    if settings.GENERATOR != "chat":
        return None
    return rag.ChatEndpoint(settings.LLM_URL, settings.LLM_MODEL, settings.LLM_KEY)


def store() -> rag.VectorStore:
    """Qdrant Edge in the data folder, or the Qdrant server when `QDRANT_URL` is set.

    Raises:
        rag.StoreLocked: another process owns the embedded folder.
        rag.StoreDown: the server does not answer.
    """
    global _store  # noqa: PLW0603 - one store a process: the embedded form locks its folder
    with _lock:
        if _store is None:
            if settings.QDRANT_URL:
                _store = rag.open_server_store(settings.QDRANT_URL, api_key=settings.QDRANT_API_KEY or None)
            else:
                _store = rag.open_edge_store(Path(settings.HOME) / "vectors")
        return _store


def index_of(version: IndexVersion) -> rag.Index:
    """The open index of a version.

    Raises:
        rag.IndexMismatch: the collection was made by another model than the version says.
    """
    with _lock:
        if version.pk not in _indexes:
            model = embedder(version.model_name)
            if (model.model.revision, model.model.dimension) != (version.model_revision, version.dimension):
                raise rag.IndexMismatch(
                    f"Index version {version.pk} was built with {version.model_name} revision "
                    f"{version.model_revision}; this machine has revision {model.model.revision}."
                )
            _indexes[version.pk] = rag.open_index(
                version.collection,
                config=config(),
                directory=Path(settings.HOME) / "lexical",
                store=store(),
                embedder=model,
                lexical=_lexical(version.collection),
            )
        return _indexes[version.pk]


def _lexical(collection: str) -> rag.LexicalIndex | None:
    """BM25 on the Qdrant server where `LEXICAL` says so; None leaves it in the data folder."""
    if settings.LEXICAL != "qdrant":
        return None
    return rag.open_server_lexical(
        collection, settings.QDRANT_URL, api_key=settings.QDRANT_API_KEY or None, config=config()
    )


def close() -> None:
    """Let go of the store and the models; the next call opens them again."""
    global _store, _reranker, _absent, _support, _generator  # noqa: PLW0603
    with _lock:
        _reranker = _absent = _support = _generator = None
        _indexes.clear()
        _embedders.clear()
        _identities.clear()
        if _store is not None:
            _store.close()
            _store = None
