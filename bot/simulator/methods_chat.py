"""`chat.*`, statuses and reactions: what the bot writes."""

from __future__ import annotations

from bot.simulator.limits import LOADING_MESSAGES, SUGGESTED_PROMPTS, refusal_of_message
from bot.simulator.methods import ApiError, Method, channel_of, needs, refuse, writable_channel_of
from bot.simulator.workspace import Json, ResponseUrl, Workspace

_KEPT = ("text", "blocks", "attachments", "metadata", "markdown_text", "reply_broadcast")


def post_message(workspace: Workspace, arguments: Json) -> Json:
    """`chat.postMessage`."""
    channel = writable_channel_of(workspace, arguments)
    refuse(refusal_of_message(arguments))
    ts = workspace.next_ts()
    message = {
        **{name: value for name, value in arguments.items() if name != "token"},
        "type": "message",
        "ts": ts,
        "bot_id": workspace.bot_id,
        "user": workspace.bot_user_id,
    }
    workspace.keep(channel.id, message)
    return {"channel": channel.id, "ts": ts, "message": message}


def post_ephemeral(workspace: Workspace, arguments: Json) -> Json:
    """`chat.postEphemeral`: one person sees it, and only where that person is."""
    channel = writable_channel_of(workspace, arguments)
    refuse(refusal_of_message(arguments, "chat.postEphemeral"))
    if channel.members and arguments.get("user") not in channel.members:
        raise ApiError("user_not_in_channel")
    ts = workspace.next_ts()
    workspace.private_messages.append({**arguments, "message_ts": ts, "channel": channel.id})
    workspace.touch()
    return {"message_ts": ts}


def update(workspace: Workspace, arguments: Json) -> Json:
    """`chat.update` of a message of the bot's."""
    channel = channel_of(workspace, arguments)
    message = _own_message(workspace, channel.id, arguments, "cant_update_message")
    refuse(refusal_of_message(arguments, "chat.update"))
    for name in _KEPT:
        if name in arguments:
            message[name] = arguments[name]
    if "blocks" not in arguments and "text" in arguments:
        message.pop("blocks", None)
    message["edited"] = {"user": workspace.bot_user_id, "ts": workspace.next_ts()}
    workspace.touch()
    return {"channel": channel.id, "ts": message["ts"], "text": message.get("text", ""), "message": message}


def delete(workspace: Workspace, arguments: Json) -> Json:
    """`chat.delete` of a message of the bot's."""
    channel = channel_of(workspace, arguments)
    message = _own_message(workspace, channel.id, arguments, "cant_delete_message")
    workspace.messages[channel.id].remove(message)
    workspace.touch()
    return {"channel": channel.id, "ts": message["ts"]}


def get_permalink(workspace: Workspace, arguments: Json) -> Json:
    """`chat.getPermalink`."""
    channel = channel_of(workspace, arguments)
    ts = str(arguments.get("message_ts"))
    if workspace.find(channel.id, ts) is None:
        raise ApiError("message_not_found")
    link = f"https://footnote-tests.slack.com/archives/{channel.id}/p{ts.replace('.', '')}"
    return {"channel": channel.id, "permalink": link}


def set_status(workspace: Workspace, arguments: Json) -> Json:
    """`assistant.threads.setStatus`: shown under the thread until the bot writes there, or for two minutes."""
    channel = channel_of(workspace, {"channel": arguments.get("channel_id")})
    if not arguments.get("thread_ts"):
        raise ApiError("invalid_arguments")
    if len(arguments.get("loading_messages") or []) > LOADING_MESSAGES:
        raise ApiError("invalid_arguments")
    workspace.set_status(channel.id, str(arguments["thread_ts"]), str(arguments.get("status") or ""))
    return {}


