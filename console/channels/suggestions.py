"""Questions to suggest, on the Home tab and in the agent view: really answered, and not somebody's own affair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.utils import timezone

from console.channels.home_questions import FROM_HOME, questions_of_slack_user
from console.channels.models import SlackChannelFacts
from console.questions.models import Answer, Question, QuestionState, Surface, Verdict

LOOKS_BACK = timedelta(days=90)
LOOKS_AT = 400
"""Of the latest answers; both places are opened often and must stay cheap."""
LONGEST = 150
FEWEST_ASKERS = 2
"""A question is shown to others only when so many people asked it: its words can tell who asked, and why."""
PUBLIC_COUNTS_FOR = timedelta(days=1)
"""Since Slack was asked; it is asked whenever something is posted there. A channel can be made private."""


def suggested_questions(team_id: str, user_id: str, *, folder_ids: Iterable[int], n: int) -> list[Question]:
    """Up to `n` questions, the most recent first, each wording once, in the words of the latest asker.

    Every document that the answer cites still exists, and lay and lies in a folder of `folder_ids`. Another person's
    words are shown only where they were no secret: at least two people came to ask it, or it was asked aloud in a
    public channel that the reader asked in too. Who is in a private channel by now is not asked for this. Nobody is
    suggested what they asked themselves, what outsiders asked, or what was found wrong.
    """
    allowed = set(folder_ids)
    own = questions_of_slack_user(team_id, user_id)
    mine = {_wording(text) for text in own.values_list("text", flat=True)[:LOOKS_AT]}
    askings: dict[str, list[Question]] = {}
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
        askings.setdefault(wording, []).append(question)
    return [asked[0] for asked in askings.values() if _is_no_secret(asked, channels)][:n]


def _is_no_secret(asked: Sequence[Question], channels: set[str]) -> bool:
    """Of one wording's questions, the newest first: asked aloud in one of these channels, or by enough people."""
    if any(q.surface == Surface.SLACK_MENTION and q.slack_channel_id in channels for q in asked):
        return True
    return len(_askers(asked)) >= FEWEST_ASKERS


def _askers(asked: Sequence[Question]) -> set[str]:
    """Who came to ask it without being shown it.

    Who only clicked a suggestion did not, on the Home tab or, where that looks like any direct message, in the agent
    view: what one person asked aloud can be suggested to others from then on, so direct messages after it tell nothing.
    """
    askers: set[str] = set()
    was_aloud = False
    for question in reversed(asked):
        was_aloud = was_aloud or question.surface == Surface.SLACK_MENTION
        is_click = question.slack_ts.startswith(FROM_HOME)
        if not is_click and not (was_aloud and question.surface == Surface.SLACK_DM):
            askers.add(question.slack_user_id or f"person {question.asker_id}")
    return askers


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
    """The channels in which this person asked something aloud, and of which Slack said lately that they are public."""
    asked_in = questions_of_slack_user(team_id, user_id).filter(surface=Surface.SLACK_MENTION)
    public = SlackChannelFacts.objects.filter(
        team_id=team_id, is_private=False, checked_at__gt=timezone.now() - PUBLIC_COUNTS_FOR
    )
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
