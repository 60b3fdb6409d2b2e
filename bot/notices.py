"""Send what Slack is owed beside terminal messages: shares, requests for help, offers, retractions."""

from __future__ import annotations

import logging

from django.utils import timezone
from slack_sdk import WebClient

from bot import posting
from bot.answers import answer_view
from bot.audience import learn_channel
from bot.clicks import tell, tell_later
from bot.client import NotInstalledError, client_of, is_set_up
from bot.faults import CALL_FAILED, Kind, fault_of, place_of
from bot.messages import Message, messages_of, not_taken_text, shared_message
from bot.offers import edit_offer_message
from bot.owners import NotAnOwnerError, tell_owner
from bot.people import person_of
from bot.phrases import Phrases, Problem
from bot.retracting import retract_question
from bot.statuses import take_down_unneeded
from console.channels import notices
from console.channels.audience import Outsiders, outsiders_of
from console.channels.models import NoticeKind, SlackNotice
from console.channels.selectors import cited_folder_ids, search_scope
from console.channels.sharing import is_for_everyone
from console.questions.models import Question
from console.questions.quotes import all_stand

log = logging.getLogger(__name__)


def pick_up_unsent(at_start: bool = False) -> int:
    """Queue what is owed and due; gives back how many. Until Slack is set up all of it waits."""
    return notices.pick_up_unsent(at_start=at_start) if is_set_up() else 0


class _RefusedError(Exception):
    """What a notice was to do must not be done; its argument is the `Problem` to tell."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


def send_notice(notice_id: int) -> None:
    """Send one notice, unless it was sent, is another worker's or is not due."""
    if not is_set_up():
        return
    notice = notices.claim_notice(notice_id)
    if notice is None:
        return
    client: WebClient | None = None
    try:
        client = client_of(notice.question.slack_team_id)
        message_ts = _SENDERS[NoticeKind(notice.kind)](client, notice)
    except NotInstalledError as error:
        notices.give_up(notice, error.code)
    except notices.LostLeaseError:
        log.warning("notice %s: another worker took over", notice.pk)
    except _RefusedError as error:
        _give_up(client, notice, error.problem, error.problem)
    except NotAnOwnerError:
        notices.give_up(notice, "no_owner_any_more")
    except notices.NotYetError:
        notices.put_off(notice, wait_s=5, error="delivery_under_way")
    except CALL_FAILED as error:
        _record_fault(client, notice, error)
    except Exception as error:  # noqa: BLE001 - whatever it is, the notice goes on later
        log.error("notice %s broke: %s", notice.pk, place_of(error))  # noqa: TRY400
        notices.put_off(notice, wait_s=notices.backoff_s(notice), error="internal")
    else:
        notices.record_sent(notice, message_ts)


def _record_fault(client: WebClient | None, notice: SlackNotice, error: Exception) -> None:
    fault = fault_of(error)
    match fault.kind:
        case Kind.RATE_LIMITED:
            notices.put_off_as_told(notice, wait_s=fault.wait_s, error=fault.code)
        case Kind.UNSURE if notices.is_maybe_shown(notice):
            # It cannot be looked up, and an offer that comes twice is worse than one that does not come.
            notices.give_up(notice, fault.code)
        case Kind.UNSURE:
            notices.put_off(notice, wait_s=notices.backoff_s(notice), error=fault.code)
        case _ if notice.kind == NoticeKind.EDIT_OFFER:
            log.warning("an offer for question %s is refused: %s", notice.question_id, fault.code)
            notices.drop_unshown(notice)
        case _:
            is_outside = fault.code in {"not_in_channel", "channel_not_found", "is_archived"}
            problem = Problem.NO_MEMBER if is_outside else Problem.SLACK_REFUSED
            _give_up(client, notice, problem, fault.code)


def _give_up(client: WebClient | None, notice: SlackNotice, problem: Problem, code: str) -> None:
    notices.give_up(notice, code)
    if notice.response_url and client is not None:
        phrases = person_of(client, notice.question.slack_team_id, notice.by_user_id).phrases
        tell_later(notice.response_url, phrases.replies.problems[problem])


