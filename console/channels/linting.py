"""Why the bot would be silent in a channel, or refuse there; each with what to do about it. Reads the database only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum

from django.utils import timezone

from console.channels.audience import FACTS_COUNT_FOR, Outsiders, facts_of, outsider_is, outsiders_in
from console.channels.instances import duplicate_sentence
from console.channels.models import (
    AnswersFrom,
    ChannelCut,
    DeliveryState,
    SlackChannel,
    SlackChannelFacts,
    SlackDelivery,
    SlackWorkspace,
)
from console.index.models import IndexVersion, ThresholdSetting
from console.questions.models import Answer
from console.sources.models import Folder

RECENT = timedelta(days=30)
N_TO_JUDGE_A_CUT = 5
"""So many questions have to have come here before the cut is blamed for refusing every one of them."""


MISSING_SCOPE = "missing_scope: "
"""How `bot.faults` begins its word for a permission that is not granted; Slack's name of it follows."""


class Effect(Enum):
    """What it does to somebody who asks."""

    SILENT = "silent"
    REFUSES = "refuses"
    NOT_ALLOWED = "not_allowed"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing about a channel. `code` is stable; `next_step` is empty where nothing has to be done."""

    effect: Effect
    code: str
    sentence: str
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class FolderCount:
    """A folder and how many of its documents can be searched, could not be read, or are being read."""

    folder: Folder
    n_searchable: int
    n_unreadable: int
    n_working: int


def of_workspace(workspace: SlackWorkspace | None) -> Iterator[Finding]:
    """The whole workspace: removed, without a permission, or answered by two."""
    if workspace is None:
        return
    if workspace.removed_at is not None:
        yield Finding(
            Effect.SILENT,
            "uninstalled",
            f"Footnote was removed from the workspace {workspace}.",
            "Install it again at /slack/install.",
        )
        return
    if duplicate := duplicate_sentence(workspace.app_id):
        yield Finding(
            Effect.NOTE, "duplicate_instance", duplicate, "Stop one of them, or give it an app of its own."
        )
    if not workspace.scopes:
        return
    for scope, effect, what in (
        ("app_mentions:read", Effect.SILENT, "mentions are not seen"),
        ("chat:write", Effect.SILENT, "nothing can be posted"),
        ("channels:read", Effect.NOTE, "who reads a public channel is not known"),
        ("groups:read", Effect.NOTE, "who reads a private channel is not known"),
        ("users:read", Effect.NOTE, "who is a guest is not known"),
    ):
        if scope not in workspace.granted_scopes:
            yield Finding(
                effect,
                f"missing_scope:{scope}",
                f"The app lacks the permission {scope}: {what}.",
                "Add it to the app in Slack and install the app again.",
            )


def of_place(facts: SlackChannelFacts | None) -> Iterator[Finding]:
    """The channel itself, as Slack last told."""
    if facts is None:
        yield Finding(
            Effect.NOTE,
            "never_checked",
            "Slack was not asked about this channel yet.",
            "Ask a question there, or press Check with Slack.",
        )
        return
    if facts.is_archived:
        yield Finding(
            Effect.SILENT, "archived", "The channel is archived.", "Unarchive it in Slack, or forget it here."
        )
    if facts.is_member is False:
        yield Finding(
            Effect.SILENT,
            "not_a_member",
            "The bot is not in the channel: it sees no mention there, and /ask is answered to the asker alone.",
            "In the channel: /invite @footnote",
        )


def of_folders(channel: SlackChannel | None, folders: list[FolderCount]) -> Iterator[Finding]:
    """What it is answered from."""
    if not folders:
        yield _without_folders(channel)
        return
    if not any(row.n_searchable for row in folders):
        names = ", ".join(row.folder.name for row in folders)
        n_working = sum(row.n_working for row in folders)
        n_unreadable = sum(row.n_unreadable for row in folders)
        if n_working:
            what, step = (
                f"still being read: {_files(n_working)}",
                "Wait for it; the page Folders shows how far it is.",
            )
        elif n_unreadable:
            what, step = f"not readable: {_files(n_unreadable)}", "The page Failed says why, file by file."
        else:
            what, step = "empty", "Upload documents."
        yield Finding(
            Effect.REFUSES, "nothing_to_search", f"What it is answered from ({names}) is {what}.", step
        )
        return
    for row in folders:
        if row.n_unreadable:
            yield Finding(
                Effect.NOTE,
                "unreadable_files",
                f"{_files(row.n_unreadable)} in {row.folder.name} could not be read.",
                "The page Failed says why, file by file.",
            )


def _files(n: int) -> str:
    return f"{n} {'file' if n == 1 else 'files'}"


def _without_folders(channel: SlackChannel | None) -> Finding:
    if channel is None:
        return Finding(
            Effect.REFUSES,
            "not_set_up",
            "The channel has no set-up, and channels without one are answered from nothing: no folder is open, or "
            "the workspace's rule says so.",
            "Connect the channel to folders.",
        )
    if channel.answers_from == AnswersFrom.NOTHING:
        return Finding(
            Effect.REFUSES,
            "switched_off",
            "An admin decided that no question is answered here.",
            "Choose folders for it if that is not wanted any more.",
        )
    if channel.answers_from == AnswersFrom.OPEN:
        return Finding(
            Effect.REFUSES, "no_open_folder", "It is answered from the open folders, and none is open.",
            "Open a folder, or choose folders.",
        )  # fmt: skip
    return Finding(
        Effect.REFUSES,
        "no_folder_left",
        "None of the folders chosen for it exists any more.",
        "Choose folders.",
    )


def of_audience(
    team_id: str, channel_id: str, workspace: SlackWorkspace | None, folders: list[Folder]
) -> Iterator[Finding]:
    """Who reads along, and which folders that keeps out."""
    facts = facts_of(team_id, channel_id)
    if facts is None or facts.is_member is False or not folders:
        return  # where the bot is not in, only the asker reads what it says
    is_old = facts.checked_at < timezone.now() - FACTS_COUNT_FOR
    outsiders = outsiders_in(team_id, channel_id, is_shared_unless_told=False)
    if outsiders is Outsiders.UNKNOWN and is_old and not facts.fault:
        return  # asked again before anything is posted
    hidden = [folder.name for folder in folders if not folder.is_shared_externally]
    if outsiders is Outsiders.NONE or not hidden:
        return
    who = (
        "People from outside the organisation read it"
        if outsiders is Outsiders.PRESENT
        else f"Slack does not tell who reads it ({facts.fault or 'not asked yet'})"
    )
    is_nothing_left = len(hidden) == len(folders)
    step = "Mark a folder as shared externally."
    if outsiders is Outsiders.UNKNOWN:
        step = _step_to_know(facts.fault, workspace)
    yield Finding(
        Effect.NOT_ALLOWED if is_nothing_left else Effect.NOTE,
        "outsiders" if outsiders is Outsiders.PRESENT else "audience_unknown",
        f"{who}; not answered from for that reason: {', '.join(hidden)}.",
        step if is_nothing_left or outsiders is Outsiders.UNKNOWN else "",
    )


def _step_to_know(fault: str, workspace: SlackWorkspace | None) -> str:
    """What makes Slack tell who reads a channel, by its word for why it does not."""
    steps = []
    if fault.startswith(MISSING_SCOPE):
        scope = fault.removeprefix(MISSING_SCOPE).replace("?", "that manage.py slack doctor finds missing")
        steps.append(f"Add the permission {scope} to the app in Slack and install it again")
    elif not fault:
        steps.append("Press Check with Slack")
    if workspace is not None:
        steps.append("say on the page Workspaces that there are no guests")
    steps.append("mark a folder as shared externally")
    text = ", or ".join(steps)
    return f"{text[0].upper()}{text[1:]}."


def of_reader(team_id: str, user_id: str, folders: list[Folder]) -> Iterator[Finding]:
    """In a direct message: that its reader is from outside, and is answered from no folder for that reason."""
    if not folders or any(folder.is_shared_externally for folder in folders):
        return
    outsider = outsider_is(team_id, user_id)
    if outsider is not Outsiders.NONE:
        yield Finding(
            Effect.NOT_ALLOWED,
            "outsiders" if outsider is Outsiders.PRESENT else "audience_unknown",
            "You may be from outside the organisation, and no folder is shared externally.",
            "Mark a folder as shared externally.",
        )


def of_gate(
    version: IndexVersion | None, setting: ThresholdSetting | None, cut: ChannelCut | None
) -> Iterator[Finding]:
    """The index and how good a passage has to be."""
    if version is None or setting is None:
        yield Finding(
            Effect.REFUSES,
            "index_not_ready",
            "The index is not ready.",
            "The first document makes one; the page Versions shows it.",
        )
        return
    if cut is None:
        return
    if cut.relevance_cut is not None and cut.relevance_cut >= 1:
        yield Finding(
            Effect.REFUSES, "cut_above_everything", "The channel's cut is 1: no passage is that relevant.",
            "Lower the channel's cut, or clear it.",
        )  # fmt: skip
    if cut.reranker != setting.reranker:
        yield Finding(
            Effect.NOTE,
            "cut_of_another_reranker",
            "The channel's cut was set for another reranker than the index version's: the two do not compare.",
            "Set the channel's cut anew, or clear it.",
        )


def of_what_happened(
    team_id: str, channel_id: str, setting: ThresholdSetting | None, cut: ChannelCut | None
) -> Iterator[Finding]:
    """What became of the last questions here."""
    since = timezone.now() - RECENT
    here = {"question__slack_team_id": team_id, "question__slack_channel_id": channel_id}
    bests = list(
        Answer.objects.filter(**here, created_at__gt=since, best_relevance__isnull=False)
        .order_by("-created_at")
        .values_list("best_relevance", flat=True)[:50]
    )
    in_force = cut.relevance_cut if cut else setting.relevance_cut if setting else None
    if (
        in_force is not None
        and len(bests) >= N_TO_JUDGE_A_CUT
        and max(b for b in bests if b is not None) < in_force
    ):
        yield Finding(
            Effect.REFUSES,
            "cut_above_everything",
            f"No passage of the last {len(bests)} questions here reached the cut of {in_force:.2f}; the best had "
            f"{max(b for b in bests if b is not None):.2f}.",
            "Look at the page Refusals: the documents may not hold the answers, or the cut is too high.",
        )
    lost = (
        SlackDelivery.objects.filter(
            **here, state=DeliveryState.UNDELIVERABLE, question__received_at__gt=since
        )
        .order_by("-question__received_at")
        .first()
    )
    if lost is not None:
        yield Finding(
            Effect.NOTE,
            "not_delivered",
            f"An answer could not be posted here ({lost.last_error}).",
            f"Mend the cause, then run: manage.py redeliver {lost.question_id}",
        )
