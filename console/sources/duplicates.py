"""Which documents of a folder say nearly the same. Of two copies the one with the smaller id is the original."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db import transaction
from django.db.models import Q

import rag
from console import storage
from console.sources.models import Document, DocumentState, ExtractionAttempt, SignatureBand
from console.sources.services import enable_document, leave_out

NEAR_DUPLICATE = "near_duplicate"
NEXT_STEP = "Delete one of the two, or enable it to have both searched."
MAX_CANDIDATES = 20


@dataclass(frozen=True, slots=True)
class Twin:
    """Another document with nearly the same text; `similarity` is a Jaccard similarity in [0, 1]."""

    document: Document
    similarity: float

    @property
    def reason(self) -> str:
        """Why a copy of this document is left out."""
        return f"It says nearly the same as {self.document.name} ({self.similarity:.0%} alike)."


def mark_near_duplicates(document: Document, text: str, canonical_key: str) -> Twin | None:
    """The nearest original of this document, if there is one.

    The text is remembered for documents that come later. Those that came before, whichever was read first, are
    told anew whether they are copies of this one; what is a copy no longer is queued where it was left out.
    """
    keys = rag.band_keys(text)
    with transaction.atomic():
        document.signature_bands.all().delete()
        SignatureBand.objects.bulk_create(
            SignatureBand(document=document, band=band, key=key, canonical_sha256=canonical_key)
            for band, key in enumerate(keys)
        )
    near = [twin for twin in _candidates(document, text, keys) if twin.similarity >= rag.NEAR_DUPLICATE]
    originals = [twin for twin in near if twin.document.pk < document.pk and not twin.document.is_left_out]
    nearest = max(originals, key=lambda twin: twin.similarity, default=None)
    # A copy that is left out itself stands for no other one.
    is_searched = nearest is None or not leaves_out_copy(document)
    copies = {twin.document.pk: twin for twin in near if is_searched and twin.document.pk > document.pk}
    for twin in copies.values():
        _call_copy(twin.document, Twin(document, twin.similarity))
    free_copies_of(document, keep=copies)
    # Written now and not at the end: an original that is read meanwhile may tell it before.
    Document.objects.filter(pk=document.pk).update(
        near_duplicate_of=nearest.document if nearest else None,
        near_duplicate_similarity=nearest.similarity if nearest else None,
    )
    return nearest


def free_copies_of(document: Document, keep: dict[int, Twin] | None = None) -> None:
    """No longer call others copies of this document; queue what is left out only for that."""
    for copy in document.near_duplicates.filter(deleted_at=None).exclude(pk__in=keep or {}):
        with transaction.atomic():
            Document.objects.filter(pk=copy.pk).update(near_duplicate_of=None, near_duplicate_similarity=None)
            copy.refresh_from_db()
            if copy.state == DocumentState.LEFT_OUT and copy.reason_code == NEAR_DUPLICATE:
                enable_document(actor=None, document=copy)


def leaves_out_copy(document: Document) -> bool:
    """True when its folder leaves near-duplicates out, and no person had it read last by enabling it."""
    if not document.folder.leaves_out_near_duplicates:
        return False
    last = document.attempts.first()
    if last is None or last.trigger != ExtractionAttempt.Trigger.ENABLE:
        return True
    return last.requested_by_id is None


def _call_copy(copy: Document, original: Twin) -> None:
    with transaction.atomic():
        current = Document.objects.select_for_update(of=("self",)).select_related("folder").get(pk=copy.pk)
        better = current.near_duplicate_similarity or 0.0
        if current.near_duplicate_of_id not in (None, original.document.pk) and better >= original.similarity:
            return
        current.near_duplicate_of, current.near_duplicate_similarity = original.document, original.similarity
        current.save(update_fields=["near_duplicate_of", "near_duplicate_similarity"])
        if leaves_out_copy(current) and not current.is_left_out:
            leave_out(current, code=NEAR_DUPLICATE, reason=original.reason, next_step=NEXT_STEP)


def _candidates(document: Document, text: str, keys: tuple[str, ...]) -> list[Twin]:
    if not keys:
        return []
    shared = SignatureBand.objects.filter(
        reduce(or_, (Q(band=band, key=key) for band, key in enumerate(keys))),
        document__folder_id=document.folder_id,
        document__deleted_at=None,
    ).exclude(document_id=document.pk)
    text_of = dict(
        shared.order_by("document_id").values_list("document_id", "canonical_sha256")[: 8 * MAX_CANDIDATES]
    )
    others = Document.objects.filter(pk__in=list(text_of)[:MAX_CANDIDATES]).exclude(
        state=DocumentState.FAILED
    )
    return [Twin(other, rag.similarity(text, _text(text_of[other.pk]))) for other in others]


def _text(canonical_key: str) -> str:
    try:
        return storage.load_canonical(canonical_key).text
    except FileNotFoundError:
        return ""
