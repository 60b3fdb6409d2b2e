"""One uploaded file, whatever it is: a document, or an archive of documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from console.access import Rejected
from console.people.models import User
from console.sources.archives import is_archive, upload_archive
from console.sources.models import Folder
from console.sources.sync_report import SyncResult, SyncRow
from console.sources.uploads import UploadOutcome, upload_document

SUMMARIES = {
    UploadOutcome.CREATED: "stored",
    UploadOutcome.REPLACED: "replaced",
    UploadOutcome.UNCHANGED: "unchanged",
}


@dataclass(frozen=True, slots=True)
class Received:
    """How an uploaded file fared: a row for itself, or one for each file of an archive."""

    name: str
    rows: list[SyncRow] = field(default_factory=list)
    is_archive: bool = False
    summary: str = ""

    @property
    def rejected(self) -> list[SyncRow]:
        """What was not taken, with the reasons."""
        return [row for row in self.rows if row.result is SyncResult.REJECTED]


def receive_file(*, actor: User | None, folder: Folder, name: str, pieces: Iterable[bytes]) -> Received:
    """Take a file in; what cannot be taken is a row that says why, so that it stops no other file.

    Raises:
        NotPermitted: the actor is no admin.
    """
    try:
        if is_archive(name):
            report = upload_archive(actor=actor, folder=folder, name=name, pieces=pieces)
            return Received(name, report.rows, is_archive=True, summary=report.summary)
        uploaded = upload_document(actor=actor, folder=folder, name=name, pieces=pieces)
    except Rejected as error:
        return Received(name, [SyncRow(name, SyncResult.REJECTED, code=error.code, detail=str(error))])
    document = uploaded.document
    if uploaded.outcome is UploadOutcome.SAME_BYTES:
        row = SyncRow(name, SyncResult.SAME_BYTES, document, "same_bytes", document.name)
        return Received(name, [row], summary=f"the same bytes as {document.name}, kept once")
    row = SyncRow(document.name, SyncResult(uploaded.outcome.value), document)
    return Received(document.name, [row], summary=SUMMARIES[uploaded.outcome])
