"""A question about what is described, of which only the description was told: that is half an answer, and is said.

"Who leads the team that runs Falcon?" is not answered by "Falcon is run by the mobility team". English only, and every
doubt is decided against: a line that something is missing beside an answer that says it would be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.ask.described import description_in
from rag.evidence import Evidence, unanswered_part
from rag.inflected import forms_of
from rag.lexical import stems
from rag.run import Run
from rag.types import BoundCitation, RefusalReason, UnansweredPart


def half_told(
    question: str, evidence: Evidence, citations: Sequence[BoundCitation], run: Run
) -> tuple[UnansweredPart, ...]:
    """The question, where all that is cited says its description and nothing of what is asked of it; else nothing."""
    described = description_in(question)
    parts = [part for part in evidence.parts if not part.is_hop]
    if described is None or not citations or not parts:
        return ()
    said = [frozenset(stems(_told_by(citation))) for citation in citations]
    asked = {stem for word in described.asked for stem in forms_of(word)}
    says_description = all(
        not words.isdisjoint(forms_of(word)) for words in said for word in described.description
    )
    if not says_description or any(not words.isdisjoint(asked) for words in said):
        return ()
    return (unanswered_part(question, RefusalReason.WEAK_EVIDENCE, parts[-1].passages, run),)


def _told_by(citation: BoundCitation) -> str:
    """The quote under its headings: "led by Ida" below "Falcon" is about Falcon."""
    return f"{citation.chunk.document_title} {citation.chunk.section} {citation.quote}"
