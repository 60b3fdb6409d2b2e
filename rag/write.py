"""From passages to an answer: draft, bind its markers, verify it, revise it once; or a refusal with its reason."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from rag.cite import Bound, bind
from rag.conflict import with_conflicts
from rag.errors import ModelMissing, ModelRefused, Unavailable
from rag.evidence import Evidence
from rag.generate import Draft, DraftSentence, ExtractiveGenerator, Generator
from rag.index import Index
from rag.run import Run
from rag.types import AnswerSentence, BoundCitation, GeneratorFault, RefusalReason
from rag.understand import Asked
from rag.verify import Findings, SupportModel, Verification, dropped_claims, renumbered, revise, verify


@dataclass(frozen=True, slots=True)
class Written:
    """A verified answer; or, with `refused` set, why there is none and what was drafted before it."""

    sentences: tuple[AnswerSentence, ...] = ()
    citations: tuple[BoundCitation, ...] = ()
    n_unresolved: int = 0
    generator: str = ""
    min_support: float | None = None
    conflicts: tuple[tuple[int, int], ...] = ()
    findings: Findings | None = None
    fault: GeneratorFault | None = None
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

    A generator that is away, too late, not there or not willing is replaced by quoting, and `Written.fault` says so.
    """
    draft, name, fault = _draft(asked, evidence, index, generator, run)
    with run.stage("bind") as detail:
        bound, conflicts = with_conflicts(bind(draft, evidence.passages), evidence.passages)
        detail |= {"n_citations": len(bound.citations), "n_unresolved": bound.n_unresolved}
        detail |= {"n_uncited": bound.n_uncited, "n_conflicts": len(conflicts)}
    drafted = Written(n_unresolved=bound.n_unresolved, generator=name, fault=fault)
    if not bound.sentences:
        # Sentences that point at nothing are no abstention: something was said, and nothing carries it.
        return replace(drafted, refused=draft.abstained or RefusalReason.UNSUPPORTED_CLAIMS)
    return _checked(bound, conflicts, drafted, index=index, support=support, run=run)


def _draft(
    asked: Asked, evidence: Evidence, index: Index, generator: Generator | None, run: Run
) -> tuple[Draft, str, GeneratorFault | None]:
    quoting = _quoting(index)
    fault = None
    with run.stage("generate") as detail:
        if generator is None:
            draft, name = _quoted(asked, evidence, quoting), quoting.name
        else:
            limit_s = min(index.config.generate_time_s, run.left_s)
            try:
                draft = generator.generate(asked.question, evidence.passages, time_limit_s=limit_s)
                name = generator.name
            except (Unavailable, ModelRefused, ModelMissing) as error:
                fault = GeneratorFault(generator.name, error.code, error.message, error.next_step)
                detail["degraded"] = error.code
                draft, name = _quoted(asked, evidence, quoting), quoting.name
        detail |= {"generator": name, "n_sentences": len(draft.sentences), "evidence": draft.evidence}
    return draft, name, fault


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


def _checked(
    bound: Bound,
    conflicts: tuple[tuple[int, int], ...],
    drafted: Written,
    *,
    index: Index,
    support: SupportModel | None,
    run: Run,
) -> Written:
    """The sentences that hold, after at most one revision; refused when none does. The weakest claim decides."""
    sentences, citations = bound.sentences, bound.citations
    verification = _verified(sentences, citations, index, support, run)
    dropped = dropped_claims(sentences, citations, verification)
    if not verification.passed:
        with run.stage("revise") as detail:
            kept = revise(sentences, verification)
            detail |= {"n_before": len(sentences), "n_after": len(kept), "n_claims_dropped": len(dropped)}
            sentences, citations = renumbered(kept, citations)
        if sentences:
            verification = _verified(sentences, citations, index, support, run)
            dropped = (*dropped, *dropped_claims(sentences, citations, verification))
        if not verification.passed:
            findings = Findings((), dropped, verification.threshold, verification.model)
            return replace(drafted, findings=findings, refused=RefusalReason.UNSUPPORTED_CLAIMS)
    return replace(
        drafted,
        sentences=sentences,
        citations=citations,
        min_support=verification.min_support,
        conflicts=_still_there(conflicts, bound.citations, citations),
        findings=Findings(verification.sentences, dropped, verification.threshold, verification.model),
    )


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
            "degraded": verification.degraded and support is not None,
        }
        if not verification.passed:
            detail["weakest"] = weakest.text
            detail["why"] = weakest.faults[0].reason if weakest.faults else weakest.method
    return verification
