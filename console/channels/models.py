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
    """pending → posting → delivered | undeliverable; retracted when the question was deleted."""

    PENDING = "pending", "Pending"
    POSTING = "posting", "Posting"
    DELIVERED = "delivered", "Delivered"
    UNDELIVERABLE = "undeliverable", "Undeliverable"
    RETRACTED = "retracted", "Retracted"


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


class NoticeKind(models.TextChoices):
    """What else Slack is told about a question, beside its terminal message."""

    SHARE = "share", "A private answer, for everyone"
    HUMAN = "human", "Somebody wants a human to see it"
    EDIT_OFFER = "edit_offer", "The edited question can be answered"
    RETRACTION = "retraction", "The question was deleted"


class NoticeState(models.TextChoices):
    """pending → sending → done | given_up."""

    PENDING = "pending", "Pending"
    SENDING = "sending", "Sending"
    DONE = "done", "Done"
    GIVEN_UP = "given_up", "Given up"


class SlackNotice(models.Model):
    """Something Slack is owed once for a question and a recipient (outbox row, like `SlackDelivery`)."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=12, choices=NoticeKind.choices)
    recipient = models.CharField(max_length=32, help_text="Slack id of the person or the channel.")
    by_user_id = models.CharField(max_length=32, blank=True, help_text="Slack id of who caused it.")
    text = models.TextField(blank=True, help_text="The edited question.")
    response_url = models.URLField(max_length=500, blank=True)
    state = models.CharField(
        max_length=10, choices=NoticeState.choices, default=NoticeState.PENDING, db_index=True
    )
    message_ts = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    n_attempts = models.PositiveSmallIntegerField(default=0)
    last_error = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "kind", "recipient"], name="one_notice_of_a_kind")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.question_id}"


class SlackProfile(models.Model):
    """What Slack said last about a person (`users.info`): nothing but how to speak to them and what they may see."""

    team_id = models.CharField(max_length=32)
    user_id = models.CharField(max_length=32)
    locale = models.CharField(max_length=16, blank=True)
    is_outsider = models.BooleanField(default=False, help_text="A guest, or of another organisation.")
    asked_at = models.DateTimeField(help_text="When Slack was asked, with or without success.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team_id", "user_id"], name="one_profile_per_slack_user")
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.locale}"
