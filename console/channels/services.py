"""Slack questions taken in once, before the ack; answers delivered again; channels and their folders."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from console import queue
from console.access import Rejected, require_admin
from console.audit.services import record
from console.channels import outbox
from console.channels.models import (
    AnswersFrom,
    ChannelCut,
    Hears,
    SlackChannel,
    SlackDelivery,
    SlackEvent,
)
from console.channels.selectors import user_of_slack
from console.index.selectors import active_version, threshold_in_force
from console.people.models import User
from console.questions.models import Question, Surface
from console.sources.models import Folder


@dataclass(frozen=True, slots=True)
class IncomingQuestion:
    """A question as Slack delivered it. `ts` is the asking message, or ``cmd-…`` for a slash command."""

    team_id: str
    event_id: str
    surface: Surface
    channel_id: str
    user_id: str
    ts: str
    thread_ts: str
    text: str
    is_external: bool = False
    response_url: str = ""


def receive_slack_question(incoming: IncomingQuestion) -> Question | None:
    """Record a question of Slack and queue it; None when it was received before, or its message was deleted before.

    Both keys are unique in the database: (team, event id) for a repeated delivery, and
    (team, channel, ts) for the `message`/`app_mention` twins of one post.
    """
    try:
        with transaction.atomic():
            SlackEvent.objects.create(team_id=incoming.team_id, event_id=incoming.event_id)
            is_twin = Question.objects.filter(
                slack_team_id=incoming.team_id, slack_channel_id=incoming.channel_id, slack_ts=incoming.ts
            ).exists()
            if is_twin:
                return None
            if "-" not in incoming.ts:
                _meet_deletion(incoming)
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
            queue.answer_question(str(question.pk))
            queue.show_status(str(question.pk))
    except IntegrityError:
        # The twin, the retry or the deletion was faster between our look and our insert.
        return None
    return question


def deletion_key(channel_id: str, ts: str) -> str:
    """By which it is kept among the events that a message was deleted."""
    return f"deleted:{channel_id}:{ts}"


def _meet_deletion(incoming: IncomingQuestion) -> None:
    """Meet a deletion that came before its question: whichever commits first is seen by the other.

    Raises:
        IntegrityError: the message was deleted.
    """
    key = deletion_key(incoming.channel_id, incoming.ts)
    SlackEvent.objects.create(team_id=incoming.team_id, event_id=key).delete()


def redeliver_answer(*, actor: User | None, question_id: str) -> None:
    """Have a stored answer posted that Slack refused for good, or was away for too long to take.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: no delivery of this question was given up.
    """
    require_admin(actor)
    with transaction.atomic():
        if not outbox.resume_delivery(question_id):
            raise Rejected("not_given_up", "No answer to a question with this id was given up in Slack.")
        record(actor=actor, action="delivery.redeliver", subject=question_id)
        queue.deliver_answer(question_id)


def set_channel_folders(
    *,
    actor: User | None,
    team_id: str,
    channel_id: str,
    name: str = "",
    folder_ids: Iterable[int],
    answers_from: str = AnswersFrom.CHOSEN,
    hears: str = Hears.MENTIONS,
) -> SlackChannel:
    """Decide what a Slack channel is answered from and what is a question there; it counts from the next one on.

    A blank entry silences nothing: that nothing is answered in a channel has to be chosen in words.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: an id is not one of Slack's, a folder does not exist, or none was chosen.
    """
    require_admin(actor)
    team_id, channel_id, name = team_id.strip(), channel_id.strip(), name.strip().removeprefix("#")
    _check_ids(team_id, channel_id)
    if answers_from not in AnswersFrom.values or hears not in Hears.values:
        raise Rejected("unknown_rule", "The rule is not one of those that can be chosen.")
    wanted = set(folder_ids)
    folders = list(Folder.objects.filter(pk__in=wanted))
    if len(folders) != len(wanted):
        raise Rejected("unknown_folder", "One of the chosen folders does not exist.")
    if answers_from == AnswersFrom.CHOSEN and not folders:
        raise Rejected(
            "no_folder",
            "No folder is ticked. Tick one, or choose the open folders, or choose that nothing is answered here.",
        )
    with transaction.atomic():
        channel, _ = SlackChannel.objects.update_or_create(
            team_id=team_id,
            channel_id=channel_id,
            defaults={"name": name[:100], "answers_from": answers_from, "hears": hears},
        )
        channel.folders.set(folders if answers_from == AnswersFrom.CHOSEN else [])
        names = ", ".join(sorted(folder.name for folder in folders))
        record(
            actor=actor,
            action="channel.set_folders",
            subject=f"{team_id}/{channel}",
            answers_from=answers_from,
            folders=names,
            hears=hears,
        )
    return channel


def _check_ids(team_id: str, channel_id: str) -> None:
    if not re.fullmatch(r"[TE][A-Z0-9]{2,31}", team_id):
        raise Rejected(
            "team_id_wrong", "A Slack team id starts with T (or E) and has capitals and digits only."
        )
    if not re.fullmatch(r"[CGD][A-Z0-9]{2,31}", channel_id):
        raise Rejected(
            "channel_id_wrong", "A Slack channel id starts with C or G and has capitals and digits only."
        )


def set_channel_cut(
    *, actor: User | None, channel: SlackChannel, relevance_cut: float | None, reason: str
) -> ChannelCut:
    """Give a channel a relevance cut of its own, or with None the index version's again; who and why is kept.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: the cut is no relevance, no reason is given, or there is no index to cut.
    """
    require_admin(actor)
    reason = reason.strip()
    if relevance_cut is not None and not 0 <= relevance_cut <= 1:
        raise Rejected("cut_out_of_range", "A relevance cut lies between 0 and 1.")
    if not reason:
        raise Rejected("reason_missing", "Say why the channel has another cut; it stands in its history.")
    version = active_version()
    setting = threshold_in_force(version) if version else None
    if setting is None:
        raise Rejected("index_not_ready", "There is no index yet, so there is nothing to cut.")
    with transaction.atomic():
        cut = ChannelCut.objects.create(
            channel=channel,
            relevance_cut=relevance_cut,
            reranker=setting.reranker,
            set_by=actor,
            reason=reason[:300],
        )
        record(
            actor=actor,
            action="channel.set_cut",
            subject=f"{channel.team_id}/{channel}",
            relevance_cut=relevance_cut,
            reason=reason[:300],
        )
    return cut


def forget_channel(*, actor: User | None, channel: SlackChannel) -> None:
    """Remove a channel's set-up: from the next question on the workspace's rule counts for it.

    Raises:
        NotPermitted: the actor is no admin.
    """
    require_admin(actor)
    with transaction.atomic():
        record(actor=actor, action="channel.forget", subject=f"{channel.team_id}/{channel}")
        channel.delete()
