"""Guards that services use: each raises `NotPermitted` with the sentence a person is shown."""

from __future__ import annotations

from console.people.models import User


class NotPermitted(Exception):
    """The actor lacks the right; `str()` is fit to be shown."""


class Rejected(Exception):
    """The request itself cannot be done as it is; `str()` is fit to be shown, `code` is stable."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def require_admin(actor: User | None) -> None:
    """Only admins, or the system (None), pass."""
    if actor is not None and not actor.is_admin:
        raise NotPermitted("Only an admin may do this.")


def require_support_lead(actor: User | None) -> None:
    """Only support leads and admins, or the system (None), pass."""
    if actor is not None and not actor.is_support_lead:
        raise NotPermitted("Only a support lead or an admin may do this.")
