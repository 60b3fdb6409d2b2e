"""API of index versions, thresholds and health."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Schema, Status
from pydantic import Field, StrictFloat, StrictInt

from console.access import Rejected, require_admin, require_support_lead
from console.api_auth import person_of
from console.api_keys import Body
from console.api_types import Name
from console.index.health import Health, health
from console.index.models import IndexVersion, ThresholdSetting
from console.index.selectors import active_version, threshold_in_force, versions_with_counts
from console.index.services import set_threshold
from console.problems import Problem

router = Router()


class VersionOut(Schema):
    """An index version with documents done of documents due, and its counts."""

    id: int
    state: str
    collection: str
    model_name: str
    model_revision: str
    dimension: int
    window_tokens: int
    pooling: str
    is_normalised: bool
    pipeline_version: str
    chunking: str
    created_at: datetime
    activated_at: datetime | None
    n_done: int
    n_due: int
    n_vectors: int
    n_lexical: int
    n_split_for_window: int
    n_over_window: int
    n_stale: int


class ThresholdIn(Body):
    """A new setting of the gate of the active version."""

    relevance_cut: StrictFloat | None = Field(
        None, description="Relevance, 0 to 1; a passage at or above it passes. Left out: stays as it is."
    )
    distance_cut: StrictFloat = Field(
        description="Cosine distance, 0 to 2; where no reranker read, a passage at or below it passes."
    )
    max_chunks: StrictInt = Field(4, description="At most this many passages pass, 1 to 20.")
    reason: Name = Field(max_length=300)


class ThresholdOut(Schema):
    """One setting; the newest of a version is in force."""

    id: int
    version_id: int
    relevance_cut: float
    distance_cut: float
    reranker: str
    golden_set: str
    max_chunks: int
    set_by: str | None
    set_at: datetime
    reason: str

    @staticmethod
    def resolve_set_by(row: ThresholdSetting) -> str | None:
        """The user name; null for the system."""
        return row.set_by.get_username() if row.set_by else None


class ThresholdsOut(Schema):
    """The setting in force and those before it, newest first."""

    in_force: ThresholdOut | None
    history: list[ThresholdOut]


class HealthOut(Schema):
    """How the queues and the index stand."""

    status: str
    problems: list[str]
    at: datetime
    n_documents_waiting: int
    oldest_document_waiting_s: float | None
    n_questions_pending: int
    oldest_question_pending_s: float | None
    n_documents_failed: int
    index_version: int | None
    model: str
    n_generator_faults: int = Field(
        description="Answers of the last 24 hours that were quoted because the language model could not write them."
    )
    generator_faults: dict[str, int] = Field(description="The same by the code of the error.")


@router.get("/versions", response=list[VersionOut], tags=["index"])
def list_versions(request: HttpRequest) -> QuerySet[IndexVersion]:
    """Every index version; support leads and admins."""
    require_support_lead(person_of(request))
    return versions_with_counts()


@router.get("/thresholds", response=ThresholdsOut, tags=["index"])
def list_thresholds(request: HttpRequest) -> dict[str, object]:
    """The active version's setting and its history; support leads and admins."""
    require_support_lead(person_of(request))
    version = active_version()
    if version is None:
        return {"in_force": None, "history": []}
    history = list(version.thresholds.select_related("set_by")[:100])
    return {"in_force": threshold_in_force(version), "history": history}


@router.post("/thresholds", response={201: ThresholdOut, 422: Problem}, tags=["index"])
def add_threshold(request: HttpRequest, body: ThresholdIn) -> Status[ThresholdSetting]:
    """Set the gate, from the next question on; admins only."""
    user = person_of(request)
    require_admin(user)
    version = active_version()
    if version is None:
        raise Rejected("index_not_ready", "There is no index yet, so there is nothing to set.")
    return Status(201, set_threshold(actor=user, version=version, **body.dict()))


@router.get("/health", response=HealthOut, tags=["health"])
def read_health(request: HttpRequest) -> dict[str, object]:
    """Queue ages, counts and the version that serves; support leads and admins."""
    require_support_lead(person_of(request))
    state: Health = health()
    return {
        "status": "ok" if not state.problems else "attention",
        "at": timezone.now(),
        **{name: getattr(state, name) for name in HealthOut.model_fields if name not in {"status", "at"}},
    }