def _share(client: WebClient, notice: SlackNotice) -> str:
    """Post a private answer for everyone, after one more look at who that is."""
    question = notice.question
    if notice.n_attempts == 1 and notice.response_url:
        # Where Slack says to wait it is not told at all: what comes of it follows.
        sharer = person_of(client, question.slack_team_id, notice.by_user_id)
        tell(notice.response_url, sharer.phrases.replies.sharing)
    _check_audience(client, question)
    phrases = person_of(client, question.slack_team_id, question.slack_user_id).phrases
    messages = _shared_messages(notice, phrases)
    root = question.slack_thread_ts
    posted = _posted_shares(client, notice, root) if notice.n_claims > 1 else {}
    first_ts = posted.get(0, "")
    for part, message in enumerate(messages):
        if part in posted:
            continue
        shared = posting.post_message(
            client,
            message,
            channel=question.slack_channel_id,
            thread_ts=root or first_ts,
            event_type=posting.SHARED,
            question_id=str(question.pk),
            part=part,
            last_resort=not_taken_text(str(question.pk), phrases),
            about_to_post=lambda: notices.renew_lease(notice),
        )
        first_ts = first_ts or shared.ts
    # A follow-up under the shared answer finds what was asked before.
    Question.objects.filter(pk=question.pk).update(shared_at=timezone.now(), slack_thread_ts=root or first_ts)
    return first_ts


def _check_audience(client: WebClient, question: Question) -> None:
    """Ask Slack who reads the channel, then look at the rights of everyone there, and at the documents."""
    facts = learn_channel(client, question.slack_team_id, question.slack_channel_id, at_once=True)
    if facts.is_member is False:
        raise _RefusedError(Problem.NO_MEMBER)
    if not all_stand(question.answer):
        raise _RefusedError(Problem.SOURCES_CHANGED)
    scope = search_scope(question, at_posting=True, for_everyone=True)
    if cited_folder_ids(question.answer) <= set(scope.folder_ids):
        return
    is_untold = outsiders_of(question, alone=False) is Outsiders.UNKNOWN
    could_be = is_for_everyone(question) and is_untold
    raise _RefusedError(Problem.AUDIENCE_UNKNOWN if could_be else Problem.NOT_FOR_EVERYONE)


def _shared_messages(notice: SlackNotice, phrases: Phrases) -> list[Message]:
    question = notice.question
    first, *rest = messages_of(answer_view(question, phrases, is_shared=True))
    shared = shared_message(
        first,
        asker_id=question.slack_user_id,
        sharer_id=notice.by_user_id,
        question=question.text,
        phrases=phrases,
    )
    return [shared, *rest]


def _posted_shares(client: WebClient, notice: SlackNotice, root: str) -> dict[int, str]:
    """The parts that an earlier try has posted; none that can be known when this bot may not look."""
    question = notice.question
    look = {
        "channel": question.slack_channel_id,
        "event_type": posting.SHARED,
        "question_id": str(question.pk),
        "oldest": f"{notice.created_at.timestamp() - 60:.6f}",
    }
    found = posting.posted_parts(client, thread_ts=root, **look) or {}
    if not root and 0 in found:
        found |= posting.posted_parts(client, thread_ts=found[0], **look) or {}
    return found


def _offer_edited(client: WebClient, notice: SlackNotice) -> str:
    """Offer the asker alone to have the edited question answered, where it could be."""
    question = notice.question
    if not search_scope(question).folder_ids and not notices.is_maybe_shown(notice):
        notices.drop_unshown(notice)
        return ""
    phrases = person_of(client, question.slack_team_id, question.slack_user_id).phrases
    message = edit_offer_message(str(question.pk), phrases)
    if not notices.may_show_offer(notice):
        return ""
    client.chat_postEphemeral(
        channel=question.slack_channel_id,
        user=question.slack_user_id,
        thread_ts=question.slack_thread_ts or question.slack_ts,
        text=message.text,
        blocks=message.blocks,
        unfurl_links=False,
        unfurl_media=False,
    )
    return ""


def _retract(client: WebClient, notice: SlackNotice) -> str:
    """Take back what was answered to a question that was deleted, and what its owners were written of it."""
    try:
        retract_question(client, notice.question, about_to_call=lambda: notices.renew_lease(notice))
    finally:
        take_down_unneeded(notice.question)
    return ""


_SENDERS = {
    NoticeKind.SHARE: _share,
    NoticeKind.HUMAN: tell_owner,
    NoticeKind.EDIT_OFFER: _offer_edited,
    NoticeKind.RETRACTION: _retract,
}
