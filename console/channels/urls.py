"""URLs of Slack channels."""

from __future__ import annotations

from django.urls import path

from console.channels import views

app_name = "channels"
urlpatterns = [
    path("channels", views.channels, name="list"),
    path("channels/new", views.edit_channel, name="new"),
    path("channels/<int:channel_pk>", views.edit_channel, name="edit"),
    path("workspaces", views.workspaces, name="workspaces"),
    path("workspaces/<int:workspace_pk>", views.edit_workspace, name="workspace"),
    path("channels/<int:channel_pk>/forget", views.forget, name="forget"),
]
