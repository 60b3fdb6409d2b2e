"""Secrets at rest: sealed with the newest key, bound to their owner, opened with any key that still counts."""

from __future__ import annotations

import json

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class CannotUnseal(Exception):
    """No key opens it, or it was sealed for somebody else. Never holds the text."""


def seal(text: str, *, owner: str) -> str:
    """The text encrypted (Fernet: AES-128-CBC and HMAC-SHA256) together with whose it is.

    The owner is inside the seal, so that a value copied to another row of the database opens there for nobody.
    """
    return _keys().encrypt(json.dumps([owner, text]).encode()).decode()


def unseal(sealed: str, *, owner: str) -> str:
    """The text again.

    Raises:
        CannotUnseal: the keys changed, the value was tampered with, or it is another owner's.
    """
    try:
        sealed_for, text = json.loads(_keys().decrypt(sealed.encode()))
    except (InvalidToken, ValueError):
        raise CannotUnseal("no key of SLACK_TOKEN_KEYS opens it") from None
    if sealed_for != owner:
        raise CannotUnseal("it was sealed for another owner")
    return str(text)


def reseal(sealed: str) -> str:
    """The same under the newest key.

    Raises:
        CannotUnseal: no key opens it.
    """
    try:
        return _keys().rotate(sealed.encode()).decode()
    except (InvalidToken, ValueError):
        raise CannotUnseal("no key of SLACK_TOKEN_KEYS opens it") from None


def is_under_newest_key(sealed: str) -> bool:
    """False when an older key, or none, opens it."""
    try:
        Fernet(settings.SLACK_TOKEN_KEYS[0]).decrypt(sealed.encode())
    except (InvalidToken, IndexError):
        return False
    return True


def new_key() -> str:
    """A key for the front of `SLACK_TOKEN_KEYS`."""
    return Fernet.generate_key().decode()


def _keys() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.SLACK_TOKEN_KEYS])
