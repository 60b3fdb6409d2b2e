"""What every page's frame needs."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from console.sources.selectors import documents_needing_attention


def navigation(request: HttpRequest) -> dict[str, object]:
    """The badge of the Failed entry, counted only where it is shown; nothing for people who are not signed in."""
    if not request.user.is_authenticated:
        return {}
    return {"n_attention": SimpleLazyObject(documents_needing_attention(request.user).count)}
