"""What the API says and takes about folders and documents."""

from __future__ import annotations

from datetime import datetime

from ninja import Schema
from pydantic import Field, StrictBool

import rag
from console.api_keys import Body
from console.api_pages import PageQuery
from console.api_types import Id, Name, StrictId, Text
from console.sources.models import DocumentState, ExtractionAttempt
from console.sources.services import MAX_PAGE
from console.sources.sync_report import SyncResult


class FolderIn(Body):
    """A new folder."""

    name: Name = Field(max_length=120)
    description: Text = Field("", max_length=300)
    is_open: StrictBool = False
    is_shared_externally: StrictBool = False
    leaves_out_near_duplicates: StrictBool = False
    language: Text = Field(rag.DEFAULT_LANGUAGE, max_length=20)


class FolderChangeIn(Body):
    """How a folder is from now on; its name and members stay."""

    description: Text = Field("", max_length=300)
    is_open: StrictBool
    is_shared_externally: StrictBool
    leaves_out_near_duplicates: StrictBool
    language: Text | None = Field(None, max_length=20)


class FolderOut(Schema):
    """A folder with its documents counted."""

    id: int
    name: str
    description: str
    is_open: bool
    is_shared_externally: bool
    leaves_out_near_duplicates: bool
    language: str
    created_at: datetime
    n_documents: int
    n_searchable: int
    n_attention: int
    n_left_out: int
    n_working: int


class FoldersOut(Schema):
    """A page of folders."""

    count: int
    items: list[FolderOut]


class WarningOut(Schema):
    """Something that was dropped or doubtful in a file that was read; `count` says how much of it."""

    code: str
    message: str
    count: int | None = None


class DocumentOut(Schema):
    """A document and how it stands; failed, partial, stalled and left-out ones say why and what to do.

    `page_confidence` holds [page, mean OCR confidence in 0 to 1] of each recognised page;
    `near_duplicate_similarity` is a Jaccard similarity in 0 to 1.
    """

    id: int
    folder_id: int
    parent_id: int | None
    origin: str
    name: str
    title: str
    sha256: str
    size_bytes: int
    state: DocumentState
    reason_code: str
    reason: str
    next_step: str
    format: str
    extractor: str
    encoding: str
    ocr_confidence: float | None
    page_confidence: list[tuple[int, float]]
    coverage_unit: str
    coverage_read: int | None
    coverage_total: int | None
    coverage_missing: list[str]
    warnings: list[WarningOut]
    near_duplicate_of_id: int | None
    near_duplicate_similarity: float | None
    n_chars: int | None
    n_chunks: int | None
    progress_done: int
    progress_total: int
    uploaded_at: datetime
    state_changed_at: datetime


class DocumentsOut(Schema):
    """A page of documents."""

    count: int
    items: list[DocumentOut]


class AttemptOut(Schema):
    """One run over a document; `pages`, as 3-7, when only these were read."""

    trigger: ExtractionAttempt.Trigger
    pages: str
    requested_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    run_s: float | None
    outcome: str
    reason_code: str
    reason: str
    extractor: str
    sha256: str


class UploadedOut(Schema):
    """How one file fared; each file of an archive has its own row, with the archive's name.

    For `same_bytes` the document is the one that holds the bytes, under another name; for `renamed`
    `detail` is the name before.
    """

    name: str
    result: SyncResult
    archive: str = ""
    document: DocumentOut | None = None
    code: str = ""
    detail: str = ""


class RetryIn(Body):
    """Which documents to retry: all that need attention, or only those of a reason or folder."""

    reason_code: Text | None = None
    folder_id: StrictId | None = None


class PagesIn(Body):
    """Pages of a PDF, counted from 1; both or none."""

    first_page: int | None = Field(None, ge=1, le=MAX_PAGE, strict=True)
    last_page: int | None = Field(None, ge=1, le=MAX_PAGE, strict=True)


class RenameIn(Body):
    """A document's new path in its folder."""

    name: Text = Field(min_length=1, max_length=400)


class RetriedOut(Schema):
    """How many were queued."""

    n_queued: int


class ReasonOut(Schema):
    """Documents that need attention for one reason.

    `n_refusals`: refusals of the last 30 days to questions that searched one of their folders while the
    document could not be read in full. It may have held the answer; that is known when it is read.
    """

    reason_code: str
    n_documents: int
    n_refusals: int


class DocumentFilter(PageQuery):
    """Filters of the list of documents; `q` is part of the name."""

    folder_id: Id | None = None
    parent_id: Id | None = None
    state: DocumentState | None = None
    q: Text = ""
