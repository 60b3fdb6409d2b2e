"""Index versions, the stamp of each document in each version, and thresholds with their history."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from console.sources.models import Document


class VersionState(models.TextChoices):
    """building → ready → active → retired, or cancelled, or failed."""

    BUILDING = "building", "Building"
    READY = "ready", "Ready"
    ACTIVE = "active", "Active"
    RETIRED = "retired", "Retired"
    CANCELLED = "cancelled", "Cancelled"
    FAILED = "failed", "Failed"


class IndexVersion(models.Model):
    """One build of the index by one model and one pipeline. Vectors of two models never meet."""

    collection = models.CharField(max_length=80, unique=True)
    model_name = models.CharField(max_length=200)
    model_revision = models.CharField(max_length=64)
    dimension = models.PositiveIntegerField()
    window_tokens = models.PositiveIntegerField()
    pooling = models.CharField(max_length=40)
    is_normalised = models.BooleanField()
    pipeline_version = models.CharField(max_length=20)
    chunking = models.CharField(max_length=80)
    state = models.CharField(max_length=12, choices=VersionState.choices, default=VersionState.BUILDING)
    created_at = models.DateTimeField(auto_now_add=True)
    activated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["state"], condition=Q(state="active"), name="one_active_version"),
            models.UniqueConstraint(
                fields=["state"], condition=Q(state="building"), name="one_building_version"
            ),
        ]

    def __str__(self) -> str:
        return f"v{self.pk} {self.model_name}"


class DocumentIndex(models.Model):
    """The stamp of one document in one version; its counts were read back from the index."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="index_stamps")
    version = models.ForeignKey(IndexVersion, on_delete=models.CASCADE, related_name="stamps")
    sha256 = models.CharField(max_length=64)
    extractor = models.CharField(max_length=40)
    pipeline_version = models.CharField(max_length=20)
    n_vectors = models.PositiveIntegerField()
    n_lexical = models.PositiveIntegerField()
    n_tokens = models.PositiveIntegerField()
    n_split_for_window = models.PositiveIntegerField()
    n_over_window = models.PositiveIntegerField()
    chunk_offsets = models.JSONField(
        default=list, help_text="[start, end] of each chunk in the canonical text."
    )
    indexed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["document", "version"], name="one_stamp_per_document_version")
        ]

    def __str__(self) -> str:
        return f"{self.document_id} in v{self.version_id}"


class CutCalibration(models.Model):
    """What a cut was chosen on and with; never changed. Settings point at it as long as they keep that cut."""

    score = models.CharField(max_length=10, choices=[("relevance", "Relevance"), ("distance", "Distance")])
    cut = models.FloatField()
    max_chunks = models.PositiveSmallIntegerField(help_text="Passages that might pass when it was chosen.")
    reranker = models.CharField(
        max_length=200, blank=True, help_text="Name and revision; empty for a distance, which none gives."
    )
    # Numbers, no keys: what is recorded stays when set and run are gone.
    golden_set_id = models.PositiveBigIntegerField(null=True)
    golden_set_name = models.CharField(max_length=120)
    golden_id = models.CharField(max_length=16, blank=True, help_text="Fingerprint of the questions asked.")
    run_id = models.PositiveBigIntegerField(null=True)
    folder_ids = models.JSONField(default=list, help_text="Folders that were searched.")
    measured_at = models.DateTimeField(help_text="When the run began; documents may have changed since.")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.score} {self.cut} on {self.golden_set_name}"


class ThresholdSetting(models.Model):
    """One setting of the gate; the newest of a version is in force, the others are its history."""

    version = models.ForeignKey(IndexVersion, on_delete=models.CASCADE, related_name="thresholds")
    distance_cut = models.FloatField(
        help_text="Cosine distance, 0 to 2; a passage passes at or below it where no reranker read it."
    )
    relevance_cut = models.FloatField(
        help_text="Relevance, 0 to 1; a passage that the reranker read passes at or above it."
    )
    reranker = models.CharField(
        max_length=200, blank=True, help_text="Name and revision of whose relevance the cut was set for."
    )
    relevance_calibration = models.ForeignKey(
        CutCalibration, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    distance_calibration = models.ForeignKey(
        CutCalibration, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    max_chunks = models.PositiveSmallIntegerField(default=4)
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    set_at = models.DateTimeField(auto_now_add=True)
    reason = models.CharField(max_length=300)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(distance_cut__gte=0, distance_cut__lte=2), name="cut_is_a_distance"
            ),
            models.CheckConstraint(
                condition=Q(relevance_cut__gte=0, relevance_cut__lte=1), name="cut_is_a_relevance"
            ),
            models.CheckConstraint(
                condition=Q(max_chunks__gte=1, max_chunks__lte=20), name="max_chunks_1_to_20"
            ),
        ]

    def __str__(self) -> str:
        return f"cuts {self.relevance_cut} and {self.distance_cut} of v{self.version_id}"

    @property
    def calibrations(self) -> list[CutCalibration]:
        """Of the cuts that a run chose, the relevance first."""
        found = (self.relevance_calibration, self.distance_calibration)
        return [calibration for calibration in found if calibration is not None]
