"""BM25 over chunks: exact words, numbers and names, where the dense side is weak."""

from rag.lexical.protocol import LexicalIndex
from rag.lexical.segment_index import SegmentIndex
from rag.lexical.sparse import SparseIndex, drop_server_lexical, open_server_lexical
from rag.lexical.words import DEFAULT_LANGUAGE, LANGUAGES, folded, stems

__all__ = [
    "DEFAULT_LANGUAGE",
    "LANGUAGES",
    "LexicalIndex",
    "SegmentIndex",
    "SparseIndex",
    "drop_server_lexical",
    "folded",
    "open_server_lexical",
    "stems",
]
