"""URLs of index versions and thresholds."""

from __future__ import annotations

from django.urls import path

from console.index import views

app_name = "index"
urlpatterns = [
    path("versions", views.versions, name="versions"),
    path("thresholds", views.thresholds, name="thresholds"),
]
