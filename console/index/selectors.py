"""Reads of index versions and thresholds."""

from __future__ import annotations

from django.db.models import Count, QuerySet, Sum

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
    return version.thresholds.order_by("-id").first()


def versions_with_counts() -> list[dict[str, object]]:
    """Each version with documents done of documents due, chunks and its setting in force."""
    n_due = Document.objects.filter(deleted_at=None, state__in=SEARCHABLE_STATES).count()
    rows = IndexVersion.objects.annotate(
        n_done=Count("stamps"),
        n_vectors=Sum("stamps__n_vectors"),
        n_lexical=Sum("stamps__n_lexical"),
        n_over_window=Sum("stamps__n_over_window"),
        n_split_for_window=Sum("stamps__n_split_for_window"),
    )
    return [
        {
            "version": version,
            "n_due": n_due,
            "n_done": version.n_done,
            "n_vectors": version.n_vectors or 0,
            "n_lexical": version.n_lexical or 0,
            "n_over_window": version.n_over_window or 0,
            "n_split_for_window": version.n_split_for_window or 0,
            "n_stale": stale_stamps(version).count(),
            "threshold": threshold_in_force(version),
        }
        for version in rows
    ]


def stale_stamps(version: IndexVersion) -> QuerySet[Document]:
    """Documents whose stamp in the version is of other bytes than the document has now."""
    from django.db.models import F

    return Document.objects.filter(deleted_at=None, index_stamps__version=version).exclude(
        index_stamps__sha256=F("sha256")
    )
