"""From passages to an answer: draft, bind its markers, verify it, revise it once; or a refusal with its reason."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from rag.cite import Bound, bind
from rag.conflict import with_conflicts
from rag.errors import ModelRefused, Unavailable
from rag.evidence import Evidence
from rag.generate import Draft, DraftSentence, ExtractiveGenerator, Generator
from rag.index import Index
from rag.run import Run
from rag.types import AnswerSentence, BoundCitation, RefusalReason
from rag.understand import Asked
from rag.verify import SupportModel, Verification, renumbered, revise, verify


@dataclass(frozen=True, slots=True)
class Written:
    """A verified answer; or, with `refused` set, why there is none."""

    sentences: tuple[AnswerSentence, ...] = ()
    citations: tuple[BoundCitation, ...] = ()
    n_unresolved: int = 0
    generator: str = ""
    min_support: float | None = None
    conflicts: tuple[tuple[int, int], ...] = ()
    refused: RefusalReason | None = None


def write_answer(
    asked: Asked,
    evidence: Evidence,
    *,
    index: Index,
    generator: Generator | None,
    support: SupportModel | None,
    run: Run,
) -> Written:
    """The answer that the passages support, in whole sentences with their citations.

    A generator that is away, too late or not willing is replaced by quoting, and the trace says so.

    Raises:
        NotReady: the generator's model is not there.
    """
    draft, name = _draft(asked, evidence, index, generator, run)
    with run.stage("bind") as detail:
        bound, conflicts = with_conflicts(bind(draft, evidence.passages), evidence.passages)
        detail |= {"n_citations": len(bound.citations), "n_unresolved": bound.n_unresolved}
        detail["n_conflicts"] = len(conflicts)
    if not bound.sentences:
        return Written(refused=draft.abstained or RefusalReason.MODEL_ABSTAINED)
    checked = _checked(bound, index, support, run)
    if checked is None:
        return Written(refused=RefusalReason.UNSUPPORTED_CLAIMS)
    return replace(
        checked,
        n_unresolved=bound.n_unresolved,
        generator=name,
        conflicts=_still_there(conflicts, bound.citations, checked.citations),
    )


def _draft(
    asked: Asked, evidence: Evidence, index: Index, generator: Generator | None, run: Run
) -> tuple[Draft, str]:
    quoting = _quoting(index)
    with run.stage("generate") as detail:
        if generator is None:
            draft, name = _quoted(asked, evidence, quoting), quoting.name
        else:
            limit_s = min(index.config.generate_time_s, run.left_s)
            try:
                draft = generator.generate(asked.question, evidence.passages, time_limit_s=limit_s)
                name = generator.name
            except (Unavailable, ModelRefused) as error:
                detail["degraded"] = error.code
                draft, name = _quoted(asked, evidence, quoting), quoting.name
        detail |= {"generator": name, "n_sentences": len(draft.sentences), "evidence": draft.evidence}
    return draft, name


def _quoted(asked: Asked, evidence: Evidence, quoting: ExtractiveGenerator) -> Draft:
    """Quotations for each part of the question; a part without any leaves the whole without an answer."""
    if len(evidence.of_parts) < 2:
        return quoting.generate(asked.question, evidence.passages)
    # By id: another part of the question gives the same passage another relevance.
    place_of = {each.chunk.chunk_id: at for at, each in enumerate(evidence.passages, start=1)}
    sentences: list[DraftSentence] = []
    weakest: float | None = None
    for part, passages in zip(asked.parts, evidence.of_parts, strict=True):
        held = tuple(each for each in passages if each.chunk.chunk_id in place_of)
        draft = quoting.generate(part, held)
        if not draft.sentences:
            return draft
        weakest = min(draft.evidence or 0.0, weakest if weakest is not None else 2.0)
        for sentence in draft.sentences:
            places = tuple(place_of[held[at - 1].chunk.chunk_id] for at in sentence.passages)
            sentences.append(replace(sentence, passages=places))
    return Draft(tuple(dict.fromkeys(sentences)), evidence=weakest)


def _quoting(index: Index) -> ExtractiveGenerator:
    return ExtractiveGenerator(
        index.embedder,
        max_sentences=index.config.max_sentences,
        evidence_floor=index.config.evidence_floor,
        reranked_evidence_floor=index.config.reranked_evidence_floor,
    )


def _checked(bound: Bound, index: Index, support: SupportModel | None, run: Run) -> Written | None:
    """The sentences that hold, after at most one revision; None when nothing does. The weakest claim decides."""
    sentences, citations = bound.sentences, bound.citations
    verification = _verified(sentences, citations, index, support, run)
    if not verification.passed:
        with run.stage("revise") as detail:
            kept = revise(sentences, verification)
            detail |= {"n_before": len(sentences), "n_after": len(kept)}
            sentences, citations = renumbered(kept, citations)
        if not sentences:
            return None
        verification = _verified(sentences, citations, index, support, run)
        if not verification.passed:
            return None
    return Written(sentences=sentences, citations=citations, min_support=verification.min_support)


def _still_there(
    conflicts: tuple[tuple[int, int], ...],
    before: tuple[BoundCitation, ...],
    after: tuple[BoundCitation, ...],
) -> tuple[tuple[int, int], ...]:
    """The conflicts with the numbers that a revision left; one whose side it dropped is none."""
    new_of = {(each.chunk.chunk_id, each.start, each.end): each.number for each in after}
    key_of = {each.number: (each.chunk.chunk_id, each.start, each.end) for each in before}
    renamed = ((new_of.get(key_of[one]), new_of.get(key_of[other])) for one, other in conflicts)
    return tuple((one, other) for one, other in renamed if one is not None and other is not None)


def _verified(
    sentences: tuple[AnswerSentence, ...],
    citations: tuple[BoundCitation, ...],
    index: Index,
    support: SupportModel | None,
    run: Run,
) -> Verification:
    with run.stage("verify") as detail:
        verification = verify(
            sentences,
            {citation.number: citation for citation in citations},
            support=support,
            threshold=index.config.support_cut,
            deadline=min(run.deadline, time.monotonic() + index.config.verify_time_s),
        )
        claims = verification.claims
        weakest = min(claims, key=lambda claim: claim.support)
        detail |= {
            "n_claims": len(claims),
            "n_verbatim": sum(claim.method == "verbatim" for claim in claims),
            "min_support": verification.min_support,
            "cut": verification.threshold,
            "passed": verification.passed,
            "model": verification.model,
            "degraded": verification.degraded,
        }
        if not verification.passed:
            detail["weakest"] = weakest.text
            detail["why"] = weakest.faults[0].reason if weakest.faults else weakest.method
    return verification
