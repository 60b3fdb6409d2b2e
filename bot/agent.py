"""Slack's agent surface (`agent_view`): suggested prompts, the session's status, Stop.

It is an option, not the default: Slack keeps workspace guests out of apps that use it. Everything works
the same without it; whether it is on is told by the scope `assistant:write`. What somebody is looking at is
a hint from their client: it chooses among what they may see anyway and never adds to it.
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass

from slack_sdk import WebClient

from bot.client import NotInstalledError, client_of
from bot.faults import CALL_FAILED, fault_of
from bot.incoming import Json, usable_id
from bot.manifests import AGENT_SCOPE
from bot.people import person_of
from console.channels.audience import Outsiders, outsider_is
from console.channels.models import SlackWorkspace
from console.channels.selectors import folders_of_channel, folders_of_person
from console.channels.suggestions import suggested_questions

log = logging.getLogger(__name__)

MAX_PROMPTS = 4
TITLE_CHARS = 75
CHANNEL_ENTITY = "slack#/types/channel_id"


@dataclass(frozen=True, slots=True)
class Opened:
    """Somebody looks at the conversation with the app. `about`: the channel they came from, if any."""

    team_id: str
    user_id: str
    channel_id: str
    thread_ts: str = ""
    about: str = ""

    def to_json(self) -> str:
        """As a task is given it."""
        return json.dumps(asdict(self))


def opened_by_event(team_id: str, event: Json) -> Opened | None:
    """Of `app_home_opened` and `app_context_changed`; None when it does not say who or where."""
    user_id, channel_id = usable_id(event.get("user")), usable_id(event.get("channel"))
    if not team_id or not user_id or not channel_id:
        return None
    return Opened(team_id, user_id, channel_id, about=_channel_in(event.get("context"), team_id))


def opened_by_assistant_event(team_id: str, event: Json) -> Opened | None:
    """Of `assistant_thread_started` and `assistant_thread_context_changed`."""
    thread = event.get("assistant_thread")
    if not isinstance(thread, dict) or not team_id:
        return None
    user_id, channel_id = usable_id(thread.get("user_id")), usable_id(thread.get("channel_id"))
    if not user_id or not channel_id:
        return None
    context = thread.get("context")
    is_here = isinstance(context, dict) and context.get("team_id") in {None, team_id}
    about = usable_id(context.get("channel_id")) if is_here and isinstance(context, dict) else ""
    return Opened(team_id, user_id, channel_id, usable_id(thread.get("thread_ts")), about)


def _channel_in(context: object, team_id: str) -> str:
    entities = context.get("entities") if isinstance(context, dict) else None
    for entity in entities if isinstance(entities, list) else []:
        if not isinstance(entity, dict) or entity.get("type") != CHANNEL_ENTITY:
            continue
        if entity.get("team_id") in {None, team_id}:
            return usable_id(entity.get("value"))
    return ""


def is_agent(team_id: str) -> bool:
    """True where the app was installed with the agent surface."""
    workspace = SlackWorkspace.objects.filter(team_id=team_id).first()
    return workspace is not None and AGENT_SCOPE in workspace.granted_scopes


def greet(argument: str) -> None:
    """Suggest up to four questions that were really answered from folders this person may see.

    Where there are none, nothing is suggested: made-up examples would be answered with refusals.
    """
    opened = Opened(**json.loads(argument))
    if not is_agent(opened.team_id):
        return
    try:
        client = client_of(opened.team_id)
        person = person_of(client, opened.team_id, opened.user_id)  # also: whether they are from outside
        prompts = [
            {"title": _title(question), "message": question}
            for question in suggested_to(opened.team_id, opened.user_id, about=opened.about)
        ]
        if not prompts:
            return
        client.assistant_threads_setSuggestedPrompts(
            channel_id=opened.channel_id,
            thread_ts=opened.thread_ts or None,  # the agent view has one set for the whole conversation
            title=person.phrases.home.suggested,
            prompts=prompts,
        )
    except NotInstalledError:
        return
    except CALL_FAILED as error:
        log.warning("prompts could not be suggested in %s: %s", opened.channel_id, fault_of(error).code)


def suggested_to(team_id: str, user_id: str, *, about: str = "") -> list[str]:
    """Questions from this person's folders; first those of the channel they look at, as far as they may see them.

    Of outsiders, and of people Slack said nothing of, only from folders shared with outsiders.
    """
    folders = folders_of_person(team_id, user_id)
    if outsider_is(team_id, user_id) is not Outsiders.NONE:
        folders = folders.filter(is_shared_externally=True)
    own = set(folders.values_list("pk", flat=True))
    here = own & set(folders_of_channel(team_id, about).values_list("pk", flat=True)) if about else set()
    found = suggested_questions(team_id, user_id, folder_ids=here, n=MAX_PROMPTS) if here else []
    if len(found) < MAX_PROMPTS:
        more = suggested_questions(team_id, user_id, folder_ids=own, n=2 * MAX_PROMPTS)
        found += [question for question in more if question not in found]
    return [" ".join(question.text.split()) for question in found[:MAX_PROMPTS]]


def is_session(team_id: str, channel_id: str) -> bool:
    """True for a conversation of one person with the app where the agent surface is on."""
    return channel_id.startswith("D") and is_agent(team_id)


def set_session(client: WebClient, channel_id: str, thread_ts: str, *, is_working: bool) -> None:
    """Show that a question is worked on, with Slack's Stop button, or that the next one can be asked.

    Raises:
        SlackApiError, OSError, HTTPException: Slack did not take it.
    """
    client.agents_sessions_setStatus(
        channel_id=channel_id, thread_ts=thread_ts, status="processing" if is_working else "active"
    )


def end_session(argument: str) -> None:
    """Slack leaves the status as it is when somebody presses Stop; show that nothing is worked on any more."""
    stopped = Opened(**json.loads(argument))
    if not is_session(stopped.team_id, stopped.channel_id):
        return
    try:
        set_session(client_of(stopped.team_id), stopped.channel_id, stopped.thread_ts, is_working=False)
    except NotInstalledError:
        return
    except CALL_FAILED as error:
        log.info("a stopped session's status could not be set: %s", fault_of(error).code)


def _title(question: str) -> str:
    return question if len(question) <= TITLE_CHARS else f"{question[: TITLE_CHARS - 1]}…"
