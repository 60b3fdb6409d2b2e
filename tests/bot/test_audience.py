"""Guests and other organisations read along: they are looked for before anything is shown, and doubt hides."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from bot import audience as asking
from bot.audience import learn_before_answering, learn_channel
from bot.client import client_of
from bot.simulator import web_api
from bot.simulator.methods import Method, needs
from console.channels.audience import FACTS_COUNT_FOR, Outsiders, outsider_is, outsiders_in
from console.channels.models import (
    DeliveryState,
    SlackChannelFacts,
    SlackPerson,
    SlackWorkspace,
)
from console.channels.reports import report_of
from console.channels.selectors import search_scope
from console.people.models import User
from console.questions import wording
from console.questions.models import Citation, Question, Surface
from console.sources.models import Folder
from tests.bot.fake_slack import ALL_SCOPES, Failure, FakeSlack
from tests.bot.limits import texts_of
from tests.bot.payloads import ASKER, BOT, CHANNEL, TEAM
from tests.bot.test_delivery import deliver, make_due

LIMIT = "The nightly hotel limit is 180 EUR."
Asked = Callable[..., Question]


@pytest.fixture
def travel(transactional_db: None) -> Folder:
    return Folder.objects.create(name="Travel", is_open=True)


@pytest.fixture
def asked(slack: FakeSlack, finished: Callable[..., Question], travel: Folder) -> Asked:
    """A question answered from the folder Travel."""

    def make(**options: object) -> Question:
        question = finished(LIMIT, folder_ids=[travel.pk], **options)
        Citation.objects.update(folder_id=travel.pk)
        return question

    return make


@pytest.fixture
def channel(slack: FakeSlack) -> Callable[..., None]:
    """Make the channel with the asker, the bot and whoever is named."""

    def make(*people: str, guests: tuple[str, ...] = (), **facts: object) -> None:
        for person in (*people, *guests):
            slack.workspace.add_person(person, person.lower(), is_restricted=person in guests)
        slack.workspace.add_channel(CHANNEL, "help", members={ASKER, BOT, *people, *guests}, **facts)

    return make


def shown(slack: FakeSlack) -> str:
    return "\n".join(text for message in slack.posts + slack.private_messages for text in texts_of(message))


def test_among_members_everything_open_is_shown(slack: FakeSlack, asked: Asked, channel: Callable) -> None:
    channel("U0COLLEAGUE")
    assert deliver(asked()).state == DeliveryState.DELIVERED
    assert "180 EUR" in shown(slack)


def test_a_guest_in_the_channel_hides_what_is_not_marked(
    slack: FakeSlack, asked: Asked, channel: Callable
) -> None:
    channel("U0COLLEAGUE", guests=("U0GUEST",))
    deliver(asked())
    assert "180 EUR" not in shown(slack)
    assert wording.NOT_ALLOWED_EXTERNAL in shown(slack)


def test_a_group_message_is_answered_like_a_private_channel(
    slack: FakeSlack, asked: Asked, channel: Callable
) -> None:
    channel("U0COLLEAGUE", kind="mpim")
    assert deliver(asked()).state == DeliveryState.DELIVERED
    assert "180 EUR" in shown(slack)


def test_a_guest_in_a_group_message_hides_what_is_not_marked(
    slack: FakeSlack, asked: Asked, channel: Callable
) -> None:
    channel(guests=("U0GUEST",), kind="mpim")
    deliver(asked())
    assert "180 EUR" not in shown(slack)
    assert wording.NOT_ALLOWED_EXTERNAL in shown(slack)


def test_without_its_own_scope_a_group_message_is_shown_nothing_and_the_console_names_the_scope(
    slack: FakeSlack, asked: Asked, channel: Callable
) -> None:
    slack.scopes = ALL_SCOPES - {"mpim:read"}
    channel("U0COLLEAGUE", kind="mpim")
    deliver(asked())
    assert "180 EUR" not in shown(slack)
    assert wording.NOT_ALLOWED_UNKNOWN in shown(slack)
    (finding,) = [f for f in report_of(TEAM, CHANNEL).findings if f.code == "audience_unknown"]
    assert finding.next_step.startswith("Add the permission mpim:read to the app in Slack")


def test_a_marked_folder_is_shown_to_guests(
    slack: FakeSlack, asked: Asked, channel: Callable, travel: Folder
) -> None:
    channel(guests=("U0GUEST",))
    Folder.objects.update(is_shared_externally=True)
    deliver(asked())
    assert "180 EUR" in shown(slack)


def test_a_member_of_another_organisation_counts_as_a_guest(
    slack: FakeSlack, asked: Asked, channel: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel("U0FOREIGN")
    from bot.simulator import methods_read

    real = methods_read._person
    monkeypatch.setattr(
        methods_read,
        "_person",
        lambda workspace, person: {
            **real(workspace, person),
            **({"team_id": "T0OTHER"} if person.id == "U0FOREIGN" else {}),
        },
    )
    deliver(asked())
    assert "180 EUR" not in shown(slack)


def test_somebody_whom_slack_will_not_show_counts_as_a_guest(
    slack: FakeSlack, asked: Asked, channel: Callable
) -> None:
    channel()
    slack.workspace.channels[CHANNEL].members.add("U0UNSEEN")
    deliver(asked())
    assert "180 EUR" not in shown(slack)


def test_a_channel_that_was_shared_after_the_question_hides_it(
    slack: FakeSlack, asked: Asked, channel: Callable
) -> None:
    question = asked()
    channel()
    slack.shared_channels = {CHANNEL}
    deliver(question)
    assert wording.NOT_ALLOWED_EXTERNAL in shown(slack)
    assert not slack.calls_of("conversations.members"), "nobody needs to be counted any more"


@pytest.mark.parametrize("scope", ["users:read", "channels:read"])
def test_without_the_permission_to_look_nothing_unmarked_is_shown(
    slack: FakeSlack, asked: Asked, channel: Callable, scope: str
) -> None:
    channel()
    slack.scopes = ALL_SCOPES - {scope}
    deliver(asked())
    assert wording.NOT_ALLOWED_UNKNOWN in shown(slack)
    assert "180 EUR" not in shown(slack)
    facts = SlackChannelFacts.objects.get()
    assert facts.has_guests is None
    assert scope in facts.fault


def test_an_admin_who_knows_that_there_are_no_guests_can_say_so(
    slack: FakeSlack, asked: Asked, channel: Callable
) -> None:
    channel()
    slack.scopes = ALL_SCOPES - {"users:read"}
    SlackWorkspace.objects.create(team_id=TEAM, has_no_guests=True, unconfigured="open")
    deliver(asked())
    assert "180 EUR" in shown(slack)


def test_saying_that_there_are_no_guests_hides_no_guest_that_slack_tells_of(
    slack: FakeSlack, asked: Asked, channel: Callable
) -> None:
    channel(guests=("U0GUEST",))
    SlackWorkspace.objects.create(team_id=TEAM, has_no_guests=True, unconfigured="open")
    deliver(asked())
    assert "180 EUR" not in shown(slack)


@pytest.mark.parametrize("method", ["conversations.info", "conversations.members", "users.info"])
@pytest.mark.parametrize(
    "failure",
    [
        Failure(status=429, error="ratelimited", headers={"Retry-After": "1"}),
        Failure(status=503),
        Failure(is_dropped=True),
    ],
)
def test_while_slack_cannot_be_asked_the_answer_waits(
    slack: FakeSlack, asked: Asked, channel: Callable, method: str, failure: Failure
) -> None:
    channel()
    slack.script(method, failure)
    question = asked()
    row = deliver(question)
    assert row.state in {DeliveryState.PENDING, DeliveryState.POSTING}
    assert slack.posts == []
    make_due(question)
    assert deliver(question).state == DeliveryState.DELIVERED
    assert "180 EUR" in shown(slack)


def test_a_guest_who_asks_directly_is_answered_from_marked_folders_only(
    slack: FakeSlack, asked: Asked
) -> None:
    slack.workspace.people[ASKER].is_restricted = True
    deliver(asked(surface=Surface.SLACK_DM))
    assert "180 EUR" not in shown(slack)


def test_a_person_of_the_console_needs_no_looking_up(slack: FakeSlack, asked: Asked) -> None:
    User.objects.create(username="ada", slack_team_id=TEAM, slack_user_id=ASKER)
    slack.scopes = ALL_SCOPES - {"users:read"}
    deliver(asked(surface=Surface.SLACK_DM))
    assert "180 EUR" in shown(slack)


def test_what_is_answered_to_the_asker_alone_may_come_from_the_askers_own_folders(
    slack: FakeSlack, asked: Asked, travel: Folder
) -> None:
    ada = User.objects.create(username="ada", slack_team_id=TEAM, slack_user_id=ASKER)
    Folder.objects.update(is_open=False)
    travel.members.add(ada)
    slack.joined_channels = set()
    url = f"{slack.url}/commands/T1/1/x"
    deliver(asked(surface=Surface.SLACK_COMMAND, ts="cmd-1", response_url=url))
    assert len(slack.private_messages) == 1
    assert "180 EUR" in shown(slack)


def test_the_same_folder_is_not_shown_where_others_read_along(
    slack: FakeSlack, asked: Asked, travel: Folder
) -> None:
    ada = User.objects.create(username="ada", slack_team_id=TEAM, slack_user_id=ASKER)
    Folder.objects.update(is_open=False)
    travel.members.add(ada)
    deliver(asked())
    assert len(slack.posts) == 1
    assert "180 EUR" not in shown(slack)


def _looked_up(slack: FakeSlack) -> list[str]:
    """Who was looked up singly, besides the asker for the language."""
    return [call["user"] for call in slack.calls_of("users.info") if "include_locale" not in call]


def test_many_people_are_looked_up_as_one_list_and_kept_for_a_day(
    slack: FakeSlack, asked: Asked, channel: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot.simulator import methods_read, web_api
    from bot.simulator.methods import Method, needs

    def users_list(workspace: object, arguments: dict) -> dict:
        people = [methods_read._person(workspace, person) for person in workspace.people.values()]
        return {"members": people, "response_metadata": {"next_cursor": ""}}

    monkeypatch.setitem(web_api.METHODS, "users.list", Method(users_list, needs("users:read")))
    monkeypatch.setattr(asking, "ONE_BY_ONE", 10)
    channel(*(f"U{n:09}" for n in range(60)))
    deliver(asked())
    assert "180 EUR" in shown(slack)
    assert len(slack.calls_of("users.list")) == 1
    assert _looked_up(slack) == []
    SlackChannelFacts.objects.update(checked_at=timezone.now() - timedelta(minutes=5))
    slack.workspace.add_person("U0NEWGUEST", "guest", is_restricted=True)
    slack.workspace.channels[CHANNEL].members.add("U0NEWGUEST")
    deliver(asked(ts="9.5"))
    assert _looked_up(slack) == ["U0NEWGUEST"]
    assert wording.NOT_ALLOWED_EXTERNAL in texts_of(slack.posts[-1])[1]


def test_a_channel_too_large_to_look_through_is_one_nobody_knows(
    slack: FakeSlack, asked: Asked, channel: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot.simulator import methods_read, web_api
    from bot.simulator.methods import Method, needs

    def endless(workspace: object, arguments: dict) -> dict:
        page = int(arguments.get("cursor") or 0)
        return {"members": [f"U{page}"], "response_metadata": {"next_cursor": str(page + 1)}}

    monkeypatch.setitem(web_api.METHODS, "conversations.members", Method(endless, needs("channels:read")))
    channel()
    deliver(asked())
    assert len(slack.calls_of("conversations.members")) == asking.MEMBER_PAGES
    assert wording.NOT_ALLOWED_UNKNOWN in shown(slack)
    assert SlackChannelFacts.objects.get().fault == asking.TOO_MANY
    assert methods_read.PAGE


def test_facts_are_asked_anew_after_two_minutes_and_count_for_fifteen(
    slack: FakeSlack, asked: Asked, channel: Callable
) -> None:
    channel()
    deliver(asked())
    deliver(asked(ts="2.5"))
    assert len(slack.calls_of("conversations.info")) == 1
    assert outsiders_in(TEAM, CHANNEL) is Outsiders.NONE
    SlackChannelFacts.objects.update(checked_at=timezone.now() - FACTS_COUNT_FOR - timedelta(seconds=1))
    assert outsiders_in(TEAM, CHANNEL) is Outsiders.UNKNOWN
    deliver(asked(ts="3.5"))
    assert len(slack.calls_of("conversations.info")) == 2


def test_a_guest_once_seen_stays_one_until_slack_says_otherwise(
    slack: FakeSlack, transactional_db: None
) -> None:
    long_ago = timezone.now() - timedelta(days=9)
    SlackPerson.objects.create(team_id=TEAM, user_id="U1", is_outsider=True, checked_at=long_ago)
    SlackPerson.objects.create(team_id=TEAM, user_id="U2", is_outsider=False, checked_at=long_ago)
    assert outsider_is(TEAM, "U1") is Outsiders.PRESENT
    assert outsider_is(TEAM, "U2") is Outsiders.UNKNOWN


def test_before_the_search_doubt_decides_nothing_and_knowledge_does(
    slack: FakeSlack, asked: Asked, channel: Callable, travel: Folder
) -> None:
    question = asked()
    assert search_scope(question).folder_ids == [travel.pk]
    assert search_scope(question, at_posting=True).folder_ids == []
    slack.workspace.shared_channels = {CHANNEL}
    learn_before_answering(str(question.pk))
    assert search_scope(question).denial == wording.NOT_ALLOWED_EXTERNAL
    assert [call.method for call in slack.calls] == ["conversations.info"]


def test_what_is_learned_before_the_search_spares_no_look_before_the_post(
    slack: FakeSlack, asked: Asked, channel: Callable, travel: Folder
) -> None:
    question = asked()
    channel(guests=("U0GUEST",))
    learn_before_answering(str(question.pk))
    assert search_scope(question).folder_ids == [travel.pk]
    deliver(question)
    assert LIMIT not in str(slack.posts)


def test_a_slack_that_hangs_holds_up_no_answer(slack: FakeSlack, asked: Asked) -> None:
    slack.script("conversations.info", Failure(wait_s=4, error="internal_error"))
    question = asked()
    begun = time.monotonic()
    learn_before_answering(str(question.pk))
    assert time.monotonic() - begun < 2


def test_a_slack_that_is_away_holds_up_no_search(slack: FakeSlack, asked: Asked, travel: Folder) -> None:
    slack.script("conversations.info", Failure(is_dropped=True))
    question = asked()
    learn_before_answering(str(question.pk))
    assert search_scope(question).folder_ids == [travel.pk]


def people_of_workspace(monkeypatch: pytest.MonkeyPatch, people: list[str], page_size: int = 1_000) -> None:
    """`users.list` of a workspace with these people."""

    def users_list(_: object, arguments: dict) -> dict:
        start = int(arguments.get("cursor") or 0)
        end = start + page_size
        page = [{"id": person, "team_id": TEAM} for person in people[start:end]]
        following = str(end) if end < len(people) else ""
        return {"members": page, "response_metadata": {"next_cursor": following}}

    monkeypatch.setitem(web_api.METHODS, "users.list", Method(users_list, needs("users:read")))


def test_who_stands_beyond_the_ten_thousand_that_are_read_is_unknown_not_an_outsider(
    slack: FakeSlack, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [f"U0000P{number:05d}" for number in range(10_500)]
    people_of_workspace(monkeypatch, people)
    slack.workspace.add_channel(CHANNEL, "help", members={BOT, *people[-60:]})
    facts = learn_channel(client_of(TEAM), TEAM, CHANNEL)
    assert (facts.has_guests, facts.fault) == (None, asking.TOO_MANY)


def test_only_people_seen_in_a_channel_are_kept(
    slack: FakeSlack, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [f"U0000P{number:05d}" for number in range(60)]
    people_of_workspace(monkeypatch, [*people, "U0000NEVER", BOT])
    slack.workspace.add_channel(CHANNEL, "help", members={BOT, *people})
    assert learn_channel(client_of(TEAM), TEAM, CHANNEL).has_guests is False
    assert set(SlackPerson.objects.values_list("user_id", flat=True)) == {BOT, *people}
