"""Forms of people and tokens."""

from __future__ import annotations

from django import forms
from django.contrib.auth.password_validation import validate_password

from console.people.models import Role


class NewPersonForm(forms.Form):
    """A person who may sign in."""

    username = forms.CharField(max_length=150, label="User name")
    email = forms.EmailField(required=False, label="Email")
    role = forms.ChoiceField(
        choices=Role.choices,
        initial=Role.VIEWER,
        label="Role",
        help_text="Viewers ask and read their folders; support leads read every question; admins change everything.",
    )
    password = forms.CharField(
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        label="First password",
        help_text="At least 8 characters. Hand it over in person; it can be changed under the person's own account.",
        validators=[validate_password],
    )


class PersonForm(forms.Form):
    """What an admin may change about a person."""

    role = forms.ChoiceField(choices=Role.choices, label="Role")
    is_active = forms.BooleanField(required=False, label="May sign in")
    slack_team_id = forms.CharField(
        max_length=32,
        required=False,
        label="Slack team id",
        help_text="Starts with T. Links messages to folders.",
    )
    slack_user_id = forms.CharField(
        max_length=32, required=False, label="Slack user id", help_text="Starts with U or W."
    )


class TokenForm(forms.Form):
    """A name for a new API token."""

    name = forms.CharField(
        max_length=80, label="Name", help_text="What will use it, for example “nightly import”."
    )
