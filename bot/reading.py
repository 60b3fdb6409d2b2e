"""Sources and nearest passages as one person may read them, for the forms that show them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings

from bot.answers import days_since, near_place, place_of, url_of
from bot.phrases import Phrases
from console.questions.models import Answer, Citation
from console.questions.quotes import nearest_that_stand, still_stands
from console.sources.models import Document


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage with its place; `note` says its age, or why there is no more than that."""

    heading: str
    url: str = ""
    quote: str = ""
    note: str = ""


def cited_passages(answer: Answer, *, folder_ids: Collection[int], phrases: Phrases) -> list[Passage]:
    """Every source in order; one from a folder outside `folder_ids` shows its number and no more.

    Of a document that was deleted, left out or replaced since only the place is told, as it is where answers are
    posted and shared: who did that wants the words gone.
    """
    citations = answer.citations.select_related("document")
    return [_cited(citation, answer, folder_ids, phrases) for citation in citations]


def _cited(citation: Citation, answer: Answer, folder_ids: Collection[int], phrases: Phrases) -> Passage:
    document, number = citation.document, f"[{citation.number}]"
    lay_in = {citation.folder_id} if citation.folder_id is not None else set(answer.folder_ids)
    if document is not None:
        lay_in = {document.folder_id} if citation.folder_id is None else lay_in | {document.folder_id}
    if not lay_in <= set(folder_ids):
        return Passage(number, note=phrases.modals.hidden_source)
    heading = f"{number} {place_of(citation, phrases)}"
    if document is None or document.deleted_at is not None:
        return Passage(heading, note=phrases.modals.gone_source)
    url = url_of(citation)
    if not still_stands(citation):
        return Passage(heading, url, note=phrases.modals.changed_source)
    return Passage(heading, url, citation.quote, phrases.ages.of(days_since(document.uploaded_at)))


def near_passages(answer: Answer, *, folder_ids: Collection[int], phrases: Phrases) -> list[Passage]:
    """The nearest passages of a refusal that still stand and lie, then and now, in a folder of `folder_ids`."""
    return [
        _near(near, document, phrases)
        for near, document in nearest_that_stand(answer)
        if document.folder_id in folder_ids and near.get("folder_id") in folder_ids
    ]


def _near(near: dict[str, Any], document: Document, phrases: Phrases) -> Passage:
    passage = urlencode({"start": near["start"], "end": near["end"], "of": str(near["sha256"])[:16]})
    url = f"{settings.BASE_URL}/documents/{document.pk}?{passage}#cited"
    return Passage(
        near_place(near, phrases),
        url,
        str(near["excerpt"]),
        phrases.ages.of(days_since(document.uploaded_at)),
    )
