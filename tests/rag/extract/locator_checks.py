"""What property tests of locators share: words to write, and what must hold for every chunk."""

from __future__ import annotations

from pathlib import Path

from extraction_checks import assert_sound
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from rag.chunk import chunk_document
from rag.config import ExtractionLimits
from rag.extract.registry import extract_in_process
from rag.types import Extraction

FAST = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
LETTERS = "abcdefgXYZ0123456789äöüßéñЖ漢字.,;:-()&<>\"'/%"
words = st.text(LETTERS, min_size=1, max_size=12).filter(lambda text: any(char.isalpha() for char in text))
sentences = st.lists(words, min_size=1, max_size=6).map(" ".join)


def extracted(data: bytes, name: str, folder: Path) -> Extraction:
    path = folder / "stored"
    path.write_bytes(data)
    extraction = extract_in_process(path, filename=name, limits=ExtractionLimits())
    assert_sound(extraction)
    return extraction


def assert_chunks_are_exact(extraction: Extraction) -> None:
    chunks = chunk_document(
        extraction,
        budget_chars=120,
        window_tokens=200,
        count_tokens=lambda texts: [len(text.split()) + 2 for text in texts],
    ).chunks
    for chunk in chunks:
        assert extraction.text[chunk.start : chunk.end] == chunk.content
        for span in chunk.spans:
            assert extraction.text[span.start : span.end] in chunk.content
    covered = {position for chunk in chunks for position in range(chunk.start, chunk.end)}
    for span in extraction.spans:
        if span.kind != "heading":
            missing = set(range(span.start, span.end)) - covered
            assert all(extraction.text[position].isspace() for position in missing)
