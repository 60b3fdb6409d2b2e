"""Whatever folders, people and set-ups there are: nothing is posted that somebody who reads it may not see."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st

from bot.delivery import _messages_now
from bot.messages import Message
from bot.phrases import ENGLISH
from console.channels.models import (
    SlackChannel,
    SlackChannelFacts,
    SlackDelivery,
    SlackPerson,
    SlackWorkspace,
)
from console.channels.selectors import search_scope
from console.people.models import User
from console.questions.models import Answer, Citation, Question, QuestionState, Surface
from console.sources.models import Document, Folder
from tests.bot.limits import texts_of

TEAM, CHANNEL, DM = "T0TEAM", "C0CHANNEL", "D0DIRECT"
N_FOLDERS, N_PEOPLE = 4, 4


@dataclass(frozen=True)
class Reader:
    """Somebody in Slack. `is_linked`: to an account of the console, with these folders."""

    is_outsider: bool
    is_linked: bool
    is_admin: bool
    folders: frozenset[int]


@dataclass(frozen=True)
class Setting:
    """Everything that decides what may be shown, as plain values; the oracle below reads nothing else."""

    open_: frozenset[int]
    shared: frozenset[int]
    readers: tuple[Reader, ...]
    in_channel: frozenset[int]
    answers_from: str | None
    chosen: frozenset[int]
    unconfigured: str | None
    has_no_guests: bool
    is_shared_channel: bool
    facts_known: bool
    people_known: bool
    surface: str
    asker: int
    event_says_external: bool
    cited: frozenset[int]
    moved: dict[int, int] = field(default_factory=dict, hash=False)
    outcome: str = "answered"


some = st.frozensets(st.integers(0, N_FOLDERS - 1))
reader = st.builds(
    Reader,
    is_outsider=st.sampled_from([False, False, True]),
    is_linked=st.booleans(),
    is_admin=st.sampled_from([False, False, False, True]),
    folders=some,
)
setting = st.builds(
    Setting,
    open_=some,
    shared=some,
    readers=st.tuples(*[reader] * N_PEOPLE),
    in_channel=st.frozensets(st.integers(0, N_PEOPLE - 1)),
    answers_from=st.sampled_from([None, "chosen", "open", "nothing"]),
    chosen=some,
    unconfigured=st.sampled_from([None, "open", "nothing"]),
    has_no_guests=st.sampled_from([False, False, False, True]),
    is_shared_channel=st.sampled_from([False, False, True]),
    facts_known=st.sampled_from([True, True, True, False]),
    people_known=st.booleans(),
    surface=st.sampled_from(["slack_mention", "slack_dm", "slack_command"]),
    asker=st.integers(0, N_PEOPLE - 1),
    event_says_external=st.sampled_from([False, False, False, True]),
    cited=st.frozensets(st.integers(0, N_FOLDERS - 1), min_size=1),
    moved=st.dictionaries(st.integers(0, N_FOLDERS - 1), st.integers(0, N_FOLDERS - 1), max_size=1),
    outcome=st.sampled_from(["answered", "refused"]),
)


def is_alone(world: Setting) -> bool:
    """Only the asker reads it: in a direct message, or after a command."""
    return world.surface in {"slack_dm", "slack_command"}


def may_see(world: Setting, person: int, folder: int) -> bool:
    """The rule in words of its own: an admin opened the folder to this reader in this conversation.

    It is open and conversations without a set-up are answered from open folders, or the reader is a member of it
    (only where nobody else reads), or it was chosen for this channel; and outsiders need the mark besides.
    """
    one = world.readers[person]
    if one.is_outsider and folder not in world.shared:
        return False
    is_direct = world.surface == "slack_dm"
    falls_back_to_open = world.unconfigured != "nothing" and folder in world.open_
    by_channel = (
        not is_direct
        and {
            None: falls_back_to_open,
            "chosen": folder in world.chosen,
            "open": folder in world.open_,
            "nothing": False,
        }[world.answers_from]
    )
    reads_alone = is_alone(world)
    own = folder in one.folders or folder in world.open_ or one.is_admin
    by_person = reads_alone and (own if one.is_linked else falls_back_to_open)
    return by_channel or by_person


def readers_of(world: Setting) -> set[int]:
    if is_alone(world):
        return {world.asker}
    return set(world.in_channel) | {world.asker}


def is_read_by_others(world: Setting) -> bool:
    """Another organisation is in the channel, and reads the answer."""
    return world.is_shared_channel and not is_alone(world)


def text_of(messages: list[Message]) -> str:
    payloads = [{"text": message.text, "blocks": message.blocks} for message in messages]
    return "\n".join(text for payload in payloads for text in texts_of(payload))


def truth_is_told(world: Setting) -> bool:
    """An admin who says that there are no guests where there are some, and Slack does not tell, is not to be helped."""
    slack_tells = world.facts_known and world.people_known
    return slack_tells or not world.has_no_guests or not any(r.is_outsider for r in world.readers)


@contextmanager
def built(world: Setting) -> Iterator[tuple[Question, list[Folder]]]:
    """The rows, and nothing of them afterwards."""
    with transaction.atomic():
        folders = [
            Folder.objects.create(
                name=f"Folder-{n}", is_open=n in world.open_, is_shared_externally=n in world.shared
            )
            for n in range(N_FOLDERS)
        ]
        users = _people(world, folders)
        _slack(world, folders)
        yield _question(world, folders, users[world.asker]), folders
        transaction.set_rollback(True)


def _people(world: Setting, folders: list[Folder]) -> list[User | None]:
    users: list[User | None] = []
    for n, one in enumerate(world.readers):
        user = None
        if one.is_linked:
            role = "admin" if one.is_admin else "viewer"
            user = User.objects.create(username=f"p{n}", role=role, slack_team_id=TEAM, slack_user_id=f"U{n}")
            user.folders.set([folders[k] for k in one.folders])
        users.append(user)
        if world.people_known or (one.is_linked and one.is_outsider):
            # An account of somebody from outside is known to be one: an admin made it, and Slack was asked once.
            SlackPerson.objects.create(
                team_id=TEAM, user_id=f"U{n}", is_outsider=one.is_outsider, checked_at=timezone.now()
            )
    return users


def _slack(world: Setting, folders: list[Folder]) -> None:
    if world.unconfigured is not None or world.has_no_guests:
        SlackWorkspace.objects.create(
            team_id=TEAM, unconfigured=world.unconfigured or "open", has_no_guests=world.has_no_guests
        )
    if world.answers_from is not None:
        channel = SlackChannel.objects.create(
            team_id=TEAM, channel_id=CHANNEL, answers_from=world.answers_from
        )
        channel.folders.set([folders[n] for n in world.chosen])
    if world.facts_known:
        guests = any(world.readers[n].is_outsider for n in set(world.in_channel) | {world.asker})
        SlackChannelFacts.objects.create(
            team_id=TEAM,
            channel_id=CHANNEL,
            is_shared=world.is_shared_channel,
            has_guests=guests if world.people_known else None,
            checked_at=timezone.now(),
        )


def _question(world: Setting, folders: list[Folder], asker: User | None) -> Question:
    question = Question.objects.create(
        text="?",
        surface=world.surface,
        state=QuestionState.ANSWERED if world.outcome == "answered" else QuestionState.REFUSED,
        asker=asker,
        slack_team_id=TEAM,
        slack_channel_id=DM if world.surface == Surface.SLACK_DM else CHANNEL,
        slack_user_id=f"U{world.asker}",
        slack_ts="1.5",
        is_external=world.event_says_external,
    )
    SlackDelivery.objects.create(question=question)
    cited = sorted(world.cited)
    answer = Answer.objects.create(
        question=question,
        outcome=question.state,
        sentences=[{"text": f"Text of Folder-{n}.", "citations": [i]} for i, n in enumerate(cited, 1)],
        reason_code="" if world.outcome == "answered" else "below_threshold",
        reason="" if world.outcome == "answered" else "Nothing was close enough.",
        folder_ids=[folders[n].pk for n in cited],
        distance_cut=0.5,
        nearest=[{"title": f"Title of Folder-{cited[0]}", "label": "", "distance": 0.6}],
        unreadable=[{"folder_id": folders[n].pk, "folder": f"Folder-{n}", "count": 2} for n in cited],
    )
    if world.outcome != "answered":
        return question
    for number, n in enumerate(cited, 1):
        lies_in = folders[world.moved.get(n, n)]
        document = Document.objects.create(folder=lies_in, name=f"{n}.md", sha256="0" * 64, size_bytes=1)
        Citation.objects.create(
            answer=answer,
            number=number,
            document=document,
            folder_id=folders[n].pk,
            document_name=f"{n}.md",
            document_title=f"Title of Folder-{n}",
            document_sha256="0" * 64,
            start=0,
            end=4,
            quote=f"Text of Folder-{n}.",
            distance=0.1,
        )
    return question


MEMBER, GUEST = Reader(False, False, False, frozenset()), Reader(True, False, False, frozenset())
GUEST_NOBODY_TELLS_OF = Setting(
    open_=frozenset({0}),
    shared=frozenset(),
    readers=(MEMBER, MEMBER, MEMBER, GUEST),
    in_channel=frozenset({3}),
    answers_from=None,
    chosen=frozenset(),
    unconfigured=None,
    has_no_guests=False,
    is_shared_channel=False,
    facts_known=True,
    people_known=False,
    surface="slack_mention",
    asker=0,
    event_says_external=False,
    cited=frozenset({0}),
)


@pytest.mark.django_db(transaction=True)
@example(world=GUEST_NOBODY_TELLS_OF)
@example(world=replace(GUEST_NOBODY_TELLS_OF, people_known=True))
@example(world=replace(GUEST_NOBODY_TELLS_OF, people_known=True, outcome="refused"))
@example(world=replace(GUEST_NOBODY_TELLS_OF, in_channel=frozenset(), unconfigured="nothing"))
@example(world=replace(GUEST_NOBODY_TELLS_OF, in_channel=frozenset(), people_known=True, moved={0: 1}))
@example(world=replace(GUEST_NOBODY_TELLS_OF, surface="slack_dm", asker=3))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(world=setting)
def test_no_message_holds_a_folder_that_a_reader_may_not_see(transactional_db: None, world: Setting) -> None:
    if not truth_is_told(world):
        return
    with built(world) as (question, folders):
        text = text_of(_messages_now(question, ENGLISH))
        for_everyone = search_scope(question, at_posting=True, for_everyone=True).folder_ids
        numbers = {folder.pk: n for n, folder in enumerate(folders)}
    shown = {n for n in range(N_FOLDERS) if f"Folder-{n}" in text}
    event(f"shows {'something' if shown else 'nothing'}, {world.outcome}")
    lie_in = (
        shown | {world.moved[n] for n in shown & world.moved.keys()} if world.outcome == "answered" else shown
    )
    check(world, lie_in)
    if world.surface == "slack_command":  # whose asker may share the answer with the channel
        check(replace(world, surface="slack_mention"), {numbers[pk] for pk in for_everyone})


def check(world: Setting, folders: set[int]) -> None:
    if is_read_by_others(world) and world.facts_known:
        assert folders <= world.shared, "another organisation reads it"
    for person in readers_of(world):
        for folder in folders:
            assert may_see(world, person, folder), f"person {person} reads of folder {folder}"


@pytest.mark.django_db(transaction=True)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(world=setting)
def test_what_every_reader_may_see_is_not_held_back_where_slack_tells_who_reads(
    transactional_db: None, world: Setting
) -> None:
    """The other side: a rule that hides everything would pass the test above."""
    tells = world.facts_known and world.people_known and not world.event_says_external
    needed = world.cited | {world.moved[n] for n in world.cited & world.moved.keys()}
    is_shared_to_all = not is_read_by_others(world) or needed <= world.shared
    all_may = all(may_see(world, person, n) for person in readers_of(world) for n in needed)
    if not (tells and all_may and is_shared_to_all and world.outcome == "answered"):
        return
    with built(world) as (question, _):
        text = text_of(_messages_now(question, ENGLISH))
    assert all(f"Text of Folder-{n}." in text for n in world.cited)
