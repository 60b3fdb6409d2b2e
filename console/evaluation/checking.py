"""Golden questions against the documents that are indexed now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import rag
from console import storage
from console.evaluation.golden import golden_of
from console.evaluation.models import GoldenSet
from console.evaluation.selectors import documents_of
from console.sources.models import Document

MAX_DOCUMENTS = 2_000
"""In more documents than this a needle is only looked for where the set says that it stands."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was found; `n_unread` documents have a text that could not be opened.

    `is_everywhere` is False when only the documents that the set names were looked at.
    """

    faults: tuple[rag.GoldenFault, ...]
    n_questions: int
    n_documents: int
    n_unread: int
    is_everywhere: bool


def check_golden_set(golden_set: GoldenSet) -> CheckReport:
    """Every fault of the set: each needle must stand once, where it is said to stand, and be no heading."""
    documents = documents_of(golden_set).order_by("folder__name", "name")
    is_everywhere = documents.count() <= MAX_DOCUMENTS
    golden = golden_of(golden_set)
    if not is_everywhere:
        documents = documents.filter(name__in={place.document for _, place in golden.places})
    return _check(golden, documents, is_everywhere=is_everywhere)


def check_rows(golden_set: GoldenSet, golden: rag.GoldenSet) -> CheckReport:
    """The same for some rows, only in the documents that they name: quick enough for every change."""
    named = {place.document for _, place in golden.places}
    documents = documents_of(golden_set).filter(name__in=named).order_by("folder__name", "name")
    return _check(golden, documents, is_everywhere=False)


def _check(golden: rag.GoldenSet, documents: Iterable[Document], *, is_everywhere: bool) -> CheckReport:
    texts: dict[str, str] = {}
    headings: dict[str, tuple[str, ...]] = {}
    n_unread = 0
    for document in documents:
        try:
            extraction = storage.load_canonical(document.canonical_sha256)
        except FileNotFoundError:
            n_unread += 1
            continue
        name = document.name
        if name in texts:
            # Two folders may hold files of one name; the set means the first of them.
            name = f"{document.folder.name}/{document.name}"
        texts[name] = extraction.text
        headings[name] = rag.headings_of(extraction)
    return CheckReport(
        faults=rag.check_golden_set(golden, texts, headings=headings),
        n_questions=len(golden.asked) + len(golden.refusals),
        n_documents=len(texts),
        n_unread=n_unread,
        is_everywhere=is_everywhere,
    )
