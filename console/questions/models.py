"""Questions and their one answer, with everything needed to explain it later."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

import rag
from console.index.models import IndexVersion
from console.sources.models import Document


class QuestionState(models.TextChoices):
    """received → answering → answered | refused | not_allowed | broken."""

    RECEIVED = "received", "Received"
    ANSWERING = "answering", "Answering"
    ANSWERED = "answered", "Answered"
    REFUSED = "refused", "Refused"
    NOT_ALLOWED = "not_allowed", "Not allowed"
    BROKEN = "broken", "Broken"


PENDING_STATES = (QuestionState.RECEIVED, QuestionState.ANSWERING)
TERMINAL_STATES = (
    QuestionState.ANSWERED,
    QuestionState.REFUSED,
    QuestionState.NOT_ALLOWED,
    QuestionState.BROKEN,
)


class Surface(models.TextChoices):
    """Where a question came from."""

    CONSOLE = "console", "Console"
    API = "api", "API"
    CLI = "cli", "Command line"
    SLACK_MENTION = "slack_mention", "Slack mention"
    SLACK_DM = "slack_dm", "Slack message"
    SLACK_COMMAND = "slack_command", "Slack /ask"
    SLACK_SHORTCUT = "slack_shortcut", "Slack shortcut"


PRIVATE_SURFACES = (Surface.SLACK_COMMAND, Surface.SLACK_SHORTCUT)
"""Asked in a channel and answered to the asker alone, until the asker shares it."""


class Question(models.Model):
    """One question. Slack ones are unique by (team, channel, ts), so a message is answered once."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    text = models.TextField()
    surface = models.CharField(max_length=16, choices=Surface.choices)
    asker = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="questions"
    )
    folder_ids = models.JSONField(
        null=True, blank=True, help_text="Folders the asker chose; null means all that may be seen."
    )
    slack_team_id = models.CharField(max_length=32, blank=True)
    slack_channel_id = models.CharField(max_length=32, blank=True)
    slack_user_id = models.CharField(max_length=32, blank=True)
    slack_ts = models.CharField(max_length=64, blank=True)
    slack_thread_ts = models.CharField(max_length=32, blank=True)
    is_external = models.BooleanField(
        default=False, help_text="A guest or another organisation can read the answer."
    )
    state = models.CharField(
        max_length=12, choices=QuestionState.choices, default=QuestionState.RECEIVED, db_index=True
    )
    lease_until = models.DateTimeField(null=True, blank=True)
    n_claims = models.PositiveSmallIntegerField(default=0)
    received_at = models.DateTimeField(auto_now_add=True, db_index=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    shared_at = models.DateTimeField(
        null=True, blank=True, help_text="When an answer given to its asker alone was posted for the channel."
    )
    withdrawn_at = models.DateTimeField(
        null=True, blank=True, help_text="When its asker deleted it in Slack; its text is gone since then."
    )

    class Meta:
        ordering = ["-received_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["slack_team_id", "slack_channel_id", "slack_ts"],
                condition=~Q(slack_ts=""),
                name="one_question_per_slack_message",
            )
        ]

    def __str__(self) -> str:
        return self.text[:80]

    @property
    def is_pending(self) -> bool:
        """True until it has its terminal state."""
        return self.state in PENDING_STATES

    @property
    def is_from_slack(self) -> bool:
        """True when the answer has to be delivered to Slack."""
        return self.surface.startswith("slack_")

    @property
    def is_private(self) -> bool:
        """True when nobody but the asker was to read the answer."""
        return self.surface in PRIVATE_SURFACES

    @property
    def has_message(self) -> bool:
        """True when a message in Slack asks it; one from a command, a form or a button has none."""
        return "-" not in self.slack_ts


