"""Clicks and forms that ask: an edited question, a suggested one, one about a message."""

from __future__ import annotations

import time
import uuid

from slack_bolt import Ack, App
from slack_sdk import WebClient

from bot.blocks import Action, Form
from bot.clicks import (
    Click,
    act_on_click,
    click_of,
    open_form,
    problem_text,
    sealed,
    tell_later,
    unsealed,
    who_clicked,
)
from bot.fields import Json, id_of, object_of, text_of
from bot.modals import QUESTION, ask_view, asked_view, expired_view
from bot.people import Person, known_person
from bot.phrases import Problem
from bot.text import plain_question, typed_question
from console import queue
from console.access import Rejected
from console.channels.changes import answer_edited
from console.channels.home_questions import FROM_HOME
from console.channels.selectors import cited_folder_ids, folders_of_person
from console.channels.services import IncomingQuestion, receive_slack_question
from console.questions.models import Question, QuestionState, Surface


def register(app: App) -> None:
    """Add the listeners."""
    app.action(Action.ANSWER_EDITED)(on_answer_edited)
    app.action(Action.ASK_SUGGESTED)(on_ask_suggested)
    app.shortcut(Form.ASK_ABOUT_MESSAGE)(on_ask_about_message)
    app.view(Form.ASK)(on_ask_form)


def on_answer_edited(body: Json, ack: Ack, client: WebClient) -> None:
    """Take in the edited question, for the person who edited it."""

    def answer(click: Click, question: Question, person: Person) -> str:
        if click.user_id != question.slack_user_id:
            raise Rejected(Problem.NOT_YOURS, "Only the asker may ask the edited question.")
        answer_edited(question=question)
        return person.phrases.replies.looking

    ack()
    act_on_click(body, client, answer)


def on_ask_suggested(body: Json, ack: Ack, client: WebClient) -> None:
    """Ask a suggested question for the person, in their direct message; the tab shows it at once as waiting.

    What went stale vanishes from the tab.
    """
    ack()
    click, view = click_of(body), object_of(body.get("view"))
    token = unsealed(view.get("private_metadata"), user_id=click.user_id, max_age_s=30 * 86_400)
    suggested = _suggested(click, who_clicked(client, click)) if token and token["dm"] else None
    if token is None or suggested is None:
        queue.publish_home(click.team_id, click.user_id, token["dm"] if token else "")
        return
    # A double click is one question: by what was clicked, by whom, in which minute.
    once = f"{suggested.pk.hex}-{int(time.time() // 60)}"
    receive_slack_question(
        IncomingQuestion(
            team_id=click.team_id,
            event_id=f"home:{click.user_id}:{once}",
            surface=Surface.SLACK_DM,
            channel_id=token["dm"],
            user_id=click.user_id,
            ts=f"{FROM_HOME}{once}",
            thread_ts="",
            text=suggested.text,
            is_external=suggested.is_external or click.is_foreign,
        )
    )
    queue.publish_home(
        click.team_id, click.user_id, token["dm"]
    )  # it stands there as waiting, right where they clicked


def _suggested(click: Click, person: Person) -> Question | None:
    """The answered question a button stands for, if the person may still see all that it was answered from."""
    try:
        question_id = uuid.UUID(click.value)
    except ValueError:
        return None
    question = (
        Question.objects.filter(pk=question_id, slack_team_id=click.team_id)
        .filter(state=QuestionState.ANSWERED, withdrawn_at=None)
        .first()
    )
    folders = folders_of_person(click.team_id, click.user_id)
    if person.is_outsider:
        folders = folders.filter(is_shared_externally=True)
    is_theirs = question and cited_folder_ids(question.answer) <= set(folders.values_list("pk", flat=True))
    return question if is_theirs else None


def on_ask_about_message(body: Json, ack: Ack, client: WebClient) -> None:
    """Open a form with the message's text in it."""
    ack()
    click, message = click_of(body), object_of(body.get("message"))
    person = who_clicked(client, click)
    thread_ts = id_of(message.get("thread_ts")) or id_of(message.get("ts"))
    token = sealed(user=click.user_id, channel=click.channel_id, thread=thread_ts)
    text = plain_question(text_of(message.get("text")), own_user_id="")
    try:
        open_form(client, click.trigger_id, ask_view(text, token, person.phrases))
    except Rejected as error:
        tell_later(click.response_url, problem_text(error, person.phrases))


def on_ask_form(body: Json, ack: Ack, client: WebClient) -> None:
    """Take the question in; the form says so, and the answer goes to who asked alone."""
    click, view = click_of(body), object_of(body.get("view"))
    person = who_clicked(client, click)
    token = unsealed(view.get("private_metadata"), user_id=click.user_id)
    view_id = id_of(view.get("id"))
    if token is None or not token.get("channel") or not view_id:
        ack(response_action="update", view=expired_view(person.phrases))
        return
    values = object_of(object_of(view.get("state")).get("values"))
    typed = object_of(object_of(values.get(QUESTION)).get(QUESTION))
    text = typed_question(text_of(typed.get("value")))
    if not any(c.isalnum() for c in text):
        ack(response_action="errors", errors={QUESTION: person.phrases.replies.problems[Problem.NO_TEXT]})
        return
    receive_slack_question(
        IncomingQuestion(
            team_id=click.team_id,
            event_id=f"form:{view_id}",
            surface=Surface.SLACK_SHORTCUT,
            channel_id=token["channel"],
            user_id=click.user_id,
            ts=f"form-{view_id}",
            thread_ts=token.get("thread", ""),
            text=text,
            is_external=click.is_foreign or known_person(click.team_id, click.user_id).is_outsider,
        )
    )
    ack(response_action="update", view=asked_view(person.phrases))
