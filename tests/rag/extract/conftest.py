"""Reads a file in this process and checks what must hold for every extraction."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from extraction_checks import assert_sound

from rag.config import ExtractionLimits
from rag.extract.registry import extract_in_process
from rag.types import Extraction

Read = Callable[..., Extraction]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read_bytes(data: bytes | Path, filename: str, limits: ExtractionLimits | None = None) -> Extraction:
        if isinstance(data, Path):
            path = data
        else:
            path = tmp_path / "stored"
            path.write_bytes(data)
        extraction = extract_in_process(path, filename=filename, limits=limits or ExtractionLimits())
        assert_sound(extraction)
        return extraction

    return read_bytes
