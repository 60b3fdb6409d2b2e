"""`/footnote status`: to the person who asked alone, with what this channel sees and what is wrong."""

# ruff: noqa: F811 - fixtures of a neighbour

from __future__ import annotations

from collections.abc import Callable

import pytest
from celery.exceptions import Retry

from bot.channel_status import AGAIN_S, StatusRequest
from bot.phrases import ENGLISH, GERMAN
from bot.simulator.failures import Failure, rate_limited
from console.channels.models import SlackChannel, SlackWorkspace
from console.channels.services import set_channel_folders
from console.index.models import IndexVersion, ThresholdSetting
from console.questions.models import Question
from console.sources.models import Folder
from tests.bot.fake_slack import FakeSlack
from tests.bot.limits import texts_of
from tests.bot.payloads import ASKER, BOT, CHANNEL, DM, TEAM, command, post_form
from tests.bot.test_linter import channel, document, index, travel  # noqa: F401 - fixtures
from workers import tasks

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ask_status(slack: FakeSlack, sent: list, work: Callable[[], None]) -> Callable[..., str]:
    def ask(text: str = "status", **fields: str) -> str:
        url = f"{slack.url}/commands/T1/1/x"
        response = post_form(command(text, response_url=url, command="/footnote", **fields))
        assert response.status_code == 200
        assert response.json()["response_type"] == "ephemeral"
        work()
        if not slack.private_messages:
            return str(response.json()["text"])
        (message,) = slack.private_messages
        assert message["response_type"] == "ephemeral"
        assert slack.posts == []
        return "\n".join(texts_of(message))

    return ask


def test_it_says_folders_documents_index_and_cut(
    channel: SlackChannel,
    ask_status: Callable,
    index: ThresholdSetting,
) -> None:
    told = ask_status()
    version = IndexVersion.objects.get()
    assert "*#travel*: questions are answered here." in told
    assert "• Travel: 1 document" in told
    assert f"{version} · relevance cut 0.40 (the version's)" in told
    assert "What to know" not in told
    assert not Question.objects.exists(), "it is no question"


def test_it_asks_slack_first_and_names_the_fault(
    channel: SlackChannel,
    ask_status: Callable,
    slack: FakeSlack,
) -> None:
    slack.workspace.channels[CHANNEL].members = {"U0SOMEBODY"}
    told = ask_status()
    assert "*#travel*: nothing answers here." in told
    assert "/invite @footnote" in told


def test_a_guest_is_told_of_shared_folders_only(
    channel: SlackChannel,
    ask_status: Callable,
    slack: FakeSlack,
) -> None:
    shared = Folder.objects.create(name="Public", is_shared_externally=True)
    document(shared, name="public.md")
    set_channel_folders(
        actor=None,
        team_id=TEAM,
        channel_id=CHANNEL,
        folder_ids=list(Folder.objects.values_list("pk", flat=True)),
    )
    slack.workspace.people[ASKER].is_restricted = True
    told = ask_status()
    assert "Public" in told
    assert "Travel" not in told


def test_in_a_direct_message_it_tells_the_persons_own_folders(
    channel: SlackChannel,
    ask_status: Callable,
) -> None:
    SlackWorkspace.objects.update(unconfigured="open")
    told = ask_status(channel_id=DM)
    assert "*This conversation*: questions are answered here." in told
    assert "• Travel: 1 document" in told


@pytest.mark.parametrize("channel_id", [CHANNEL, DM])
def test_a_guest_is_told_that_it_is_not_allowed_rather_than_refused(
    channel: SlackChannel, ask_status: Callable, slack: FakeSlack, index: ThresholdSetting, channel_id: str
) -> None:
    SlackWorkspace.objects.update(unconfigured="open")
    slack.workspace.people[ASKER].is_restricted = True
    told = ask_status(channel_id=channel_id)
    assert f": {ENGLISH.channel.not_allowed}." in told
    assert "refused" not in told


def test_names_of_folders_ping_nobody(channel: SlackChannel, ask_status: Callable) -> None:
    Folder.objects.update(name="<!channel> & <@U1>")
    assert "&lt;!channel&gt; &amp; &lt;@U1&gt;" in ask_status()


@pytest.mark.parametrize("text", ["", "help", "what is the payload limit?"])
def test_anything_else_says_what_there_is(channel: SlackChannel, ask_status: Callable, text: str) -> None:
    assert "/footnote status" in ask_status(text)
    assert not Question.objects.exists()


def test_an_address_that_is_not_slacks_is_sent_nothing(
    channel: SlackChannel,
    slack: FakeSlack,
    work: Callable,
    sent: list,
) -> None:
    response = post_form(command("status", response_url="https://example.com/x", command="/footnote"))
    assert response.status_code == 200
    work()
    assert [call.method for call in slack.calls] == ["users.info"], "the language of the acknowledgement"
    assert BOT


class TestAReplyThatSlackDidNotTake:
    @pytest.fixture
    def argument(self, slack: FakeSlack) -> str:
        return StatusRequest(TEAM, CHANNEL, ASKER, f"{slack.url}/commands/T1/1/x").to_json()

    @pytest.fixture
    def waits(self, monkeypatch: pytest.MonkeyPatch) -> list[float]:
        """For how many seconds the task was put off."""
        waits: list[float] = []

        def retry(*, exc: Exception, countdown: float) -> Retry:
            waits.append(countdown)
            return Retry(exc=exc)

        monkeypatch.setattr(tasks.tell_channel_status, "retry", retry)
        return waits

    @pytest.mark.parametrize(
        ("failure", "wait_s"),
        [
            (rate_limited(7), 7.0),
            (Failure(status=503), AGAIN_S),
            (Failure(is_dropped=True), AGAIN_S),
            (Failure(is_dropped=True, is_taken=True), AGAIN_S),
        ],
    )
    def test_it_is_told_later(
        self,
        channel: SlackChannel,
        slack: FakeSlack,
        argument: str,
        waits: list[float],
        failure: Failure,
        wait_s: float,
    ) -> None:
        slack.script("response_url", failure)
        with pytest.raises(Retry):
            tasks.tell_channel_status(argument)
        assert waits == [wait_s]
        tasks.tell_channel_status(argument)
        assert waits == [wait_s]
        assert "#travel" in slack.replies[-1]

    @pytest.mark.parametrize("failure", [Failure(status=404), rate_limited(3_000)])
    def test_what_comes_too_late_is_left(
        self, channel: SlackChannel, slack: FakeSlack, argument: str, waits: list[float], failure: Failure
    ) -> None:
        slack.script("response_url", failure)
        tasks.tell_channel_status(argument)
        assert (waits, slack.replies) == ([], [])

    def test_it_is_tried_a_few_times_only(
        self, channel: SlackChannel, slack: FakeSlack, argument: str, waits: list[float]
    ) -> None:
        slack.script("response_url", Failure(status=503))
        tasks.tell_channel_status.push_request(retries=tasks.MOST_TELLS)
        try:
            tasks.tell_channel_status.run(argument)
        finally:
            tasks.tell_channel_status.pop_request()
        assert (waits, slack.replies) == ([], [])


def test_it_speaks_the_language_of_who_asks(
    channel: SlackChannel, ask_status: Callable, index: ThresholdSetting, slack: FakeSlack
) -> None:
    slack.knows(ASKER, locale="de-DE")
    told = ask_status()
    assert "*#travel*: hier werden Fragen beantwortet." in told
    assert "• Travel: 1 Dokument" in told
    assert "Relevanzgrenze 0,40 (die der Version)" in told
    slack.private_messages.clear()
    assert ask_status("what?") == GERMAN.channel.usage
