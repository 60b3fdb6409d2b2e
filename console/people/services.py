"""Changes to people and their API tokens."""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from console.access import Rejected, require_admin
from console.audit.services import record
from console.people.models import ApiToken, Role, User
from console.values import UNUSABLE_NAME, is_usable_name

TOKEN_MARK = "fn_"  # noqa: S105 - makes a leaked token easy to find


def _digest(secret: str) -> str:
    return hmac.new(settings.SECRET_KEY.encode(), secret.encode(), sha256).hexdigest()


def create_token(*, actor: User, user: User, name: str) -> tuple[ApiToken, str]:
    """A new bearer token of `user`; the secret is given back once and never stored.

    Raises:
        NotPermitted: it is for somebody else and the actor is no admin.
        Rejected: the name is blank or cannot be shown.
    """
    if actor.pk != user.pk:
        require_admin(actor)
    name = " ".join(name.split())
    if not name:
        raise Rejected("token_name_blank", "Give the token a name, so that you know later what uses it.")
    if not is_usable_name(name):
        raise Rejected("token_name_unusable", UNUSABLE_NAME)
    secret = TOKEN_MARK + secrets.token_urlsafe(32)
    with transaction.atomic():
        token = ApiToken.objects.create(user=user, name=name[:80], prefix=secret[:8], digest=_digest(secret))
        record(actor=actor, action="token.create", subject=f"{user.get_username()}: {token.name}")
    return token, secret


def revoke_token(*, actor: User, token: ApiToken) -> None:
    """End a token at once.

    Raises:
        NotPermitted: it is somebody else's and the actor is no admin.
    """
    if actor.pk != token.user_id:
        require_admin(actor)
    with transaction.atomic():
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])
        record(actor=actor, action="token.revoke", subject=f"{token.user.get_username()}: {token.name}")


def user_of_token(secret: str) -> User | None:
    """The active user a bearer token belongs to; None for anything else."""
    if not secret.startswith(TOKEN_MARK):
        return None
    token = ApiToken.objects.select_related("user").filter(digest=_digest(secret), revoked_at=None).first()
    if token is None or not token.user.is_active:
        return None
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=timezone.now())
    return token.user


def _clean_username(username: str) -> str:
    username = User.normalize_username(username.strip())
    if not username:
        raise Rejected("username_blank", "Give the person a user name.")
    try:
        User.username_validator(username)
    except ValidationError as error:
        raise Rejected(
            "username_unusable", "A user name has letters, digits and the signs @ . + - _ only."
        ) from error
    if len(username) > 150:
        raise Rejected("username_too_long", "A user name has at most 150 characters.")
    return username


def create_user(
    *, actor: User | None, username: str, password: str, role: str = Role.VIEWER, email: str = ""
) -> User:
    """A new person of the console.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: the name is blank, has other signs than sign-in takes, or is taken in whatever case; or
            the role is unknown.
    """
    require_admin(actor)
    username = _clean_username(username)
    if role not in Role.values:
        raise Rejected("unknown_role", f"The role is one of {', '.join(Role.values)}.")
    if User.objects.filter(username__iexact=username).exists():
        raise Rejected("username_taken", f"There is already a person named {username}.")
    try:
        with transaction.atomic():
            user: User = User.objects.create_user(
                username=username, email=email, password=password, role=role
            )
            record(actor=actor, action="person.create", subject=username, role=role)
    except IntegrityError as error:
        raise Rejected("username_taken", f"There is already a person named {username}.") from error
    return user


def change_person(
    *, actor: User, user: User, role: str, is_active: bool, slack_team_id: str = "", slack_user_id: str = ""
) -> User:
    """Change a person's role, Slack identity, or whether they may sign in.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: unknown role, the last admin would be lost, or the Slack user is linked to somebody else.
    """
    require_admin(actor)
    if role not in Role.values:
        raise Rejected("unknown_role", f"The role is one of {', '.join(Role.values)}.")
    loses_admin = user.is_admin and (role != Role.ADMIN or not is_active)
    if loses_admin and not User.objects.filter(role=Role.ADMIN, is_active=True).exclude(pk=user.pk).exists():
        raise Rejected("last_admin", "This is the last admin; make somebody else an admin first.")
    user.role, user.is_active = role, is_active
    user.slack_team_id, user.slack_user_id = slack_team_id.strip(), slack_user_id.strip()
    try:
        with transaction.atomic():
            user.save(update_fields=["role", "is_active", "slack_team_id", "slack_user_id"])
            record(
                actor=actor,
                action="person.change",
                subject=user.get_username(),
                role=role,
                is_active=is_active,
            )
    except IntegrityError as error:
        user.refresh_from_db()
        raise Rejected("slack_user_taken", "That Slack user is linked to somebody else.") from error
    return user
