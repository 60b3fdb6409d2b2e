"""What people are told, once, for Slack, console, API and command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import rag
from console.questions.models import Answer, QuestionState

BROKEN = "Something failed on our side. Your question is kept."

NOT_ALLOWED_EXTERNAL = (
    "I can't answer this here: people from outside the organisation can read this conversation, and no folder "
    "is shared with them."
)
NOT_ALLOWED_UNKNOWN = (
    "I can't answer this here: Slack does not tell me whether people from outside the organisation can read this "
    "conversation, and no folder is shared with them. An admin sees on the console's page Channels what is missing."
)
NOT_ALLOWED_CHOSEN = "The answer may stand in a folder you may not see."

WITHDRAWN = "(The asker deleted this question.)"
"""Stands in place of the text."""

STOPPED = "Stopped, as you asked. The question is kept; ask again for the answer."
QUESTION_TOO_LONG = "The question is longer than I can take. Shorten it to what you want to know."
QUESTION_EMPTY = "I found no question in the message. Ask it in words."

SMALL_TALK: dict[str, str] = {
    "greeting": "Hello! Ask me something that your documents may answer.",
    "thanks": "You're welcome.",
    "farewell": "Until next time.",
    "capability": (
        "I answer questions from your organisation's documents. Every sentence names the place where it stands, and "
        "where the documents do not say it, I tell you so instead of guessing."
    ),
    "identity": (
        "I'm Footnote, a bot. I answer from your organisation's documents, each sentence with its source, "
        "or I tell you that they do not say."
    ),
}
"""Small talk is answered as such, never from documents, and recorded as routed_no_retrieval."""

SAYS: dict[str, str] = {
    QuestionState.REFUSED: "I can't answer that from the documents you can see.",
    QuestionState.NOT_ALLOWED: "I may not answer that here.",
    QuestionState.BROKEN: "I could not finish this.",
}
"""The console's first line of an end that is no answer; the three never sound alike."""

_REFUSALS: dict[rag.RefusalReason, str] = {
    rag.RefusalReason.NOTHING_RETRIEVED: "The documents hold nothing that I could search.",
    rag.RefusalReason.BELOW_THRESHOLD: "Nothing was close enough.",
    rag.RefusalReason.WEAK_EVIDENCE: "The nearest passages are on the topic but do not say it.",
    rag.RefusalReason.MODEL_ABSTAINED: "The nearest passages do not answer it.",
    rag.RefusalReason.UNSUPPORTED_CLAIMS: "I could not support every sentence of an answer with the documents.",
    rag.RefusalReason.ROUTED_NO_RETRIEVAL: "This is not a question that documents answer.",
    rag.RefusalReason.OUT_OF_SCOPE_FOLDER: "No folder is connected here. An admin can connect one in the console.",
    rag.RefusalReason.INDEX_NOT_READY: "The index is not ready yet. Ask again in a few minutes.",
}


def says(state: str, reason_code: str) -> str:
    """The console's first line; small talk and what is no question have none."""
    return "" if reason_code == rag.RefusalReason.ROUTED_NO_RETRIEVAL else SAYS.get(state, "")


DISAGREE = "These documents do not agree:"
NOT_ANSWERED = "Not answered: “{question}” {reason}"


def gate_score_of(part: dict[str, Any], answer: Answer) -> str:
    """What an unanswered part's numbers are; those recorded before this was kept are taken for the answer's."""
    return str(part.get("gate_score") or answer.gate_score)


def score_against_cut(gate_score: str, best: float | None, cut: float) -> tuple[float, bool] | None:
    """The best number of a search and whether it is a relevance; None where the cut was not why it was refused."""
    is_relevance = gate_score == "relevance"
    if best is None or (best >= cut if is_relevance else best <= cut):
        return None
    return best, is_relevance


def unanswered_lines(answer: Answer) -> list[str]:
    """``Not answered: “How long is sick leave?” Nothing was close enough (relevance 0.31; needed 0.60).`` for each."""
    lines = []
    for part in answer.unanswered:
        reason = refusal_sentence(rag.RefusalReason(part["reason_code"]))
        found = score_against_cut(gate_score_of(part, answer), part["best"], part["cut"])
        if found is not None:
            best, is_relevance = found
            told = f"relevance {best:.2f}; needed" if is_relevance else f"distance {best:.2f}; limit"
            reason = f"{reason.removesuffix('.')} ({told} {part['cut']:.2f})."
        lines.append(NOT_ANSWERED.format(question=part["question"], reason=reason))
    return lines


def according_to(title: str) -> str:
    """What stands before sentences that are a document's own words."""
    return f"According to {title}:"


