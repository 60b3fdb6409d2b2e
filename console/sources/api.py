"""API of folders, and of what is uploaded into them."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import File, Form, Query, Router, Status
from ninja.files import UploadedFile

from console.access import Rejected, require_admin
from console.api_auth import person_of
from console.api_pages import PageQuery, cut
from console.problems import Problem
from console.sources.models import Folder
from console.sources.receiving import receive_file
from console.sources.schemas import FolderChangeIn, FolderIn, FolderOut, FoldersOut, UploadedOut
from console.sources.selectors import folder_for, folders_with_counts
from console.sources.services import create_folder, update_folder

router = Router()


@router.get("/folders", response=FoldersOut, tags=["folders"])
def list_folders(request: HttpRequest, page: Query[PageQuery]) -> dict[str, object]:
    """Every folder the caller may see."""
    count, items = cut(folders_with_counts(person_of(request)), page)
    return {"count": count, "items": items}


@router.post("/folders", response={201: FolderOut, 409: Problem}, tags=["folders"])
def add_folder(request: HttpRequest, body: FolderIn) -> Status[Folder]:
    """A new folder; admins only."""
    user = person_of(request)
    folder = create_folder(actor=user, **body.dict())
    return Status(201, folders_with_counts(user).get(pk=folder.pk))


@router.get("/folders/{int:folder_id}", response=FolderOut, tags=["folders"])
def one_folder(request: HttpRequest, folder_id: int) -> Folder:
    """One folder."""
    return folders_with_counts(person_of(request)).get(pk=folder_id)


@router.put("/folders/{int:folder_id}", response=FolderOut, tags=["folders"])
def change_folder(request: HttpRequest, folder_id: int, body: FolderChangeIn) -> Folder:
    """Change who may be answered from a folder, and whether near-duplicates are searched; admins only."""
    user = person_of(request)
    update_folder(actor=user, folder=folder_for(user, folder_id), **body.dict())
    return folders_with_counts(user).get(pk=folder_id)


@router.post("/folders/{int:folder_id}/documents", response=list[UploadedOut], tags=["documents"])
def upload_documents(
    request: HttpRequest,
    folder_id: int,
    files: File[list[UploadedFile]],
    paths: Form[list[str]] = [],  # noqa: B006
) -> list[dict[str, object]]:
    """Upload files (multipart field `files`, any number); admins only.

    `paths` may give each file's path in the folder, in the same order. One rejected file does not
    stop the others. A file whose name ends in `.zip` is unpacked; the same name again is an incremental
    sync: what came from that archive and is no longer in it is deleted.
    """
    user = person_of(request)
    require_admin(user)
    folder = folder_for(user, folder_id)
    if paths and len(paths) != len(files):
        raise Rejected("paths_differ", "Send one path for each file, or none.")
    rows: list[dict[str, object]] = []
    for position, file in enumerate(files):
        name = (paths[position] if paths else "") or file.name or ""
        received = receive_file(actor=user, folder=folder, name=name, pieces=file.chunks())
        archive = received.name if received.is_archive else ""
        rows += [
            {
                "name": row.name,
                "result": row.result,
                "archive": archive,
                "document": row.document,
                "code": row.code,
                "detail": row.detail,
            }
            for row in received.rows
        ]
    return rows
