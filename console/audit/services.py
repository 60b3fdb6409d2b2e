"""Write the audit trail."""

from __future__ import annotations

from console.audit.models import AuditEntry
from console.people.models import User


def record(
    *, actor: User | None, action: str, subject: str, **detail: str | int | float | bool | None
) -> AuditEntry:
    """One audit row; call it inside the transaction of the change. `actor` None is the system."""
    return AuditEntry.objects.create(
        actor=actor,
        actor_label=actor.get_username() if actor else "system",
        action=action,
        subject=subject[:200],
        detail=detail,
    )
