"""What the App Home shows of questions: a person's own, and those worth asking."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Count, Q, QuerySet

from console.channels.models import SlackChannelFacts
from console.channels.selectors import cited_folder_ids
from console.questions.models import Question, QuestionState, Surface, Verdict

N_RECENT = 8
N_SUGGESTED = 4
LOOK_AT = 200
"""Of the latest answered questions; the App Home is opened often and must stay cheap."""


def questions_of_slack_user(team_id: str, user_id: str) -> QuerySet[Question]:
    """That person's questions in Slack, newest first; those they deleted are gone."""
    return Question.objects.filter(slack_team_id=team_id, slack_user_id=user_id, withdrawn_at=None).order_by(
        "-received_at"
    )


def suggested_questions(
    team_id: str, user_id: str, *, folder_ids: Iterable[int], n: int = N_SUGGESTED
) -> list[Question]:
    """Questions that were really answered, from folders in `folder_ids` alone, newest first, each wording once.

    Another person's wording is shown only where it was no secret: it was asked aloud in a public channel this person
    asked in too, or two people asked it alike. Who is in a private channel by now is not asked for a Home tab. Nobody
    is suggested what they asked themselves, or what was found wrong.
    """
    allowed = set(folder_ids)
    own = questions_of_slack_user(team_id, user_id)
    mine = {_wording(text) for text in own.values_list("text", flat=True)[:LOOK_AT]}
    found: dict[str, Question] = {}
    for question in _asked_aloud(team_id, user_id, own)[:LOOK_AT]:
        wording = _wording(question.text)
        if wording not in mine and wording not in found and cited_folder_ids(question.answer) <= allowed:
            found[wording] = question
        if len(found) == n:
            break
    return list(found.values())


def _asked_aloud(team_id: str, user_id: str, own: QuerySet[Question]) -> QuerySet[Question]:
    answered = Question.objects.filter(
        slack_team_id=team_id, state=QuestionState.ANSWERED, withdrawn_at=None, is_external=False
    )
    alike = (
        answered.order_by()
        .values("text")
        .annotate(n_askers=Count("slack_user_id", distinct=True))
        .filter(n_askers__gt=1)
        .values("text")
    )
    channels = own.filter(surface=Surface.SLACK_MENTION).values("slack_channel_id")
    public = SlackChannelFacts.objects.filter(team_id=team_id, is_private=False).values("channel_id")
    in_my_channel = Q(surface=Surface.SLACK_MENTION) & Q(slack_channel_id__in=channels)
    in_my_channel &= Q(slack_channel_id__in=public)
    return (
        answered.filter(in_my_channel | Q(text__in=alike))
        .exclude(slack_user_id=user_id)
        .exclude(feedback__verdict=Verdict.NOT_HELPFUL)
        .select_related("answer")
        .prefetch_related("answer__citations__document")
        .order_by("-received_at")
    )


def _wording(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip("?!. ")
