"""Who is called what: names that can be read, told apart and signed in with."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client

from console.access import Rejected
from console.index.services import set_threshold
from console.people.models import Role, User
from console.people.services import change_person, create_token, create_user
from console.sources.services import create_folder
from tests.console.conftest import World

As = Callable[..., Client]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("vi c", "username_unusable"),
        ("vic\x07", "username_unusable"),
        ("\u200b", "username_unusable"),
        ("v\u202eic", "username_unusable"),
        ("  ", "username_blank"),
        ("VIC", "username_taken"),
        ("ｖｉｃ", "username_taken"),
        ("v" * 151, "username_too_long"),
    ],
)
def test_a_user_name_can_be_read_and_told_apart(name: str, code: str, world: World, as_role: As) -> None:
    with pytest.raises(Rejected) as rejected:
        create_user(actor=None, username=name, password="correct horse")
    assert rejected.value.code == code
    data = {"username": name, "role": "viewer", "password": "tide gauge 42", "email": ""}
    assert as_role("admin").post("/people/new", data).status_code == 422
    assert User.objects.count() == 3


def test_names_of_other_scripts_are_names(db: None) -> None:
    assert create_user(actor=None, username="Zoë.Łukasz+1@例え", password="x").username


def test_who_is_made_by_the_command_is_an_admin_in_every_list(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "tide gauge 42")
    call_command("createsuperuser", "--noinput", "--username=root", "--email=root@example.org")
    person = User.objects.get(username="root")
    assert (person.role, person.is_admin) == (Role.ADMIN, True)


@pytest.mark.parametrize("name", ["\u200b", "Pay\x07roll", "\x1b[31m", "\ud800"])
def test_a_folder_name_can_be_shown(name: str, db: None) -> None:
    with pytest.raises(Rejected) as rejected:
        create_folder(actor=None, name=name)
    assert rejected.value.code == "folder_name_unusable"


def test_a_reason_and_a_token_are_told_in_words(world: World, as_role: As) -> None:
    for wrong in ("\u200b", "why\x07"):
        with pytest.raises(Rejected):
            set_threshold(
                actor=world.admin, version=world.version, distance_cut=0.5, max_chunks=4, reason=wrong
            )
        with pytest.raises(Rejected):
            create_token(actor=world.admin, user=world.admin, name=wrong)
        data = {"relevance_cut": "0.5", "distance_cut": "0.5", "max_chunks": "4", "reason": wrong}
        assert as_role("admin").post("/thresholds", data).status_code == 422
        assert as_role("admin").post("/account/tokens", {"name": wrong}).status_code == 422
    assert world.version.thresholds.count() == 1


def test_a_slack_user_is_one_person_and_a_refused_change_changes_nothing(world: World) -> None:
    slack = {"slack_team_id": "T0TEST", "slack_user_id": "U0VIC"}
    change_person(actor=world.admin, user=world.viewer, role="viewer", is_active=True, **slack)
    with pytest.raises(Rejected) as rejected:
        change_person(actor=world.admin, user=world.lead, role="viewer", is_active=False, **slack)
    assert rejected.value.code == "slack_user_taken"
    assert (world.lead.role, world.lead.is_active, world.lead.slack_user_id) == ("support_lead", True, "")
