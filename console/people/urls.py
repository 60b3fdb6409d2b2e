"""URLs of people."""

from __future__ import annotations

from django.urls import path

from console.people import views

app_name = "people"
urlpatterns = [
    path("sign-in", views.sign_in, name="sign-in"),
    path("sign-out", views.sign_out, name="sign-out"),
    path("account", views.account, name="account"),
    path("account/password", views.ChangePassword.as_view(), name="password"),
    path("account/tokens", views.add_token, name="add-token"),
    path("account/tokens/<int:token_id>/revoke", views.end_token, name="end-token"),
    path("people", views.people, name="list"),
    path("people/new", views.add_person, name="new"),
    path("people/<int:person_id>", views.edit_person, name="edit"),
]
