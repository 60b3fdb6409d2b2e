"""`/footnote status`: what this channel is answered from and what is wrong, to the person who asked alone."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass

from bot import posting
from bot.audience import learn_channel, learn_person
from bot.client import NotInstalledError, client_of
from bot.faults import CALL_FAILED, fault_of
from bot.messages import Message
from bot.splitting import split_mrkdwn
from bot.text import escape
from console.channels.audience import Outsiders, outsider_is
from console.channels.linting import Effect, FolderCount
from console.channels.reports import ChannelReport, report_of

log = logging.getLogger(__name__)

SECTION_CHARS = 3_000
MOST_FOLDERS = 20
_HEADLINE = {
    Effect.SILENT: "nothing answers here",
    Effect.REFUSES: "every question is refused here",
    None: "questions are answered here",
}


@dataclass(frozen=True, slots=True)
class StatusRequest:
    """Who wants to know about which conversation, and where the reply goes."""

    team_id: str
    channel_id: str
    user_id: str
    response_url: str

    def to_json(self) -> str:
        """As a task is given it."""
        return json.dumps(asdict(self))


def tell_status(argument: str) -> None:
    """Ask Slack about the channel, look at everything here, and reply to the one person."""
    request = StatusRequest(**json.loads(argument))
    if not posting.is_response_url(request.response_url):
        return
    try:
        client = client_of(request.team_id)
        learn_person(client, request.team_id, request.user_id)
        if not request.channel_id.startswith("D"):
            learn_channel(client, request.team_id, request.channel_id, at_once=True)
    except NotInstalledError:
        log.warning("somebody of workspace %s asks for the status; there is no token for it", request.team_id)
    except CALL_FAILED as error:
        log.warning("Slack could not be asked about %s: %s", request.channel_id, fault_of(error).code)
    report = report_of(request.team_id, request.channel_id, reader=request.user_id)
    is_insider = outsider_is(request.team_id, request.user_id) is Outsiders.NONE
    status = posting.answer_privately(request.response_url, status_message(report, is_insider=is_insider))
    if status != 200:
        log.warning("the status of %s could not be told: http %s", request.channel_id, status)


def status_message(report: ChannelReport, *, is_insider: bool) -> Message:
    """The report in words; whoever may be from outside is told of shared folders only, and not what hides others."""
    folders = [row for row in report.folders if is_insider or row.folder.is_shared_externally]
    where = "This conversation" if report.channel_id.startswith("D") else report.name
    headline = f"{where}: {_HEADLINE[report.effect]}."
    lines = [
        f"*{escape(where)}*: {_HEADLINE[report.effect]}.",
        "",
        "*Answered from*",
        *_folder_lines(folders),
    ]
    lines += ["", f"*Index* {escape(_index_line(report))}"]
    if report.findings and is_insider:
        lines += ["", "*What to know*"]
        lines += [f"• {escape(f'{f.sentence} {f.next_step}'.strip())}" for f in report.findings]
    text = "\n".join(lines)
    return Message(headline, [_section(piece) for piece in split_mrkdwn(text, SECTION_CHARS)])


def _folder_lines(folders: list[FolderCount]) -> list[str]:
    if not folders:
        return ["• nothing"]
    lines = [f"• {escape(row.folder.name)}: {_counted(row)}" for row in folders[:MOST_FOLDERS]]
    n_more = len(folders) - MOST_FOLDERS
    return [*lines, f"• and {n_more} more"] if n_more > 0 else lines


def _counted(row: FolderCount) -> str:
    parts = [f"{row.n_searchable} {'document' if row.n_searchable == 1 else 'documents'}"]
    if row.n_unreadable:
        parts.append(f"{row.n_unreadable} not readable")
    if row.n_working:
        parts.append(f"{row.n_working} being read")
    return ", ".join(parts)


def _index_line(report: ChannelReport) -> str:
    if report.version is None:
        return "is not ready"
    cut = report.relevance_cut
    whose = "this channel's" if report.cut else "the version's"
    return f"{report.version} · relevance cut {cut:.2f} ({whose})" if cut is not None else str(report.version)


def _section(text: str) -> dict[str, object]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}
