"""Ask Slack who reads a channel, before anything is shown there."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from django.utils import timezone
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.client import impatient, token_for_listener, web_client
from bot.faults import CALL_FAILED, Kind, fault_of
from console.channels import audience
from console.channels.models import SlackChannelFacts
from console.channels.selectors import is_read_alone
from console.questions.models import Question

log = logging.getLogger(__name__)

RECHECK_AFTER = timedelta(minutes=2)
BEFORE_ANSWERING_S = 1
MEMBER_PAGES = 5
MEMBER_PAGE_SIZE = 1_000
PEOPLE_PAGES = 10
PEOPLE_PAGE_SIZE = 1_000
ONE_BY_ONE = 50
"""Up to so many people are looked up singly (100 calls a minute are allowed); more, as the whole list (20)."""
TOO_MANY = "too_many_members"
_NOT_SEEN = {"user_not_found", "user_not_visible"}


def learn_audience(client: WebClient, question: Question, *, alone: bool = False) -> None:
    """Bring up to date who could read the answer to this question.

    What Slack refuses to tell is recorded as unknown, and counts as outsiders when something is posted.

    Raises:
        SlackApiError, OSError, HTTPException: Slack could not be asked just now; ask again later.
    """
    team_id = question.slack_team_id
    if alone or is_read_alone(question):
        learn_person(client, team_id, question.slack_user_id)
    else:
        learn_channel(client, team_id, question.slack_channel_id)


def learn_before_answering(question_id: str) -> None:
    """Ahead of the search, whether the channel is shared, so that folders outsiders may not see are not even searched.

    One call of a second: a Slack that hangs holds up no answer. It may fail, and guests are not looked for here; what
    is posted is decided when it is posted.
    """
    question = Question.objects.filter(pk=question_id).first()
    if question is None or not question.is_from_slack or is_read_alone(question):
        return
    team_id, channel_id = question.slack_team_id, question.slack_channel_id
    token = token_for_listener(team_id)
    if not token or _are_fresh(audience.facts_of(team_id, channel_id)):
        return
    try:
        client = impatient(web_client(token), BEFORE_ANSWERING_S)
        told = _told(client.conversations_info(channel=channel_id)["channel"])
    except CALL_FAILED as error:
        log.warning("question %s: who reads along is not known yet (%s)", question_id, fault_of(error).code)
        return
    if told["is_shared"]:
        audience.record_facts(team_id, channel_id, **told, has_guests=True)


def learn_channel(
    client: WebClient, team_id: str, channel_id: str, *, at_once: bool = False
) -> SlackChannelFacts:
    """What Slack says of a channel; asked again when that is older than two minutes, or `at_once`.

    Raises:
        SlackApiError, OSError, HTTPException: Slack could not be asked just now.
    """
    facts = audience.facts_of(team_id, channel_id)
    if facts is not None and not at_once and _are_fresh(facts):
        return facts
    try:
        told = _told(client.conversations_info(channel=channel_id)["channel"])
    except SlackApiError as error:
        fault = _lasting_fault(error)
        is_outside = fault in {"channel_not_found", "not_in_channel"}
        return audience.record_facts(
            team_id, channel_id, is_member=False if is_outside else None, fault=fault
        )
    has_guests, fault = (True, "") if told["is_shared"] else _guests_in(client, team_id, channel_id)
    return audience.record_facts(team_id, channel_id, **told, has_guests=has_guests, fault=fault)


def learn_person(client: WebClient, team_id: str, user_id: str) -> None:
    """Whether one person is from outside; asked once a day.

    Raises:
        SlackApiError, OSError, HTTPException: Slack could not be asked just now.
    """
    if user_id in audience.known_people(team_id, [user_id]):
        return
    try:
        audience.record_people(team_id, {user_id: _is_outsider_by_id(client, team_id, user_id)})
    except SlackApiError as error:
        _lasting_fault(error)


def _guests_in(client: WebClient, team_id: str, channel_id: str) -> tuple[bool | None, str]:
    """Whether anybody in the channel is from outside, or None and why that is not known."""
    try:
        members = _members(client, channel_id)
        if members is None:
            return None, TOO_MANY
        known = audience.known_people(team_id, members)
        if any(known.values()):
            return True, ""
        unknown = members - known.keys()
        if len(unknown) <= ONE_BY_ONE:
            found, is_whole = {u: _is_outsider_by_id(client, team_id, u) for u in sorted(unknown)}, True
        else:
            found, is_whole = _whole_list(client, team_id)
    except SlackApiError as error:
        return None, _lasting_fault(error)
    audience.record_people(team_id, {user_id: found[user_id] for user_id in unknown & found.keys()})
    if any(found.get(user_id, is_whole) for user_id in unknown):
        # Who is in the channel and not in the workspace's whole list comes from outside of it.
        return True, ""
    return (False, "") if is_whole or unknown <= found.keys() else (None, TOO_MANY)


def _members(client: WebClient, channel_id: str) -> set[str] | None:
    """The ids of everybody in a channel; None when there are more than 5,000."""
    members: set[str] = set()
    cursor = ""
    for _ in range(MEMBER_PAGES):
        page = client.conversations_members(channel=channel_id, limit=MEMBER_PAGE_SIZE, cursor=cursor or None)
        members.update(page["members"])
        cursor = (page.get("response_metadata") or {}).get("next_cursor") or ""
        if not cursor:
            return members
    return None


def _whole_list(client: WebClient, team_id: str) -> tuple[dict[str, bool], bool]:
    """Everybody of the workspace, and whether that was all; more than 10,000 are not read."""
    people: dict[str, bool] = {}
    cursor = ""
    for _ in range(PEOPLE_PAGES):
        page = client.users_list(limit=PEOPLE_PAGE_SIZE, cursor=cursor or None)
        people |= {str(user["id"]): is_outsider_of(user, team_id) for user in page["members"]}
        cursor = (page.get("response_metadata") or {}).get("next_cursor") or ""
        if not cursor:
            return people, True
    return people, False


def _is_outsider_by_id(client: WebClient, team_id: str, user_id: str) -> bool:
    try:
        return is_outsider_of(client.users_info(user=user_id)["user"], team_id)
    except SlackApiError as error:
        if fault_of(error).code in _NOT_SEEN:
            return True
        raise


def is_outsider_of(user: dict[str, Any], team_id: str) -> bool:
    """True for guests and for people of other organisations; bots and deactivated accounts read nothing."""
    if user.get("is_bot") or user.get("deleted") or user.get("id") == "USLACKBOT":
        return False
    home = user.get("team_id")
    is_foreign = bool(home) and home != team_id
    return is_foreign or any(user.get(n) for n in ("is_restricted", "is_ultra_restricted", "is_stranger"))


def _lasting_fault(error: SlackApiError) -> str:
    """Slack's word for what it will not tell; what may pass is raised again."""
    fault = fault_of(error)
    if fault.kind in {Kind.RATE_LIMITED, Kind.UNSURE}:
        raise error
    return fault.code


def _are_fresh(facts: SlackChannelFacts | None) -> bool:
    return facts is not None and facts.checked_at > timezone.now() - RECHECK_AFTER


def _told(info: dict[str, Any]) -> dict[str, bool | str | None]:
    """What `conversations.info` says, as it is kept."""
    return {
        "name": str(info.get("name") or "")[:100],
        "is_member": _said(info, "is_member"),
        "is_archived": bool(info.get("is_archived")),
        "is_private": _said(info, "is_private"),
        "is_shared": bool(info.get("is_ext_shared") or info.get("is_pending_ext_shared")),
    }


def _said(info: dict[str, Any], name: str) -> bool | None:
    value = info.get(name)
    return value if isinstance(value, bool) else None