def set_session_status(workspace: Workspace, arguments: Json) -> Json:
    """`agents.sessions.setStatus`: ``processing`` is shown, the others end it."""
    status = arguments.get("status")
    if status not in {"processing", "active", "suspended", "closed"}:
        raise ApiError("invalid_arguments")
    channel = channel_of(workspace, {"channel": arguments.get("channel_id")})
    text = "is working" if status == "processing" else ""
    workspace.set_status(channel.id, str(arguments.get("thread_ts") or ""), text)
    return {}


def set_prompts(workspace: Workspace, arguments: Json) -> Json:
    """`assistant.threads.setSuggestedPrompts`."""
    channel = channel_of(workspace, {"channel": arguments.get("channel_id")})
    prompts = arguments.get("prompts") or []
    if not 1 <= len(prompts) <= SUGGESTED_PROMPTS:
        raise ApiError("invalid_arguments")
    workspace.prompts[channel.id] = prompts
    workspace.touch()
    return {}


def set_title(workspace: Workspace, arguments: Json) -> Json:
    """`assistant.threads.setTitle` and `agents.sessions.rename`."""
    channel_of(workspace, {"channel": arguments.get("channel_id")})
    return {}


def add_reaction(workspace: Workspace, arguments: Json) -> Json:
    """`reactions.add`."""
    channel = channel_of(workspace, arguments)
    message = workspace.find(channel.id, str(arguments.get("timestamp")))
    if message is None:
        raise ApiError("message_not_found")
    names = message.setdefault("reactions", [])
    if arguments.get("name") in names:
        raise ApiError("already_reacted")
    names.append(arguments.get("name"))
    workspace.touch()
    return {}


def answer_by_response_url(workspace: Workspace, url: ResponseUrl | None, arguments: Json) -> None:
    """What a `response_url` does: another message, or the one that was clicked replaced or deleted."""
    message = {**arguments}
    if url is not None:
        message |= {"channel": url.channel_id, "user": url.user_id, "thread_ts": url.thread_ts}
        if (arguments.get("replace_original") or arguments.get("delete_original")) and url.message_ts:
            _replace(workspace, url, arguments)
            return
        if arguments.get("response_type") == "in_channel":
            ours = {"bot_id": workspace.bot_id, "user": workspace.bot_user_id}
            workspace.keep(url.channel_id, {**message, **ours, "ts": workspace.next_ts()})
            return
    message["message_ts"] = workspace.next_ts()
    workspace.private_messages.append(message)
    workspace.touch()


def _replace(workspace: Workspace, url: ResponseUrl, arguments: Json) -> None:
    if url.is_ephemeral:
        messages, name = workspace.private_messages, "message_ts"
    else:
        messages, name = workspace.messages[url.channel_id], "ts"
    for message in [m for m in messages if m.get(name) == url.message_ts]:
        if arguments.get("delete_original"):
            messages.remove(message)
        else:
            message.pop("blocks", None)
            message |= {key: arguments[key] for key in _KEPT if key in arguments}
    workspace.touch()


def _own_message(workspace: Workspace, channel_id: str, arguments: Json, not_ours: str) -> Json:
    message = workspace.find(channel_id, str(arguments.get("ts")))
    if message is None:
        raise ApiError("message_not_found")
    if message.get("bot_id") != workspace.bot_id:
        raise ApiError(not_ours)
    return message


_WRITES = needs("chat:write")
METHODS = {
    "chat.postMessage": Method(post_message, _WRITES),
    "chat.postEphemeral": Method(post_ephemeral, _WRITES),
    "chat.update": Method(update, _WRITES),
    "chat.delete": Method(delete, _WRITES),
    "chat.getPermalink": Method(get_permalink, needs()),
    "assistant.threads.setStatus": Method(set_status, needs("chat:write", "assistant:write")),
    "assistant.threads.setSuggestedPrompts": Method(set_prompts, needs("assistant:write")),
    "assistant.threads.setTitle": Method(set_title, needs("assistant:write")),
    "agents.sessions.setStatus": Method(set_session_status, needs("assistant:write")),
    "agents.sessions.rename": Method(set_title, needs("assistant:write")),
    "reactions.add": Method(add_reaction, needs("reactions:write")),
}
