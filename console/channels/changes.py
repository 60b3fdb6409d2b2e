"""Questions whose message was edited or deleted after they were taken in."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from console import queue
from console.access import Rejected
from console.channels.models import (
    DeliveryState,
    NoticeKind,
    SlackDelivery,
    SlackEvent,
    SlackNotice,
)
from console.channels.notices import direct_message_with, forget_offer, owe_notice
from console.channels.services import IncomingQuestion, deletion_key, receive_slack_question
from console.questions import wording
from console.questions.conversation import EDITED, forget_words
from console.questions.models import PENDING_STATES, Question, QuestionState, Surface


def record_edit(*, team_id: str, channel_id: str, ts: str, text: str, edited_at: str = "") -> bool:
    """A question's message says something else by now; gives back whether there is such a question.

    Not yet begun, the question is changed. Otherwise its asker is offered, once, to have the new text answered;
    a further edit changes what that offer stands for, and one that leaves no words takes it back. Slack delivers out of
    order: an edit that was made before one that is known already (`edited_at`, Slack's times of it) changes nothing.
    """
    with transaction.atomic():
        question = _question_at(team_id, channel_id, ts)
        if question is None:
            return False
        if question.withdrawn_at is not None or not _is_newest(question, edited_at):
            return True
        if question.text == text:
            forget_offer(question)
            return True
        if question.state == QuestionState.RECEIVED and question.n_claims == 0:
            question.text = text
            question.save(update_fields=["text"])
            return True
        if not text:
            forget_offer(question)
            return True
        is_new = owe_notice(question, NoticeKind.EDIT_OFFER, recipient=question.slack_user_id, text=text)
        if not is_new:
            question.notices.filter(kind=NoticeKind.EDIT_OFFER).update(text=text)
    return True


def receive_edited(incoming: IncomingQuestion, *, edited_at: str) -> None:
    """Take in a question whose edit came before itself, in the new words; the late delivery is a twin then."""
    with transaction.atomic():
        question = receive_slack_question(incoming)
        if question is not None:
            SlackDelivery.objects.filter(question=question).update(edited_at=edited_at[:64])


def _is_newest(question: Question, edited_at: str) -> bool:
    """False for an edit that was made before one that is known; else it is the newest from here on."""
    delivery = SlackDelivery.objects.select_for_update().get(question=question)
    if _order(edited_at) < _order(delivery.edited_at):
        return False
    delivery.edited_at = edited_at[:64]
    delivery.save(update_fields=["edited_at"])
    return True


def _order(edited_at: str) -> list[list[int]]:
    """By which edits compare: ``"1767376990.000000 1767376990.000300"`` as numbers, what is none before all."""
    parts = [time.split(".") for time in edited_at.split(" ")]
    return [[int(n) for n in part] if all(map(str.isdecimal, part)) else [] for part in parts]


def answer_edited(*, question: Question) -> Question:
    """Take in the edited question, as a question of its own in the same thread.

    Raises:
        Rejected: `gone` when there is no offer for it, `answered_already` when it was taken in before.
    """
    offer = SlackNotice.objects.filter(question=question, kind=NoticeKind.EDIT_OFFER).first()
    if offer is None or not offer.text:
        raise Rejected("gone", "The question was not edited.")
    edited = receive_slack_question(
        IncomingQuestion(
            team_id=question.slack_team_id,
            event_id=f"edit:{question.pk}",
            surface=Surface(question.surface),
            channel_id=question.slack_channel_id,
            user_id=question.slack_user_id,
            ts=f"{EDITED}{question.slack_ts}",
            thread_ts=question.slack_thread_ts or question.slack_ts,
            text=offer.text,
            is_external=question.is_external,
        )
    )
    if edited is None:
        raise Rejected("answered_already", "The edited question was taken in already.")
    return edited


def withdraw_question(*, team_id: str, channel_id: str, ts: str) -> None:
    """A question's message was deleted: its text goes, and what was answered is taken back.

    So is what was answered to an edit of it. The record of what was searched and decided stays. That a message was
    deleted is kept also of one that is not known, since Slack delivers out of order.
    """
    with transaction.atomic():
        # Before the look: of two workers one sees what the other has written.
        SlackEvent.objects.get_or_create(team_id=team_id, event_id=deletion_key(channel_id, ts))
        for one in (ts, f"{EDITED}{ts}"):
            question = _question_at(team_id, channel_id, one)
            if question is not None and question.withdrawn_at is None:
                _withdraw(question)


def _withdraw(question: Question) -> None:
    question.text, question.withdrawn_at = wording.WITHDRAWN, timezone.now()
    question.save(update_fields=["text", "withdrawn_at"])
    forget_words(question)
    question.notices.filter(kind=NoticeKind.EDIT_OFFER).update(text="")
    untold = SlackDelivery.objects.filter(question=question, state=DeliveryState.PENDING)
    untold.update(state=DeliveryState.RETRACTED)
    owe_notice(question, NoticeKind.RETRACTION, recipient=question.slack_channel_id)
    _show_anew_at_home(question)
    if question.state in PENDING_STATES:
        queue.answer_question(str(question.pk))


def _show_anew_at_home(question: Question) -> None:
    """Its words stand on its asker's Home tab, which Slack keeps as it is until the tab is opened."""
    team_id, user_id = question.slack_team_id, question.slack_user_id
    is_direct = question.surface == Surface.SLACK_DM
    dm_id = question.slack_channel_id if is_direct else direct_message_with(team_id, user_id)
    queue.publish_home(team_id, user_id, dm_id)


def _question_at(team_id: str, channel_id: str, ts: str) -> Question | None:
    return (
        Question.objects.select_for_update(of=("self",))
        .filter(slack_team_id=team_id, slack_channel_id=channel_id, slack_ts=ts)
        .first()
    )
