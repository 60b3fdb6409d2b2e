"""What every test may use.

The network is closed but for this machine's loopback (`--allow-hosts` in pyproject.toml).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

import rag

# How long one example takes says how busy the machine is; what must be fast is measured by tests of its own.
settings.register_profile("footnote", deadline=None)
settings.load_profile("footnote")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture
def shared_data() -> Path:
    """The corpora beside the checkout; the test is skipped without them."""
    if not SHARED.is_dir():
        pytest.skip("the shared corpora do not lie beside this checkout")
    return SHARED / "data"


@pytest.fixture(scope="session")
def real_embedder() -> rag.Embedder:
    """all-MiniLM-L6-v2 from its package, loaded once."""
    return rag.load_embedder("all-MiniLM-L6-v2", threads=1)
