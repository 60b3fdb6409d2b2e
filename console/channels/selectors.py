"""Which folders a question may be answered from, and how good a passage has to be."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from console.channels.audience import Outsiders, outsiders_of
from console.channels.models import (
    AnswersFrom,
    ChannelCut,
    Hears,
    SlackChannel,
    SlackWorkspace,
    UnconfiguredRule,
)
from console.index.models import ThresholdSetting
from console.people.models import User
from console.questions import wording
from console.questions.models import Answer, Question, Surface
from console.sources.models import Document, Folder
from console.sources.selectors import folders_visible_to


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Folder ids to search; when there are none, whether that is a question of rights."""

    folder_ids: list[int]
    denial: str = ""

    @property
    def is_denied(self) -> bool:
        """True when folders exist that this audience may not see."""
        return bool(self.denial)


def search_scope(
    question: Question, *, at_posting: bool = False, alone: bool = False, for_everyone: bool = False
) -> SearchScope:
    """The folders whose text every reader of the answer may see.

    Console, API and command line: the asker's visible folders, narrowed to those chosen.
    A direct message: that person's folders when the Slack user is known, else what the workspace's rule says.
    A channel: what its set-up says, else what the workspace's rule says; never more.
    `alone`, as is what was asked with a command or a form: only the asker sees the reply, so the asker's own folders
    count besides the channel's. `for_everyone`: all of the channel see it, however it was asked.
    Outsiders among the readers: of those, only folders marked as shared externally. Where Slack did not
    tell, that decides nothing before the search; `at_posting` the doubt goes against showing.
    """
    if question.surface in {Surface.CONSOLE, Surface.API, Surface.CLI}:
        return _scope_of_person(question)
    alone = (alone or is_read_alone(question)) and not for_everyone
    folders = _folders_in_slack(question, alone=alone)
    outsiders = outsiders_of(question, alone=alone)
    if outsiders is Outsiders.NONE or (outsiders is Outsiders.UNKNOWN and not at_posting):
        return SearchScope(_ids(folders))
    shared = _ids(folders.filter(is_shared_externally=True))
    if shared or not folders.exists():
        return SearchScope(shared)
    is_known = outsiders is Outsiders.PRESENT
    return SearchScope([], denial=wording.NOT_ALLOWED_EXTERNAL if is_known else wording.NOT_ALLOWED_UNKNOWN)


def is_read_alone(question: Question) -> bool:
    """True where nobody but the asker can be reading: in a direct message, or where it is shown to them alone."""
    return question.surface == Surface.SLACK_DM or question.is_private


def _scope_of_person(question: Question) -> SearchScope:
    if question.asker is None:
        return SearchScope([])
    folders = folders_visible_to(question.asker)
    if question.folder_ids is not None:
        folders = folders.filter(pk__in=question.folder_ids)
        if not folders.exists():
            return SearchScope([], denial=wording.NOT_ALLOWED_CHOSEN)
    return SearchScope(_ids(folders))


def _folders_in_slack(question: Question, *, alone: bool) -> QuerySet[Folder]:
    if alone:
        return folders_of_reader(question.slack_team_id, question.slack_user_id, question.slack_channel_id)
    return folders_of_channel(question.slack_team_id, question.slack_channel_id)


def folders_of_person(team_id: str, user_id: str) -> QuerySet[Folder]:
    """A linked person's folders; of anybody else what conversations without a set-up are answered from."""
    person = user_of_slack(team_id, user_id)
    return folders_visible_to(person) if person else folders_without_setup(team_id)


def folders_of_reader(team_id: str, user_id: str, channel_id: str) -> QuerySet[Folder]:
    """What one person may be shown in a channel where nobody else sees it: the channel's folders and their own.

    In a direct message (its id starts with D) there is no channel, so it is their own alone.
    """
    own = folders_of_person(team_id, user_id)
    if channel_id.startswith("D"):
        return own
    here = folders_of_channel(team_id, channel_id)
    return Folder.objects.filter(Q(pk__in=own.values("pk")) | Q(pk__in=here.values("pk")))