class Answer(models.Model):
    """The immutable record of how a question ended, stamped with what produced it."""

    question = models.OneToOneField(Question, on_delete=models.CASCADE, related_name="answer")
    outcome = models.CharField(max_length=12, choices=QuestionState.choices, db_index=True)
    sentences = models.JSONField(
        default=list,
        help_text="[{text, citations: [number, …], n_more, list_rest, is_after_gap}, …]; n_more: items of the quoted "
        "list that are left out; list_rest: that it goes on or may; is_after_gap: items before this one are left out.",
    )
    reason_code = models.CharField(max_length=40, blank=True, db_index=True)
    reason = models.CharField(max_length=500, blank=True)
    best_distance = models.FloatField(null=True, blank=True)
    distance_cut = models.FloatField(null=True, blank=True)
    best_relevance = models.FloatField(null=True, blank=True)
    relevance_cut = models.FloatField(
        null=True,
        blank=True,
        help_text="Set where the gate compared relevance; then the distance decided nothing.",
    )
    reranker = models.CharField(max_length=120, blank=True)
    max_chunks = models.PositiveSmallIntegerField(null=True, blank=True)
    index_version = models.ForeignKey(IndexVersion, on_delete=models.SET_NULL, null=True, related_name="+")
    model_name = models.CharField(max_length=200, blank=True)
    generator = models.CharField(max_length=80, blank=True)
    folder_ids = models.JSONField(default=list, help_text="Folders that were searched.")
    nearest = models.JSONField(
        default=list, help_text="Nearest passages: document, folder, sha256, label, distance, excerpt."
    )
    n_unreadable = models.PositiveIntegerField(
        default=0, help_text="Failed or stalled documents in those folders."
    )
    unreadable = models.JSONField(default=list, help_text="[{folder_id, folder, count}, …]")
    min_support = models.FloatField(
        null=True,
        blank=True,
        help_text="Support of the weakest claim, 0 to 1; 1 where all is quoted verbatim.",
    )
    reranker_fault = models.CharField(
        max_length=40,
        blank=True,
        db_index=True,
        help_text="Code of the error for which the fused order and the distance took the place of the reranker.",
    )
    generator_fault = models.CharField(
        max_length=40,
        blank=True,
        db_index=True,
        help_text="Code of the error for which quoting took the place of a language model.",
    )
    generator_fault_detail = models.JSONField(
        default=dict, help_text="{generator, message, next_step} of that error."
    )
    verification = models.JSONField(
        default=dict,
        help_text="{threshold, model, sentences: [[claim, …], …], dropped: [{sentence, folder_ids, claim}, …]}.",
    )
    contradicted = models.JSONField(
        default=dict,
        help_text="{premise, says, number}: what the question took for granted, and the citation that says otherwise.",
    )
    conflicts = models.JSONField(
        default=list, help_text="[[number, number], …]: two versions of a document with other figures."
    )
    unanswered = models.JSONField(
        default=list,
        help_text="[{question, reason_code, best, cut, gate_score}, …]: parts that are refused beside the answer.",
    )
    n_unresolved_markers = models.PositiveIntegerField(default=0)
    trace = models.JSONField(
        default=dict, help_text="Stages with times and decisions; candidates with scores."
    )
    elapsed_ms = models.FloatField(default=0)
    error_reference = models.CharField(max_length=16, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome="answered", reason_code="")
                | (~Q(outcome="answered") & ~Q(reason_code="")),
                name="answer_or_reason",
            )
        ]

    def __str__(self) -> str:
        return f"{self.outcome} {self.question_id}"

    @property
    def gate_score(self) -> str:
        """Which number the gate compared: ``relevance`` or ``distance``."""
        return "distance" if self.relevance_cut is None else "relevance"

    @property
    def best_score(self) -> float | None:
        """The best of the number that was compared: a relevance in [0, 1] or a cosine distance in [0, 2]."""
        return self.best_distance if self.relevance_cut is None else self.best_relevance

    @property
    def cut(self) -> float | None:
        """The cut that it was compared with; None where there was no gate."""
        return self.distance_cut if self.relevance_cut is None else self.relevance_cut

    @property
    def degrades(self) -> tuple[rag.Degrade, ...]:
        """What it was decided without, for a model ran out of time or was away."""
        stages = self.trace.get("stages", [])
        return rag.degrades_of((stage["name"], stage.get("detail", {})) for stage in stages)

    @property
    def may_end_otherwise(self) -> bool:
        """Whether what it was decided without may be there in a moment; a model that refuses us will not."""
        lasting = {rag.ModelRefused.code, rag.ModelMissing.code, rag.ModelFailed.code}
        faults = {rag.Degrade.GENERATE: self.generator_fault, rag.Degrade.RERANK: self.reranker_fault}
        return any(faults.get(each, "") not in lasting for each in self.degrades)

    @property
    def reranker_fault_detail(self) -> dict[str, str]:
        """{reranker, message, next_step} of the reranker's fault; empty without one."""
        for stage in self.trace.get("stages", []):
            detail = stage.get("detail", {})
            if stage["name"] == "rerank" and self.reranker_fault and detail.get("message"):
                return {name: str(detail.get(name, "")) for name in ("reranker", "message", "next_step")}
        return {}

    @property
    def conflicting_numbers(self) -> list[int]:
        """The numbers of the citations that disagree with another one, in order."""
        return sorted({number for pair in self.conflicts for number in pair})

    @property
    def is_quoted(self) -> bool:
        """True where the sentences are the documents' own words."""
        return self.generator.startswith("extractive/")

    @property
    def text(self) -> str:
        """The sentences with their markers, as one paragraph."""
        return " ".join(
            sentence["text"] + "".join(f" [{n}]" for n in sentence["citations"])
            for sentence in self.sentences
        )


