"""Post what became of a question, exactly once as far as Slack lets that be known.

A message is claimed (`posting`), posted, recorded (`delivered`). Whoever finds one in `posting` after
a crash or a lost response looks in the thread for the mark it was posted with. Without the scope to
look (`channels:history`, `groups:history`) it posts again: a doubled answer is a nuisance, a missing
one leaves somebody without an answer, and `client_msg_id` may let Slack itself drop the double.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from slack_sdk import WebClient

from bot import posting
from bot.answers import AnswerView, answer_view
from bot.audience import learn_audience
from bot.client import NotInstalledError, client_of, is_set_up
from bot.faults import CALL_FAILED, Kind, fault_of, place_of
from bot.messages import Message, asked_message, asked_text, messages_of, not_taken_text, stopped_message
from bot.people import person_of
from bot.phrases import Phrases, retold
from bot.private import answer_asker_alone
from bot.statuses import StatusBusyError, take_down_status
from console import queue
from console.channels import outbox
from console.channels.home_questions import FROM_HOME
from console.channels.models import SlackDelivery
from console.channels.outbox import Claim, LostLeaseError
from console.channels.selectors import cited_folder_ids, near_folder_ids, search_scope
from console.questions import wording
from console.questions.models import Question, QuestionState
from console.questions.quotes import all_stand, near_ones_stand

log = logging.getLogger(__name__)

STATUS_WAIT_S = 1


def pick_up_undelivered(at_start: bool = False) -> int:
    """Queue what is finished and not yet posted; gives back how many. Until Slack is set up all of it waits."""
    if not is_set_up():
        return 0
    return outbox.pick_up_undelivered(at_start=at_start)


def deliver_answer(question_id: str) -> None:
    """Post the terminal message of a finished question, unless it is posted or another worker is at it.

    A fault of Slack never becomes a fault of the answer: it is kept with the delivery, which is put off
    or, when waiting would not help, given up until somebody asks for it again.
    """
    if not is_set_up():
        return
    claim = outbox.claim_delivery(question_id)
    if claim is None:
        return
    try:
        _try_to_deliver(claim)
    except LostLeaseError:
        log.warning("delivery of question %s: another worker took over", question_id)
    else:
        outbox.queue_following(claim)


def _try_to_deliver(claim: Claim) -> None:
    """Deliver, or record why not.

    Raises:
        LostLeaseError: the delivery is another worker's by now.
    """
    try:
        _deliver(claim)
    except LostLeaseError:
        raise
    except NotInstalledError as error:
        outbox.record_undeliverable(claim, error.code)
    except StatusBusyError:
        outbox.put_off(claim, wait_s=STATUS_WAIT_S, error="status_busy", may_be_posted=claim.was_posting)
    except CALL_FAILED as error:
        _record_fault(claim, error)
    except Exception as error:  # noqa: BLE001 - whatever it is, the delivery goes on later
        log.error("delivery of question %s broke: %s", claim.delivery.question_id, place_of(error))  # noqa: TRY400
        outbox.put_off(claim, wait_s=outbox.backoff_s(claim), error="internal", may_be_posted=True)


def _record_fault(claim: Claim, error: Exception) -> None:
    fault = fault_of(error)
    match fault.kind:
        case Kind.RATE_LIMITED:
            # Parts posted before this one, or by an earlier try, are found again by their mark.
            may_be_posted = claim.was_posting or bool(claim.delivery.message_ts)
            outbox.put_off_as_told(claim, wait_s=fault.wait_s, error=fault.code, may_be_posted=may_be_posted)
        case Kind.UNSURE:
            outbox.put_off(claim, wait_s=outbox.backoff_s(claim), error=fault.code, may_be_posted=True)
        case _:
            outbox.record_undeliverable(claim, fault.code)


def _deliver(claim: Claim) -> None:
    question = claim.delivery.question
    client = client_of(question.slack_team_id)
    take_down_status(question)
    learn_audience(client, question)
    phrases = person_of(client, question.slack_team_id, question.slack_user_id).phrases
    if question.is_private:
        answer_asker_alone(client, claim, _messages_now(question, phrases), phrases)
        return
    thread_ts = _thread_ts(client, claim, phrases)
    posted = _already_posted(client, claim, thread_ts) if claim.was_posting else {}
    messages = _messages_now(question, phrases)
    for part, message in enumerate(messages):
        if part not in posted:
            _post_part(client, claim, message, thread_ts=thread_ts, part=part, phrases=phrases)
    outbox.record_delivered(claim)
    if question.slack_ts.startswith(FROM_HOME):
        queue.publish_home(question.slack_team_id, question.slack_user_id, question.slack_channel_id)


def _post_part(
    client: WebClient, claim: Claim, message: Message, *, thread_ts: str, part: int, phrases: Phrases
) -> None:
    question = claim.delivery.question
    posted = posting.post_message(
        client,
        message,
        channel=question.slack_channel_id,
        thread_ts=thread_ts,
        event_type=posting.ANSWER,
        question_id=str(question.pk),
        part=part,
        last_resort=not_taken_text(str(question.pk), phrases),
        about_to_post=lambda: outbox.renew_lease(claim),
    )
    if part == 0:
        outbox.record_message(claim, posted.ts)


def _messages_now(question: Question, phrases: Phrases) -> list[Message]:
    """The messages as the folder rights, the readers and the documents of this moment allow them.

    A delivery can wait for hours; a folder that was closed meanwhile must not be read from after that, nor
    one that a guest who came meanwhile may not see, nor a document that was deleted or says something else by now.
    """
    if SlackDelivery.objects.filter(question=question).exclude(stopped_at=None).exists():
        return [stopped_message(phrases)]
    view = answer_view(question, phrases)
    if view.outcome == QuestionState.ANSWERED:
        return messages_of(_answer_now(question, view))
    return messages_of(_refusal_now(question, view))


def _answer_now(question: Question, view: AnswerView) -> AnswerView:
    scope, answer = search_scope(question, at_posting=True), question.answer
    if not cited_folder_ids(answer) <= set(scope.folder_ids):
        log.warning("question %s: a cited folder was closed before its answer was posted", question.pk)
        reason = retold(scope.denial or wording.NOT_ALLOWED_CHOSEN, view.phrases)
        return AnswerView(QuestionState.NOT_ALLOWED, view.audience, reason=reason, phrases=view.phrases)
    if not all_stand(answer):
        log.warning("question %s: a cited document went before its answer was posted", question.pk)
        reason = view.phrases.sources_changed
        return AnswerView(QuestionState.REFUSED, view.audience, reason=reason, phrases=view.phrases)
    if not set(answer.folder_ids) <= set(scope.folder_ids):
        return _without_what_was_near(view)
    return view


def _refusal_now(question: Question, view: AnswerView) -> AnswerView:
    """A refusal names the closest documents, the folders with unreadable files, and what says otherwise."""
    answer = question.answer
    named = set(answer.folder_ids) | cited_folder_ids(answer) | near_folder_ids(answer)
    if not named <= set(search_scope(question, at_posting=True).folder_ids):
        return _without_what_was_near(view)
    if not all_stand(answer):
        view = replace(view, premise="")
    return view if near_ones_stand(answer) else replace(view, closest=None, also_near=())


def _without_what_was_near(view: AnswerView) -> AnswerView:
    return replace(view, closest=None, also_near=(), unreadable="", premise="")


def _already_posted(client: WebClient, claim: Claim, thread_ts: str) -> dict[int, str]:
    question = claim.delivery.question
    recorded = {0: claim.delivery.message_ts} if claim.delivery.message_ts else {}
    found = posting.posted_parts(
        client,
        channel=question.slack_channel_id,
        thread_ts=thread_ts,
        event_type=posting.ANSWER,
        question_id=str(question.pk),
        oldest=question.slack_ts if question.has_message else thread_ts,
    )
    if found is None:
        log.warning(
            "question %s: cannot see whether its answer is posted; grant channels:history", question.pk
        )
        return recorded
    if 0 in found and not recorded:
        outbox.record_message(claim, found[0])
    return recorded | found


def _thread_ts(client: WebClient, claim: Claim, phrases: Phrases) -> str:
    """The thread the answer goes to; where no message asks, one with the question is posted first."""
    question, delivery = claim.delivery.question, claim.delivery
    if question.slack_thread_ts or question.has_message:
        return question.slack_thread_ts or question.slack_ts
    if delivery.thread_ts:
        return delivery.thread_ts
    root_ts = _posted_root(client, question) if claim.was_posting else ""
    if not root_ts:
        posted = posting.post_message(
            client,
            asked_message(question.slack_user_id, question.text, phrases),
            channel=question.slack_channel_id,
            thread_ts="",
            event_type=posting.ASKED,
            question_id=str(question.pk),
            part=0,
            last_resort=asked_text(question.slack_user_id, "…", phrases),
            about_to_post=lambda: outbox.renew_lease(claim),
        )
        root_ts = posted.ts
    outbox.record_thread(claim, root_ts)
    return root_ts


def _posted_root(client: WebClient, question: Question) -> str:
    found = posting.posted_parts(
        client,
        channel=question.slack_channel_id,
        thread_ts="",
        event_type=posting.ASKED,
        question_id=str(question.pk),
        oldest=f"{question.received_at.timestamp() - 60:.6f}",
    )
    return (found or {}).get(0, "")
