"""Questions to suggest, on the Home tab and in the agent view: really answered, and not somebody's own affair."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.utils import timezone

from console.channels.home_questions import questions_of_slack_user
from console.channels.models import SlackChannelFacts
from console.questions.models import Answer, Question, QuestionState, Surface, Verdict

LOOKS_BACK = timedelta(days=90)
LOOKS_AT = 400
"""Of the latest answers; both places are opened often and must stay cheap."""
LONGEST = 150
FEWEST_ASKERS = 2
"""A question is shown to others only when so many people asked it: its words can tell who asked, and why."""


def suggested_questions(team_id: str, user_id: str, *, folder_ids: Iterable[int], n: int) -> list[Question]:
    """Up to `n` questions, the most recent first, each wording once, in the words of the latest asker.

    Every document that the answer cites still exists, and lay and lies in a folder of `folder_ids`. Another person's
    words are shown only where they were no secret: at least two people asked it, or it was asked aloud in a public
    channel that the reader asked in too. Who is in a private channel by now is not asked for this. Nobody is suggested
    what they asked themselves, what outsiders asked, or what was found wrong.
    """
    allowed = set(folder_ids)
    own = questions_of_slack_user(team_id, user_id)
    mine = {_wording(text) for text in own.values_list("text", flat=True)[:LOOKS_AT]}
    latest: dict[str, Question] = {}
    askers: dict[str, set[str]] = {}
    aloud: set[str] = set()
    channels = _public_channels_of(team_id, user_id)
    for question in _answered(team_id):
        wording, folders = _wording(question.text), _folders(question.answer)
        if (
            not wording
            or wording in mine
            or len(question.text) > LONGEST
            or not folders
            or not folders <= allowed
        ):
            continue
        latest.setdefault(wording, question)
        askers.setdefault(wording, set()).add(question.slack_user_id or f"person {question.asker_id}")
        if question.surface == Surface.SLACK_MENTION and question.slack_channel_id in channels:
            aloud.add(wording)
    return [
        question
        for wording, question in latest.items()
        if wording in aloud or len(askers[wording]) >= FEWEST_ASKERS
    ][:n]


def _answered(team_id: str) -> list[Question]:
    return list(
        Question.objects.filter(
            slack_team_id=team_id, state=QuestionState.ANSWERED, withdrawn_at=None, is_external=False
        )
        .filter(received_at__gt=timezone.now() - LOOKS_BACK)
        .exclude(feedback__verdict=Verdict.NOT_HELPFUL)
        .select_related("answer")
        .prefetch_related("answer__citations__document")
        .order_by("-received_at")[:LOOKS_AT]
    )


def _public_channels_of(team_id: str, user_id: str) -> set[str]:
    """The public channels in which this person asked something aloud."""
    asked_in = questions_of_slack_user(team_id, user_id).filter(surface=Surface.SLACK_MENTION)
    public = SlackChannelFacts.objects.filter(team_id=team_id, is_private=False)
    return set(
        public.filter(channel_id__in=asked_in.order_by().values("slack_channel_id")).values_list(
            "channel_id", flat=True
        )
    )


def _wording(text: str) -> str:
    """Two spellings of one question are one."""
    return " ".join(text.split()).casefold().rstrip("?!. ")


def _folders(answer: Answer) -> set[int]:
    """Where the cited documents lay and lie; -1 for one that is gone: asked again, it would be answered otherwise."""
    folders: set[int] = set()
    for citation in answer.citations.all():
        if (
            citation.document is None
            or citation.document.deleted_at is not None
            or citation.folder_id is None
        ):
            return {-1}
        folders |= {citation.folder_id, citation.document.folder_id}
    return folders
