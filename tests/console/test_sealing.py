"""A sealed secret opens for its owner alone, under keys that still count."""

from __future__ import annotations

import pytest

from console import sealing
from console.sealing import CannotUnseal

OLD, NEW, OTHER = (sealing.new_key() for _ in range(3))
SECRET = "xoxb-1-a-secret"


@pytest.fixture(autouse=True)
def _keys(settings: object) -> None:
    settings.SLACK_TOKEN_KEYS = [OLD]


def test_it_opens_for_its_owner_and_shows_nothing_of_itself() -> None:
    sealed = sealing.seal(SECRET, owner="T1")
    assert SECRET not in sealed
    assert sealing.unseal(sealed, owner="T1") == SECRET
    assert sealing.seal(SECRET, owner="T1") != sealed, "the same secret does not look the same twice"


def test_in_another_owners_row_it_does_not_open() -> None:
    with pytest.raises(CannotUnseal):
        sealing.unseal(sealing.seal(SECRET, owner="T1"), owner="T2")


def test_a_changed_value_does_not_open_and_is_not_quoted() -> None:
    sealed = sealing.seal(SECRET, owner="T1")
    for bad in (sealed[:-4] + "AAAA", sealed[:20], "", "plain", "ä"):
        with pytest.raises(CannotUnseal) as caught:
            sealing.unseal(bad, owner="T1")
        assert not bad or bad not in str(caught.value)


def test_keys_rotate(settings: object) -> None:
    sealed = sealing.seal(SECRET, owner="T1")
    settings.SLACK_TOKEN_KEYS = [NEW, OLD]
    assert sealing.unseal(sealed, owner="T1") == SECRET
    assert not sealing.is_under_newest_key(sealed)
    resealed = sealing.reseal(sealed)
    assert sealing.is_under_newest_key(resealed)
    settings.SLACK_TOKEN_KEYS = [NEW]
    assert sealing.unseal(resealed, owner="T1") == SECRET
    with pytest.raises(CannotUnseal):
        sealing.unseal(sealed, owner="T1")


def test_a_lost_key_is_told_as_such(settings: object) -> None:
    sealed = sealing.seal(SECRET, owner="T1")
    settings.SLACK_TOKEN_KEYS = [OTHER]
    with pytest.raises(CannotUnseal, match="SLACK_TOKEN_KEYS"):
        sealing.reseal(sealed)
