"""Folders, documents and what happened when they were read."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Folder(models.Model):
    """A set of documents with one rule of who may be answered from it."""

    name = models.CharField(max_length=120, unique=True)
    description = models.CharField(max_length=300, blank=True)
    is_open = models.BooleanField(
        default=False,
        help_text="Everyone may ask it: all people of the console, direct messages and channels without a set-up.",
    )
    is_shared_externally = models.BooleanField(
        default=False, help_text="Guests and people of other organisations may be answered from it."
    )
    leaves_out_near_duplicates = models.BooleanField(
        default=False, help_text="A document that says nearly the same as an older one here is not searched."
    )
    language = models.CharField(
        max_length=20,
        default="english",
        help_text="What words are stemmed in for the word search: one of `rag.LANGUAGES`.",
    )
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, blank=True, related_name="folders")
    owners = models.ManyToManyField(
        settings.AUTH_USER_MODEL,
        blank=True,
        related_name="owned_folders",
        help_text="Asked when a reader wants a human to see a refused question; they may read the folder.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class DocumentState(models.TextChoices):
    """queued → extracting → indexing → indexed | partial | failed | stalled | left_out.

    `left_out` is a decision, not a fault: a person disabled the document, or it is a near-duplicate.
    """

    QUEUED = "queued", "Queued"
    EXTRACTING = "extracting", "Extracting"
    INDEXING = "indexing", "Indexing"
    INDEXED = "indexed", "Indexed"
    PARTIAL = "partial", "Partial"
    FAILED = "failed", "Failed"
    STALLED = "stalled", "Stalled"
    LEFT_OUT = "left_out", "Left out"


WORKING_STATES = (DocumentState.QUEUED, DocumentState.EXTRACTING, DocumentState.INDEXING)
SEARCHABLE_STATES = (DocumentState.INDEXED, DocumentState.PARTIAL)
UNREADABLE_STATES = (DocumentState.FAILED, DocumentState.STALLED)
REASONED_STATES = (DocumentState.FAILED, DocumentState.PARTIAL, DocumentState.STALLED, DocumentState.LEFT_OUT)
"""These always carry a reason code, a sentence and what to do next."""
ATTENTION_STATES = (DocumentState.FAILED, DocumentState.PARTIAL, DocumentState.STALLED)


class Document(models.Model):
    """One file of a folder, known by its path in it; its bytes are stored once by SHA-256.

    A deleted document keeps its row, with `deleted_at` set, until every index has let go of it.
    """

    folder = models.ForeignKey(Folder, on_delete=models.CASCADE, related_name="documents")
    parent = models.ForeignKey(
        "self",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="children",
        help_text="The document this one was attached to.",
    )
    origin = models.CharField(
        max_length=500,
        blank=True,
        help_text="What keeps it in step: `directory:PATH` or `zip:NAME`; empty for a single upload.",
    )
    name = models.CharField(max_length=400, help_text="Path within the folder.")
    title = models.CharField(max_length=400, blank=True)
    sha256 = models.CharField(max_length=64, db_index=True)
    size_bytes = models.PositiveBigIntegerField()
    state = models.CharField(
        max_length=12, choices=DocumentState.choices, default=DocumentState.QUEUED, db_index=True
    )
    reason_code = models.CharField(max_length=40, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    next_step = models.CharField(max_length=500, blank=True)
    format = models.CharField(max_length=20, blank=True)
    extractor = models.CharField(max_length=40, blank=True)
    encoding = models.CharField(max_length=40, blank=True)
    ocr_confidence = models.FloatField(null=True, blank=True)
    page_confidence = models.JSONField(
        default=list, blank=True, help_text="[page, mean OCR confidence] of each recognised page."
    )
    coverage_unit = models.CharField(max_length=12, blank=True)
    coverage_read = models.PositiveIntegerField(null=True, blank=True)
    coverage_total = models.PositiveIntegerField(null=True, blank=True)
    coverage_missing = models.JSONField(default=list, blank=True)
    warnings = models.JSONField(default=list, blank=True)
    near_duplicate_of = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="near_duplicates"
    )
    near_duplicate_similarity = models.FloatField(
        null=True, blank=True, help_text="Jaccard similarity of the two texts' word shingles."
    )
    canonical_sha256 = models.CharField(max_length=64, blank=True)
    n_chars = models.PositiveIntegerField(null=True, blank=True)
    n_chunks = models.PositiveIntegerField(
        null=True, blank=True, help_text="Read back from the active index."
    )
    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    n_claims = models.PositiveSmallIntegerField(default=0, help_text="Claims since the last upload or retry.")
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    uploaded_at = models.DateTimeField(auto_now_add=True)
    state_changed_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(
        null=True,
        help_text="When its last message was sent to the workers; null: none of them can have seen one.",
    )
    deleted_at = models.DateTimeField(null=True, blank=True, db_index=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["folder", "name"],
                condition=models.Q(deleted_at=None),
                name="document_name_unique_in_folder",
            ),
            models.CheckConstraint(
                condition=~models.Q(state__in=REASONED_STATES)
                | (~models.Q(reason_code="") & ~models.Q(reason="") & ~models.Q(next_step="")),
                name="document_trouble_has_reason",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=REASONED_STATES) | models.Q(reason_code=""),
                name="document_reason_only_in_trouble",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def display_title(self) -> str:
        """The title found in the document, else its file name."""
        return self.title or self.name.rsplit("/", 1)[-1]

    @property
    def is_working(self) -> bool:
        """True while a worker has something left to do with it."""
        return self.state in WORKING_STATES

    @property
    def is_left_out(self) -> bool:
        """True when a decision, not a fault, keeps it out of answers."""
        return self.state == DocumentState.LEFT_OUT

    @property
    def is_pdf(self) -> bool:
        """True for a PDF, also one that could not be read yet: its pages can be retried alone."""
        return self.format == "pdf" or (not self.format and self.name.lower().endswith(".pdf"))

    @property
    def needs_attention(self) -> bool:
        """True for failed, partial and stalled."""
        return self.state in ATTENTION_STATES


class ExtractionAttempt(models.Model):
    """One run over one document: why it ran, how it ended, how long it waited and ran."""

    class Trigger(models.TextChoices):
        UPLOAD = "upload", "Upload"
        REPLACE = "replace", "New bytes"
        RETRY = "retry", "Retry"
        RESTART = "restart", "Picked up after a restart"
        ENABLE = "enable", "Enabled"
        RENAME = "rename", "Renamed"
        LANGUAGE = "language", "Folder's language changed"
        ATTACHED = "attached", "Found in another file"

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="attempts")
    trigger = models.CharField(max_length=12, choices=Trigger.choices)
    sha256 = models.CharField(max_length=64)
    pages = models.CharField(
        max_length=20, blank=True, help_text="`first-last` when only these pages are read."
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    requested_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=12, choices=DocumentState.choices, blank=True)
    reason_code = models.CharField(max_length=40, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    extractor = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.document_id} {self.trigger} → {self.outcome or '…'}"

    @property
    def run_s(self) -> float | None:
        """Seconds between start and end; None while it runs."""
        if self.started_at is None or self.finished_at is None:
            return None
        return (self.finished_at - self.started_at).total_seconds()


class SignatureBand(models.Model):
    """One band of a text's MinHash signature: documents that share a band may be near-duplicates."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="signature_bands")
    band = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=32)
    canonical_sha256 = models.CharField(max_length=64, help_text="The text it was made of.")

    class Meta:
        indexes = [models.Index(fields=["key", "band"], name="signature_band_key")]

    def __str__(self) -> str:
        return f"{self.band}:{self.key}"
