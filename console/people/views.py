"""Sign-in, people and tokens."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.access import Rejected
from console.guards import PersonRequest, admin_only, sent_form, signed_in
from console.htmx import page_or_part
from console.listing import list_rows
from console.people.forms import NewPersonForm, PersonForm, TokenForm
from console.people.models import User
from console.people.selectors import people_with_counts, token_for, tokens_of
from console.people.services import change_person, create_token, create_user, revoke_token

SORTABLE = {"name": "username", "role": "role", "folders": "n_folders", "seen": "last_login"}

sign_in = LoginView.as_view(template_name="people/sign_in.html", redirect_authenticated_user=True)
sign_out = LogoutView.as_view()


@method_decorator(signed_in, name="dispatch")
class ChangePassword(PasswordChangeView):
    """One's own password."""

    template_name = "people/password.html"
    success_url = reverse_lazy("people:account")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        """Say that it happened."""
        messages.success(self.request, "Your password is changed; other sessions are signed out.")
        return super().form_valid(form)


def _account_page(
    request: PersonRequest, form: TokenForm, *, secret: str = "", status: int = 200
) -> HttpResponse:
    context = {"form": form, "secret": secret, "tokens": tokens_of(request.user)}
    return render(request, "people/account.html", context, status=status)


@require_safe
@signed_in
def account(request: PersonRequest) -> HttpResponseBase:
    """One's own role, Slack link and API tokens."""
    return _account_page(request, TokenForm())


@require_POST
@signed_in
@never_cache
def add_token(request: PersonRequest) -> HttpResponseBase:
    """Create a token; the page that answers is the only place its secret is shown."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _account_page(request, form, status=422)
    try:
        _token, secret = create_token(actor=request.user, user=request.user, name=form.cleaned_data["name"])
    except Rejected as error:
        form.add_error("name", str(error))
        return _account_page(request, form, status=422)
    return _account_page(request, TokenForm(), secret=secret, status=201)


@require_POST
@signed_in
def end_token(request: PersonRequest, token_id: int) -> HttpResponseBase:
    """Revoke a token."""
    token = token_for(request.user, token_id)
    revoke_token(actor=request.user, token=token)
    messages.success(request, f"The token {token.name} no longer works.")
    return redirect("people:account" if token.user_id == request.user.pk else "people:list")


@require_safe
@admin_only
def people(request: PersonRequest) -> HttpResponseBase:
    """Everybody who may sign in."""
    listing = list_rows(request, people_with_counts(), sortable=SORTABLE, default="name")
    return page_or_part(
        request, "people/list.html", {"listing": listing}, parts={"list": "people/_list.html"}
    )


@require_http_methods(["GET", "HEAD", "POST"])
@admin_only
def add_person(request: PersonRequest) -> HttpResponseBase:
    """Create a person."""
    form = NewPersonForm(sent_form(request))
    if request.method == "POST" and form.is_valid():
        try:
            person = create_user(actor=request.user, **form.cleaned_data)
        except Rejected as error:
            form.add_error("username" if error.code.startswith("username") else None, str(error))
        else:
            messages.success(
                request, f"{person.username} may sign in as {person.get_role_display().lower()}."
            )
            return redirect("people:list")
    return render(request, "people/new.html", {"form": form}, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@admin_only
def edit_person(request: PersonRequest, person_id: int) -> HttpResponseBase:
    """Change role, Slack identity, or whether a person may sign in."""
    person = User.objects.get(pk=person_id)
    initial = {name: getattr(person, name) for name in PersonForm.base_fields}
    form = PersonForm(sent_form(request), initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            change_person(actor=request.user, user=person, **form.cleaned_data)
        except Rejected as error:
            form.add_error("slack_user_id" if error.code == "slack_user_taken" else "role", str(error))
        else:
            messages.success(request, f"{person.username} is changed.")
            return redirect("people:list")
    context = {"form": form, "person": person, "tokens": tokens_of(person)}
    return render(request, "people/edit.html", context, status=422 if form.errors else 200)
