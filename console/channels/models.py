"""What Slack sent, which channel sees which folder, and what still has to be posted."""

from __future__ import annotations

from django.db import models

from console.questions.models import Question
from console.sources.models import Folder


class SlackEvent(models.Model):
    """A delivery of Slack, unique by (team, event id): a retry changes nothing."""

    team_id = models.CharField(max_length=32)
    event_id = models.CharField(max_length=80)
    received_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team_id", "event_id"], name="one_row_per_slack_event")
        ]

    def __str__(self) -> str:
        return self.event_id


class SlackChannel(models.Model):
    """A channel's folders. A channel without a row sees only the open folders."""

    team_id = models.CharField(max_length=32)
    channel_id = models.CharField(max_length=32)
    name = models.CharField(max_length=100, blank=True)
    folders = models.ManyToManyField(Folder, blank=True, related_name="slack_channels")

    class Meta:
        ordering = ["name", "channel_id"]
        constraints = [
            models.UniqueConstraint(fields=["team_id", "channel_id"], name="one_row_per_slack_channel")
        ]

    def __str__(self) -> str:
        return self.name or self.channel_id


class DeliveryState(models.TextChoices):
    """pending → posting → delivered | undeliverable."""

    PENDING = "pending", "Pending"
    POSTING = "posting", "Posting"
    DELIVERED = "delivered", "Delivered"
    UNDELIVERABLE = "undeliverable", "Undeliverable"


class SlackDelivery(models.Model):
    """The one terminal message a Slack question is owed (outbox row).

    `posting` is written before the call to Slack and `delivered` after it; a row found in `posting`
    after a crash is looked up in the thread by its metadata before anything is posted again.
    """

    question = models.OneToOneField(Question, on_delete=models.CASCADE, related_name="delivery")
    state = models.CharField(
        max_length=14, choices=DeliveryState.choices, default=DeliveryState.PENDING, db_index=True
    )
    response_url = models.URLField(max_length=500, blank=True)
    thread_ts = models.CharField(max_length=32, blank=True)
    message_ts = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    n_attempts = models.PositiveSmallIntegerField(default=0)
    last_error = models.CharField(max_length=200, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.state} {self.question_id}"


class SlackStatus(models.Model):
    """What the bot says it is doing in a thread: written before Slack is told, removed once it is taken down.

    A row that is left after a crash is what the sweep takes down.
    """

    team_id = models.CharField(max_length=32)
    channel_id = models.CharField(max_length=32)
    thread_ts = models.CharField(max_length=32)
    shown_at = models.DateTimeField()
    busy_until = models.DateTimeField(
        null=True, blank=True, help_text="Until then at most the call that shows it may be under way."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team_id", "channel_id", "thread_ts"], name="one_status_per_slack_thread"
            )
        ]

    def __str__(self) -> str:
        return f"{self.channel_id} {self.thread_ts}"
