"""What Slack sent, which channel sees which folder, and what still has to be posted."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from console.questions.models import Question
from console.sources.models import Folder


class SlackEvent(models.Model):
    """A delivery of Slack, unique by (team, event id): a retry changes nothing.

    Rows are kept for `settings.SLACK_EVENT_DAYS`, far longer than Slack repeats an event.
    """

    team_id = models.CharField(max_length=32)
    event_id = models.CharField(max_length=80)
    received_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team_id", "event_id"], name="one_row_per_slack_event")
        ]

    def __str__(self) -> str:
        return self.event_id


class UnconfiguredRule(models.TextChoices):
    """What a channel without a set-up of its own is answered from. Never all folders."""

    OPEN = "open", "The open folders"
    NOTHING = "nothing", "Nothing: every question is refused"


class SlackWorkspace(models.Model):
    """A workspace the app is installed in, and what an admin decided for all of it.

    `sealed_token` is set where the app was installed by OAuth; the workspace of `SLACK_BOT_TOKEN` has a row
    without one. An uninstalled workspace keeps its row, never its token.
    """

    team_id = models.CharField(max_length=32, unique=True)
    name = models.CharField(max_length=200, blank=True)
    app_id = models.CharField(max_length=32, blank=True)
    bot_user_id = models.CharField(max_length=32, blank=True)
    scopes = models.TextField(blank=True, help_text="What Slack granted, separated by commas.")
    sealed_token = models.TextField(blank=True, help_text="The bot token, encrypted for this team alone.")
    installed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    installed_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)
    unconfigured = models.CharField(
        max_length=8, choices=UnconfiguredRule.choices, default=UnconfiguredRule.NOTHING
    )
    has_no_guests = models.BooleanField(
        default=False, help_text="An admin says so; it counts where Slack does not tell who is a guest."
    )

    class Meta:
        ordering = ["name", "team_id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(removed_at=None) | Q(sealed_token=""), name="no_token_after_removal"
            )
        ]

    def __str__(self) -> str:
        return self.name or self.team_id

    @property
    def granted_scopes(self) -> frozenset[str]:
        """The scopes Slack last said it granted; empty when it was never asked."""
        return frozenset(scope for scope in self.scopes.split(",") if scope)


class SlackOAuthState(models.Model):
    """An installation that an admin began: used once, by that admin, within ten minutes."""

    digest = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"of {self.user_id} until {self.expires_at:%H:%M}"


class SlackInstance(models.Model):
    """A process that holds a Socket Mode connection, and how many of the app Slack counted when it opened."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    place = models.CharField(max_length=120, help_text="Host and process.")
    app_id = models.CharField(max_length=32, blank=True)
    n_connections = models.PositiveSmallIntegerField(default=0)
    counted_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.place


class AnswersFrom(models.TextChoices):
    """Which folders a channel with a set-up is answered from."""

    CHOSEN = "chosen", "The folders ticked below"
    OPEN = "open", "The open folders, whichever they are"
    NOTHING = "nothing", "None: every question is refused here"


class Hears(models.TextChoices):
    """Which messages of a channel are questions."""

    MENTIONS = "mentions", "Only what mentions the bot"
    ALL = "all", "Every message that asks something"


class SlackChannel(models.Model):
    """A channel's set-up. One without a row is answered as `SlackWorkspace.unconfigured` says."""

    team_id = models.CharField(max_length=32)
    channel_id = models.CharField(max_length=32)
    name = models.CharField(max_length=100, blank=True)
    answers_from = models.CharField(max_length=8, choices=AnswersFrom.choices, default=AnswersFrom.CHOSEN)
    hears = models.CharField(max_length=8, choices=Hears.choices, default=Hears.MENTIONS)
    folders = models.ManyToManyField(Folder, blank=True, related_name="slack_channels")

    class Meta:
        ordering = ["name", "channel_id"]
        constraints = [
            models.UniqueConstraint(fields=["team_id", "channel_id"], name="one_row_per_slack_channel")
        ]

    def __str__(self) -> str:
        return self.name or self.channel_id


