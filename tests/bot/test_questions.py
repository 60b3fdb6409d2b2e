"""A question in Slack, from the signed request to the one threaded answer, on the real index."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from console.questions.models import Question, QuestionState
from console.sources.models import Document, Folder
from tests.bot.fake_slack import FakeSlack
from tests.bot.limits import buttons_of, texts_of
from tests.bot.payloads import (
    ASKER,
    CHANNEL,
    DM,
    TS,
    click,
    command,
    direct_message,
    mention,
    post,
    post_form,
    post_interaction,
)

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("handbook")]

LIMIT = "What is the nightly hotel limit in capital cities?"
Work = Callable[[], None]


def shown(message: dict) -> str:
    return "\n".join(texts_of(message)[1:])


def test_a_mention_gets_exactly_one_answer_in_its_thread(
    slack: FakeSlack, work: Work, handbook: list[Document]
) -> None:
    assert post(mention(LIMIT)).status_code == 200
    assert slack.calls == [], "nothing is posted before the acknowledgement"
    work()
    (message,) = slack.posts
    assert (message["channel"], message["thread_ts"]) == (CHANNEL, TS)
    assert "180 EUR" in shown(message)
    assert "[1]" in shown(message)
    link = f"[1] <http://127.0.0.1:8000/documents/{handbook[0].pk}?start="
    assert link in shown(message)
    assert "#cited|Travel policy › Hotels>" in shown(message), "the title is not told twice"
    assert message["text"].endswith("· 1 source")


def test_a_direct_message_gets_exactly_one_answer(slack: FakeSlack, work: Work) -> None:
    assert post(direct_message(LIMIT)).status_code == 200
    work()
    (message,) = slack.posts
    assert (message["channel"], message["thread_ts"]) == (DM, TS)
    assert "180 EUR" in shown(message)


def test_a_slash_command_is_answered_to_its_asker_who_can_share_it(slack: FakeSlack, work: Work) -> None:
    url = f"{slack.url}/commands/T1/1/x"
    asked = "What is the nightly hotel limit in capital cities? See the payload."
    assert post_form(command(asked, response_url=url)).status_code == 200
    work()
    (answer,) = slack.private_messages
    assert "180 EUR" in shown(answer)
    assert slack.posts == []
    (share,) = [button for button in buttons_of(answer) if button["action_id"] == "share"]
    assert post_interaction(click("share", share["value"], response_url=url)).status_code == 200
    work()
    (message,) = slack.messages[CHANNEL]
    assert not message.get("thread_ts")
    assert texts_of(message)[1] == f"<@{ASKER}> asked: {asked}"
    assert "180 EUR" in shown(message)
    assert texts_of(message)[-1] == f"Shared by <@{ASKER}>"


def test_what_the_documents_do_not_say_is_refused_with_the_reason(slack: FakeSlack, work: Work) -> None:
    post(mention("Who won the football world cup in 1998?"))
    work()
    (message,) = slack.posts
    text = shown(message)
    assert text.startswith(
        "I can't answer that from the documents this channel can see.\nNothing was close enough"
    )
    assert "limit 0." in text
    assert Question.objects.get().state == QuestionState.REFUSED


def test_a_mention_without_a_question_is_told_so(slack: FakeSlack, work: Work) -> None:
    post(mention(""))
    work()
    assert "I found no question in the message." in shown(slack.posts[0])


def test_an_external_asker_is_told_that_it_is_not_allowed(slack: FakeSlack, work: Work) -> None:
    body = mention(LIMIT, user_team="T00000TEAM2", envelope={"is_ext_shared_channel": True})
    post(body)
    work()
    (message,) = slack.posts
    assert shown(message).startswith("I can't answer this here: people from outside the organisation")
    assert "Travel" not in shown(message)


def test_an_external_asker_is_answered_from_a_folder_shared_with_them(
    slack: FakeSlack, work: Work, folder: Folder
) -> None:
    Folder.objects.filter(pk=folder.pk).update(is_shared_externally=True)
    post(mention(LIMIT, envelope={"is_ext_shared_channel": True}))
    work()
    assert "180 EUR" in shown(slack.posts[0])


def test_a_question_that_comes_with_a_file_is_answered(slack: FakeSlack, work: Work) -> None:
    post(direct_message(LIMIT, subtype="file_share", files=[{"id": "F1"}]))
    work()
    assert len(slack.posts) == 1
