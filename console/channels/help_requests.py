"""A refused question, put to the people who own the folders it was searched in."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from console.access import Rejected
from console.channels.models import NoticeKind
from console.channels.notices import owe_notice
from console.channels.selectors import ids_shown_to
from console.people.models import User
from console.questions.models import Answer, HelpRequest, Question, QuestionState


@dataclass(frozen=True, slots=True)
class Asked:
    """Who was asked. `reached` are told in Slack, the others see it in the console."""

    reached: tuple[User, ...]
    others: tuple[User, ...]
    is_new: bool


def ask_a_human(*, question: Question, by_user_id: str, channel_id: str, is_outsider: bool = False) -> Asked:
    """Put a refused question to the owners of its folders, once; a later call tells who was asked.

    Asked are the owners of the folders in which something was near, else those of all that were searched; folders
    that the person who clicks may not see are left out.

    Raises:
        Rejected: `gone` when it is no refusal or was deleted, `not_allowed` when the person may see none of
            its folders.
    """
    if question.state != QuestionState.REFUSED or question.withdrawn_at is not None:
        raise Rejected("gone", "There is no refusal to look at.")
    shown = ids_shown_to(question, user_id=by_user_id, channel_id=channel_id, is_outsider=is_outsider)
    searched = set(question.answer.folder_ids) & shown
    if not searched:
        raise Rejected("not_allowed", "The person may not see the folders that were searched.")
    with transaction.atomic():
        request, is_new = HelpRequest.objects.get_or_create(
            question=question, defaults={"slack_user_id": by_user_id}
        )
        if is_new:
            request.owners.set(_owners_of(question.answer, searched))
        # Of those who were asked for somebody else, a person is told of the owners of folders they may see.
        told_of = request.owners.filter(is_active=True, owned_folders__in=searched)
        owners = list(told_of.distinct().order_by("username"))
        reached = [owner for owner in owners if _is_reached(owner, question)]
        if is_new:
            for owner in reached:
                owe_notice(question, NoticeKind.HUMAN, recipient=owner.slack_user_id, by_user_id=by_user_id)
    others = [owner for owner in owners if owner not in reached]
    return Asked(tuple(reached), tuple(others), is_new)


def _owners_of(answer: Answer, searched: set[int]) -> list[User]:
    near = {near.get("folder_id") for near in answer.nearest} & searched
    for folder_ids in (near, searched):
        owners = list(User.objects.filter(owned_folders__in=folder_ids, is_active=True).distinct())
        if owners:
            return owners
    return []


def _is_reached(owner: User, question: Question) -> bool:
    return bool(owner.slack_user_id) and owner.slack_team_id == question.slack_team_id
