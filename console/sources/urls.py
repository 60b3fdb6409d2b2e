"""URLs of folders and documents."""

from __future__ import annotations

from django.urls import path

from console.sources import document_views, views, work_views

app_name = "sources"
urlpatterns = [
    path("folders", views.folders, name="folders"),
    path("folders/new", views.new_folder, name="new-folder"),
    path("folders/<int:folder_id>", views.folder, name="folder"),
    path("folders/<int:folder_id>/edit", views.edit_folder, name="edit-folder"),
    path("folders/<int:folder_id>/upload", views.upload, name="upload"),
    path("failed", work_views.failed, name="failed"),
    path("failed/attention", work_views.attention, name="attention"),
    path("documents/retry", work_views.retry_many, name="retry-many"),
    path("documents/delete", work_views.delete_many, name="delete-many"),
    path("documents/<int:document_id>", document_views.document, name="document"),
    path("documents/<int:document_id>/row", document_views.row, name="row"),
    path("documents/<int:document_id>/status", document_views.status, name="status"),
    path("documents/<int:document_id>/retry", document_views.retry, name="retry"),
    path("documents/<int:document_id>/disable", document_views.disable, name="disable"),
    path("documents/<int:document_id>/enable", document_views.enable, name="enable"),
    path("documents/<int:document_id>/rename", document_views.rename, name="rename"),
    path("documents/<int:document_id>/delete", document_views.delete, name="delete"),
    path("documents/<int:document_id>/pages/<int:page>.png", document_views.page, name="page"),
    path("documents/<int:document_id>/original", document_views.original, name="original"),
]
