"""What is remembered of a Slack user: how to speak to them."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from console.channels.models import SlackProfile

KEPT_FOR = timedelta(days=1)
FAILED_FOR = timedelta(minutes=10)
"""After a look-up that failed; a missing scope must not cost a call for every message."""


def known_profile(team_id: str, user_id: str) -> SlackProfile | None:
    """The profile as it was told last, however long ago."""
    return SlackProfile.objects.filter(team_id=team_id, user_id=user_id).first()


def is_fresh(profile: SlackProfile) -> bool:
    """True while Slack need not be asked again."""
    return timezone.now() - profile.asked_at < (KEPT_FOR if profile.locale else FAILED_FOR)


def remember_profile(team_id: str, user_id: str, *, locale: str) -> SlackProfile:
    """Keep what Slack said just now."""
    profile, _ = SlackProfile.objects.update_or_create(
        team_id=team_id,
        user_id=user_id,
        defaults={"locale": locale[:16], "asked_at": timezone.now()},
    )
    return profile


def remember_failure(team_id: str, user_id: str) -> SlackProfile:
    """Keep that Slack did not say; what it said before about the person still counts."""
    profile, is_new = SlackProfile.objects.get_or_create(
        team_id=team_id, user_id=user_id, defaults={"asked_at": timezone.now()}
    )
    if not is_new:
        # An old locale stands: it is asked for again once it has aged for another while.
        wait = KEPT_FOR - FAILED_FOR if profile.locale else timedelta()
        SlackProfile.objects.filter(pk=profile.pk).update(asked_at=timezone.now() - wait)
    return profile
