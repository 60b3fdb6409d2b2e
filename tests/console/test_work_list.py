"""The work list: grouped, ranked by the refusals it may explain, and what can be done with it at once."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from console.questions.models import Answer, Question, QuestionState, Surface
from console.sources.batches import batch_of
from console.sources.models import Document, DocumentState, ExtractionAttempt, Folder
from console.sources.selectors import documents_needing_attention
from console.sources.services import create_folder
from console.sources.work_list import work_list
from tests.console.conftest import World, make_failed
from tests.console.test_pages import HTMX, text_of

As = Callable[..., Client]


def failed_document(folder: Folder, name: str, code: str, *, days_ago: float) -> Document:
    document = Document.objects.create(folder=folder, name=name, sha256=name[:1] * 64, size_bytes=1)
    when = timezone.now() - timedelta(days=days_ago)
    ExtractionAttempt.objects.create(
        document=document, trigger="upload", sha256=document.sha256, finished_at=when, outcome="failed"
    )
    make_failed(document, code)
    Document.objects.filter(pk=document.pk).update(state_changed_at=when)
    return document


def refusal(*folders: Folder, days_ago: float, reason: str = "below_threshold") -> None:
    question = Question.objects.create(text="?", surface=Surface.CONSOLE, state=QuestionState.REFUSED)
    answer = Answer.objects.create(
        question=question,
        outcome=QuestionState.REFUSED,
        reason_code=reason,
        folder_ids=[folder.pk for folder in folders],
    )
    when = timezone.now() - timedelta(days=days_ago)
    Answer.objects.filter(pk=answer.pk).update(created_at=when)


@pytest.fixture
def legal(world: World) -> Folder:
    Document.objects.filter(pk=world.broken.pk).delete()
    Answer.objects.filter(outcome="refused").delete()
    return create_folder(actor=world.admin, name="Legal")


def test_groups_and_documents_are_ranked_by_the_refusals_they_may_explain(
    world: World, legal: Folder
) -> None:
    old = failed_document(legal, "a.pdf", "encrypted", days_ago=20)
    late = failed_document(legal, "b.pdf", "encrypted", days_ago=2)
    failed_document(world.travel, "c.pdf", "no_text", days_ago=20)
    failed_document(world.travel, "d.pdf", "no_text", days_ago=20)
    for days_ago in (1, 10, 25, 40):  # before the file failed, and too long ago: not counted
        refusal(legal, days_ago=days_ago)
    refusal(world.travel, legal, days_ago=5)
    refusal(legal, days_ago=1, reason="routed_no_retrieval")  # nothing was searched
    found = work_list(documents_needing_attention(world.admin))
    assert [(group.reason_code, group.n_documents, group.n_refusals) for group in found.groups] == [
        ("encrypted", 2, 3),
        ("no_text", 2, 1),
    ]
    assert [(entry.document_id, entry.n_refusals) for entry in found.entries[:2]] == [
        (old.pk, 3),
        (late.pk, 1),
    ]


def test_a_retry_that_fails_again_does_not_forget_how_long_it_was_unreadable(
    world: World, legal: Folder
) -> None:
    document = failed_document(legal, "a.pdf", "encrypted", days_ago=20)
    Document.objects.filter(pk=document.pk).update(state_changed_at=timezone.now())
    ExtractionAttempt.objects.create(
        document=document, trigger="retry", sha256="a" * 64, finished_at=timezone.now(), outcome="failed"
    )
    refusal(legal, days_ago=10)
    entry = work_list(documents_needing_attention(world.admin)).entries[0]
    assert (entry.n_refusals, entry.n_attempts) == (1, 2)
    ExtractionAttempt.objects.filter(trigger="upload").update(outcome="indexed")
    assert work_list(documents_needing_attention(world.admin)).entries[0].n_refusals == 0


def test_the_page_says_what_the_number_means(world: World, legal: Folder, as_role: As) -> None:
    failed_document(legal, "a.pdf", "encrypted", days_ago=20)
    failed_document(world.travel, "b.pdf", "no_text", days_ago=20)
    refusal(legal, days_ago=1)
    words = text_of(as_role("admin").get("/failed"))
    assert "may explain 1 refusal" in words
    assert words.index("encrypted 1") < words.index("no_text 1")
    assert "Whether a file holds their answer is known once it is read" in words
    assert "a.pdf" not in text_of(as_role("viewer").get("/failed")), "a folder that is not theirs"
    assert "a.pdf" not in text_of(as_role("admin").get("/failed?reason=no_text"))
    reasons = as_role("admin").get("/api/v1/documents/reasons").json()
    assert reasons[0] == {"reason_code": "encrypted", "n_documents": 1, "n_refusals": 1}
    assert len(as_role("viewer").get("/api/v1/documents/reasons").json()) == 1


def test_all_of_a_folder_are_retried(world: World, legal: Folder, as_role: As) -> None:
    failed_document(legal, "a.pdf", "encrypted", days_ago=1)
    failed_document(legal, "b.pdf", "no_text", days_ago=1)
    other = failed_document(world.travel, "c.pdf", "no_text", days_ago=1)
    admin = as_role("admin")
    assert "Retry everything of this folder" in text_of(admin.get(f"/failed?folder={legal.pk}"))
    assert "2 queued again" in text_of(admin.post("/documents/retry", {"folder": legal.pk}, follow=True))
    other.refresh_from_db()
    assert other.state == DocumentState.FAILED


def test_pages_are_retried_from_the_document_page(world: World, as_role: As) -> None:
    admin, url = as_role("admin"), f"/documents/{world.broken.pk}/retry"
    assert 'name="first"' in admin.get(f"/documents/{world.broken.pk}").content.decode()
    assert 'name="first"' not in admin.get(f"/documents/{world.policy.pk}").content.decode()
    wrong = admin.post(url, {"first": "two", "of": "status"}, headers=HTMX)
    assert wrong.status_code == 422
    assert "counted from 1" in text_of(wrong)
    admin.post(url, {"first": "2", "last": "4", "of": "status"}, headers=HTMX)
    assert world.broken.attempts.first().pages == "2-4"
    assert "pages 2-4" in text_of(admin.get(f"/documents/{world.broken.pk}"))
    attempts = admin.get(f"/api/v1/documents/{world.broken.pk}/attempts").json()
    assert (attempts[0]["trigger"], attempts[0]["pages"]) == ("retry", "2-4")


def test_a_document_that_is_left_out_is_shown_calmly(world: World, as_role: As) -> None:
    admin = as_role("admin")
    page = admin.get(f"/documents/{world.left_out.pk}")
    assert "no answer uses it" in text_of(page)
    assert "Enable" in text_of(page)
    assert "1 left out" in text_of(admin.get(f"/folders/{world.travel.pk}"))
    assert "old-policy.md" in text_of(admin.get(f"/folders/{world.travel.pk}?state=left_out"))
    assert "old-policy.md" not in text_of(admin.get("/failed"))
    row = admin.post(f"/documents/{world.left_out.pk}/enable", {"of": "folder"}, headers=HTMX)
    assert "Queued" in text_of(row)
    back = admin.post(f"/documents/{world.policy.pk}/disable", {"of": "status"}, headers=HTMX)
    assert "Left out disabled" in text_of(back)
    assert "ada disabled it." in text_of(back)


def test_the_document_page_says_what_was_read_and_what_was_dropped(world: World, as_role: As) -> None:
    child = Document.objects.create(
        folder=world.travel, parent=world.policy, name="policy.md/a.md", sha256="0" * 64, size_bytes=1
    )
    Document.objects.filter(pk=world.policy.pk).update(
        coverage_unit="page",
        coverage_read=3,
        coverage_total=4,
        coverage_missing=["4"],
        ocr_confidence=0.875,
        page_confidence=[[2, 0.91], [3, 0.84]],
        encoding="cp1252",
        warnings=[{"code": "hidden_text", "message": "Hidden text was dropped.", "count": 1200}],
        near_duplicate_of=world.broken,
        near_duplicate_similarity=0.93,
        origin="zip:handbook.zip",
    )
    page = as_role("viewer").get(f"/documents/{world.policy.pk}")
    words = text_of(page)
    for said in (
        "3 of 4 pages",
        "without text: 4",
        "page 2 0.91",
        "page 3 0.84",
        "cp1252",
        "hidden_text × 1,200",
        "as scan.pdf , 0.93 alike",
        "policy.md/a.md",
        "zip:handbook.zip",
    ):
        assert said in words, said
    assert "Came in policy.md" in text_of(as_role("viewer").get(f"/documents/{child.pk}"))
    assert "Repeated by policy.md" in text_of(as_role("viewer").get(f"/documents/{world.broken.pk}"))
    told = as_role("viewer").get(f"/api/v1/documents/{world.policy.pk}").json()
    assert (told["near_duplicate_of_id"], told["near_duplicate_similarity"]) == (world.broken.pk, 0.93)
    assert told["warnings"][0]["count"] == 1200
    assert told["page_confidence"] == [[2, 0.91], [3, 0.84]]
    inside = as_role("viewer").get(f"/api/v1/documents?parent_id={world.policy.pk}").json()
    assert [row["id"] for row in inside["items"]] == [child.pk]


def archive(**files: bytes) -> SimpleUploadedFile:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as container:
        for name, content in files.items():
            container.writestr(name.replace("_", "."), content)
        container.writestr("../out.md", b"# Out")
    return SimpleUploadedFile("handbook.zip", body.getvalue())


@pytest.fixture(autouse=True)
def _uploads_in_the_data_folder(settings: object, tmp_path: object) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)


def test_a_zip_is_unpacked_on_the_folder_page(world: World, as_role: As) -> None:
    admin, url = as_role("admin"), f"/folders/{world.travel.pk}/upload"
    first = text_of(admin.post(url, {"files": archive(a_md=b"# A", b_md=b"# B")}, headers=HTMX))
    assert first.startswith("handbook.zip 2 new, 1 not taken")
    assert "../out.md" in first
    plain = admin.post(url, {"files": archive(a_md=b"# A2")}, follow=True)
    assert "1 stored, 0 unchanged, 1 deleted" in text_of(plain)
    same = SimpleUploadedFile("copy.md", b"# A2")
    assert "the same bytes as a.md, kept once" in text_of(admin.post(url, {"files": same}, headers=HTMX))
    bad = SimpleUploadedFile("bad.zip", b"no zip")
    assert "whose directory is broken" in text_of(admin.post(url, {"files": bad}, headers=HTMX))


def test_the_api_tells_each_file_of_a_zip(world: World, as_role: As) -> None:
    url = f"/api/v1/folders/{world.travel.pk}/documents"
    rows = as_role("admin").post(url, {"files": archive(a_md=b"# A", b_md=b"# A")}).json()
    assert [(row["name"], row["result"], row["archive"]) for row in rows] == [
        ("a.md", "created", "handbook.zip"),
        ("b.md", "same_bytes", "handbook.zip"),
        ("../out.md", "rejected", "handbook.zip"),
    ]
    assert rows[1]["document"]["name"] == rows[1]["detail"] == "a.md"


def test_the_folder_option_for_near_duplicates(world: World, as_role: As) -> None:
    admin = as_role("admin")
    admin.post(f"/folders/{world.travel.pk}/edit", {"is_open": "on", "leaves_out_near_duplicates": "on"})
    assert admin.get(f"/api/v1/folders/{world.travel.pk}").json()["leaves_out_near_duplicates"] is True
    assert re.search(
        r'name="leaves_out_near_duplicates"[^>]*checked',
        admin.get(f"/folders/{world.travel.pk}/edit").content.decode(),
    )


def attempt(folder: Folder, number: int, *, requested_s: float, finished_s: float | None) -> None:
    """Requested and finished so many seconds ago."""
    now = timezone.now()
    document = Document.objects.create(
        folder=folder, name=f"{number}.md", sha256=f"{number:064}", size_bytes=1
    )
    row = ExtractionAttempt.objects.create(
        document=document,
        trigger="upload",
        sha256=document.sha256,
        finished_at=None if finished_s is None else now - timedelta(seconds=finished_s),
    )
    ExtractionAttempt.objects.filter(pk=row.pk).update(requested_at=now - timedelta(seconds=requested_s))


def test_progress_is_of_the_files_queued_without_a_pause(world: World, legal: Folder, as_role: As) -> None:
    assert batch_of(legal) is None
    for number in range(5):  # yesterday's
        attempt(legal, number, requested_s=90_000, finished_s=80_000)
    for number in range(5, 15):
        attempt(legal, number, requested_s=130 - number / 10, finished_s=130 - 8 * (number - 4))
    for number in range(15, 35):
        attempt(legal, number, requested_s=128 - number / 10, finished_s=None)
    batch = batch_of(legal)
    assert (batch.n_done, batch.n_total) == (10, 30)
    assert batch.files_per_min == pytest.approx(2.0, abs=0.01), "over the last minute, not from the start"
    assert batch.seconds_left == pytest.approx(600, abs=15)
    words = text_of(as_role("admin").get(f"/folders/{legal.pk}"))
    assert "10 of 30 files, 2 files/min, 10 min left" in words
    ExtractionAttempt.objects.filter(finished_at=None).update(finished_at=timezone.now())
    assert batch_of(legal) is None
