"""Who calls the API: a machine by bearer token, or a browser by session cookie with its CSRF token."""

from __future__ import annotations

from django.http import HttpRequest
from ninja.errors import AuthenticationError
from ninja.security import HttpBearer, SessionAuth

from console.people.models import User
from console.people.services import user_of_token


class BearerToken(HttpBearer):
    """``Authorization: Bearer fn_…``; the caller acts with the rights of the token's person."""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        """The person, or None for anything but a working token."""
        user = user_of_token(token)
        if user is not None:
            request.user = user
        return user


class BrowserSession(SessionAuth):
    """The console's session. Only a request that carries one is checked for CSRF.

    Ninja's own class checks first and would tell a caller without credentials "CSRF" instead of 401.
    """

    def __call__(self, request: HttpRequest) -> object | None:
        """The signed-in person, or None."""
        if self.param_name not in request.COOKIES or not request.user.is_authenticated:
            return None
        return super().__call__(request)


AUTH = [BearerToken(), BrowserSession()]


def person_of(request: HttpRequest) -> User:
    """Whom the request acts as; every operation has `AUTH`, so there is somebody."""
    if not isinstance(request.user, User):
        raise AuthenticationError
    return request.user
