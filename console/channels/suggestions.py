"""Questions to suggest: really answered, from folders that the reader may see, and not somebody's own affair."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.utils import timezone

from console.questions.models import Answer, QuestionState, Verdict

LOOKS_BACK = timedelta(days=90)
LOOKS_AT = 400
LONGEST = 150
FEWEST_ASKERS = 2
"""A question is shown to others only when so many people asked it: its words can tell who asked, and why."""


def answered_questions(folder_ids: Iterable[int], *, team_id: str, slack_user_id: str, n: int) -> list[str]:
    """Up to `n` questions, the most recent first, in the words of the latest asker.

    Every document that the answer cites lay and lies in one of these folders; the reader asked it themselves,
    or at least two people did. Two spellings of one question count as one.
    """
    allowed = set(folder_ids)
    answers = (
        Answer.objects.filter(outcome=QuestionState.ANSWERED, created_at__gt=timezone.now() - LOOKS_BACK)
        .filter(question__withdrawn_at=None, question__slack_team_id=team_id, question__is_external=False)
        .exclude(question__feedback__verdict=Verdict.NOT_HELPFUL)
        .select_related("question")
        .prefetch_related("citations__document")
        .order_by("-created_at")[:LOOKS_AT]
    )
    words: dict[str, str] = {}
    askers: dict[str, set[str]] = {}
    for answer in answers:
        text = " ".join(answer.question.text.split())
        if not text or len(text) > LONGEST or not _folders(answer) or not _folders(answer) <= allowed:
            continue
        key = text.casefold().rstrip("?!. ")
        words.setdefault(key, text)
        asker = answer.question.slack_user_id or f"person {answer.question.asker_id}"
        askers.setdefault(key, set()).add(asker)
    shown = [
        text
        for key, text in words.items()
        if len(askers[key]) >= FEWEST_ASKERS or slack_user_id in askers[key]
    ]
    return shown[:n]


def _folders(answer: Answer) -> set[int]:
    """Where the cited documents lay and lie; -1 for one of which that is not known any more."""
    folders: set[int] = set()
    for citation in answer.citations.all():
        if citation.document is None or citation.folder_id is None:
            return {-1}
        folders |= {citation.folder_id, citation.document.folder_id}
    return folders
