"""What readers said of answers, and whom a folder's questions go to."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from console.audit.models import AuditEntry
from console.questions.models import Feedback, HelpRequest
from tests.console.conftest import World

As = Callable[..., Client]


@pytest.fixture
def verdicts(world: World) -> list[Feedback]:
    question = world.answered
    rows = [
        ("U1", "helpful", "", ""),
        ("U2", "not_helpful", "outdated", "It is 190 <b>by now</b>."),
        ("U3", "not_helpful", "wrong", "Cites the wrong page."),
        ("U4", "not_helpful", "", ""),
    ]
    return [
        Feedback.objects.create(
            question=question,
            slack_user_id=user,
            verdict=verdict,
            reason=reason,
            comment=comment,
            given_at=timezone.now(),
        )
        for user, verdict, reason, comment in rows
    ]


def by(page: str) -> set[str]:
    return {user for user in ("U1", "U2", "U3", "U4") if f"<code>{user}</code>" in page}


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", {"U2", "U3", "U4"}),
        ("?verdict=any", {"U1", "U2", "U3", "U4"}),
        ("?verdict=helpful", {"U1"}),
        ("?verdict=made-up", {"U2", "U3", "U4"}),
        ("?reason=wrong", {"U3"}),
        ("?q=190", {"U2"}),
        ("?q=%00", {"U2", "U3", "U4"}),
        ("?reason=badly_written", set()),
    ],
)
def test_the_list_is_filtered(verdicts: list[Feedback], as_role: As, query: str, shown: set[str]) -> None:
    page = as_role("support_lead").get(f"/feedback{query}").content.decode()
    assert by(page) == shown
    assert "<b>by now</b>" not in page
    assert ("No verdict matches" in page) is (not shown)


def test_an_empty_list_says_what_would_fill_it(world: World, as_role: As) -> None:
    assert "Nobody found an answer unhelpful yet" in as_role("admin").get("/feedback").content.decode()


def test_the_refusals_name_who_was_asked(world: World, as_role: As) -> None:
    request = HelpRequest.objects.create(question=world.refused, slack_user_id="U1")
    request.owners.add(world.viewer)
    page = as_role("admin").get("/refusals").content.decode()
    assert f"wants a human: {world.viewer}" in page


def test_an_owner_is_named_kept_and_recorded(world: World, as_role: As) -> None:
    client = as_role("admin")
    folder = world.travel
    data = {"is_open": "on", "owners": [world.viewer.pk]}
    assert client.post(f"/folders/{folder.pk}/edit", data).status_code == 302
    assert list(folder.owners.all()) == [world.viewer]
    assert AuditEntry.objects.filter(action="folder.update").first().detail["owners"] == str(world.viewer)
    assert client.post(f"/folders/{folder.pk}/edit", {"is_open": "on"}).status_code == 302
    assert not folder.owners.exists()
