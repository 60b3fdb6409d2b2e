"""Golden sets, their questions, and what the runs over them measured."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from console.index.models import IndexVersion
from console.questions.models import Question
from console.sources.models import Folder


class GoldenSet(models.Model):
    """Questions whose right outcome is known, over the documents of some folders."""

    name = models.CharField(max_length=120, unique=True)
    description = models.CharField(max_length=300, blank=True)
    folders = models.ManyToManyField(Folder, related_name="golden_sets")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class LeftFolder(models.Model):
    """A folder that a set was about earlier: questions and runs of that time may hold words of its documents."""

    golden_set = models.ForeignKey(GoldenSet, on_delete=models.CASCADE, related_name="left_folders")
    # No foreign key: were the folder gone, its words would still stand in the questions.
    folder_id = models.PositiveBigIntegerField()
    left_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["golden_set", "folder_id"], name="one_leaving_per_set_and_folder")
        ]

    def __str__(self) -> str:
        return f"folder {self.folder_id} until {self.left_at:%Y-%m-%d}"


class GoldenKind(models.TextChoices):
    """What a golden question is for."""

    NEEDLE = "needle", "Needle"
    MULTIHOP = "multihop", "Several needles"
    REFUSAL = "refusal", "To refuse"


class RefusalKind(models.TextChoices):
    """Why the documents do not answer; the values are `rag.REFUSAL_KINDS`."""

    NEAR = "near", "Near: the topic is there, the answer is not"
    LITERAL = "literal", "Literal: the phrase is there, unanswered"
    FALSE_PREMISE = "false_premise", "False premise: it assumes what the documents never say"
    FAR = "far", "Far: another subject"


class GoldenQuestion(models.Model):
    """One row of a golden set: with the needles that answer it, or with the reason why nothing does."""

    golden_set = models.ForeignKey(GoldenSet, on_delete=models.CASCADE, related_name="questions")
    kind = models.CharField(max_length=10, choices=GoldenKind.choices, db_index=True)
    key = models.CharField(max_length=80, help_text="The row's id in exported files; unique in the set.")
    question = models.TextField()
    ticket = models.TextField(blank=True, help_text="The same need in other words, as in a chat.")
    needles = models.JSONField(
        default=list, blank=True, help_text="[{document, needle}, …]; a needle stands verbatim, once."
    )
    answers = models.JSONField(
        default=list, blank=True, help_text="Gold answers of a few words; empty where there are none."
    )
    refusal_kind = models.CharField(max_length=14, choices=RefusalKind.choices, blank=True)
    why = models.TextField(blank=True, help_text="For people: why the documents do not answer.")
    source = models.ForeignKey(
        Question,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="golden_questions",
        help_text="The real question it was made of.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["golden_set", "key"], name="golden_key_unique_in_set"),
            models.CheckConstraint(
                condition=Q(kind="refusal", ticket="") & ~Q(refusal_kind="")
                | ~Q(kind="refusal") & Q(refusal_kind=""),
                name="golden_refusal_has_kind",
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def places(self) -> list[tuple[str, str]]:
        """(document, needle) of each needle."""
        return [(str(place["document"]), str(place["needle"])) for place in self.needles]


class RunState(models.TextChoices):
    """queued → running → done | failed | cancelled."""

    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


LIVE_STATES = (RunState.QUEUED, RunState.RUNNING)


class EvaluationRun(models.Model):
    """One golden set asked of one index version. The questions are frozen when it starts."""

    golden_set = models.ForeignKey(GoldenSet, on_delete=models.CASCADE, related_name="runs")
    golden_id = models.CharField(max_length=16, help_text="Fingerprint of the questions that were asked.")
    golden_files = models.JSONField(help_text="The questions as they were: file name → JSON lines.")
    folder_ids = models.JSONField(default=list, help_text="Folders that are searched.")
    documents_id = models.CharField(
        max_length=16, blank=True, help_text="Fingerprint of their searchable documents when it started."
    )
    index_version = models.ForeignKey(IndexVersion, on_delete=models.CASCADE, related_name="evaluation_runs")
    configurations = models.JSONField(default=list, help_text="Names of `rag.CONFIGURATIONS`.")
    distance_cut = models.FloatField()
    relevance_cut = models.FloatField()
    max_chunks = models.PositiveSmallIntegerField()
    reranker = models.CharField(max_length=120, blank=True, help_text="Empty: nothing was reranked.")
    state = models.CharField(max_length=10, choices=RunState.choices, default=RunState.QUEUED, db_index=True)
    n_total = models.PositiveIntegerField()
    n_done = models.PositiveIntegerField(default=0)
    n_needles = models.PositiveIntegerField(default=0)
    destroyed = models.JSONField(
        null=True, help_text="Keys of the needles that no passage holds whole; null before they were counted."
    )
    note = models.CharField(max_length=300, blank=True, help_text="What could not be measured, and why.")
    reason_code = models.CharField(max_length=40, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    error_reference = models.CharField(max_length=16, blank=True)
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    queued_at = models.DateTimeField(
        null=True, blank=True, help_text="When its message was sent; null: a worker has it, or none was sent."
    )
    lease_until = models.DateTimeField(null=True, blank=True)
    n_claims = models.PositiveSmallIntegerField(default=0, help_text="Claims since the last progress.")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["golden_set"],
                condition=Q(state__in=["queued", "running"]),
                name="one_live_run_per_golden_set",
            ),
            models.CheckConstraint(
                condition=Q(state="failed") & ~Q(reason_code="") & ~Q(reason="")
                | ~Q(state="failed") & Q(reason_code=""),
                name="failed_run_has_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.pk}"

    @property
    def is_live(self) -> bool:
        """True while a worker has something left to do with it."""
        return self.state in LIVE_STATES

    @property
    def run_s(self) -> float | None:
        """Seconds between start and end; None while it runs."""
        if self.started_at is None or self.finished_at is None:
            return None
        return (self.finished_at - self.started_at).total_seconds()

    @property
    def seconds_left(self) -> int | None:
        """An estimate from the pace so far; None before the first questions are done, and after the end."""
        if not self.is_live or self.started_at is None or not self.n_done:
            return None
        elapsed_s = (timezone.now() - self.started_at).total_seconds()
        return round(elapsed_s / self.n_done * (self.n_total - self.n_done))


class EvaluatedQuestion(models.Model):
    """One question of a run as it was put, and what came of it under each configuration."""

    run = models.ForeignKey(EvaluationRun, on_delete=models.CASCADE, related_name="evaluated")
    key = models.CharField(max_length=80)
    group = models.CharField(
        max_length=14, help_text="The wording of an answerable question, the kind of one to refuse."
    )
    must_refuse = models.BooleanField()
    question = models.TextField()
    ranks = models.JSONField(default=dict, help_text="Configuration → rank of each needle; null: not found.")
    gate = models.JSONField(
        default=dict, help_text="Configuration → {score, scores, right} of the candidates, in their order."
    )
    outcomes = models.JSONField(
        default=dict,
        help_text="Configuration → {answered, reason, right_passage, right_quote, fault, stages} end to end; "
        "with gold answers also gold: {quoted, exact, f1}.",
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["run", "key", "group"], name="one_result_per_run_question")
        ]

    def __str__(self) -> str:
        return f"{self.key} ({self.group})"
