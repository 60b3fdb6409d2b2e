"""What the bot may look at: conversations, people, the workspace, and what an installation gives."""

from __future__ import annotations

from collections.abc import Callable

from bot.simulator.methods import ApiError, Method, channel_of, needs, reads
from bot.simulator.workspace import Channel, Json, Person, Workspace

PAGE = 100


def auth_test(workspace: Workspace, arguments: Json) -> Json:  # noqa: ARG001 - the shape of a method
    """`auth.test`."""
    return {
        "url": "https://footnote-tests.slack.com/",
        "team": workspace.team_name,
        "user": workspace.bot_name,
        "team_id": workspace.team_id,
        "user_id": workspace.bot_user_id,
        "bot_id": workspace.bot_id,
        "is_enterprise_install": False,
    }


def conversations_info(workspace: Workspace, arguments: Json) -> Json:
    """`conversations.info`."""
    return {"channel": _told(workspace, channel_of(workspace, arguments))}


def conversations_members(workspace: Workspace, arguments: Json) -> Json:
    """`conversations.members`."""
    members = sorted(channel_of(workspace, arguments).members)
    return {"members": members, "response_metadata": {"next_cursor": ""}}


def conversations_open(workspace: Workspace, arguments: Json) -> Json:
    """`conversations.open` of a direct message with one person."""
    users = str(arguments.get("users") or "").split(",")
    if not workspace.people.get(users[0]):
        raise ApiError("user_not_found")
    return {"channel": {"id": workspace.direct_channel(users[0]).id}}


def users_conversations(workspace: Workspace, arguments: Json) -> Json:
    """`users.conversations` and `conversations.list`: where the bot, or a person, is a member."""
    member = str(arguments.get("user") or workspace.bot_user_id)
    channels = [c for c in workspace.channels.values() if member in c.members and c.kind != "im"]
    return {"channels": [_told(workspace, c) for c in channels], "response_metadata": {"next_cursor": ""}}


def conversations_replies(workspace: Workspace, arguments: Json) -> Json:
    """`conversations.replies`: the root and its replies, oldest first."""
    root = str(arguments.get("ts"))
    return _page(workspace, arguments, lambda message: root in {message["ts"], message.get("thread_ts")})


def conversations_history(workspace: Workspace, arguments: Json) -> Json:
    """`conversations.history`: without the replies in threads."""
    return _page(workspace, arguments, lambda message: message.get("thread_ts") in {None, "", message["ts"]})


def _page(workspace: Workspace, arguments: Json, is_wanted: Callable[[Json], bool]) -> Json:
    channel = channel_of(workspace, arguments)
    if channel.members and workspace.bot_user_id not in channel.members:
        raise ApiError("not_in_channel")
    with_metadata = arguments.get("include_all_metadata") in {"1", "true", True}
    is_inclusive = arguments.get("inclusive") in {"1", "true", True}
    found = [
        message if with_metadata else {k: v for k, v in message.items() if k != "metadata"}
        for message in workspace.messages[channel.id]
        if is_wanted(message) and _is_between(message["ts"], arguments, is_inclusive=is_inclusive)
    ]
    page, size = int(arguments.get("cursor") or 0), int(arguments.get("limit") or PAGE)
    following = page + size if page + size < len(found) else ""
    return {
        "messages": found[page : page + size],
        "has_more": bool(following),
        "response_metadata": {"next_cursor": str(following)},
    }


def _is_between(ts: str, arguments: Json, *, is_inclusive: bool) -> bool:
    """Slack leaves out the ends themselves unless told otherwise."""
    at, oldest, latest = float(ts), arguments.get("oldest"), arguments.get("latest")
    if is_inclusive:
        return (not oldest or at >= float(oldest)) and (not latest or at <= float(latest))
    return (not oldest or at > float(oldest)) and (not latest or at < float(latest))


def users_info(workspace: Workspace, arguments: Json) -> Json:
    """`users.info`; the locale only when it is asked for."""
    person = workspace.people.get(str(arguments.get("user")))
    if person is None:
        raise ApiError("user_not_found")
    user = _person(workspace, person)
    if arguments.get("include_locale") in {"1", "true", True}:
        user["locale"] = person.locale
    return {"user": user}


def users_lookup_by_email(workspace: Workspace, arguments: Json) -> Json:
    """`users.lookupByEmail`."""
    email = arguments.get("email")
    person = next((p for p in workspace.people.values() if p.email and p.email == email), None)
    if person is None:
        raise ApiError("users_not_found")
    return {"user": _person(workspace, person)}


def team_info(workspace: Workspace, arguments: Json) -> Json:  # noqa: ARG001 - the shape of a method
    """`team.info`."""
    return {"team": {"id": workspace.team_id, "name": workspace.team_name, "domain": "footnote-tests"}}


def installation(workspace: Workspace, arguments: Json, bot_tokens: set[str], scopes: set[str]) -> Json:
    """`oauth.v2.access`: what an installer is given for the code ``valid``.

    Raises:
        ApiError: it is another code.
    """
    if arguments.get("code") != "valid":
        raise ApiError("invalid_code")
    return {
        "access_token": min(bot_tokens),
        "token_type": "bot",
        "scope": ",".join(sorted(scopes)),
        "bot_user_id": workspace.bot_user_id,
        "app_id": workspace.app_id,
        "team": {"id": workspace.team_id, "name": workspace.team_name},
        "enterprise": None,
        "is_enterprise_install": False,
        "authed_user": {"id": next(p.id for p in workspace.people.values() if not p.is_bot)},
    }


def _told(workspace: Workspace, channel: Channel) -> Json:
    return {
        "id": channel.id,
        "name": channel.name,
        "is_channel": channel.kind == "channel",
        "is_private": channel.kind in {"group", "mpim"},
        "is_mpim": channel.kind == "mpim",
        "is_im": channel.kind == "im",
        "is_archived": channel.is_archived,
        "is_ext_shared": channel.is_shared,
        "is_pending_ext_shared": False,
        "is_member": not channel.members or workspace.bot_user_id in channel.members,
        "num_members": len(channel.members),
    }


def _person(workspace: Workspace, person: Person) -> Json:
    return {
        "id": person.id,
        "team_id": workspace.team_id,
        "name": person.name,
        "real_name": person.name.title(),
        "deleted": False,
        "is_bot": person.is_bot,
        "is_restricted": person.is_restricted,
        "is_ultra_restricted": False,
        "tz": "Europe/Berlin",
        "profile": {"real_name": person.name.title(), "display_name": person.name, "email": person.email},
    }


METHODS = {
    "api.test": Method(lambda _workspace, arguments: {"args": arguments}, needs()),
    "auth.test": Method(auth_test, needs()),
    "conversations.info": Method(conversations_info, reads("read")),
    "conversations.members": Method(conversations_members, reads("read")),
    "conversations.open": Method(conversations_open, needs("im:write")),
    "conversations.list": Method(users_conversations, needs("channels:read", "groups:read")),
    "users.conversations": Method(users_conversations, needs("channels:read", "groups:read")),
    "conversations.replies": Method(conversations_replies, reads("history")),
    "conversations.history": Method(conversations_history, reads("history")),
    "users.info": Method(users_info, needs("users:read")),
    "users.lookupByEmail": Method(users_lookup_by_email, needs("users:read.email")),
    "team.info": Method(team_info, needs("team:read")),
}
