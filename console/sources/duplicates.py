"""Which documents of a folder say nearly the same."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

import rag
from console import storage
from console.sources.models import Document, DocumentState, SignatureBand

MAX_CANDIDATES = 20


@dataclass(frozen=True, slots=True)
class Twin:
    """An older document with nearly the same text; `similarity` is a Jaccard similarity in [0, 1]."""

    document: Document
    similarity: float


def find_twin(document: Document, text: str) -> Twin | None:
    """The nearest older document of the folder that says nearly the same; the text is remembered for newer ones.

    Older is the smaller id, so of two copies it is always the same one that is called the duplicate.
    """
    keys = rag.band_keys(text)
    with transaction.atomic():
        document.signature_bands.all().delete()
        SignatureBand.objects.bulk_create(
            SignatureBand(document=document, band=band, key=key) for band, key in enumerate(keys)
        )
    twins = [Twin(other, rag.similarity(text, _text_of(other))) for other in _candidates(document, keys)]
    near = [twin for twin in twins if twin.similarity >= rag.NEAR_DUPLICATE]
    return max(near, key=lambda twin: twin.similarity, default=None)


def left_out_for(document: Document) -> list[Document]:
    """Documents that are left out only because this one says nearly the same."""
    return list(
        document.near_duplicates.filter(
            state=DocumentState.LEFT_OUT, reason_code="near_duplicate", deleted_at=None
        )
    )


def _candidates(document: Document, keys: tuple[str, ...]) -> list[Document]:
    bands = SignatureBand.objects.none()
    for band, key in enumerate(keys):
        bands = bands | SignatureBand.objects.filter(band=band, key=key)
    return list(
        Document.objects.filter(
            pk__in=bands.values("document_id"),
            folder_id=document.folder_id,
            pk__lt=document.pk,
            deleted_at=None,
        )
        .exclude(state__in=[DocumentState.LEFT_OUT, DocumentState.FAILED])
        .order_by("pk")[:MAX_CANDIDATES]
    )


def _text_of(document: Document) -> str:
    try:
        return storage.load_canonical(document.canonical_sha256).text if document.canonical_sha256 else ""
    except FileNotFoundError:
        return ""
