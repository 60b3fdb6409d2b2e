"""Whether the words an answer was made of still stand in the documents; it can be told hours after it was made."""

from __future__ import annotations

from typing import Any

from console import storage
from console.questions.models import Answer, Citation
from console.sources.models import Document


def still_stands(citation: Citation) -> bool:
    """True while the document says at that place what was quoted, and may be answered from.

    False once it was deleted or left out, or its new bytes were read and say something else there. Until they are read,
    questions are answered from the earlier ones.
    """
    document = citation.document
    if document is None or document.deleted_at is not None or document.is_left_out:
        return False
    if document.sha256 == citation.document_sha256:
        return True
    try:
        text = storage.load_canonical(document.canonical_sha256).text if document.canonical_sha256 else ""
    except FileNotFoundError:
        return False
    return text[citation.start : citation.end] == citation.quote


def all_stand(answer: Answer) -> bool:
    """True while every source of the answer still stands."""
    return all(still_stands(citation) for citation in answer.citations.select_related("document"))


def nearest_that_stand(answer: Answer) -> list[tuple[dict[str, Any], Document]]:
    """What was near a refused question, with its document; without what was deleted, left out or replaced since."""
    known = [near for near in answer.nearest if "document_id" in near]
    documents = Document.objects.filter(deleted_at=None).in_bulk([near["document_id"] for near in known])
    return [
        (near, document)
        for near in known
        if (document := documents.get(near["document_id"])) is not None
        and not document.is_left_out
        and document.sha256 == near["sha256"]
    ]


def near_ones_stand(answer: Answer) -> bool:
    """True while no document that was near a refused question was deleted, left out or replaced."""
    return len(nearest_that_stand(answer)) == sum("document_id" in near for near in answer.nearest)
