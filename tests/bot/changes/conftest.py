"""A folder to ask, and where a click is answered."""

from __future__ import annotations

import pytest

from console.people.models import User
from console.sources.models import Folder
from tests.bot.fake_slack import FakeSlack
from tests.bot.payloads import TEAM


@pytest.fixture(autouse=True)
def travel(transactional_db: None) -> Folder:
    return Folder.objects.create(name="Travel", is_open=True)


@pytest.fixture
def owner(travel: Folder) -> User:
    """Who is written to when somebody wants a human to see a question."""
    owner = User.objects.create(username="boss", slack_user_id="U00000BOSS1", slack_team_id=TEAM)
    travel.owners.add(owner)
    return owner


@pytest.fixture
def url(slack: FakeSlack) -> str:
    return f"{slack.url}/commands/T1/1/click"
