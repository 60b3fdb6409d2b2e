"""Faults of a golden set against the documents it was written for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rag.evaluate.golden import REFUSAL_KINDS, GoldenSet, squeezed
from rag.markdown_inline import plain_text
from rag.types import Extraction

FaultCode = Literal[
    "no_such_document",
    "not_found",
    "not_unique",
    "other_document",
    "is_heading",
    "duplicate_id",
    "duplicate_question",
    "no_ticket",
    "too_few_needles",
    "unknown_kind",
]


@dataclass(frozen=True, slots=True)
class GoldenFault:
    """What is wrong with the row `id`, as a code and in words."""

    id: str
    code: FaultCode
    message: str


def check_golden_set(
    golden: GoldenSet,
    canonical_texts: Mapping[str, str],
    *,
    headings: Mapping[str, Sequence[str]] | None = None,
) -> tuple[GoldenFault, ...]:
    """Every fault of the set; empty when each needle stands exactly once and where it is said to stand.

    Args:
        golden: the set.
        canonical_texts: document, as the set names it, → its canonical text; all documents, for a needle must be
            the only one of its kind.
        headings: document → its headings (`headings_of`), for a needle must not be one.
    """
    texts = {document: squeezed(text) for document, text in canonical_texts.items()}
    plain = {document: plain_text(text) for document, text in canonical_texts.items()}
    titles = {plain_text(title) for found in (headings or {}).values() for title in found}
    faults = list(_row_faults(golden))
    for needle_id, place in golden.places:
        # As `holds_needle` reads: as it is written, or as a reader sees it.
        written, seen = (
            _hits(squeezed(place.needle), texts),
            _hits(plain_text(place.needle), plain),
        )
        hits = {name: max(written.get(name, 0), seen.get(name, 0)) for name in {**written, **seen}}
        faults += _place_faults(needle_id, place.document, hits, known=place.document in texts)
        if plain_text(place.needle) in titles:
            faults.append(GoldenFault(needle_id, "is_heading", "The needle is a heading."))
    return tuple(faults)


def headings_of(extraction: Extraction) -> tuple[str, ...]:
    """The headings in a document's canonical text."""
    return tuple(
        extraction.text[span.start : span.end] for span in extraction.spans if span.kind == "heading"
    )


def _row_faults(golden: GoldenSet) -> Iterator[GoldenFault]:
    ids = Counter([row.id for row in golden.needles])
    ids.update(row.id for row in golden.refusals)
    ids.update(row.id for row in golden.multihop)
    for row_id, n in ids.items():
        if n > 1:
            yield GoldenFault(row_id, "duplicate_id", f"{n} rows have this id.")
    questions = [(row.id, row.question) for row in golden.asked]
    questions += [(row.id, row.question) for row in golden.refusals]
    seen: dict[str, str] = {}
    for row_id, question in questions:
        asked = squeezed(question).casefold()
        if asked in seen:
            yield GoldenFault(row_id, "duplicate_question", f"{seen[asked]} asks the same.")
        seen.setdefault(asked, row_id)
    for needle in golden.needles:
        if not needle.ticket.strip():
            yield GoldenFault(needle.id, "no_ticket", "The question has no second wording.")
    for multihop in golden.multihop:
        if len({place.needle for place in multihop.needles}) < 2:
            yield GoldenFault(multihop.id, "too_few_needles", "It needs at least two different needles.")
    for refusal in golden.refusals:
        if refusal.kind not in REFUSAL_KINDS:
            message = f"{refusal.kind} is none of {', '.join(REFUSAL_KINDS)}."
            yield GoldenFault(refusal.id, "unknown_kind", message)


def _hits(needle: str, texts: Mapping[str, str]) -> dict[str, int]:
    """Document → how often it holds the needle, of those that do."""
    return {name: _n_places(needle, text) for name, text in texts.items() if needle and needle in text}


def _n_places(needle: str, text: str) -> int:
    """Places that overlap are counted too, which `str.count` does not."""
    n, at = 0, text.find(needle)
    while at != -1:
        n, at = n + 1, text.find(needle, at + 1)
    return n


def _place_faults(
    needle_id: str, document: str, hits: Mapping[str, int], *, known: bool
) -> Iterator[GoldenFault]:
    where = ", ".join(sorted(hits))
    if not known:
        yield GoldenFault(needle_id, "no_such_document", f"There is no document {document}.")
    if not hits:
        yield GoldenFault(needle_id, "not_found", "No document holds the needle.")
    elif known and document not in hits:
        yield GoldenFault(needle_id, "other_document", f"The needle stands in {where}.")
    if sum(hits.values()) > 1:
        yield GoldenFault(
            needle_id, "not_unique", f"The needle stands {sum(hits.values())} times, in {where}."
        )