def more_items(n: int) -> str:
    """``(The list has 3 more items; see the source.)`` behind the last quoted one; empty where it is whole."""
    return f"(The list has {n} more {'item' if n == 1 else 'items'}; see the source.)" if n else ""


LIST_REST: dict[rag.ListRest, str] = {
    rag.ListRest.MAY_GO_ON: "(The list may go on in the document; see the source.)",
    rag.ListRest.GOES_ON: "(The list goes on in the document; see the source.)",
}
"""Behind the last quoted item of a list that was cut between passages, so that nobody counted what is left out."""
GAP = "…"
"""Before a quoted item, where items before it are left out."""


def list_note(sentence: Mapping[str, object]) -> str:
    """What a recorded sentence leaves out of its list, in our words; empty where nothing is."""
    rest = rag.ListRest(str(sentence.get("list_rest", "")))
    return LIST_REST.get(rest) or more_items(int(str(sentence.get("n_more", 0))))


def gap_before(sentence: Mapping[str, object]) -> str:
    """`GAP` where a recorded sentence is a later item of its list and those before it are not told, else empty."""
    return GAP if sentence.get("is_after_gap") else ""


ASSUMES = "The question assumes: “{premise}” {title} says: “{says}” [{number}]"


def premise_note(answer: Answer, form: str = ASSUMES) -> str:
    """``The question assumes: “…” Travel policy says: “…” [1]``; empty where no document says otherwise.

    Plain text for readers who may see the cited document; `form` is the same sentence in another language.
    """
    said = answer.contradicted
    citation = next((each for each in answer.citations.all() if each.number == said.get("number")), None)
    if citation is None:
        return ""
    return form.format(
        premise=said["premise"], title=citation.document_title, says=said["says"], number=citation.number
    )


def dated(title: str, uploaded_at: datetime | None) -> str:
    """``Travel policy, uploaded 3 November 2026``: readers judge themselves which version holds."""
    return f"{title}, uploaded {uploaded_at.day} {uploaded_at:%B %Y}" if uploaded_at else title


DEGRADED: dict[rag.Degrade, str] = {
    rag.Degrade.RERANK: "I could not read the passages as closely as usual.",
    rag.Degrade.GENERATE: "The language model could not be used, so the documents are quoted.",
    rag.Degrade.VERIFY: "I ran out of time before every sentence was checked; those that were not are left out.",
}
"""What an answer or a refusal was decided without: under load the same question can end otherwise."""
AGAIN_IN_A_MOMENT = "Ask again in a moment: it may end otherwise."


def degraded_note(answer: Answer) -> str:
    """What the answer or the refusal was decided without, and to ask again; empty where nothing was missing."""
    told = [DEGRADED[each] for each in answer.degrades]
    return " ".join([*told, *([AGAIN_IN_A_MOMENT] if answer.may_end_otherwise else [])])


def refusal_sentence(reason: rag.RefusalReason) -> str:
    """The plain sentence for a refusal reason."""
    return _REFUSALS[reason]


NOT_MENTIONED = "The nearest passages do not mention {names}."


def not_mentioned(names: Sequence[str]) -> str:
    """``The nearest passages do not mention “Ocryopsis”.``: why passages on the topic say nothing of it."""
    return NOT_MENTIONED.format(names=", ".join(f"“{name}”" for name in names))


def label_within(title: str, label: str) -> str:
    """The label without its first heading where that is the document's title, which is told just before it."""
    rest = label.removeprefix(title)
    if rest == label or (rest and not rest.startswith((" › ", " · "))):
        return label
    return rest[3:]


def closest(title: str, label: str, *, score: float, cut: float, is_relevance: bool) -> str:
    """``closest: Travel policy › Flights, 0.58; limit 0.52``; without numbers when the cut was not the reason.

    Of a relevance, which has to be high, ``relevance 0.31; needed 0.45`` is said.
    """
    place = f"{title} › {label}" if label else title
    if is_relevance:
        return (
            f"closest: {place}, relevance {score:.2f}; needed {cut:.2f}"
            if score < cut
            else f"closest: {place}"
        )
    return f"closest: {place}, {score:.2f}; limit {cut:.2f}" if score > cut else f"closest: {place}"


def still_working(n: int) -> str:
    """`` 3 files are still being read; ask again later.``; empty when all are in."""
    if not n:
        return ""
    return f" {n} {'file is' if n == 1 else 'files are'} still being read; ask again later."


def unreadable_sentence(unreadable: list[dict[str, str | int]]) -> str:
    """``2 files in Travel could not be read.``; empty when all could."""
    parts = [
        f"{row['count']} {'file' if row['count'] == 1 else 'files'} in {row['folder']}" for row in unreadable
    ]
    return f"{' and '.join(parts)} could not be read." if parts else ""
