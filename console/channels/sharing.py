"""An answer given to its asker alone, posted for everyone in the channel."""

from __future__ import annotations

from console.access import Rejected
from console.channels.models import NoticeKind
from console.channels.notices import owe_again, owe_notice
from console.channels.selectors import cited_folder_ids, folders_of_channel
from console.questions.models import Question, QuestionState
from console.questions.quotes import all_stand


def share_answer(*, question: Question, by_user_id: str, response_url: str = "") -> None:
    """Have a private answer posted in the channel where it was asked, once.

    What everyone there may see, and what the documents say, is looked at now, and again right before it is posted.

    Raises:
        Rejected: `gone`, `not_yours`, `shared_already`, `not_for_everyone` or `sources_changed`.
    """
    if not question.is_private or question.state != QuestionState.ANSWERED or question.withdrawn_at:
        raise Rejected("gone", "There is no private answer to share.")
    if by_user_id != question.slack_user_id:
        raise Rejected("not_yours", "Only the asker may share the answer.")
    if not is_for_everyone(question):
        raise Rejected("not_for_everyone", "Not everyone in the channel may see what is cited.")
    if not all_stand(question.answer):
        raise Rejected("sources_changed", "A cited document is gone, or says something else by now.")
    is_new = owe_notice(
        question,
        NoticeKind.SHARE,
        recipient=question.slack_channel_id,
        by_user_id=by_user_id,
        response_url=response_url,
    )
    if is_new:
        return
    earlier = question.notices.get(kind=NoticeKind.SHARE)
    if not owe_again(earlier, by_user_id=by_user_id, response_url=response_url):
        raise Rejected("shared_already", "The answer is shared already.")


def is_for_everyone(question: Question) -> bool:
    """True when everyone of the organisation in the channel may see every folder that the answer cites."""
    folders = folders_of_channel(question.slack_team_id, question.slack_channel_id)
    return cited_folder_ids(question.answer) <= set(folders.values_list("pk", flat=True))
