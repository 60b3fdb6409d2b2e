"""Who may open a page, and the one place where what services raise becomes a page."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render, resolve_url
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme

from console.access import NotPermitted, Rejected, require_admin, require_support_lead
from console.errors import forbidden
from console.htmx import is_htmx
from console.people.models import User

P = ParamSpec("P")


class PersonRequest(HttpRequest):
    """A request of somebody who is signed in; what a guarded view is given."""

    user: User


View = Callable[Concatenate[PersonRequest, P], HttpResponseBase]
Guarded = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def signed_in(view: View[P]) -> Guarded[P]:
    """Ask for a sign-in first; 404 for what is missing or not theirs, 403 for what they may not do."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _to_sign_in(request)
        try:
            response = view(request, *args, **kwargs)  # type: ignore[arg-type]
        except ObjectDoesNotExist as error:
            raise Http404 from error
        except NotPermitted as error:
            # Answered here: raised, each refusal would leave a traceback in the log.
            response = forbidden(request, error)
        except Rejected as error:
            response = _rejection(request, error)
        # Pages hold documents' text: no shared cache may keep them, and a part is no page.
        patch_cache_control(response, private=True, no_cache=True)
        patch_vary_headers(response, ["HX-Request", "HX-Target"])
        return response

    return guarded


def support_lead_only(view: View[P]) -> Guarded[P]:
    """For support leads and admins; 403 for others."""

    @wraps(view)
    def checked(request: PersonRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        require_support_lead(request.user)
        return view(request, *args, **kwargs)

    return signed_in(checked)


def admin_only(view: View[P]) -> Guarded[P]:
    """For admins; 403 for others."""

    @wraps(view)
    def checked(request: PersonRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        require_admin(request.user)
        return view(request, *args, **kwargs)

    return signed_in(checked)


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    if not is_htmx(request):
        return redirect_to_login(request.get_full_path(), settings.LOGIN_URL)
    # A redirect would put the sign-in form into a table row; this makes the whole page go there.
    response = HttpResponse("Sign in again.", status=401, content_type="text/plain")
    back = request.headers.get("HX-Current-URL", "")
    query = urlencode({"next": back}) if back else ""
    response["HX-Redirect"] = f"{resolve_url(settings.LOGIN_URL)}?{query}"
    return response


def _rejection(request: HttpRequest, error: Rejected) -> HttpResponse:
    if is_htmx(request):
        return render(request, "_note.html", {"text": str(error), "code": error.code}, status=422)
    messages.error(request, str(error))
    return redirect(back_or(request, "overview"))


def back_or(request: HttpRequest, fallback: str) -> str:
    """The page a form was on, when it is ours; else the URL named `fallback`."""
    here = {request.get_host()}
    for url in (request.POST.get("next", ""), request.headers.get("referer", "")):
        if url and url_has_allowed_host_and_scheme(url, here, require_https=request.is_secure()):
            return url
    return resolve_url(fallback)


def sent_form(request: HttpRequest) -> QueryDict | None:
    """What a form is bound to; an empty body is a form too, one with nothing ticked."""
    return request.POST if request.method == "POST" else None
