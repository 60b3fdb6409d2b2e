"""The word search of an index version made anew from the passages that the vector store keeps."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.conf import settings

import rag
from console import engine
from console.index.models import DocumentIndex, IndexVersion

log = logging.getLogger(__name__)


def rebuild_words(version: IndexVersion, on_progress: Callable[[int, int], None] | None = None) -> int:
    """Index the words of every passage of the version again, in its folder's language; gives back how many passages.

    Until it is done the word search knows only some documents: nobody else may have the index open.

    Args:
        version: whose.
        on_progress: called with (documents done, documents in all).

    Raises:
        rag.RagError: a store does not work.
    """
    if settings.LEXICAL == "qdrant":
        # One that was made otherwise is refused when it is opened.
        rag.drop_server_lexical(
            version.collection, settings.QDRANT_URL, api_key=settings.QDRANT_API_KEY or None
        )
    index = engine.index_of(version)
    index.lexical.drop()
    stamps = DocumentIndex.objects.filter(version=version, document__deleted_at=None)
    documents = list(
        stamps.order_by("document_id").values_list(
            "document_id", "document__folder_id", "document__folder__language"
        )
    )
    n_chunks = 0
    for done, (document_id, folder_id, language) in enumerate(documents, start=1):
        n_chunks += rag.index_words(index, document_id=document_id, folder_id=folder_id, language=language)
        if on_progress is not None:
            on_progress(done, len(documents))
    log.info("the words of %s passages of index v%s were indexed again", n_chunks, version.pk)
    return n_chunks


def rebuild_outdated_words(version: IndexVersion) -> bool:
    """Rebuild the words where they are those of an earlier release; False where nothing had to be done."""
    index = engine.index_of(version)
    try:
        index.lexical.count()
    except rag.IndexMismatch:
        log.warning("the word search is that of an earlier release; it is made anew")
        rebuild_words(version)
        return True
    return False
