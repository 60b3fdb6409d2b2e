"""For each channel: why the bot would be silent or refuse there, with the next step."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from bot.delivery import deliver_answer
from bot.doctor import check_channels
from bot.scopes import needed_scopes
from console.access import Rejected
from console.channels.instances import report_connection
from console.channels.linting import N_TO_JUDGE_A_CUT, Effect
from console.channels.models import SlackChannel, SlackChannelFacts, SlackInstance, SlackWorkspace
from console.channels.reports import report_of
from console.channels.selectors import with_channel_cut
from console.channels.services import set_channel_cut, set_channel_folders
from console.index.models import IndexVersion, ThresholdSetting, VersionState
from console.people.models import Role, User
from console.questions.models import Answer, Question, Surface
from console.sources.models import Document, DocumentState, Folder
from tests.bot.fake_slack import Failure, FakeSlack
from tests.bot.payloads import ASKER, BOT, CHANNEL, TEAM

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def index() -> ThresholdSetting:
    version = IndexVersion.objects.create(
        collection="v1",
        model_name="model",
        model_revision="1",
        dimension=3,
        window_tokens=256,
        pooling="mean",
        is_normalised=True,
        pipeline_version="1",
        chunking="1",
        state=VersionState.ACTIVE,
    )
    return ThresholdSetting.objects.create(
        version=version, distance_cut=0.5, relevance_cut=0.4, reranker="footnote-relevance", reason="first"
    )


@pytest.fixture
def travel() -> Folder:
    folder = Folder.objects.create(name="Travel", is_open=True)
    document(folder)
    return folder


def document(folder: Folder, state: str = DocumentState.INDEXED, name: str = "travel.md") -> Document:
    trouble = {"reason_code": "damaged", "reason": "It is damaged.", "next_step": "Save it again."}
    return Document.objects.create(
        folder=folder,
        name=name,
        sha256="0" * 64,
        size_bytes=1,
        state=state,
        **(trouble if state == DocumentState.FAILED else {}),
    )


@pytest.fixture
def channel(slack: FakeSlack, travel: Folder, index: ThresholdSetting) -> SlackChannel:
    """All is well here; each test breaks one thing."""
    slack.workspace.add_channel(CHANNEL, "travel", members={ASKER, BOT})
    needed, optional = needed_scopes()
    SlackWorkspace.objects.create(team_id=TEAM, name="Tests", scopes=",".join(needed + optional))
    facts(is_member=True, is_archived=False, is_shared=False, has_guests=False)
    return set_channel_folders(actor=None, team_id=TEAM, channel_id=CHANNEL, folder_ids=[travel.pk])


def facts(**values: object) -> None:
    SlackChannelFacts.objects.update_or_create(
        team_id=TEAM, channel_id=CHANNEL, defaults={**values, "checked_at": timezone.now()}
    )


def findings() -> dict[str, Effect]:
    report = report_of(TEAM, CHANNEL)
    assert all(finding.sentence.endswith(".") for finding in report.findings)
    return {finding.code: finding.effect for finding in report.findings}


def test_where_all_is_well_nothing_is_said(channel: SlackChannel) -> None:
    assert findings() == {}
    report = report_of(TEAM, CHANNEL)
    assert report.effect is None
    assert [(row.folder.name, row.n_searchable) for row in report.folders] == [("Travel", 1)]
    assert report.relevance_cut == 0.4


def break_membership(_: SlackChannel) -> None:
    facts(is_member=False, is_shared=False, has_guests=False)


def archive(_: SlackChannel) -> None:
    facts(is_member=True, is_archived=True, is_shared=False, has_guests=False)


def uninstall(_: SlackChannel) -> None:
    SlackWorkspace.objects.update(removed_at=timezone.now())


def lose(scope: str) -> Callable[[SlackChannel], None]:
    def break_it(_: SlackChannel) -> None:
        row = SlackWorkspace.objects.get()
        SlackWorkspace.objects.update(scopes=",".join(row.granted_scopes - {scope}))

    return break_it


def switch_off(_: SlackChannel) -> None:
    set_channel_folders(actor=None, team_id=TEAM, channel_id=CHANNEL, folder_ids=[], answers_from="nothing")


def close_all(_: SlackChannel) -> None:
    set_channel_folders(actor=None, team_id=TEAM, channel_id=CHANNEL, folder_ids=[], answers_from="open")
    Folder.objects.update(is_open=False)


def delete_folder(_: SlackChannel) -> None:
    Document.objects.all().delete()
    Folder.objects.all().delete()


def forget(channel: SlackChannel) -> None:
    SlackWorkspace.objects.update(unconfigured="nothing")
    channel.delete()


def empty(_: SlackChannel) -> None:
    Document.objects.all().delete()


def damage(_: SlackChannel) -> None:
    Document.objects.all().delete()
    document(Folder.objects.get(), DocumentState.FAILED)


def share(_: SlackChannel) -> None:
    facts(is_member=True, is_shared=True, has_guests=True)


def hide_people(_: SlackChannel) -> None:
    facts(is_member=True, is_shared=False, has_guests=None, fault="missing_scope: users:read")


def drop_index(_: SlackChannel) -> None:
    IndexVersion.objects.update(state=VersionState.RETIRED)


def cut_all(channel: SlackChannel) -> None:
    set_channel_cut(actor=None, channel=channel, relevance_cut=1.0, reason="too many bluffs")


def run_twice(_: SlackChannel) -> None:
    report_connection(uuid.uuid4(), app_id="", n_connections=2)


def hear_all_in_vain(_: SlackChannel) -> None:
    SlackChannel.objects.update(hears="all")
    SlackWorkspace.objects.update(scopes="app_mentions:read,chat:write,channels:read,groups:read,users:read")


def hear_all_without_the_event(_: SlackChannel) -> None:
    """The default app: it may read a channel, and is not sent what is written there."""
    SlackChannel.objects.update(hears="all")


def hide_a_group_message(_: SlackChannel) -> None:
    unknown = {"is_member": None, "is_shared": None, "has_guests": None}
    facts(name="mpdm-ada--ben--footnote-1", fault="missing_scope: mpim:read", **unknown)


def never_asked(_: SlackChannel) -> None:
    SlackChannelFacts.objects.all().delete()


@pytest.mark.parametrize(
    ("breaks", "code", "effect"),
    [
        (break_membership, "not_a_member", Effect.SILENT),
        (archive, "archived", Effect.SILENT),
        (uninstall, "uninstalled", Effect.SILENT),
        (lose("app_mentions:read"), "missing_scope:app_mentions:read", Effect.SILENT),
        (lose("chat:write"), "missing_scope:chat:write", Effect.SILENT),
        (lose("users:read"), "missing_scope:users:read", Effect.NOTE),
        (hear_all_in_vain, "messages_not_received", Effect.SILENT),
        (hear_all_without_the_event, "messages_not_told", Effect.SILENT),
        (hide_a_group_message, "audience_unknown", Effect.NOT_ALLOWED),
        (switch_off, "switched_off", Effect.REFUSES),
        (close_all, "no_open_folder", Effect.REFUSES),
        (delete_folder, "no_folder_left", Effect.REFUSES),
        (forget, "not_set_up", Effect.REFUSES),
        (empty, "nothing_to_search", Effect.REFUSES),
        (damage, "nothing_to_search", Effect.REFUSES),
        (share, "outsiders", Effect.NOT_ALLOWED),
        (hide_people, "audience_unknown", Effect.NOT_ALLOWED),
        (drop_index, "index_not_ready", Effect.REFUSES),
        (cut_all, "cut_above_everything", Effect.REFUSES),
        (run_twice, "duplicate_instance", Effect.NOTE),
        (never_asked, "never_checked", Effect.NOTE),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_each_cause_is_named_alone(
    channel: SlackChannel, breaks: Callable[[SlackChannel], None], code: str, effect: Effect
) -> None:
    breaks(channel)
    assert findings() == {code: effect}
    (finding,) = report_of(TEAM, CHANNEL).findings
    assert finding.next_step, "says what to do"


def test_unreadable_files_beside_readable_ones_are_a_note(channel: SlackChannel, travel: Folder) -> None:
    document(travel, DocumentState.FAILED, "scan.pdf")
    assert findings() == {"unreadable_files": Effect.NOTE}


def test_one_marked_folder_is_enough_where_outsiders_read(channel: SlackChannel, travel: Folder) -> None:
    shared = Folder.objects.create(name="Public", is_shared_externally=True)
    document(shared, name="public.md")
    set_channel_folders(actor=None, team_id=TEAM, channel_id=CHANNEL, folder_ids=[travel.pk, shared.pk])
    share(channel)
    assert findings() == {"outsiders": Effect.NOTE}
    assert "Travel" in report_of(TEAM, CHANNEL).findings[0].sentence


@pytest.mark.parametrize(
    ("fault", "step"),
    [
        ("missing_scope: mpim:read", "Add the permission mpim:read to the app"),
        ("missing_scope: users:read", "Add the permission users:read to the app"),
        ("missing_scope: ?", "Add the permission that manage.py slack doctor finds missing to the app"),
        ("too_many_members", "Say on the page Workspaces that there are no guests"),
        ("", "Press Check with Slack"),
    ],
)
def test_what_slack_does_not_tell_has_the_step_that_makes_it_tell(
    channel: SlackChannel, fault: str, step: str
) -> None:
    facts(is_member=True, is_shared=None, has_guests=None, fault=fault)
    SlackChannelFacts.objects.update(checked_at=timezone.now() - timedelta(minutes=1))
    (finding,) = report_of(TEAM, CHANNEL).findings
    assert finding.code == "audience_unknown"
    assert finding.next_step.startswith(step)
    assert ("permission" in finding.next_step) is fault.startswith("missing_scope")


def refuse_here(n: int, best: float) -> None:
    for number in range(n):
        question = Question.objects.create(
            text="?",
            surface=Surface.SLACK_MENTION,
            slack_team_id=TEAM,
            slack_channel_id=CHANNEL,
            slack_ts=f"{number}.{best}",
        )
        Answer.objects.create(
            question=question, outcome="refused", reason_code="below_threshold", best_relevance=best
        )


def test_a_cut_that_nothing_ever_reached_is_told_after_some_questions(channel: SlackChannel) -> None:
    refuse_here(N_TO_JUDGE_A_CUT - 1, best=0.31)
    assert findings() == {}
    refuse_here(1, best=0.2)
    assert findings() == {"cut_above_everything": Effect.REFUSES}
    assert "0.31" in report_of(TEAM, CHANNEL).findings[0].sentence
    refuse_here(1, best=0.41)
    assert findings() == {}, "one came over it"


def test_an_answer_that_was_not_posted_is_told(
    channel: SlackChannel, slack: FakeSlack, finished: Callable
) -> None:
    slack.script("chat.postMessage", Failure(error="is_archived"))
    deliver_answer(str(finished("Something.").pk))
    assert findings() == {"not_delivered": Effect.NOTE}
    assert "is_archived" in report_of(TEAM, CHANNEL).findings[0].sentence


def test_the_channels_own_cut_counts_and_its_history_says_who_and_why(
    channel: SlackChannel, index: ThresholdSetting, finished: Callable
) -> None:
    boss = User.objects.create(username="boss", role=Role.ADMIN)
    set_channel_cut(actor=boss, channel=channel, relevance_cut=0.7, reason="legal asks for it")
    question = finished("Something.")
    assert with_channel_cut(index, question).relevance_cut == 0.7
    index.refresh_from_db()
    assert index.relevance_cut == 0.4, "the version's own cut is untouched"
    report = report_of(TEAM, CHANNEL)
    assert (report.relevance_cut, report.cut.set_by, report.cut.reason) == (0.7, boss, "legal asks for it")
    direct = finished("Something.", surface=Surface.SLACK_DM, ts="3.5")
    assert with_channel_cut(index, direct).relevance_cut == 0.4
    set_channel_cut(actor=boss, channel=channel, relevance_cut=None, reason="not any more")
    assert with_channel_cut(index, question).relevance_cut == 0.4
    assert channel.cuts.count() == 2


@pytest.mark.parametrize(
    ("cut", "reason", "code"),
    [(1.5, "why", "cut_out_of_range"), (-0.1, "why", "cut_out_of_range"), (0.5, "  ", "reason_missing")],
)
def test_a_cut_that_is_none_is_not_kept(channel: SlackChannel, cut: float, reason: str, code: str) -> None:
    with pytest.raises(Rejected) as caught:
        set_channel_cut(actor=None, channel=channel, relevance_cut=cut, reason=reason)
    assert caught.value.code == code
    assert not channel.cuts.exists()


def test_a_cut_of_another_reranker_is_told(channel: SlackChannel, index: ThresholdSetting) -> None:
    set_channel_cut(actor=None, channel=channel, relevance_cut=0.5, reason="why")
    ThresholdSetting.objects.create(
        version=index.version, distance_cut=0.5, relevance_cut=0.4, reranker="other", reason="new"
    )
    assert findings() == {"cut_of_another_reranker": Effect.NOTE}


@pytest.mark.parametrize("folder_ids", [[], ()])
def test_blank_entries_silence_no_channel(channel: SlackChannel, travel: Folder, folder_ids: object) -> None:
    with pytest.raises(Rejected) as caught:
        set_channel_folders(actor=None, team_id=TEAM, channel_id=CHANNEL, folder_ids=folder_ids)
    assert caught.value.code == "no_folder"
    assert findings() == {}, "what was set up before still counts"


def test_a_count_of_slack_that_this_installation_explains_is_no_duplicate(channel: SlackChannel) -> None:
    report_connection(uuid.uuid4(), app_id="", n_connections=1)
    report_connection(uuid.uuid4(), app_id="", n_connections=2)
    assert findings() == {}
    SlackInstance.objects.filter(n_connections=1).update(seen_at=timezone.now() - timedelta(minutes=5))
    assert findings() == {"duplicate_instance": Effect.NOTE}


def test_the_doctor_asks_slack_about_each_channel(channel: SlackChannel, slack: FakeSlack) -> None:
    SlackChannelFacts.objects.all().delete()
    assert [(check.ok, check.message) for check in check_channels()] == [
        (True, "#travel: questions are answered.")
    ]
    slack.joined_channels = set()
    (check,) = check_channels()
    assert not check.ok
    assert "/invite" in check.next_step
    slack.script("conversations.info", Failure(is_dropped=True))
    (check,) = check_channels()
    assert "could not be asked" in check.message


def test_the_console_page_shows_cause_and_next_step(channel: SlackChannel, slack: FakeSlack) -> None:
    browser = Client()
    browser.force_login(User.objects.create(username="boss", role=Role.ADMIN))
    slack.joined_channels = set()
    page = f"/channels/{channel.pk}"
    assert "Nothing is wrong here" in browser.get(page).content.decode()
    response = browser.post(f"{page}/check")
    assert (response.status_code, response["Location"]) == (302, page)
    told = browser.get(page).content.decode()
    assert "not_a_member" in told
    assert "/invite @footnote" in told
    assert "Silent" in browser.get("/channels").content.decode()


@pytest.mark.parametrize("role", [Role.VIEWER, Role.SUPPORT_LEAD])
def test_only_admins_have_slack_asked(channel: SlackChannel, slack: FakeSlack, role: str) -> None:
    browser = Client()
    assert browser.post(f"/channels/{channel.pk}/check")["Location"].startswith("/sign-in")
    browser.force_login(User.objects.create(username="other", role=role))
    assert browser.post(f"/channels/{channel.pk}/check").status_code == 403
    browser.force_login(User.objects.create(username="boss", role=Role.ADMIN))
    assert browser.get(f"/channels/{channel.pk}/check").status_code == 405
    assert browser.post("/channels/999999/check").status_code == 404
    assert slack.calls == []
