"""People and their rights."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models


class Role(models.TextChoices):
    """What a person may do; each role includes the ones below it."""

    ADMIN = "admin", "Admin"
    SUPPORT_LEAD = "support_lead", "Support lead"
    VIEWER = "viewer", "Viewer"


class PeopleManager(UserManager["User"]):
    """Makes people; those of ``manage.py createsuperuser`` are admins in every list, not viewers."""

    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **fields: Any
    ) -> User:
        """A superuser with the role that says so."""
        fields.setdefault("role", Role.ADMIN)
        return super().create_superuser(username, email, password, **fields)


class User(AbstractUser):
    """Somebody who signs in to the console; linked to Slack by team and user id."""

    role = models.CharField(max_length=16, choices=Role.choices, default=Role.VIEWER)
    slack_team_id = models.CharField(max_length=32, blank=True)
    slack_user_id = models.CharField(max_length=32, blank=True)

    objects: ClassVar[PeopleManager] = PeopleManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["slack_team_id", "slack_user_id"],
                condition=~models.Q(slack_user_id=""),
                name="user_slack_identity_unique",
            ),
        ]

    @property
    def is_admin(self) -> bool:
        """May change sources, versions, thresholds and people."""
        return self.is_active and (self.role == Role.ADMIN or self.is_superuser)

    @property
    def is_support_lead(self) -> bool:
        """May read every question and review refusals."""
        return self.is_active and (self.role == Role.SUPPORT_LEAD or self.is_admin)


class ApiToken(models.Model):
    """A machine's credential. Only an HMAC of the secret is stored; the secret is shown once."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"
