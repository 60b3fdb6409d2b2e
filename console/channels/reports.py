"""What a channel sees and what is wrong there: for the console, `/footnote status` and the doctor."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from console.channels import linting
from console.channels.audience import facts_of
from console.channels.hearing import findings_of_hearing
from console.channels.linting import Effect, Finding, FolderCount
from console.channels.models import ChannelCut, SlackChannel, SlackChannelFacts, SlackWorkspace
from console.channels.selectors import (
    channel_of,
    cut_in_force,
    folders_of_channel,
    folders_of_person,
)
from console.channels.threads import findings_of_threads
from console.index.models import IndexVersion, ThresholdSetting
from console.index.selectors import active_version, threshold_in_force
from console.sources.models import SEARCHABLE_STATES, UNREADABLE_STATES, WORKING_STATES, Document, Folder


@dataclass(frozen=True, slots=True)
class ChannelReport:
    """What a channel sees and what is wrong there, as pages, `/footnote status` and the doctor tell it."""

    channel_id: str
    channel: SlackChannel | None
    facts: SlackChannelFacts | None
    folders: list[FolderCount]
    version: IndexVersion | None
    setting: ThresholdSetting | None
    cut: ChannelCut | None
    findings: list[Finding]

    @property
    def name(self) -> str:
        """The channel's name as an admin or Slack gave it, else its id."""
        told = (self.channel.name if self.channel else "") or (self.facts.name if self.facts else "")
        return f"#{told}" if told else self.channel_id

    @property
    def effect(self) -> Effect | None:
        """The worst that happens to somebody who asks; None when questions are answered."""
        effects = {finding.effect for finding in self.findings}
        worst = (Effect.SILENT, Effect.REFUSES, Effect.NOT_ALLOWED)
        return next((effect for effect in worst if effect in effects), None)

    @property
    def relevance_cut(self) -> float | None:
        """The cut in force here."""
        if self.cut is not None:
            return self.cut.relevance_cut
        return self.setting.relevance_cut if self.setting else None

    @property
    def checked_at(self) -> datetime | None:
        """When Slack was last asked about the channel."""
        return self.facts.checked_at if self.facts else None


def report_of(team_id: str, channel_id: str, *, reader: str = "") -> ChannelReport:
    """Everything there is to say about one channel; in a direct message, about what its `reader` is answered from."""
    is_direct = channel_id.startswith("D")
    channel = channel_of(team_id, channel_id)
    facts = facts_of(team_id, channel_id)
    version = active_version()
    setting = threshold_in_force(version) if version else None
    cut = cut_in_force(channel) if channel else None
    folders = _counted(
        folders_of_person(team_id, reader) if is_direct else folders_of_channel(team_id, channel_id)
    )
    workspace = SlackWorkspace.objects.filter(team_id=team_id).first()
    findings = [
        *linting.of_workspace(workspace),
        *([] if is_direct else linting.of_place(facts)),
        *findings_of_hearing(channel, facts, workspace),
        *linting.of_folders(channel, folders),
        *(
            linting.of_reader(team_id, reader, [row.folder for row in folders])
            if is_direct
            else linting.of_audience(team_id, channel_id, workspace, [row.folder for row in folders])
        ),
        *linting.of_gate(version, setting, cut),
        *linting.of_what_happened(team_id, channel_id, setting, cut),
        *findings_of_threads(team_id, channel_id),
    ]
    order = list(Effect)
    return ChannelReport(
        channel_id=channel_id,
        channel=channel,
        facts=facts,
        folders=folders,
        version=version,
        setting=setting,
        cut=cut,
        findings=sorted(findings, key=lambda finding: order.index(finding.effect)),
    )


def _counted(folders: QuerySet[Folder]) -> list[FolderCount]:
    counts = {folder.pk: [0, 0, 0] for folder in folders}
    alive = Document.objects.filter(deleted_at=None, folder_id__in=counts)
    for folder_id, state in alive.values_list("folder_id", "state"):
        for position, states in enumerate((SEARCHABLE_STATES, UNREADABLE_STATES, WORKING_STATES)):
            counts[folder_id][position] += state in states
    return [FolderCount(folder, *counts[folder.pk]) for folder in folders]
