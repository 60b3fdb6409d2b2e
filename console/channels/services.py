"""Take in what Slack sent: once, before the ack."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import IntegrityError, transaction

from console import queue
from console.channels.models import SlackDelivery, SlackEvent
from console.channels.selectors import user_of_slack
from console.questions.models import Question, Surface


@dataclass(frozen=True, slots=True)
class IncomingQuestion:
    """A question as Slack delivered it. `ts` is the asking message, or ``cmd-…`` for a slash command."""

    team_id: str
    event_id: str
    kind: str
    surface: Surface
    channel_id: str
    user_id: str
    ts: str
    thread_ts: str
    text: str
    is_external: bool = False
    response_url: str = ""


def receive_slack_question(incoming: IncomingQuestion) -> Question | None:
    """Record a question of Slack and queue it; None when it was received before.

    Both keys are unique in the database: (team, event id) for a repeated delivery, and
    (team, channel, ts) for the `message`/`app_mention` twins of one post.
    """
    try:
        with transaction.atomic():
            event = SlackEvent.objects.create(
                team_id=incoming.team_id, event_id=incoming.event_id, kind=incoming.kind
            )
            existing = Question.objects.filter(
                slack_team_id=incoming.team_id, slack_channel_id=incoming.channel_id, slack_ts=incoming.ts
            ).first()
            if existing is not None:
                event.question = existing
                event.save(update_fields=["question"])
                return None
            question = Question.objects.create(
                text=incoming.text,
                surface=incoming.surface,
                asker=user_of_slack(incoming.team_id, incoming.user_id),
                slack_team_id=incoming.team_id,
                slack_channel_id=incoming.channel_id,
                slack_user_id=incoming.user_id,
                slack_ts=incoming.ts,
                slack_thread_ts=incoming.thread_ts,
                is_external=incoming.is_external,
            )
            SlackDelivery.objects.create(question=question, response_url=incoming.response_url)
            event.question = question
            event.save(update_fields=["question"])
            queue.answer_question(str(question.pk))
    except IntegrityError:
        # The twin or the retry was faster between our look and our insert.
        return None
    return question