class Citation(models.Model):
    """A numbered source of an answer; ``canonical[start:end] == quote`` when it was written."""

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="citations")
    number = models.PositiveSmallIntegerField()
    document = models.ForeignKey(Document, on_delete=models.SET_NULL, null=True, related_name="citations")
    folder_id = models.BigIntegerField(
        null=True, help_text="Its folder then: decides who may still read the quote."
    )
    document_name = models.CharField(max_length=400)
    document_title = models.CharField(max_length=400)
    document_sha256 = models.CharField(max_length=64)
    label = models.CharField(max_length=500, blank=True, help_text="Heading path, page or cells, for people.")
    locator = models.JSONField(default=dict)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    quote = models.TextField()
    distance = models.FloatField()
    relevance = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["answer", "number"], name="one_source_per_number")]

    def __str__(self) -> str:
        return f"[{self.number}] {self.document_name}"


class Verdict(models.TextChoices):
    """What a reader made of an answer."""

    HELPFUL = "helpful", "Helpful"
    NOT_HELPFUL = "not_helpful", "Not helpful"


class FeedbackReason(models.TextChoices):
    """Why an answer did not help."""

    WRONG = "wrong", "Wrong"
    OUTDATED = "outdated", "Outdated"
    NOT_IN_SOURCES = "not_in_sources", "Not in the sources"
    BADLY_WRITTEN = "badly_written", "Badly written"


class Feedback(models.Model):
    """One Slack user's verdict on an answer; a later one replaces it."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="feedback")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    slack_user_id = models.CharField(max_length=32)
    verdict = models.CharField(max_length=12, choices=Verdict.choices, db_index=True)
    reason = models.CharField(max_length=16, choices=FeedbackReason.choices, blank=True, db_index=True)
    comment = models.TextField(blank=True)
    given_at = models.DateTimeField()

    class Meta:
        ordering = ["-given_at"]
        constraints = [
            models.UniqueConstraint(fields=["question", "slack_user_id"], name="one_verdict_per_person"),
            models.CheckConstraint(
                condition=Q(verdict="not_helpful") | Q(reason="", comment=""),
                name="reason_only_when_not_helpful",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} {self.question_id}"


class HelpRequest(models.Model):
    """A refused question that was put to the people who own the folders; at most once a question."""

    question = models.OneToOneField(Question, on_delete=models.CASCADE, related_name="help_request")
    slack_user_id = models.CharField(max_length=32, help_text="Who wanted a human to see it.")
    owners = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="help_requests")
    asked_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return str(self.question_id)
