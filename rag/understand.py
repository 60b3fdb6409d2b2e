"""What is asked: small talk or a question, on its own or after others, of one thing or of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.ask.follow_up import Turn, rewrite
from rag.ask.route import route
from rag.ask.words import finished
from rag.run import Run


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that stands alone. `parts` holds sub-questions where several things are asked, else the question.

    `is_chain`: the first part is only asked for the sake of the last, which is the whole question.
    """

    question: str
    parts: tuple[str, ...]
    small_talk: str = ""
    is_chain: bool = False


def understand(question: str, turns: Sequence[Turn], run: Run) -> Asked:
    """Rewrite a follow-up so that it stands alone, then tell small talk, one question and several apart."""
    with run.stage("route") as detail:
        rewritten = rewrite(question, turns)
        way = route(rewritten.question)
        detail |= {"kind": way.kind, "why": way.why, "n_parts": len(way.sub_questions) or 1}
        if way.small_talk:
            detail["small_talk"] = way.small_talk
        if rewritten.is_follow_up:
            # Of the earlier question no more is told than became part of this one: it may be somebody else's.
            detail |= {"asked_as": rewritten.question, "from_turn": rewritten.from_turn}
    parts = way.sub_questions or (rewritten.question,)
    is_chain = len(parts) > 1 and finished(rewritten.question) == parts[-1]
    return Asked(rewritten.question, parts, way.small_talk or "", is_chain)
