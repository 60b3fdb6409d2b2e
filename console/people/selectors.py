"""Reads of people and tokens."""

from __future__ import annotations

from django.db.models import Count, Q, QuerySet

from console.people.models import ApiToken, User


def people_with_counts() -> QuerySet[User]:
    """Everybody, with `n_folders` they are a member of and `n_tokens` that still work."""
    return User.objects.annotate(
        n_folders=Count("folders", distinct=True),
        n_tokens=Count("api_tokens", filter=Q(api_tokens__revoked_at=None), distinct=True),
    )


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """A person's tokens, those that work first, then the newest."""
    return user.api_tokens.order_by("revoked_at", "-id")


def token_for(user: User, token_id: int) -> ApiToken:
    """The token, if it is the person's own, or the person is an admin.

    Raises:
        ApiToken.DoesNotExist: it does not exist, or is not theirs to see.
    """
    tokens = ApiToken.objects.all() if user.is_admin else ApiToken.objects.filter(user=user)
    return tokens.select_related("user").get(pk=token_id)
