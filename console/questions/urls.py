"""URLs of questions."""

from __future__ import annotations

from django.urls import path

from console.questions import views

app_name = "questions"
urlpatterns = [
    path("ask", views.ask, name="ask"),
    path("questions", views.questions, name="list"),
    path("questions/<uuid:question_id>", views.question, name="question"),
    path("questions/<uuid:question_id>/result", views.result, name="result"),
]
