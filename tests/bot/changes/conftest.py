"""A folder to ask, and where a click is answered."""

from __future__ import annotations

import pytest

from console.sources.models import Folder
from tests.bot.fake_slack import FakeSlack


@pytest.fixture(autouse=True)
def travel(transactional_db: None) -> Folder:
    return Folder.objects.create(name="Travel", is_open=True)


@pytest.fixture
def url(slack: FakeSlack) -> str:
    return f"{slack.url}/commands/T1/1/click"
