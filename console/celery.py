"""The Celery application. Tasks live in `workers`; the console only knows their names."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")

app = Celery("footnote")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    task_serializer="json",
    accept_content=["json"],
    result_backend=None,
    task_ignore_result=True,
    task_acks_late=True,
    # A message that cannot be sent is not waited for: its row is pending, and the sweep sends it.
    task_publish_retry_policy={"max_retries": 0},
    worker_prefetch_multiplier=1,
    task_default_queue="documents",
    task_routes={
        "footnote.answer_question": {"queue": "questions"},
        "footnote.deliver_answer": {"queue": "deliveries"},  # a Slack that hangs must not hold up answers
        "footnote.send_notice": {"queue": "deliveries"},
        "footnote.publish_home": {"queue": "deliveries"},
        "footnote.tell_channel_status": {"queue": "deliveries"},
        "footnote.tell_who_clicked": {"queue": "deliveries"},
        "footnote.greet_agent_reader": {"queue": "deliveries"},
        "footnote.end_agent_session": {"queue": "deliveries"},
        "footnote.show_status": {"queue": "deliveries"},
        "footnote.take_down_statuses": {"queue": "deliveries"},
        "footnote.pick_up_pending": {"queue": "questions"},
        "footnote.*": {"queue": "documents"},
    },
    broker_connection_retry_on_startup=True,
    # Celery's in-memory transport polls once a second; a person waits for each of these.
    broker_transport_options=(
        {"polling_interval": 0.01} if os.environ.get("REDIS_URL", "") == "" else {"visibility_timeout": 3600}
    ),
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    beat_schedule={"pick-up-pending": {"task": "footnote.pick_up_pending", "schedule": 5.0}},
)
app.autodiscover_tasks(["workers"], related_name="tasks")
