"""A question's way: understand → (retrieve → rerank → gate → grade → refine, ≤ 3 hops) → generate → bind → verify.

Each step is a function, each decision a line of the trace, each time measured; one deadline holds for the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.ask.follow_up import Turn
from rag.cite import citation_of
from rag.config import RagConfig
from rag.contradiction import Contradiction
from rag.errors import EmptyQuestion, QuestionTooLong
from rag.evidence import Evidence, gather
from rag.generate import Generator
from rag.index import Index
from rag.rerank import Reranker
from rag.retrieve import find_candidates
from rag.run import Run
from rag.types import (
    Answered,
    BoundCitation,
    ContradictedPremise,
    RefusalReason,
    Refused,
    Scope,
    ScoredChunk,
    Thresholds,
)
from rag.understand import understand
from rag.verify import SupportModel
from rag.write import Written, write_answer


def answer(
    question: str,
    *,
    index: Index,
    scope: Scope,
    thresholds: Thresholds,
    turns: Sequence[Turn] = (),
    reranker: Reranker | None = None,
    generator: Generator | None = None,
    support: SupportModel | None = None,
) -> Answered | Refused:
    """An answer of cited sentences, or a refusal with its reason; never an unsupported sentence.

    Args:
        question: in words, at most ``config.max_question_chars``.
        index: what to search.
        scope: folders and documents the asker may see; nothing else is looked at.
        thresholds: the gate of this index version.
        turns: what was asked and answered before in the conversation, oldest first.
        reranker: reads the best candidates; None leaves the fused order and gates by distance, and so does one that
            fails or is late (`Trace.degrades`).
        generator: writes the draft; None quotes (`ExtractiveGenerator`).
        support: reads each claim against what it cites; None lets only verbatim sentences through.

    Raises:
        EmptyQuestion, QuestionTooLong: the question cannot be asked as it is.
        RagError: a store or model does not work; never worded as a refusal.
    """
    run = Run(thresholds, index.config.answer_time_s)
    asked = understand(_valid(question, index.config), turns, run)
    if asked.small_talk:
        return run.refused(RefusalReason.ROUTED_NO_RETRIEVAL)
    if not scope.folder_ids:
        return run.refused(RefusalReason.OUT_OF_SCOPE_FOLDER)
    evidence = gather(asked, index=index, scope=scope, reranker=reranker, support=support, run=run)
    if not run.candidates:
        return run.refused(RefusalReason.NOTHING_RETRIEVED)
    if not evidence.passages:
        return replace(
            run.refused(RefusalReason.BELOW_THRESHOLD),
            contradicted=_told_otherwise(evidence.contradiction, ()),
        )
    written = write_answer(asked, evidence, index=index, generator=generator, support=support, run=run)
    said_otherwise = _told_otherwise(evidence.contradiction, written.citations)
    if written.refused is not None:
        return _refused(written.refused, written, evidence, said_otherwise, run)
    return _answered(written, said_otherwise, run)


def retrieve(
    question: str, *, index: Index, scope: Scope, reranker: Reranker | None = None
) -> tuple[ScoredChunk, ...]:
    """The candidates of one search in the scope, best first; neither the gate nor other wordings are applied.

    What the reranker read comes first, in its order; the rest keeps its fused order.

    Raises:
        EmptyQuestion, QuestionTooLong: see `answer`.
        RagError: the reranker failed; what is measured as reranked has to be.
    """
    question = _valid(question, index.config)
    if not scope.folder_ids:
        return ()
    run = Run(Thresholds(2.0), index.config.answer_time_s)
    found = find_candidates(question, question, index=index, scope=scope, reranker=reranker, run=run)
    if run.reranker_fault is not None:
        raise run.reranker_fault
    return found


def _told_otherwise(
    found: Contradiction | None, citations: Sequence[BoundCitation]
) -> ContradictedPremise | None:
    """The contradiction with its citation: one of the answer's where that quotes the sentence, else the next number."""
    if found is None:
        return None
    new = citation_of(len(citations) + 1, found.passage, found.start, found.end)
    same = (
        each
        for each in citations
        if each.chunk.chunk_id == new.chunk.chunk_id and each.start <= new.start and new.end <= each.end
    )
    return ContradictedPremise(found.premise, found.says, next(same, new))


def _refused(
    reason: RefusalReason,
    written: Written,
    evidence: Evidence,
    said_otherwise: ContradictedPremise | None,
    run: Run,
) -> Refused:
    """The refusal of a draft, with what became of it."""
    return replace(
        run.refused(reason, evidence.passages),
        generator=written.generator,
        n_unresolved_markers=written.n_unresolved,
        findings=written.findings,
        generator_fault=written.fault,
        contradicted=said_otherwise,
    )


def _answered(written: Written, said_otherwise: ContradictedPremise | None, run: Run) -> Answered:
    read = [each.relevance for each in written.citations if each.relevance is not None]
    citations = written.citations
    if said_otherwise is not None and said_otherwise.citation not in citations:
        citations = (*citations, said_otherwise.citation)
    return Answered(
        sentences=written.sentences,
        citations=citations,
        best_distance=min(citation.distance for citation in written.citations),
        n_unresolved_markers=written.n_unresolved,
        generator=written.generator,
        trace=run.trace(),
        gate_score=run.gate_score,
        best_relevance=max(read, default=None),
        min_support=written.min_support,
        conflicts=written.conflicts,
        findings=written.findings,
        generator_fault=written.fault,
        contradicted=said_otherwise,
        unanswered=written.unanswered,
    )


def _valid(question: str, config: RagConfig) -> str:
    question = " ".join(question.split())
    if not any(character.isalnum() for character in question):
        raise EmptyQuestion("The question holds no word.")
    if len(question) > config.max_question_chars:
        raise QuestionTooLong(
            f"The question has {len(question)} characters; at most {config.max_question_chars} are read."
        )
    return question
