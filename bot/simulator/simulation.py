"""Everything of a simulated workspace together: state, Web API, sockets, a person's client, the page."""

from __future__ import annotations

import secrets
from typing import Literal

from bot.manifests import manifest
from bot.simulator.client import SlackClient
from bot.simulator.deliveries import HttpTransport, SocketTransport, Transport
from bot.simulator.house_rules import WRITES, broken_rules
from bot.simulator.pages import Pages
from bot.simulator.rates import RateLimiter
from bot.simulator.seed import seed
from bot.simulator.server import PageRequest, SimulatorServer
from bot.simulator.sockets import SocketServer
from bot.simulator.web_api import HttpAnswer, WebApi
from bot.simulator.workspace import Json, Workspace

Way = Literal["socket", "http"]


class Simulation:
    """A running workspace for one app. `environment` is what the app needs to talk to it instead of to Slack.

    `agent`, `every_message`: the app is made from that variant of the manifest.
    """

    def __init__(
        self,
        *,
        way: Way,
        product_url: str,
        port: int = 0,
        has_rate_limits: bool = True,
        agent: bool = False,
        every_message: bool = False,
    ) -> None:
        self.workspace = seed(Workspace())
        app = manifest(agent=agent, every_message=every_message)
        token, app_token, self._secret = (
            f"{kind}-simulated-{secrets.token_hex(8)}" for kind in ("xoxb", "xapp", "s")
        )
        self.api = WebApi(
            workspace=self.workspace,
            bot_tokens={token},
            app_token=app_token,
            scopes=set(app["oauth_config"]["scopes"]["bot"]),
            limiter=RateLimiter() if has_rate_limits else None,
            rules=self._broken_rules,
        )
        self._product_url = product_url
        self.sockets = SocketServer()
        self.api.socket_url = self.sockets.url
        self._server = SimulatorServer(self.api, port=port, pages=self._page)
        self.url = self._server.url
        events = app["settings"]["event_subscriptions"]["bot_events"]
        self.client = SlackClient(self.workspace, self._transport(way), self.url, set(events))
        self.pages = Pages(self.workspace, self.api, self.client, console_url=product_url)
        self.client.on_ack = self.pages.note_delivery
        self.environment = {
            "SLACK_API_URL": f"{self.url}/api/",
            "SLACK_BOT_TOKEN": token,
            "SLACK_APP_TOKEN": app_token if way == "socket" else "",
            "SLACK_SIGNING_SECRET": self._secret,
            "FOOTNOTE_BASE_URL": product_url,
        }

    def close(self) -> None:
        """Stop serving."""
        self.sockets.close()
        self._server.close()

    def _transport(self, way: Way) -> Transport:
        if way == "socket":
            return SocketTransport(self.sockets)
        return HttpTransport(f"{self._product_url}/slack/events", self._secret)

    def _page(self, request: PageRequest) -> HttpAnswer | None:
        return self.pages(request)

    def _broken_rules(self, method: str, arguments: Json) -> list[str]:
        if method not in WRITES:
            return []
        people = [p.id for p in self.workspace.people.values() if not p.is_bot]
        found = [broken_rules(arguments, base_url=self._product_url, asker=person) for person in people]
        return min(found, key=len)
