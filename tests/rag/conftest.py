from __future__ import annotations

import pytest

from rag.config import RagConfig
from rag.index import open_index
from rag.types import Coverage, Extraction, Locator, Span
from rag.vectors import open_edge_store
from tests.rag.fakes import HashingEmbedder

CONFIG = RagConfig(distance_cut=0.75, evidence_floor=0.5)


@pytest.fixture
def embedder():
    return HashingEmbedder()


@pytest.fixture
def store(tmp_path):
    store = open_edge_store(tmp_path / "vectors")
    yield store
    store.close()


@pytest.fixture
def index(tmp_path, store, embedder):
    return open_index("main", config=CONFIG, directory=tmp_path, store=store, embedder=embedder)


@pytest.fixture
def handbook():
    """Builds a document out of (section, paragraph) pairs."""

    def build(*sections: tuple[str, str], title: str = "Handbook") -> Extraction:
        text, spans = "", []
        for section, words in sections:
            text += "\n\n" if text else ""
            spans.append(
                Span(len(text), len(text) + len(words), "paragraph", Locator(heading_path=(section,)))
            )
            text += words
        return Extraction(title, text, tuple(spans), "md", "md/1", Coverage("document", 1, 1))

    return build
