"""A Slack in which the app is installed twice, and which notes whose token each call came with."""

from __future__ import annotations

from tests.bot.fake_slack import TOKEN, FakeSlack
from tests.bot.payloads import TEAM

TOKEN_A, TOKEN_B = "xoxb-of-team-a", "xoxb-of-team-b"
TEAM_A, TEAM_B = "T00000TEAMA", "T00000TEAMB"
TEAMS = {TOKEN: TEAM, TOKEN_A: TEAM_A, TOKEN_B: TEAM_B}


class TwoTeams(FakeSlack):
    """Messages of both workspaces land in one heap; `used` tells by which workspace's token each call was made."""

    def __init__(self) -> None:
        self.used: list[tuple[str, str]] = []
        super().__init__()
        self.bot_tokens = set(TEAMS)

    def answer(self, url: str, raw: bytes, content_type: str, token: str) -> object:
        with self.workspace.lock:
            self.workspace.team_id = TEAMS.get(token, "")
            answered = super().answer(url, raw, content_type, token)
            self.used.append((self.calls[-1].method, self.workspace.team_id))
            return answered

    def teams_of(self, method: str) -> set[str]:
        return {team for name, team in self.used if name == method}
