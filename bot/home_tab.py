"""Publish a person's App Home as their rights are now."""

from __future__ import annotations

import logging

from django.conf import settings
from django.db.models import Count, Q, QuerySet

from bot.clicks import sealed
from bot.client import NotInstalledError, client_of
from bot.faults import CALL_FAILED, fault_of
from bot.home import AskedLine, FolderLine, Home, Suggestion, home_view
from bot.people import person_of
from console.channels.home_questions import recent_questions
from console.channels.selectors import folders_of_person, user_of_slack
from console.channels.suggestions import suggested_questions
from console.sources.models import SEARCHABLE_STATES, UNREADABLE_STATES, WORKING_STATES, Folder

log = logging.getLogger(__name__)

N_SUGGESTED = 4


def publish_home(key: str) -> None:
    """Publish the tab of ``TEAM:USER``, or ``TEAM:USER:DM`` with the direct message it is beside.

    A fault of Slack is logged and no more: the tab is made anew whenever it is opened.
    """
    team_id, user_id, dm_id = [*key.split(":"), ""][:3]
    try:
        client = client_of(team_id)
    except (NotInstalledError, *CALL_FAILED) as error:
        log.warning("an App Home was not published: %s", type(error).__name__)
        return
    person = person_of(client, team_id, user_id)
    home = home_of(team_id, user_id, is_outsider=person.is_outsider)
    view = home_view(home, sealed(user=user_id, dm=dm_id), person.phrases)
    try:
        client.views_publish(user_id=user_id, view=view)
    except CALL_FAILED as error:
        log.warning("an App Home was not published: %s", fault_of(error).code)


def home_of(team_id: str, user_id: str, *, is_outsider: bool) -> Home:
    """What the person may know of: folders with counts, own questions, and what others asked of those folders."""
    folders = folders_of_person(team_id, user_id)
    if is_outsider:
        folders = folders.filter(is_shared_externally=True)
    person = user_of_slack(team_id, user_id)
    folder_lines = [_folder_line(folder) for folder in _counted(folders)]
    suggestions = suggested_questions(
        team_id, user_id, folder_ids=[folder.pk for folder in folders], n=N_SUGGESTED
    )
    return Home(
        folders=folder_lines,
        is_linked=person is not None,
        # Only who can sign in to the console can open what stands there.
        asked=[
            AskedLine(row.text, row.state, f"{settings.BASE_URL}/questions/{row.pk}" if person else "")
            for row in recent_questions(team_id, user_id)
        ],
        suggestions=[Suggestion(str(row.pk), row.text) for row in suggestions],
    )


def _counted(folders: QuerySet[Folder]) -> QuerySet[Folder]:
    alive = Q(documents__deleted_at=None)
    return (
        Folder.objects.filter(pk__in=folders.values("pk"))
        .annotate(
            n_searchable=Count("documents", filter=alive & Q(documents__state__in=SEARCHABLE_STATES)),
            n_unreadable=Count("documents", filter=alive & Q(documents__state__in=UNREADABLE_STATES)),
            n_working=Count("documents", filter=alive & Q(documents__state__in=WORKING_STATES)),
        )
        .order_by("name")
    )


def _folder_line(folder: Folder) -> FolderLine:
    counts = (getattr(folder, name) for name in ("n_searchable", "n_unreadable", "n_working"))
    return FolderLine(folder.name, *counts)
