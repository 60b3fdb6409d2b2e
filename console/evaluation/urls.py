"""URLs of golden sets and evaluation runs."""

from __future__ import annotations

from django.urls import path

from console.evaluation import question_views, run_views, views

app_name = "evaluation"
urlpatterns = [
    path("evaluation", views.golden_sets, name="list"),
    path("evaluation/sample", views.sample, name="sample"),
    path("evaluation/sets/new", views.edit_set, name="new-set"),
    path("evaluation/sets/<int:set_id>", views.golden_set, name="set"),
    path("evaluation/sets/<int:set_id>/edit", views.edit_set, name="edit-set"),
    path("evaluation/sets/<int:set_id>/delete", views.delete_set, name="delete-set"),
    path("evaluation/sets/<int:set_id>/import", views.import_files, name="import"),
    path("evaluation/sets/<int:set_id>/export", views.export, name="export"),
    path("evaluation/sets/<int:set_id>/check", views.check, name="check"),
    path("evaluation/sets/<int:set_id>/questions/new", question_views.new_question, name="new-question"),
    path("evaluation/questions/<int:golden_question_id>", question_views.edit_question, name="question"),
    path(
        "evaluation/questions/<int:golden_question_id>/remove",
        question_views.remove_question,
        name="remove-question",
    ),
    path("evaluation/from/<uuid:question_id>", question_views.from_question, name="from-question"),
    path("evaluation/sets/<int:set_id>/runs", run_views.start, name="start"),
    path("evaluation/runs/<int:run_id>", run_views.run, name="run"),
    path("evaluation/runs/<int:run_id>/cancel", run_views.cancel, name="cancel"),
    path("evaluation/runs/<int:run_id>/compare", run_views.compare, name="compare"),
    path("evaluation/runs/<int:run_id>/calibration", run_views.calibration, name="calibration"),
]
