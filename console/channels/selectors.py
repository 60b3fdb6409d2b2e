"""Which folders a question may be answered from."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from console.channels.models import SlackChannel
from console.people.models import User
from console.questions import wording
from console.questions.models import Answer, Question, Surface
from console.sources.models import Folder
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


def search_scope(question: Question) -> SearchScope:
    """The folders whose text every reader of the answer may see.

    Console, API and command line: the asker's visible folders, narrowed to those chosen.
    A direct message: the open folders and, when the Slack user is known, that person's folders.
    A channel: its connected folders, else the open ones; never more.
    Asked in a channel and answered to the asker alone: what the channel sees, and what the asker sees.
    Outsiders in the audience: of those, only folders marked as shared externally.
    """
    if question.surface in {Surface.CONSOLE, Surface.API, Surface.CLI}:
        if question.asker is None:
            return SearchScope([])
        folders = folders_visible_to(question.asker)
        if question.folder_ids is not None:
            folders = folders.filter(pk__in=question.folder_ids)
            if not folders.exists():
                return SearchScope([], denial=wording.NOT_ALLOWED_CHOSEN)
        return SearchScope(_ids(folders))
    if question.surface == Surface.SLACK_DM:
        folders = folders_of_person(question.slack_team_id, question.slack_user_id)
    elif question.is_private:
        folders = folders_of_reader(question.slack_team_id, question.slack_user_id, question.slack_channel_id)
    else:
        folders = folders_of_channel(question.slack_team_id, question.slack_channel_id)
    if not question.is_external:
        return SearchScope(_ids(folders))
    shared = _ids(folders.filter(is_shared_externally=True))
    return SearchScope(shared, denial="" if shared else wording.NOT_ALLOWED_EXTERNAL)


def _ids(folders: QuerySet[Folder]) -> list[int]:
    return sorted(folders.values_list("pk", flat=True))


def user_of_slack(team_id: str, user_id: str) -> User | None:
    """The console user linked to a Slack user."""
    return (
        User.objects.filter(slack_team_id=team_id, slack_user_id=user_id, is_active=True)
        .exclude(slack_user_id="")
        .first()
    )


def folders_of_channel(team_id: str, channel_id: str) -> QuerySet[Folder]:
    """The channel's connected folders; a channel without a row sees the open folders."""
    channel = SlackChannel.objects.filter(team_id=team_id, channel_id=channel_id).first()
    return channel.folders.all() if channel is not None else Folder.objects.filter(is_open=True)


def folders_of_person(team_id: str, user_id: str) -> QuerySet[Folder]:
    """The open folders and, when the Slack user is linked to a person, that person's."""
    person = user_of_slack(team_id, user_id)
    return folders_visible_to(person) if person else Folder.objects.filter(is_open=True)


def folders_of_reader(team_id: str, user_id: str, channel_id: str) -> QuerySet[Folder]:
    """What one person may be shown in a channel where nobody else sees it: the channel's folders and their own.

    In a direct message (its id starts with D) there is no channel, so it is their own alone.
    """
    own = folders_of_person(team_id, user_id)
    if channel_id.startswith("D"):
        return own
    here = folders_of_channel(team_id, channel_id)
    return Folder.objects.filter(Q(pk__in=own.values("pk")) | Q(pk__in=here.values("pk")))


def ids_shown_to(question: Question, *, user_id: str, channel_id: str, is_outsider: bool = False) -> set[int]:
    """Folders of which this person may be shown something of a question, there and now."""
    folders = folders_of_reader(question.slack_team_id, user_id, channel_id)
    if is_outsider or question.is_external:
        folders = folders.filter(is_shared_externally=True)
    return set(_ids(folders))


def cited_folder_ids(answer: Answer) -> set[int]:
    """Where the cited documents lay when they were quoted, and where they lie now."""
    folder_ids: set[int] = set()
    for citation in answer.citations.select_related("document"):
        if citation.folder_id is not None:
            folder_ids.add(citation.folder_id)
        if citation.document is not None:
            folder_ids.add(citation.document.folder_id)
        elif citation.folder_id is None:
            folder_ids.update(answer.folder_ids)
    return folder_ids
