"""`/footnote status`: what this channel is answered from and what is wrong, to the person who asked alone."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass

from bot import posting
from bot.audience import learn_channel, learn_person
from bot.blocks import SECTION_CHARS, section
from bot.client import NotInstalledError, client_of
from bot.faults import CALL_FAILED, fault_of
from bot.messages import Message
from bot.people import known_person, person_of
from bot.phrases import ENGLISH, Phrases
from bot.phrases.table import ChannelPhrases
from bot.splitting import split_mrkdwn
from bot.text import escape
from console.channels.audience import Outsiders, outsider_is
from console.channels.linting import Effect, FolderCount
from console.channels.reports import ChannelReport, report_of

log = logging.getLogger(__name__)

MOST_FOLDERS = 20
AGAIN_S = 5.0
"""Until the next try, where Slack does not say how long to wait."""


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
    """Ask Slack about the channel, look at everything here, and reply to the one person.

    Raises:
        TellAgainError: Slack says to wait, or it is not known whether the reply was taken.
    """
    request = StatusRequest(**json.loads(argument))
    if not posting.is_response_url(request.response_url):
        return
    phrases = known_person(request.team_id, request.user_id).phrases
    try:
        client = client_of(request.team_id)
        learn_person(client, request.team_id, request.user_id)
        phrases = person_of(client, request.team_id, request.user_id).phrases
        if not request.channel_id.startswith("D"):
            learn_channel(client, request.team_id, request.channel_id, at_once=True)
    except NotInstalledError:
        log.warning("somebody of workspace %s asks for the status; there is no token for it", request.team_id)
    except CALL_FAILED as error:
        log.warning("Slack could not be asked about %s: %s", request.channel_id, fault_of(error).code)
    report = report_of(request.team_id, request.channel_id, reader=request.user_id)
    is_insider = outsider_is(request.team_id, request.user_id) is Outsiders.NONE
    _reply(request, status_message(report, is_insider=is_insider, phrases=phrases))


def _reply(request: StatusRequest, message: Message) -> None:
    """Show the reply; a status that is seen twice does no harm, so one whose outcome is unknown is shown again.

    Raises:
        TellAgainError: as `tell_status`.
    """
    try:
        reply = posting.answer_privately(request.response_url, message)
    except CALL_FAILED as error:
        log.warning("the status of %s may not have been told: %s", request.channel_id, fault_of(error).code)
        raise posting.TellAgainError(AGAIN_S) from error
    if reply.status == 200:
        return
    log.warning("the status of %s could not be told: http_%s", request.channel_id, reply.status)
    if reply.status in {408, 429} or reply.status >= 500:
        raise posting.TellAgainError(reply.wait_s or AGAIN_S)


def status_message(report: ChannelReport, *, is_insider: bool, phrases: Phrases = ENGLISH) -> Message:
    """The report in words; whoever may be from outside is told of shared folders only, and not what hides others.

    Findings are told as the console tells them.
    """
    words = phrases.channel
    folders = [row for row in report.folders if is_insider or row.folder.is_shared_externally]
    where = words.here if report.channel_id.startswith("D") else report.name
    headline = _headline(report.effect, words)
    lines = [
        f"*{escape(where)}*: {headline}.",
        "",
        f"*{words.answered_from}*",
        *_folder_lines(folders, phrases),
        "",
        f"*{words.index}* {escape(_index_line(report, phrases))}",
    ]
    if report.findings and is_insider:
        lines += ["", f"*{words.to_know}*"]
        lines += [f"• {escape(f'{f.sentence} {f.next_step}'.strip())}" for f in report.findings]
    pieces = split_mrkdwn("\n".join(lines), SECTION_CHARS)
    return Message(f"{escape(where)}: {headline}.", [section(piece) for piece in pieces])


def _headline(effect: Effect | None, words: ChannelPhrases) -> str:
    match effect:
        case Effect.SILENT:
            return words.silent
        case Effect.REFUSES:
            return words.refuses
        case Effect.NOT_ALLOWED:
            return words.not_allowed
        case _:
            return words.answers


def _folder_lines(folders: list[FolderCount], phrases: Phrases) -> list[str]:
    if not folders:
        return [f"• {phrases.channel.nothing}"]
    lines = [f"• {escape(row.folder.name)}: {_counted(row, phrases)}" for row in folders[:MOST_FOLDERS]]
    n_more = len(folders) - MOST_FOLDERS
    return [*lines, f"• {phrases.channel.more.of(n_more)}"] if n_more > 0 else lines


def _counted(row: FolderCount, phrases: Phrases) -> str:
    parts = [phrases.home.documents.of(row.n_searchable)]
    if row.n_unreadable:
        parts.append(phrases.home.unreadable.of(row.n_unreadable))
    if row.n_working:
        parts.append(phrases.home.working.of(row.n_working))
    return ", ".join(parts)


def _index_line(report: ChannelReport, phrases: Phrases) -> str:
    words = phrases.channel
    if report.version is None:
        return words.not_ready
    if report.relevance_cut is None:
        return str(report.version)
    form = words.cut_of_channel if report.cut else words.cut_of_version
    return f"{report.version} · {form.format(cut=phrases.number(report.relevance_cut))}"
