"""Share a private answer; put a refused question to a human."""

from __future__ import annotations

from slack_bolt import Ack, App
from slack_sdk import WebClient

from bot.blocks import Action
from bot.clicks import Click, act_on_click, place_of_reading
from bot.fields import Json
from bot.people import Person
from bot.text import escape
from console.channels.help_requests import ask_a_human
from console.channels.sharing import share_answer
from console.people.models import User
from console.questions.models import Question


def register(app: App) -> None:
    """Add the listeners."""
    app.action(Action.SHARE)(on_share)
    app.action(Action.ASK_A_HUMAN)(on_ask_a_human)


def on_share(body: Json, ack: Ack, client: WebClient) -> None:
    """Have the answer posted for everyone, where everyone may see what it cites.

    Who posts it says so first (`bot.notices`): told from here, it could come after what went wrong.
    """

    def share(click: Click, question: Question, person: Person) -> str:  # noqa: ARG001 - the shape of an act
        share_answer(question=question, by_user_id=click.user_id, response_url=click.response_url)
        return ""

    ack()
    act_on_click(body, client, share)


def on_ask_a_human(body: Json, ack: Ack, client: WebClient) -> None:
    """Have the owners of the folders told, once, and say who they are."""

    def ask(click: Click, question: Question, person: Person) -> str:
        asked = ask_a_human(
            question=question,
            by_user_id=click.user_id,
            channel_id=place_of_reading(question, click),
            is_outsider=person.is_outsider,
        )
        words = person.phrases.replies
        if not asked.reached and not asked.others:
            return words.human_without_owner
        names = person.phrases.listed([_name(owner) for owner in asked.reached or asked.others])
        if not asked.is_new:
            return words.human_asked_before.format(names=names)
        form = words.human_asked if asked.reached else words.human_in_console
        return form.format(names=names)

    ack()
    act_on_click(body, client, ask)


def _name(owner: User) -> str:
    """As text: a name can hold what Slack would take for a mention or a link."""
    return escape(owner.get_full_name() or owner.get_username())
