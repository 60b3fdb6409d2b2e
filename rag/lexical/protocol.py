"""What the core asks of a lexical index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class LexicalIndex(Protocol):
    """BM25 over chunks. Safe to share between threads, and between processes.

    Robertson and Zaragoza 2009 with idf = ln(1 + (N − n + 0.5)/(n + 0.5)) (Lucene's; never negative) and term
    weight tf / (tf + k1 (1 − b + b·len/avg)); N, n and avg are those of all chunks, whatever the scope.
    Every method raises StoreDown when the index cannot work; after `drop` a server has no collection until the
    next put (IndexMissing).
    """

    def put_document(
        self, document_id: int, folder_id: int, chunks: Sequence[tuple[str, str]], language: str = "english"
    ) -> None:
        """Replace the chunks of one document, given as (chunk id, text); durable when it returns.

        `language`, one of `LANGUAGES`, is what its words are stemmed in.
        """
        ...

    def delete_document(self, document_id: int) -> None:
        """Remove one document; nothing happens when it is not there."""
        ...

    def count(self, document_id: int | None = None) -> int:
        """Chunks of one document, or of all, as they are stored now."""
        ...

    def search(
        self,
        question: str,
        k: int,
        folder_ids: Sequence[int],
        document_ids: Sequence[int] | None = None,
    ) -> list[tuple[str, float]]:
        """The best `k` (chunk id, BM25 score > 0) in the scope, best first.

        The question is stemmed in each language of the documents in the scope; each of its terms counts
        once. Chunks that share no term with it are not returned.
        """
        ...

    def drop(self) -> None:
        """Remove the index; nothing happens when it is not there."""
        ...
