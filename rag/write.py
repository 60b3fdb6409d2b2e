"""From passages to an answer: draft, bind its markers, verify it, revise it once; or a refusal with its reason."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial

from rag.cite import Bound, bind
from rag.conflict import with_conflicts
from rag.errors import ModelMissing, ModelRefused, Unavailable
from rag.evidence import Evidence, Part, unanswered_part
from rag.generate import Draft, DraftSentence, ExtractiveGenerator, Generator
from rag.generate.answer_type import gives_what_is_asked
from rag.half_told import half_told
from rag.index import Index
from rag.lists import Around
from rag.run import Run
from rag.types import (
    AnswerSentence,
    BoundCitation,
    GeneratorFault,
    RefusalReason,
    StoredChunk,
    UnansweredPart,
)
from rag.understand import Asked
from rag.unspoken import unspoken_names
from rag.verify import Findings, SupportModel, Verification, dropped_claims, renumbered, revise, verify

_MOST_LOOKED_THROUGH = 500
"""Passages of a document among which the neighbours of one are looked up."""


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
    unanswered: tuple[UnansweredPart, ...] = ()


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
    evidence = _spoken_of(asked, evidence, run)
    if not evidence.parts:
        return Written(refused=RefusalReason.WEAK_EVIDENCE)
    draft, name, fault, unquoted = _draft(asked, evidence, index, generator, run)
    with run.stage("bind") as detail:
        bound, conflicts = with_conflicts(bind(draft, evidence.passages), evidence.passages)
        detail |= {"n_citations": len(bound.citations), "n_unresolved": bound.n_unresolved}
        detail |= {"n_uncited": bound.n_uncited, "n_conflicts": len(conflicts)}
    unanswered = (*evidence.unanswered, *unquoted)
    drafted = Written(n_unresolved=bound.n_unresolved, generator=name, fault=fault, unanswered=unanswered)
    if not bound.sentences:
        # Sentences that point at nothing are no abstention: something was said, and nothing carries it.
        return replace(drafted, refused=draft.abstained or RefusalReason.UNSUPPORTED_CLAIMS)
    written = _checked(bound, conflicts, drafted, index=index, support=support, run=run)
    if written.refused is None and not _gives_what_is_asked(asked, evidence, written):
        return replace(drafted, findings=written.findings, refused=RefusalReason.WEAK_EVIDENCE)
    if written.refused is not None:
        return written
    if asked.is_chain or len(asked.parts) == 1:
        left_out = half_told(asked.question, evidence, written.citations, run)
    else:
        left_out = _left_out(evidence, bound, written, run)
    return replace(written, unanswered=(*unanswered, *left_out))


def _spoken_of(asked: Asked, evidence: Evidence, run: Run) -> Evidence:
    """The evidence without the parts of the question that name what no passage speaks of; those are unanswered.

    Nothing is left of a chain, or where no part is.
    """
    names = [
        () if part.is_hop else unspoken_names(part.question, evidence.passages, run.candidates)
        for part in evidence.parts
    ]
    if not any(names):
        return evidence
    with run.stage("names") as detail:
        detail["unspoken"] = ", ".join(name for its in names for name in its)
    kept = tuple(part for part, its in zip(evidence.parts, names, strict=True) if not its)
    if asked.is_chain or all(part.is_hop for part in kept):
        return replace(evidence, parts=())
    missed = tuple(
        unanswered_part(part.question, RefusalReason.WEAK_EVIDENCE, part.passages, run)
        for part, its in zip(evidence.parts, names, strict=True)
        if its
    )
    return replace(evidence, parts=kept, unanswered=(*evidence.unanswered, *missed))


def _gives_what_is_asked(asked: Asked, evidence: Evidence, written: Written) -> bool:
    """Whether a language model's verified sentences hold the kind of thing that the question is for.

    Quotations are chosen by it, with the lines that introduce them. Of several parts nobody knows which sentence
    answers which.
    """
    if written.generator == ExtractiveGenerator.name or sum(not part.is_hop for part in evidence.parts) > 1:
        return True
    return gives_what_is_asked(asked.question, [sentence.text for sentence in written.sentences])


def _left_out(evidence: Evidence, bound: Bound, written: Written, run: Run) -> tuple[UnansweredPart, ...]:
    """The parts that no sentence cites a passage of: the draft had none, or the check took it away."""
    parts = [part for part in evidence.parts if not part.is_hop]
    known = {part.question for part in written.unanswered}
    drafted, told = (
        {each.chunk.chunk_id for each in citations} for citations in (bound.citations, written.citations)
    )
    left_out = []
    for part in parts if len(parts) > 1 else ():
        its = {each.chunk.chunk_id for each in part.passages}
        if part.question in known or its & told:
            continue
        reason = RefusalReason.UNSUPPORTED_CLAIMS if its & drafted else RefusalReason.MODEL_ABSTAINED
        left_out.append(unanswered_part(part.question, reason, part.passages, run))
    return tuple(left_out)


def _draft(
    asked: Asked, evidence: Evidence, index: Index, generator: Generator | None, run: Run
) -> tuple[Draft, str, GeneratorFault | None, tuple[UnansweredPart, ...]]:
    """The draft, who wrote it, why not the language model, and the parts that no sentence could be quoted for."""
    fault = None
    unquoted: tuple[UnansweredPart, ...] = ()
    with run.stage("generate") as detail:
        if generator is None:
            (draft, unquoted), name = _quoted(asked, evidence, index, run), ExtractiveGenerator.name
        else:
            limit_s = min(index.config.generate_time_s, run.left_s)
            try:
                draft = generator.generate(
                    _left_to_answer(asked, evidence), evidence.passages, time_limit_s=limit_s
                )
                name = generator.name
            except (Unavailable, ModelRefused, ModelMissing) as error:
                fault = GeneratorFault(generator.name, error.code, error.message, error.next_step)
                detail["degraded"] = error.code
                (draft, unquoted), name = _quoted(asked, evidence, index, run), ExtractiveGenerator.name
        detail |= {"generator": name, "n_sentences": len(draft.sentences), "evidence": draft.evidence}
    return draft, name, fault, unquoted


def _left_to_answer(asked: Asked, evidence: Evidence) -> str:
    """The question without the parts that are refused already."""
    if not evidence.unanswered:
        return asked.question
    return " ".join(part.question for part in evidence.parts)


def _quoted(
    asked: Asked, evidence: Evidence, index: Index, run: Run
) -> tuple[Draft, tuple[UnansweredPart, ...]]:
    """Quotations for each part of the question, and the parts without any; all of them: the first one's abstention."""
    # By id: another part of the question gives the same passage another relevance.
    place_of = {each.chunk.chunk_id: at for at, each in enumerate(evidence.passages, start=1)}
    sentences: list[DraftSentence] = []
    drafts: list[Draft] = []
    unquoted: list[UnansweredPart] = []
    most = index.config.max_sentences - sum(part.is_hop for part in evidence.parts)
    for part in evidence.parts:
        held = tuple(each for each in part.passages if each.chunk.chunk_id in place_of)
        # What a named document adds is one sentence: more of it is about that document, not about the question.
        draft = _quoting(index, 1 if part.is_hop else max(most, 1)).generate(part.question, held)
        if part.is_hop and not (draft.sentences and drafts and drafts[0].sentences):
            continue
        drafts.append(draft)
        if not draft.sentences and asked.is_chain:
            return draft, ()
        if not draft.sentences:
            unquoted.append(_unquoted(part, draft, run))
        for sentence in draft.sentences:
            places = tuple(place_of[held[at - 1].chunk.chunk_id] for at in sentence.passages)
            sentences.append(replace(sentence, passages=places))
    if not sentences:
        return drafts[0], ()
    weakest = min((each.evidence or 0.0 for each in drafts if each.sentences), default=None)
    return Draft(tuple(dict.fromkeys(sentences)), evidence=weakest), tuple(unquoted)


def _unquoted(part: Part, draft: Draft, run: Run) -> UnansweredPart:
    return unanswered_part(
        part.question, draft.abstained or RefusalReason.MODEL_ABSTAINED, part.passages, run
    )


def _quoting(index: Index, most: int) -> ExtractiveGenerator:
    return ExtractiveGenerator(
        index.embedder,
        max_sentences=most,
        evidence_floor=index.config.evidence_floor,
        reranked_evidence_floor=index.config.reranked_evidence_floor,
        look_around=partial(_around, index),
    )


def _around(index: Index, chunk: StoredChunk) -> Around | None:
    """The neighbours of a passage; None where its document is too long to look, or is being replaced just now."""
    n_chunks = index.store.count(index.name, chunk.document_id)
    if n_chunks > _MOST_LOOKED_THROUGH:
        return None
    chunks = {each.index: each for each in index.store.document_chunks(index.name, chunk.document_id)}
    if len(chunks) != n_chunks:
        return None
    return Around(chunks.get(chunk.index - 1), chunks.get(chunk.index + 1))


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
    kept = revise(sentences, verification, keep={number for pair in conflicts for number in pair})
    if kept != sentences:
        with run.stage("revise") as detail:
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
