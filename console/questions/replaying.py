"""Ask a recorded question again with everything it was asked with, and say what came out otherwise."""

from __future__ import annotations

from dataclasses import dataclass

import rag
from console import engine
from console.access import Rejected
from console.channels.models import SlackThreadReading
from console.index.models import IndexVersion, VersionState
from console.questions.conversation import are_words_deleted, asked_as, turns_before
from console.questions.models import Answer, Question, QuestionState
from console.questions.recording import forget_what_is_out, reranker_of

_REPLAYED = {QuestionState.ANSWERED, QuestionState.REFUSED}


@dataclass(frozen=True, slots=True)
class Difference:
    """What was recorded, and what came out now."""

    what: str
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class Replay:
    """A recorded answer beside the same question asked again; no difference means the same answer.

    `degrades_now` and the recorded `Answer.degrades` say what each was decided without, which can explain a difference.
    """

    question: Question
    answer: Answer
    result: rag.Answered | rag.Refused
    differences: tuple[Difference, ...]

    @property
    def degrades_now(self) -> tuple[rag.Degrade, ...]:
        """What it was decided without this time."""
        return self.result.trace.degrades


def replay_question(question: Question) -> Replay:
    """Ask again with the recorded folders, index version and thresholds; nothing is recorded.

    As for every question, what is deleted or left out by now is in no answer, also before its purge has run.

    Raises:
        Rejected: there is nothing to ask again: no answer yet, none from documents, or its index version is gone.
        rag.RagError: a store or model does not work.
    """
    answer = Answer.objects.filter(question=question).select_related("index_version").first()
    if answer is None:
        raise Rejected("no_answer", "This question has no answer yet.")
    if answer.outcome not in _REPLAYED or answer.distance_cut is None or answer.max_chunks is None:
        raise Rejected(
            "not_replayable", "It ended before any document was searched; there is nothing to repeat."
        )
    if question.withdrawn_at is not None or are_words_deleted(answer):
        raise Rejected("words_deleted", "What it asked, or leaned on, was deleted in Slack.")
    version = answer.index_version
    if version is None or version.state not in {
        VersionState.ACTIVE,
        VersionState.RETIRED,
        VersionState.READY,
    }:
        raise Rejected("version_gone", "The index version that answered it is gone.")
    forget_what_is_out(version)
    result = _asked_again(question, answer, version)
    return Replay(question, answer, result, tuple(_differences(answer, result)))


def _asked_again(question: Question, answer: Answer, version: IndexVersion) -> rag.Answered | rag.Refused:
    assert answer.distance_cut is not None
    assert answer.max_chunks is not None
    # A thread that was read in Slack is not kept; what the question became with it is.
    was_thread_read = SlackThreadReading.objects.filter(question=question, fault="").exists()
    return rag.answer(
        (was_thread_read and asked_as(answer)) or question.text,
        index=engine.index_of(version),
        scope=rag.Scope(folder_ids=tuple(answer.folder_ids)),
        thresholds=rag.Thresholds(
            distance_cut=answer.distance_cut,
            max_chunks=answer.max_chunks,
            relevance_cut=answer.relevance_cut or 0.0,
        ),
        turns=[] if was_thread_read else turns_before(question),
        reranker=engine.reranker_for_answers(),
        generator=engine.generator(),
        support=engine.support(),
    )


def _differences(answer: Answer, result: rag.Answered | rag.Refused) -> list[Difference]:
    now = _told(result)
    then = {
        "outcome": answer.outcome,
        "reason": answer.reason_code,
        "sentences": "\n".join(str(row["text"]) for row in answer.sentences),
        "quotes": "\n".join(citation.quote for citation in answer.citations.all()),
        "not answered": "\n".join(f"{part['question']} {part['reason_code']}" for part in answer.unanswered),
        "generator": answer.generator,
        "reranker": answer.reranker,
    }
    if answer.outcome == QuestionState.REFUSED and not answer.generator:
        del then["generator"]  # refusals of before 0005 did not record who drafted
    return [Difference(what, then[what], now[what]) for what in then if then[what] != now[what]]


def _told(result: rag.Answered | rag.Refused) -> dict[str, str]:
    if isinstance(result, rag.Refused):
        told = {"outcome": QuestionState.REFUSED.value, "reason": result.reason.value, "sentences": ""}
        told |= {
            "quotes": result.contradicted.citation.quote if result.contradicted else "",
            "not answered": "",
        }
    else:
        told = {
            "outcome": QuestionState.ANSWERED.value,
            "reason": "",
            "sentences": "\n".join(sentence.text for sentence in result.sentences),
            "quotes": "\n".join(citation.quote for citation in result.citations),
            "not answered": "\n".join(f"{part.question} {part.reason.value}" for part in result.unanswered),
        }
    return told | {"generator": result.generator, "reranker": reranker_of(result.trace)}
