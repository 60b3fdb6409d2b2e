"""URLs of refusals."""

from __future__ import annotations

from django.urls import path

from console.refusals import views

app_name = "refusals"
urlpatterns = [
    path("refusals", views.refusals, name="list"),
    path("feedback", views.feedback, name="feedback"),
]
