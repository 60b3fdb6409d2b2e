"""Reads of index versions and thresholds."""

from __future__ import annotations

from django.db.models import Count, F, Q, QuerySet, Sum, Value

from console.index.models import IndexVersion, ThresholdSetting, VersionState
from console.sources.models import SEARCHABLE_STATES, Document


def active_version() -> IndexVersion | None:
    """The version that serves; None before the first start has made one."""
    return IndexVersion.objects.filter(state=VersionState.ACTIVE).first()


def live_versions() -> QuerySet[IndexVersion]:
    """Versions that still hold vectors."""
    return IndexVersion.objects.filter(
        state__in=[VersionState.BUILDING, VersionState.READY, VersionState.ACTIVE]
    )


def threshold_in_force(version: IndexVersion) -> ThresholdSetting | None:
    """The newest setting of the version."""
    chosen_on = ("relevance_calibration", "distance_calibration")
    return version.thresholds.select_related(*chosen_on).order_by("-id").first()


def versions_with_counts() -> QuerySet[IndexVersion]:
    """Every version, newest first, with `n_done` documents of `n_due`, its passages counted, and its thresholds.

    `n_stale` counts the documents whose stamp is of other bytes than the document has now.
    """
    n_due = Document.objects.filter(deleted_at=None, state__in=SEARCHABLE_STATES).count()
    is_stale = Q(stamps__document__deleted_at=None) & ~Q(stamps__sha256=F("stamps__document__sha256"))
    return (
        IndexVersion.objects.annotate(
            n_due=Value(n_due),
            n_done=Count("stamps"),
            n_vectors=Sum("stamps__n_vectors", default=0),
            n_lexical=Sum("stamps__n_lexical", default=0),
            n_over_window=Sum("stamps__n_over_window", default=0),
            n_split_for_window=Sum("stamps__n_split_for_window", default=0),
            n_stale=Count("stamps", filter=is_stale),
        )
        # The model's own order is lost where rows are counted.
        .order_by("-id")
        .prefetch_related("thresholds")
    )
