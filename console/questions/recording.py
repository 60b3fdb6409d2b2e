"""Turn what the core gives back into the rows that are kept."""

from __future__ import annotations

from dataclasses import dataclass, field

import rag
from console import engine, storage
from console.index.models import DocumentIndex, IndexVersion, ThresholdSetting
from console.questions import wording
from console.questions.models import Answer, Citation, QuestionState
from console.questions.verification import verification_json
from console.sources.models import Document
from console.sources.selectors import ids_out_of_answers, n_working_in, unreadable_in

EXCERPT_CHARS = 300


class StaleCitation(Exception):
    """A cited document is gone or has other text by now."""


@dataclass(slots=True)
class AnswerRow:
    """An unsaved answer and its unsaved citations."""

    answer: Answer
    citations: list[Citation] = field(default_factory=list)


def forget_what_is_out(version: IndexVersion) -> None:
    """Take what is deleted or left out from the index before it is searched: the workers may not have purged it yet.

    Raises:
        rag.RagError: the store does not work.
    """
    for document_id in ids_out_of_answers(version.pk):
        rag.remove_document(engine.index_of(version), document_id)


def broken_row(reference: str) -> AnswerRow:
    """Something failed on our side; `reference` finds it in the log."""
    return AnswerRow(
        Answer(
            outcome=QuestionState.BROKEN,
            reason_code="broken",
            reason=wording.BROKEN,
            error_reference=reference,
        )
    )


def not_allowed_row(sentence: str) -> AnswerRow:
    """The asker, or the audience, may see no folder."""
    return AnswerRow(Answer(outcome=QuestionState.NOT_ALLOWED, reason_code="not_allowed", reason=sentence))


def refused_row(
    reason: rag.RefusalReason, sentence: str = "", *, folder_ids: list[int] | None = None
) -> AnswerRow:
    """A refusal that happened before the core was asked."""
    return AnswerRow(
        Answer(
            outcome=QuestionState.REFUSED,
            reason_code=reason.value,
            reason=sentence or wording.refusal_sentence(reason),
            folder_ids=folder_ids or [],
        )
    )


def row_of(
    result: rag.Answered | rag.Refused,
    *,
    folder_ids: list[int],
    version: IndexVersion,
    setting: ThresholdSetting,
) -> AnswerRow:
    """The rows of a result.

    Raises:
        StaleCitation: a cited document was deleted or replaced meanwhile.
    """
    answer = Answer(
        best_distance=result.best_distance,
        distance_cut=setting.distance_cut,
        best_relevance=result.best_relevance,
        relevance_cut=setting.relevance_cut if result.gate_score == "relevance" else None,
        reranker=reranker_of(result.trace),
        reranker_fault=reranker_fault_of(result.trace),
        max_chunks=setting.max_chunks,
        index_version=version,
        model_name=version.model_name,
        folder_ids=folder_ids,
        trace=_trace(result.trace),
        generator=result.generator,
        n_unresolved_markers=result.n_unresolved_markers,
        verification=verification_json(result.findings) if result.findings else {},
        contradicted=_contradicted(result.contradicted) if result.contradicted else {},
    )
    if result.generator_fault is not None:
        answer.generator_fault = result.generator_fault.code
        answer.generator_fault_detail = _fault(result.generator_fault)
    if isinstance(result, rag.Refused):
        unreadable = unreadable_in(folder_ids)
        answer.outcome = QuestionState.REFUSED
        answer.reason_code = result.reason.value
        answer.reason = _reason(result) or _why(result) + wording.still_working(n_working_in(folder_ids))
        answer.nearest = _nearest_rows(result.nearest, version)
        answer.unreadable = unreadable
        answer.n_unreadable = sum(int(row["count"]) for row in unreadable)
        said = result.contradicted
        return AnswerRow(answer, [_citation(said.citation, version)] if said else [])
    answer.outcome = QuestionState.ANSWERED
    answer.sentences = [
        {
            "text": sentence.text,
            "citations": list(sentence.citation_numbers),
            **({"n_more": sentence.n_more} if sentence.n_more else {}),
            **({"list_rest": sentence.list_rest.value} if sentence.list_rest else {}),
            **({"is_after_gap": True} if sentence.is_after_gap else {}),
        }
        for sentence in result.sentences
    ]
    answer.min_support = result.min_support
    answer.conflicts = [list(pair) for pair in result.conflicts]
    answer.unanswered = [
        {
            "question": part.question,
            "reason_code": part.reason.value,
            "best": part.best,
            "cut": part.cut,
            "gate_score": part.gate_score,
        }
        for part in result.unanswered
    ]
    return AnswerRow(answer, [_citation(bound, version) for bound in result.citations])


