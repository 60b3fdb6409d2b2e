"""Was it helpful? A verdict at once; where it was not, a form that asks why."""

from __future__ import annotations

from slack_bolt import Ack, App
from slack_sdk import WebClient

from bot.blocks import Action, Form
from bot.clicks import Click, act_on_click, click_of, open_form, problem_text, sealed, unsealed, who_clicked
from bot.fields import Json, object_of, text_of
from bot.modals import COMMENT, REASON, expired_view, feedback_view
from bot.people import Person
from bot.phrases import Problem
from console.access import Rejected
from console.channels.selectors import user_of_slack
from console.questions.feedback import explain_feedback, give_feedback
from console.questions.models import Question, Verdict


def register(app: App) -> None:
    """Add the listeners."""
    app.action(Action.FEEDBACK)(on_feedback)
    app.view(Form.FEEDBACK_REASON)(on_feedback_reason)


def on_feedback(body: Json, ack: Ack, client: WebClient) -> None:
    """Store the verdict; a negative one is stored before anybody is asked for a reason."""
    verdict_name, _, _ = click_of(body).value.partition(":")
    verdict = Verdict(verdict_name) if verdict_name in Verdict.values else None

    def judge(click: Click, question: Question, person: Person) -> str:
        if verdict is None:
            raise Rejected(Problem.GONE, "No such verdict.")
        by = user_of_slack(click.team_id, click.user_id)
        give_feedback(question=question, verdict=verdict, slack_user_id=click.user_id, person=by)
        if verdict is Verdict.HELPFUL:
            return person.phrases.replies.thanks
        token = sealed(user=click.user_id, question=str(question.pk))
        open_form(client, click.trigger_id, feedback_view(token, person.phrases))
        return ""

    ack()
    act_on_click(body, client, judge, value_prefix=f"{verdict_name}:")


def on_feedback_reason(body: Json, ack: Ack, client: WebClient) -> None:
    """Store why; the form is the same person's as the verdict, and a day old at most."""
    click, view = click_of(body), object_of(body.get("view"))
    person = who_clicked(client, click)
    token = unsealed(view.get("private_metadata"), user_id=click.user_id)
    values = object_of(object_of(view.get("state")).get("values"))
    chosen = object_of(object_of(object_of(values.get(REASON)).get(REASON)).get("selected_option"))
    comment = object_of(object_of(values.get(COMMENT)).get(COMMENT))
    question = _judged(click, token)
    if question is None:
        ack(response_action="update", view=expired_view(person.phrases))
        return
    try:
        explain_feedback(
            question=question,
            slack_user_id=click.user_id,
            reason=text_of(chosen.get("value")),
            comment=text_of(comment.get("value")),
        )
    except Rejected as error:
        ack(response_action="errors", errors={REASON: problem_text(error, person.phrases)})
        return
    ack()


def _judged(click: Click, token: dict[str, str] | None) -> Question | None:
    if token is None:
        return None
    return Question.objects.filter(
        pk=token["question"], slack_team_id=click.team_id, withdrawn_at=None
    ).first()
