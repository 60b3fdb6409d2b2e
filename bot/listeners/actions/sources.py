"""Buttons that show passages: the sources of an answer, what was near a refused question."""

from __future__ import annotations

from slack_bolt import Ack, App
from slack_sdk import WebClient

from bot.blocks import Action
from bot.clicks import Click, act_on_click, open_form, place_of_reading
from bot.fields import Json
from bot.modals import nearest_view, sources_view
from bot.people import Person
from bot.phrases import Problem
from bot.reading import cited_passages, near_passages
from console.access import Rejected
from console.channels.selectors import ids_shown_to
from console.questions.models import Question, QuestionState


def register(app: App) -> None:
    """Add the listeners."""
    app.action(Action.VIEW_SOURCES)(on_view_sources)
    app.action(Action.SHOW_NEAREST)(on_show_nearest)
    app.action(Action.OPEN_CONSOLE)(on_open_console)


def on_view_sources(body: Json, ack: Ack, client: WebClient) -> None:
    """Open the quotes, as far as the person who clicks may read them."""

    def show(click: Click, question: Question, person: Person) -> str:
        folder_ids = _folders_or_reject(click, question, person, QuestionState.ANSWERED)
        passages = cited_passages(question.answer, folder_ids=folder_ids, phrases=person.phrases)
        open_form(client, click.trigger_id, sources_view(passages, person.phrases))
        return ""

    ack()
    act_on_click(body, client, show)


def on_show_nearest(body: Json, ack: Ack, client: WebClient) -> None:
    """Open what was near, as far as the person who clicks may read it."""

    def show(click: Click, question: Question, person: Person) -> str:
        folder_ids = _folders_or_reject(click, question, person, QuestionState.REFUSED)
        passages = near_passages(question.answer, folder_ids=folder_ids, phrases=person.phrases)
        open_form(client, click.trigger_id, nearest_view(passages, person.phrases))
        return ""

    ack()
    act_on_click(body, client, show)


def on_open_console(ack: Ack) -> None:
    """A button that is a link; Slack opens it and tells us all the same."""
    ack()


def _folders_or_reject(click: Click, question: Question, person: Person, outcome: QuestionState) -> set[int]:
    if question.state != outcome:
        raise Rejected(Problem.GONE, "The question ended otherwise.")
    folder_ids = ids_shown_to(
        question,
        user_id=click.user_id,
        channel_id=place_of_reading(question, click),
        is_outsider=person.is_outsider,
    )
    if not folder_ids:
        raise Rejected(Problem.NOT_ALLOWED, "The person may see no folder.")
    return folder_ids
