"""What a sync did, or would do, name by name."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from console.sources.models import Document


class SyncResult(StrEnum):
    """How one name fared, in the order in which reports tell it."""

    CREATED = "created"
    REPLACED = "replaced"
    RENAMED = "renamed"
    DELETED = "deleted"
    SAME_BYTES = "same_bytes"
    REJECTED = "rejected"
    UNCHANGED = "unchanged"


RESULT_WORDS = {
    SyncResult.CREATED: "new",
    SyncResult.REPLACED: "changed",
    SyncResult.RENAMED: "renamed",
    SyncResult.DELETED: "deleted",
    SyncResult.SAME_BYTES: "with the same bytes as another",
    SyncResult.REJECTED: "not taken",
    SyncResult.UNCHANGED: "unchanged",
}


@dataclass(frozen=True, slots=True)
class SyncRow:
    """What became of one name. `detail` is the earlier name, the name that holds the same bytes, or the reason."""

    name: str
    result: SyncResult
    document: Document | None = None
    code: str = ""
    detail: str = ""


@dataclass(slots=True)
class SyncReport:
    """Every name with what became of it, or would become of it."""

    origin: str
    is_dry_run: bool = False
    rows: list[SyncRow] = field(default_factory=list)

    @property
    def counts(self) -> dict[SyncResult, int]:
        """How many names had each result; those without any are left out."""
        found = Counter(row.result for row in self.rows)
        return {result: found[result] for result in SyncResult if found[result]}

    @property
    def summary(self) -> str:
        """``12 new, 1 deleted``."""
        return (
            ", ".join(f"{n} {RESULT_WORDS[result]}" for result, n in self.counts.items()) or "nothing to do"
        )

    @property
    def deleted_ids(self) -> list[int]:
        """Documents that were deleted."""
        gone = (row.document for row in self.rows if row.result is SyncResult.DELETED)
        return [document.pk for document in gone if document is not None]

    @property
    def unread_ids(self) -> list[int]:
        """Documents that have something new to read, or still wait from an earlier run."""
        new = {SyncResult.CREATED, SyncResult.REPLACED, SyncResult.RENAMED}
        return [
            row.document.pk
            for row in self.rows
            if row.document is not None
            and (row.result in new or (row.result is SyncResult.UNCHANGED and row.document.is_working))
        ]