class ChannelCut(models.Model):
    """A relevance cut of one channel; the newest is in force, the others are its history."""

    channel = models.ForeignKey(SlackChannel, on_delete=models.CASCADE, related_name="cuts")
    relevance_cut = models.FloatField(
        null=True, blank=True, help_text="Relevance, 0 to 1; null: the cut of the index version again."
    )
    reranker = models.CharField(max_length=200, blank=True, help_text="Whose relevance the cut was set for.")
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    set_at = models.DateTimeField(auto_now_add=True)
    reason = models.CharField(max_length=300)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(relevance_cut=None) | Q(relevance_cut__gte=0, relevance_cut__lte=1),
                name="channel_cut_is_a_relevance",
            )
        ]

    def __str__(self) -> str:
        return f"{self.relevance_cut} for {self.channel_id}"


class SlackChannelFacts(models.Model):
    """What Slack last said about a channel; null where it did not say. Kept so that pages need no Slack."""

    team_id = models.CharField(max_length=32)
    channel_id = models.CharField(max_length=32)
    name = models.CharField(max_length=100, blank=True)
    is_member = models.BooleanField(null=True, help_text="The bot is in it.")
    is_archived = models.BooleanField(null=True)
    is_private = models.BooleanField(null=True)
    is_shared = models.BooleanField(null=True, help_text="Another organisation reads it, or is invited to.")
    has_guests = models.BooleanField(
        null=True, help_text="Guests, or people of other organisations, are in it."
    )
    fault = models.CharField(max_length=200, blank=True, help_text="Slack's word for what it did not tell.")
    checked_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team_id", "channel_id"], name="one_row_of_facts_per_channel")
        ]

    def __str__(self) -> str:
        return self.name or self.channel_id


class SlackPerson(models.Model):
    """Whether somebody is a member of the workspace or an outsider. Nothing else about people is kept."""

    team_id = models.CharField(max_length=32)
    user_id = models.CharField(max_length=32)
    is_outsider = models.BooleanField(help_text="A guest, or of another organisation.")
    checked_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team_id", "user_id"], name="one_row_per_slack_person")
        ]

    def __str__(self) -> str:
        return self.user_id


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
    n_shown = models.PositiveSmallIntegerField(
        default=0, help_text="Of an answer for its asker alone: how many of its messages Slack has taken."
    )
    lease_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    n_attempts = models.PositiveSmallIntegerField(default=0)
    n_claims = models.PositiveIntegerField(
        default=0, help_text="Never reset: it tells the worker that holds it now from one it was taken from."
    )
    last_error = models.CharField(max_length=200, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)
    edited_at = models.CharField(
        max_length=64, blank=True, help_text="Slack's times of the newest edit of the question that was seen."
    )
    stopped_at = models.DateTimeField(
        null=True, blank=True, help_text="The asker pressed Stop; they are told so instead of the answer."
    )

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
    message_channel = models.CharField(
        max_length=32, blank=True, help_text="Of what went to a person: the direct message it stands in."
    )
    lease_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    n_attempts = models.PositiveSmallIntegerField(default=0)
    n_claims = models.PositiveIntegerField(
        default=0, help_text="Never reset: it tells the worker that holds it now from one it was taken from."
    )
    last_error = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "kind", "recipient"], name="one_notice_of_a_kind")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.question_id}"


class SlackThreadReading(models.Model):
    """That a thread the bot had not seen was read for a question, or why not. What people wrote there is not kept."""

    question = models.OneToOneField(Question, on_delete=models.CASCADE, related_name="thread_reading")
    n_messages = models.PositiveSmallIntegerField(default=0, help_text="Of people, before the question.")
    is_whole = models.BooleanField(default=False, help_text="The thread was no longer than may be read.")
    fault = models.CharField(max_length=200, blank=True, help_text="Slack's word for why it was not read.")
    retry_at = models.DateTimeField(
        null=True, blank=True, db_index=True, help_text="Slack said to ask nothing of the kind until then."
    )
    read_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.question_id} {self.fault or self.n_messages}"


class SlackProfile(models.Model):
    """How to speak to somebody, as Slack said last (`users.info`); whether they are from outside is `SlackPerson`."""

    team_id = models.CharField(max_length=32)
    user_id = models.CharField(max_length=32)
    locale = models.CharField(max_length=16, blank=True)
    asked_at = models.DateTimeField(help_text="When Slack was asked, with or without success.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team_id", "user_id"], name="one_profile_per_slack_user")
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.locale}"


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
    not_before = models.DateTimeField(
        null=True,
        blank=True,
        help_text="The sweep leaves it alone until then: another tries, or Slack said to wait.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team_id", "channel_id", "thread_ts"], name="one_status_per_slack_thread"
            )
        ]

    def __str__(self) -> str:
        return f"{self.channel_id} {self.thread_ts}"
