"""Directories and archives: what is new, changed, renamed or gone, and what must never happen."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import zipfile
from pathlib import Path
from typing import IO

import pytest

from console.access import Rejected
from console.people.models import User
from console.sources import archives, upkeep
from console.sources.archives import upload_archive
from console.sources.models import Document, DocumentState, Folder
from console.sources.services import delete_document, disable_document
from console.sources.sync import SyncFile, sync_files
from console.sources.sync_report import SyncReport
from tests.workers.conftest import HOTELS, LAPTOPS, upload
from workers import files as files_module
from workers.files import WatchedDirectory

ORIGIN = "directory:/handbook"
BIKES = b"# Bikes\n\nCargo bikes are lent for 14 days at most.\n"


@pytest.fixture(autouse=True)
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory, settings: object, sent: list) -> None:
    home = tmp_path_factory.mktemp("home")
    settings.HOME = home
    settings.FILE_UPLOAD_TEMP_DIR = str(home)


def sync(
    admin: User, folder: Folder, files: dict[str, bytes], *, origin: str = ORIGIN, **more: bool
) -> SyncReport:
    given = [SyncFile(name, lambda body=body: io.BytesIO(body)) for name, body in files.items()]
    return sync_files(actor=admin, folder=folder, origin=origin, files=given, **more)


def told(report: SyncReport) -> dict[str, str]:
    return {row.name: row.result.value for row in report.rows}


def names() -> dict[str, int]:
    return dict(Document.objects.filter(deleted_at=None).values_list("name", "pk"))


def test_new_changed_unchanged_and_gone(admin: User, folder: Folder) -> None:
    by_hand = upload(admin, folder, "by-hand.md", b"# By hand\n\nThis one came alone.")
    sync(admin, folder, {"other.md": b"# Other"}, origin="directory:/elsewhere")
    assert told(sync(admin, folder, {"a.md": HOTELS, "b.md": LAPTOPS, "c.md": BIKES})) == {
        "a.md": "created",
        "b.md": "created",
        "c.md": "created",
    }
    before = names()
    report = sync(admin, folder, {"a.md": HOTELS, "b.md": LAPTOPS + b"Also phones.\n"})
    assert told(report) == {"a.md": "unchanged", "b.md": "replaced", "c.md": "deleted"}
    assert report.summary == "1 changed, 1 deleted, 1 unchanged"
    assert names() == {name: pk for name, pk in before.items() if name != "c.md"}
    assert by_hand.pk in names().values()
    assert "other.md" in names()


def test_a_rename_keeps_the_document(admin: User, folder: Folder, sent: list) -> None:
    sync(admin, folder, {"old/a.md": HOTELS, "b.md": LAPTOPS})
    document = Document.objects.get(name="old/a.md")
    Document.objects.update(state=DocumentState.INDEXED, title="Travel policy")
    sent.clear()
    report = sync(admin, folder, {"new/a.md": HOTELS, "b.md": LAPTOPS})
    assert [(row.name, row.result, row.detail) for row in report.rows] == [
        ("new/a.md", "renamed", "old/a.md"),
        ("b.md", "unchanged", ""),
    ]
    assert names()["new/a.md"] == document.pk
    assert sent == [], "its title stands in the text, so nothing is read again"


def test_a_rename_onto_a_name_that_gets_other_bytes_is_told_apart(admin: User, folder: Folder) -> None:
    """z.md becomes a.md and z.md is written anew, whichever name comes first."""
    sync(admin, folder, {"z.md": HOTELS})
    z = names()["z.md"]
    assert told(sync(admin, folder, {"a.md": HOTELS, "z.md": LAPTOPS})) == {
        "a.md": "created",
        "z.md": "replaced",
    }
    assert names()["z.md"] == z
    assert told(sync(admin, folder, {"a.md": LAPTOPS, "z.md": HOTELS})) == {
        "a.md": "replaced",
        "z.md": "replaced",
    }


def test_the_same_bytes_make_one_document_until_the_other_goes(admin: User, folder: Folder) -> None:
    report = sync(admin, folder, {"a.md": HOTELS, "b.md": HOTELS})
    assert told(report) == {"a.md": "created", "b.md": "same_bytes"}
    assert next(row.detail for row in report.rows if row.name == "b.md") == "a.md"
    first = names()
    assert told(sync(admin, folder, {"b.md": HOTELS})) == {"b.md": "renamed"}
    assert list(names().values()) == list(first.values())
    report = sync(admin, folder, {"c.md": HOTELS, "d.md": HOTELS})
    assert [(row.result, row.detail) for row in report.rows] == [("renamed", "b.md"), ("same_bytes", "c.md")]
    sync(admin, folder, {"b.md": HOTELS})
    delete_document(actor=admin, document=Document.objects.get())
    assert told(sync(admin, folder, {"b.md": HOTELS})) == {"b.md": "created"}


def test_a_dry_run_changes_nothing(admin: User, folder: Folder, sent: list) -> None:
    sync(admin, folder, {"a.md": HOTELS, "b.md": LAPTOPS})
    before = names()
    sent.clear()
    report = sync(admin, folder, {"x.md": HOTELS, "c.md": BIKES}, dry_run=True)
    assert told(report) == {"x.md": "renamed", "c.md": "created", "b.md": "deleted"}
    assert (names(), sent) == (before, [])


def test_no_file_at_all_deletes_nothing(admin: User, folder: Folder) -> None:
    sync(admin, folder, {"a.md": HOTELS})
    with pytest.raises(Rejected, match="nothing was changed"):
        sync(admin, folder, {})
    assert list(names()) == ["a.md"]


def test_a_file_that_cannot_be_read_is_not_taken_for_gone(
    admin: User, folder: Folder, settings: object
) -> None:
    sync(admin, folder, {"a.md": HOTELS, "b.md": LAPTOPS})

    def away() -> io.BytesIO:
        raise PermissionError(13, "Permission denied")

    files = [SyncFile("a.md", away), SyncFile("b.md", lambda: io.BytesIO(LAPTOPS)), SyncFile("../c.md", away)]
    report = sync_files(actor=admin, folder=folder, origin=ORIGIN, files=files)
    assert told(report) == {"a.md": "rejected", "../c.md": "rejected", "b.md": "unchanged"}
    assert "Permission denied" in report.rows[1].detail
    assert set(names()) == {"a.md", "b.md"}
    settings.MAX_UPLOAD_BYTES = 10
    assert told(sync(admin, folder, {"a.md": HOTELS + b"!", "b.md": b"short"}))["a.md"] == "rejected"


def test_a_disabled_document_stays_out_and_a_single_upload_is_adopted(admin: User, folder: Folder) -> None:
    alone = upload(admin, folder, "a.md", HOTELS)
    disable_document(actor=admin, document=alone)
    sync(admin, folder, {"a.md": HOTELS, "b.md": LAPTOPS})
    alone.refresh_from_db()
    assert (alone.state, alone.origin) == (DocumentState.LEFT_OUT, ORIGIN)
    assert told(sync(admin, folder, {"b.md": LAPTOPS}))["a.md"] == "deleted"


def packed(files: dict[str, bytes], *, link: str = "") -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as container:
        for name, content in files.items():
            container.writestr(name, content)
        if link:
            member = zipfile.ZipInfo(link)
            member.external_attr = (stat.S_IFLNK | 0o777) << 16
            container.writestr(member, "/etc/passwd")
    return body.getvalue()


def test_an_archive_is_unpacked_and_kept_in_step(admin: User, folder: Folder) -> None:
    system = {"__MACOSX/._a.md": b"x", ".DS_Store": b"x", "img/Thumbs.db": b"x", "img/": b""}
    first = packed({"a.md": HOTELS, "hr/b.md": LAPTOPS, "inner.zip": packed({"c.md": BIKES})} | system)
    report = upload_archive(actor=admin, folder=folder, name="handbook.zip", pieces=[first])
    assert told(report) == {"a.md": "created", "hr/b.md": "created", "inner.zip": "created"}
    assert set(Document.objects.values_list("origin", flat=True)) == {"zip:handbook.zip"}
    second = packed({"rules.md": HOTELS, "hr/b.md": BIKES})
    report = upload_archive(actor=admin, folder=folder, name="handbook.zip", pieces=[second])
    assert told(report) == {"rules.md": "renamed", "hr/b.md": "replaced", "inner.zip": "deleted"}
    other = upload_archive(actor=admin, folder=folder, name="other.zip", pieces=[packed({"d.md": b"# D"})])
    assert told(other) == {"d.md": "created"}, "another archive's files stay"
    assert set(names()) == {"rules.md", "hr/b.md", "d.md"}


def test_nothing_of_an_archive_leads_out_of_it(admin: User, folder: Folder) -> None:
    evil = packed({"../../evil.md": HOTELS, "/etc/motd.md": LAPTOPS, "C:\\x\\y.md": BIKES}, link="passwd")
    report = upload_archive(actor=admin, folder=folder, name="evil.zip", pieces=[evil])
    assert told(report) == {
        "../../evil.md": "rejected",
        "passwd": "rejected",
        "etc/motd.md": "created",
        "C:/x/y.md": "created",
    }


def encrypted() -> bytes:
    body = bytearray(packed({"a.md": HOTELS}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        body[body.index(signature) + offset] |= 1
    return bytes(body)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"PK\x03\x04 cut off", "archive_damaged"),
        (encrypted(), "archive_encrypted"),
        (packed({".DS_Store": b"x"}), "archive_empty"),
        (packed({"bomb.txt": b"0" * (17 * 1024 * 1024)}), "archive_resource_limit"),
        (packed({"a.md": b"a", "b.md": b"b", "c.md": b"c"}), "archive_too_many_files"),
    ],
)
def test_an_archive_that_is_not_taken_says_why(
    admin: User, folder: Folder, monkeypatch: pytest.MonkeyPatch, body: bytes, code: str
) -> None:
    monkeypatch.setattr(archives, "MAX_MEMBERS", 2)
    with pytest.raises(Rejected) as caught:
        upload_archive(actor=admin, folder=folder, name="x.zip", pieces=[body])
    assert caught.value.code == code
    assert not Document.objects.exists()


def test_a_damaged_member_stops_no_other(admin: User, folder: Folder) -> None:
    body = bytearray(packed({"a.md": HOTELS * 20, "b.md": LAPTOPS}))
    body[60:70] = b"\xff" * 10
    report = upload_archive(actor=admin, folder=folder, name="x.zip", pieces=[bytes(body)])
    assert told(report) == {"a.md": "rejected", "b.md": "created"}


def test_a_directory_is_hashed_again_only_where_it_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "SETTLED_AFTER_S", -1.0)
    hashed: list[str] = []
    real = hashlib.file_digest

    def digest(file: IO[bytes], name: str) -> object:
        hashed.append(Path(file.name).name)
        return real(file, name)

    monkeypatch.setattr(hashlib, "file_digest", digest)
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_bytes(HOTELS)
    directory = WatchedDirectory(tmp_path)
    first = [file.digest() for file in directory.files()]
    assert [file.digest() for file in directory.files()] == first
    assert hashed == ["a.md", "b.md"]
    status = (tmp_path / "a.md").stat()
    (tmp_path / "a.md").write_bytes(b"x" * len(HOTELS))
    os.utime(tmp_path / "a.md", ns=(status.st_atime_ns, status.st_mtime_ns))  # same size and time: still seen
    assert [file.digest() for file in directory.files()] != first
    assert hashed == ["a.md", "b.md", "a.md"]


def test_attachments_of_what_is_synced_are_no_files_of_the_directory(admin: User, folder: Folder) -> None:
    sync(admin, folder, {"mail.eml": b"From: a@example.org\n\nHello there.\n"})
    mail = Document.objects.get()
    Document.objects.create(
        folder=folder, parent=mail, name="mail.eml/a.md", sha256="0" * 64, size_bytes=1, origin=ORIGIN
    )
    report = sync(admin, folder, {"mail.eml": b"From: a@example.org\n\nHello there.\n"})
    assert told(report) == {"mail.eml": "unchanged"}
    assert upkeep.purge_document(mail.pk) is False
