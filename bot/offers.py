"""Short messages to one person: an offer, a request for help. Pure builders."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings

from bot import blocks as kit
from bot.blocks import SECTION_CHARS, Action, context, section
from bot.messages import Message
from bot.phrases import Phrases
from bot.splitting import split_mrkdwn
from bot.text import escape


def edit_offer_message(question_id: str, phrases: Phrases) -> Message:
    """That the question was changed, and a button to have it answered."""
    told = phrases.replies.edit_offer
    offer = kit.button(Action.ANSWER_EDITED, phrases.buttons.answer_edited, question_id)
    return Message(told, [section(told), kit.actions([offer])])


def owner_message(
    question_id: str, *, who_id: str, question: str, folders: Sequence[str], phrases: Phrases
) -> Message:
    """Who wants a human to see which refused question, and where it can be read with what was near."""
    told = phrases.replies.owner_told.format(who=f"<@{who_id}>")
    pieces = split_mrkdwn(escape(question), SECTION_CHARS - 100)
    asked = f"&gt; {pieces[0]}{'…' if pieces[1:] else ''}".replace("\n", "\n&gt; ") if pieces else ""
    link = kit.link_button(phrases.replies.owner_link, f"{settings.BASE_URL}/questions/{question_id}")
    owned = phrases.replies.owner_folders.format(folders=escape(phrases.listed(list(folders))))
    return Message(
        told,
        [
            section(told),
            *(section(piece) for piece in kit.packed_lines(asked.split("\n")) if piece),
            *([context(owned)] if folders else []),
            kit.actions([link]),
        ],
    )