def _why(result: rag.Refused) -> str:
    """The sentence of its reason; where names of the question stand nowhere, which ones."""
    if result.reason is rag.RefusalReason.WEAK_EVIDENCE and result.trace.unspoken:
        return wording.not_mentioned(result.trace.unspoken)
    return wording.refusal_sentence(result.reason)


def _fault(fault: rag.GeneratorFault) -> dict[str, str]:
    return {"generator": fault.generator, "message": fault.message, "next_step": fault.next_step}


def _contradicted(said: rag.ContradictedPremise) -> dict[str, object]:
    return {"premise": said.premise, "says": said.says, "number": said.citation.number}


def _citation(bound: rag.BoundCitation, version: IndexVersion) -> Citation:
    document = Document.objects.filter(pk=bound.chunk.document_id, deleted_at=None).first()
    if document is None or document.is_left_out or not document.canonical_sha256:
        raise StaleCitation
    stamp = document.index_stamps.filter(version=version).first()
    if stamp is None:
        raise StaleCitation
    try:
        canonical = storage.load_canonical(document.canonical_sha256).text
    except FileNotFoundError as error:
        raise StaleCitation from error
    if canonical[bound.start : bound.end] != bound.quote:
        raise StaleCitation
    return Citation(
        number=bound.number,
        document=document,
        folder_id=document.folder_id,
        document_name=document.name,
        document_title=document.display_title,
        # The bytes that were indexed: newer ones may be waiting, and the link has to notice that.
        document_sha256=stamp.sha256,
        label=wording.label_within(document.display_title, bound.locator.label)[:500],
        locator=bound.locator.as_json(),
        start=bound.start,
        end=bound.end,
        quote=bound.quote,
        distance=bound.distance,
        relevance=bound.relevance,
    )


def _nearest_rows(candidates: tuple[rag.ScoredChunk, ...], version: IndexVersion) -> list[dict[str, object]]:
    ids = {candidate.chunk.document_id for candidate in candidates}
    stamps = DocumentIndex.objects.filter(version=version, document_id__in=ids, document__deleted_at=None)
    sha256_of = dict(stamps.values_list("document_id", "sha256"))
    return [
        _nearest(candidate, sha256_of[candidate.chunk.document_id])
        for candidate in candidates
        if candidate.chunk.document_id in sha256_of
    ]


def _nearest(candidate: rag.ScoredChunk, sha256: str) -> dict[str, object]:
    chunk = candidate.chunk
    return {
        "document_id": chunk.document_id,
        "folder_id": chunk.folder_id,
        "sha256": sha256,
        "title": chunk.document_title,
        "label": wording.label_within(chunk.document_title, chunk.locator.label),
        "start": chunk.start,
        "end": chunk.end,
        "distance": candidate.distance,
        "relevance": candidate.relevance,
        "excerpt": rag.plain_text(chunk.content[:EXCERPT_CHARS]),
    }


def _reason(result: rag.Refused) -> str:
    """What small talk is answered with; empty for every other refusal."""
    route = next((stage.detail for stage in result.trace.stages if stage.name == "route"), {})
    return wording.SMALL_TALK.get(str(route.get("small_talk", "")), "")


def reranker_of(trace: rag.Trace) -> str:
    """Name and revision of the reranker that read the candidates; empty where none did, also for want of time."""
    read = (stage.detail for stage in trace.stages if stage.name == "rerank" and not stage.detail["degraded"])
    return next((str(detail["reranker"]) for detail in read), "")


def reranker_fault_of(trace: rag.Trace) -> str:
    """Code of the error for which nothing was reranked; empty where it read, also where it ran out of time."""
    degraded = (stage.detail["degraded"] for stage in trace.stages if stage.name == "rerank")
    return next((each for each in degraded if isinstance(each, str)), "")


def _trace(trace: rag.Trace) -> dict[str, object]:
    return {
        "stages": [
            {"name": stage.name, "elapsed_ms": round(stage.elapsed_ms, 3), "detail": stage.detail}
            for stage in trace.stages
        ],
        "candidates": [
            {
                "document_id": candidate.chunk.document_id,
                "chunk_id": candidate.chunk.chunk_id,
                "distance": candidate.distance,
                "relevance": candidate.relevance,
                "rerank_score": candidate.rerank_score,
                "bm25_score": candidate.bm25_score,
                "rrf_score": round(candidate.rrf_score, 6),
            }
            for candidate in trace.candidates
        ],
    }
