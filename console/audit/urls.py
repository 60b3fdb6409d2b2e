"""URLs of the audit trail."""

from __future__ import annotations

from django.urls import path

from console.audit import views

app_name = "audit"
urlpatterns = [path("audit", views.audit, name="list")]