def _ids(folders: QuerySet[Folder]) -> list[int]:
    return sorted(folders.values_list("pk", flat=True))


def user_of_slack(team_id: str, user_id: str) -> User | None:
    """The console user linked to a Slack user."""
    return (
        User.objects.filter(slack_team_id=team_id, slack_user_id=user_id, is_active=True)
        .exclude(slack_user_id="")
        .first()
    )


def channel_of(team_id: str, channel_id: str) -> SlackChannel | None:
    """The channel's set-up, if an admin gave it one."""
    return SlackChannel.objects.filter(team_id=team_id, channel_id=channel_id).first()


def folders_of_channel(team_id: str, channel_id: str) -> QuerySet[Folder]:
    """What a channel is answered from: its set-up decides, without one the workspace's rule."""
    channel = channel_of(team_id, channel_id)
    if channel is None:
        return folders_without_setup(team_id)
    match channel.answers_from:
        case AnswersFrom.CHOSEN:
            return channel.folders.all()
        case AnswersFrom.OPEN:
            return Folder.objects.filter(is_open=True)
        case _:
            return Folder.objects.none()


def folders_without_setup(team_id: str) -> QuerySet[Folder]:
    """What conversations without a set-up are answered from: the open folders, or none; never all.

    The workspace of `SLACK_BOT_TOKEN` starts with the open ones, since whoever opened a folder was told so;
    a workspace that was installed by OAuth starts with none.
    """
    workspace = SlackWorkspace.objects.filter(team_id=team_id).first()
    is_open = workspace is None or workspace.unconfigured == UnconfiguredRule.OPEN
    return Folder.objects.filter(is_open=True) if is_open else Folder.objects.none()


def hears_all_of(team_id: str, channel_id: str) -> bool:
    """True where an admin decided that questions need no mention."""
    return SlackChannel.objects.filter(team_id=team_id, channel_id=channel_id, hears=Hears.ALL).exists()


def cut_in_force(channel: SlackChannel) -> ChannelCut | None:
    """The channel's own relevance cut; None where the index version's counts."""
    newest = channel.cuts.order_by("-id").first()
    return newest if newest is not None and newest.relevance_cut is not None else None


def with_channel_cut(setting: ThresholdSetting, question: Question) -> ThresholdSetting:
    """The threshold as this question's channel wants it; the row itself is not changed."""
    if not question.is_from_slack or question.surface == Surface.SLACK_DM:
        return setting
    channel = channel_of(question.slack_team_id, question.slack_channel_id)
    cut = cut_in_force(channel) if channel else None
    if cut is None or cut.relevance_cut is None:
        return setting
    changed = copy(setting)
    changed.relevance_cut = cut.relevance_cut
    return changed


def ids_shown_to(question: Question, *, user_id: str, channel_id: str, is_outsider: bool = False) -> set[int]:
    """Folders of which this person may be shown something of a question, there and now."""
    folders = folders_of_reader(question.slack_team_id, user_id, channel_id)
    if is_outsider or question.is_external:
        folders = folders.filter(is_shared_externally=True)
    return set(_ids(folders))


def cited_folder_ids(answer: Answer) -> set[int]:
    """Where the cited documents lay when they were quoted, and where they lie now."""
    folder_ids: set[int] = set()
    for citation in answer.citations.all():
        if citation.folder_id is not None:
            folder_ids.add(citation.folder_id)
        if citation.document is not None:
            folder_ids.add(citation.document.folder_id)
        elif citation.folder_id is None:
            folder_ids.update(answer.folder_ids)
    return folder_ids


def near_folder_ids(answer: Answer) -> set[int]:
    """Where the nearest documents of a refusal lie now."""
    ids = [near["document_id"] for near in answer.nearest if "document_id" in near]
    return set(Document.objects.filter(pk__in=ids).values_list("folder_id", flat=True))
