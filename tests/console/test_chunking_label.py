import pytest

import rag
from console.index.services import _chunking_of


@pytest.mark.parametrize(
    ("config", "label"),
    [
        (rag.RagConfig(), "E: boundaries, header, 512 characters"),
        (rag.RagConfig(chunking="A", chunk_chars=300), "A: blind, 300 characters"),
        (rag.RagConfig(chunking="F", chunk_tokens=200), "F: boundaries, header, overlap 64, 200 tokens"),
    ],
)
def test_a_version_says_how_its_passages_were_cut(config: rag.RagConfig, label: str) -> None:
    assert _chunking_of(config) == label
