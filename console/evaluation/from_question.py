"""Golden questions out of real ones: an answer's citation becomes a needle, a refusal a question to refuse."""

from __future__ import annotations

from dataclasses import dataclass

import rag
from console.access import Rejected
from console.evaluation.golden import GoldenRow
from console.evaluation.models import GoldenKind, GoldenQuestion, GoldenSet
from console.evaluation.services import save_golden_question
from console.people.models import User
from console.questions.models import Question
from console.questions.reading import read_question
from console.sources.models import Document


@dataclass(frozen=True, slots=True)
class QuotedPassage:
    """A citation that the reader may see, with the name by which golden sets know its document."""

    number: int
    document: str
    folder_id: int
    quote: str


def quotes_of(question: Question, *, reader: User) -> list[QuotedPassage]:
    """The citations of an answer that could be needles for this reader."""
    sources = [
        source for source in read_question(question, reader=reader).sources if source.document_id is not None
    ]
    documents = Document.objects.in_bulk([source.document_id for source in sources if source.url])
    return [
        QuotedPassage(
            source.number,
            documents[source.document_id].name,
            documents[source.document_id].folder_id,
            source.quote,
        )
        for source in sources
        if source.document_id in documents
    ]


def add_from_question(
    *,
    actor: User,
    golden_set: GoldenSet,
    question: Question,
    kind: str,
    text: str = "",
    ticket: str = "",
    citation_number: int | None = None,
    document: str = "",
    needle: str = "",
    refusal_kind: str = "",
    why: str = "",
) -> GoldenQuestion:
    """A golden question of a real one, whose words stand unless `text` gives others.

    A needle is a citation of its answer or, for one that was wrongly refused, a `document` and a sentence of it.

    Raises:
        NotPermitted: the actor is no support lead.
        Rejected: there is no such citation, its document lies in no folder of the set, or see `save_golden_question`.
    """
    asked = text.strip() or question.text
    row: GoldenRow
    if kind == GoldenKind.REFUSAL:
        row = rag.GoldenRefusal("", refusal_kind, asked, why)
    elif kind == GoldenKind.NEEDLE:
        if document.strip() and needle.strip():
            row = rag.GoldenNeedle("", document.strip(), needle.strip(), asked, ticket)
            return save_golden_question(actor=actor, golden_set=golden_set, row=row, source=question)
        quoted = {quote.number: quote for quote in quotes_of(question, reader=actor)}
        if citation_number not in quoted:
            raise Rejected(
                "citation_missing",
                "Choose the citation that holds the answer, or write its document and sentence.",
            )
        quote = quoted[citation_number]
        if not golden_set.folders.filter(pk=quote.folder_id).exists():
            raise Rejected(
                "document_outside_set", f"{quote.document} lies in no folder of the set {golden_set.name}."
            )
        row = rag.GoldenNeedle("", quote.document, quote.quote, asked, ticket)
    else:
        raise Rejected("golden_kind", "A real question becomes a needle or a question to refuse.")
    return save_golden_question(actor=actor, golden_set=golden_set, row=row, source=question)
