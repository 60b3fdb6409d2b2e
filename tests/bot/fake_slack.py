"""The simulated workspace with what tests want besides: every channel exists, and what was sent is at hand."""

from __future__ import annotations

from bot.simulator.failures import Failure
from bot.simulator.house_rules import WRITES, broken_rules
from bot.simulator.server import Pages, SimulatorServer
from bot.simulator.web_api import WebApi
from bot.simulator.workspace import Channel, Trigger, Workspace

__all__ = ["ALL_SCOPES", "APP_TOKEN", "BASE_URL", "TOKEN", "Failure", "FakeSlack"]

TOKEN = "xoxb-of-the-tests"
APP_TOKEN = "xapp-of-the-tests"
ALL_SCOPES = {
    "app_mentions:read",
    "chat:write",
    "commands",
    "im:history",
    "channels:history",
    "groups:history",
    "mpim:history",
    "channels:read",
    "groups:read",
    "mpim:read",
    "users:read",
}
BASE_URL = "http://127.0.0.1:8000"


class OpenWorkspace(Workspace):
    """Every channel exists, with everybody in it, unless `joined_channels` says where the bot is."""

    joined_channels: set[str] | None = None
    shared_channels: set[str] = set()

    def use_trigger(self, trigger_id: str) -> tuple[Trigger | None, str]:
        """The triggers of `tests.bot.payloads` open a form at any time; all others are the workspace's own."""
        if trigger_id.startswith("9.9."):
            return Trigger("U00000USR01", self.clock()), ""
        return super().use_trigger(trigger_id)

    def find_channel(self, channel_id: str) -> Channel | None:
        if self.joined_channels is not None and channel_id not in self.joined_channels:
            return None
        known = super().find_channel(channel_id)
        if known is None:
            known = Channel(channel_id, "somewhere", kind="im" if channel_id.startswith("D") else "channel")
        known.is_shared = channel_id in self.shared_channels
        return known


class FakeSlack(WebApi):
    """A Web API that is served, with the house rules watched."""

    def __init__(self, *, is_served: bool = True, pages: Pages | None = None) -> None:
        super().__init__(
            workspace=OpenWorkspace(),
            bot_tokens={TOKEN},
            app_token=APP_TOKEN,
            scopes=set(ALL_SCOPES),
            rules=self._broken_rules,
        )
        self.asker = "U00000USR01"
        self.workspace.add_person(self.asker, "ada")
        self._server = SimulatorServer(self, pages=pages) if is_served else None

    @property
    def url(self) -> str:
        return self._server.url if self._server else "http://127.0.0.1:9"

    def close(self) -> None:
        if self._server:
            self._server.close()

    def calls_of(self, method: str) -> list[dict]:
        return [call.arguments for call in self.calls if call.method == method]

    @property
    def messages(self) -> dict[str, list[dict]]:
        return self.workspace.messages

    @property
    def private_messages(self) -> list[dict]:
        return self.workspace.private_messages

    @property
    def ephemeral(self) -> list[dict]:
        """What `chat.postEphemeral` showed to one person."""
        return [message for message in self.private_messages if "user" in message]

    @property
    def replies(self) -> list[str]:
        """What was told by `response_url`."""
        return [message["text"] for message in self.private_messages if "user" not in message]

    @property
    def views(self) -> list[dict]:
        """Every form that was opened, as it was sent."""
        return [c.arguments["view"] for c in self.calls if c.method == "views.open" and not c.error]

    @property
    def homes(self) -> dict[str, dict]:
        return self.workspace.homes

    def knows(self, user_id: str, **facts: object) -> None:
        """Somebody in the workspace; `facts` as `bot.simulator.workspace.Person` has them."""
        self.workspace.add_person(user_id, user_id.lower(), **facts)

    @property
    def posts(self) -> list[dict]:
        """Every message in the workspace."""
        return [message for channel in self.messages.values() for message in channel]

    @property
    def joined_channels(self) -> set[str] | None:
        return self.workspace.joined_channels

    @joined_channels.setter
    def joined_channels(self, channels: set[str] | None) -> None:
        self.workspace.joined_channels = channels

    @property
    def shared_channels(self) -> set[str]:
        return self.workspace.shared_channels

    @shared_channels.setter
    def shared_channels(self, channels: set[str]) -> None:
        self.workspace.shared_channels = channels

    def _broken_rules(self, method: str, arguments: dict) -> list[str]:
        if method in {"views.open", "views.publish"}:
            # A form may be longer than a message, and has no previews.
            view = {**arguments["view"], "unfurl_links": False, "unfurl_media": False}
            return [p for p in broken_rules(view, base_url=BASE_URL) if "characters in a message" not in p]
        if method not in WRITES:
            return []
        return broken_rules(arguments, base_url=BASE_URL, asker=self.asker)
