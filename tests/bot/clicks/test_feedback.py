"""Clicks that judge an answer, and the form that asks why."""

from __future__ import annotations

import time

import pytest
from django.core import signing

from bot.phrases import ENGLISH, Problem
from console.questions.models import (
    Feedback,
    FeedbackReason,
    Verdict,
)
from tests.bot.clicks.conftest import OTHER, PROBLEMS, Asked, person, told
from tests.bot.fake_slack import Failure, FakeSlack
from tests.bot.limits import buttons_of, texts_of
from tests.bot.payloads import ASKER, click, post_interaction, sent_form
from tests.bot.test_delivery import deliver


class TestFeedback:
    def test_a_good_word_is_kept(self, slack: FakeSlack, answered: Asked, url: str) -> None:
        question = answered()
        linked = person("bo", OTHER)
        post_interaction(click("feedback", f"helpful:{question.pk}", user=OTHER, response_url=url))
        row = Feedback.objects.get()
        assert (row.question, row.verdict, row.person, row.reason) == (question, Verdict.HELPFUL, linked, "")
        assert told(slack) == [ENGLISH.replies.thanks]
        assert slack.views == []

    def test_a_bad_one_is_kept_at_once_and_asks_why(
        self, slack: FakeSlack, answered: Asked, url: str
    ) -> None:
        question = answered()
        deliver(question)
        (pair,) = [b for b in buttons_of(slack.posts[0]) if b["type"] == "feedback_buttons"]
        assert pair["positive_button"]["value"] == f"helpful:{question.pk}"
        post_interaction(click("feedback", pair["negative_button"]["value"], response_url=url))
        assert Feedback.objects.get().verdict == Verdict.NOT_HELPFUL
        (view,) = slack.views
        assert self.send(view, "outdated", " It is 190 by now. ").content == b""
        row = Feedback.objects.get()
        assert (row.reason, row.comment) == (FeedbackReason.OUTDATED, "It is 190 by now.")

    def test_the_form_offers_every_reason(self, slack: FakeSlack, answered: Asked, url: str) -> None:
        post_interaction(click("feedback", f"not_helpful:{answered().pk}", response_url=url))
        options = slack.views[0]["blocks"][0]["element"]["options"]
        assert [option["value"] for option in options] == list(FeedbackReason)

    def test_a_verdict_can_be_changed_and_is_one_a_person(
        self, slack: FakeSlack, answered: Asked, url: str
    ) -> None:
        question = answered()
        for user, verdict in ((ASKER, "helpful"), (OTHER, "helpful"), (OTHER, "not_helpful")):
            post_interaction(click("feedback", f"{verdict}:{question.pk}", user=user, response_url=url))
        verdicts = dict(Feedback.objects.values_list("slack_user_id", "verdict"))
        assert verdicts == {ASKER: "helpful", OTHER: "not_helpful"}

    def test_where_the_form_does_not_open_the_verdict_is_kept(
        self, slack: FakeSlack, answered: Asked, url: str
    ) -> None:
        slack.script("views.open", Failure(error="expired_trigger_id"))
        post_interaction(click("feedback", f"not_helpful:{answered().pk}", response_url=url))
        assert Feedback.objects.get().verdict == Verdict.NOT_HELPFUL
        assert told(slack) == [PROBLEMS[Problem.TOO_LATE]]

    @pytest.mark.parametrize("reason", ["", "made_up"])
    def test_a_reason_that_is_none_is_told_in_the_form(
        self, slack: FakeSlack, answered: Asked, url: str, reason: str
    ) -> None:
        post_interaction(click("feedback", f"not_helpful:{answered().pk}", response_url=url))
        response = self.send(slack.views[0], reason, "x").json()
        assert response["response_action"] == "errors"
        assert Feedback.objects.get().reason == ""

    def test_another_persons_form_is_refused(self, slack: FakeSlack, answered: Asked, url: str) -> None:
        post_interaction(click("feedback", f"not_helpful:{answered().pk}", response_url=url))
        response = self.send(slack.views[0], "wrong", "x", user=OTHER).json()
        assert response["response_action"] == "update"
        assert ENGLISH.modals.expired in texts_of(response["view"])
        assert Feedback.objects.get().reason == ""

    def test_a_form_that_is_too_old_is_refused(
        self, slack: FakeSlack, answered: Asked, url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            yesterday = signing.b62_encode(int(time.time()) - 86_401)
            patch.setattr(signing.TimestampSigner, "timestamp", lambda _: yesterday)
            post_interaction(click("feedback", f"not_helpful:{answered().pk}", response_url=url))
        assert self.send(slack.views[0], "wrong", "x").json()["response_action"] == "update"

    @pytest.mark.parametrize("token", ["", "{}", "eyJ1c2VyIjoiVTEifQ:1tX:bad", 5, None])
    def test_a_forged_form_is_refused(
        self, slack: FakeSlack, answered: Asked, url: str, token: object
    ) -> None:
        post_interaction(click("feedback", f"not_helpful:{answered().pk}", response_url=url))
        view = {**slack.views[0], "private_metadata": token}
        assert self.send(view, "wrong", "x").json()["response_action"] == "update"

    @staticmethod
    def send(view: dict, reason: str, comment: str, user: str = ASKER) -> object:
        chosen = {"type": "radio_buttons", "selected_option": {"value": reason} if reason else None}
        typed = {"type": "plain_text_input", "value": comment}
        return post_interaction(sent_form(view, {"reason": chosen, "comment": typed}, user=user))
