"""Cross-encoders: question and passage read together. Slower than vectors, and far better at telling what answers."""

from rag.config import SAMPLE_RERANKER
from rag.errors import ModelMissing
from rag.rerank.checked import AbsentReranker, probe_reranker, read_closely
from rag.rerank.cross_encoder import CrossEncoderReranker, cross_encoder_identity
from rag.rerank.packaged import PackagedReranker, packaged_identity
from rag.rerank.protocol import Reranked, Reranker

__all__ = [
    "AbsentReranker",
    "CrossEncoderReranker",
    "PackagedReranker",
    "Reranked",
    "Reranker",
    "load_reranker",
    "probe_reranker",
    "read_closely",
    "reranker_identity",
]


def load_reranker(name: str = SAMPLE_RERANKER, *, threads: int = 0) -> Reranker | None:
    """The packaged reranker by its name, or a sentence-transformers `CrossEncoder` by name or path; "none": None.

    Raises:
        ModelMissing: it is neither packaged nor in a folder nor in this machine's model cache.
    """
    if name == "none":
        return None
    _require_a_name(name)
    if name == SAMPLE_RERANKER:
        return PackagedReranker(threads=threads)
    return CrossEncoderReranker(name)


def reranker_identity(name: str = SAMPLE_RERANKER) -> str:
    """`Reranker.name` of the reranker that `load_reranker` would give, without loading it; "none": empty.

    Raises:
        ModelMissing: see `load_reranker`.
    """
    if name == "none":
        return ""
    _require_a_name(name)
    return packaged_identity() if name == SAMPLE_RERANKER else cross_encoder_identity(name)


def _require_a_name(name: str) -> None:
    if not name.strip():
        raise ModelMissing("No reranker is named.", next_step=f"Name {SAMPLE_RERANKER}, a folder, or none.")
