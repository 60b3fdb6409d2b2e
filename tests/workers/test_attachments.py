"""Files inside files become documents beside them; page-wise retries are joined with what was read before."""

from __future__ import annotations

import io
from email.message import EmailMessage

import pytest
from reportlab.pdfgen.canvas import Canvas

import rag
from console import engine, storage
from console.index.selectors import active_version
from console.people.models import User
from console.sources import attachments, ingest, upkeep
from console.sources.models import Document, DocumentState, ExtractionAttempt, Folder
from console.sources.services import delete_document, disable_document, retry_document
from tests.workers.conftest import HOTELS, LAPTOPS, upload

pytestmark = pytest.mark.usefixtures("data_folder")


def mail(*attached: tuple[str, bytes], subject: str = "New policies") -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "ada@example.org", "all@example.org", subject
    message["Date"], message["Message-ID"] = "Mon, 30 Nov 2026 10:00:00 +0000", "<1@example.org>"
    message.set_content("The new policies are attached. They hold from the first of January on.\n")
    for name, content in attached:
        message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


def work_off() -> None:
    while (waiting := Document.objects.filter(state="queued", deleted_at=None).first()) is not None:
        ingest.ingest_due(waiting.pk)
    for gone in Document.objects.exclude(deleted_at=None).order_by("-pk"):
        upkeep.purge_document(gone.pk)


def states() -> dict[str, str]:
    return dict(Document.objects.values_list("name", "state"))


def test_attachments_are_documents_of_their_own(admin: User, folder: Folder, sent: list) -> None:
    message = upload(admin, folder, "mail.eml", mail(("hotels.md", HOTELS), ("broken.pdf", b"%PDF-1.7 x")))
    work_off()
    assert states() == {
        "mail.eml": "indexed",
        "mail.eml/hotels.md": "indexed",
        "mail.eml/broken.pdf": "failed",
    }
    child = Document.objects.get(name="mail.eml/hotels.md")
    assert child.parent == message
    assert child.attempts.get().trigger == ExtractionAttempt.Trigger.ATTACHED
    scope = rag.Scope(folder_ids=(folder.pk,), document_ids=(child.pk,))
    assert rag.retrieve("nightly hotel limit", index=engine.index_of(active_version()), scope=scope)


def test_a_new_message_replaces_and_drops_its_attachments(admin: User, folder: Folder, sent: list) -> None:
    upload(admin, folder, "mail.eml", mail(("hotels.md", HOTELS), ("old.md", LAPTOPS)))
    work_off()
    kept = Document.objects.get(name="mail.eml/hotels.md")
    upload(admin, folder, "mail.eml", mail(("hotels.md", HOTELS), ("new.md", LAPTOPS), subject="Newer"))
    work_off()
    assert set(states()) == {"mail.eml", "mail.eml/hotels.md", "mail.eml/new.md"}
    assert Document.objects.get(name="mail.eml/hotels.md") == kept
    assert kept.attempts.count() == 1, "the same bytes are not read again"


def test_a_disabled_attachment_stays_out_when_its_message_is_replaced(
    admin: User, folder: Folder, sent: list
) -> None:
    upload(admin, folder, "mail.eml", mail(("hotels.md", HOTELS)))
    work_off()
    disable_document(actor=admin, document=Document.objects.get(name="mail.eml/hotels.md"))
    upload(admin, folder, "mail.eml", mail(("hotels.md", LAPTOPS)))
    work_off()
    assert states() == {"mail.eml": "indexed", "mail.eml/hotels.md": "left_out"}


def test_deleting_a_message_takes_its_attachments_out_of_the_index(
    admin: User, folder: Folder, sent: list
) -> None:
    message = upload(admin, folder, "mail.eml", mail(("hotels.md", HOTELS)))
    work_off()
    ids = tuple(Document.objects.values_list("pk", flat=True))
    delete_document(actor=admin, document=message)
    work_off()
    assert not Document.objects.exists()
    scope = rag.Scope(folder_ids=(folder.pk,), document_ids=ids)
    assert not rag.retrieve("nightly hotel limit", index=engine.index_of(active_version()), scope=scope)


def test_names_of_attachments_cannot_leave_their_message(admin: User, folder: Folder, sent: list) -> None:
    files = [("../../etc/passwd.md", HOTELS), ("a\\b\\c.md", LAPTOPS), ("c.md", b"# Third\n\nA third text.")]
    upload(admin, folder, "mail.eml", mail(*files))
    work_off()
    assert set(states()) == {"mail.eml", "mail.eml/passwd.md", "mail.eml/c.md", "mail.eml/c (2).md"}


def test_messages_in_messages_end_somewhere(admin: User, folder: Folder, sent: list) -> None:
    content = mail(("deepest.md", HOTELS))
    for level in range(attachments.MAX_DEPTH + 2):
        content = mail((f"level{level}.eml", content), subject=f"Level {level}")
    upload(admin, folder, "mail.eml", content)
    work_off()
    deepest = max(Document.objects.all(), key=lambda document: document.name.count("/"))
    assert deepest.name.count("/") == attachments.MAX_DEPTH
    assert [warning["code"] for warning in deepest.warnings] == ["attachments_refused"]
    assert deepest.warnings[0]["count"] == 1
    assert (deepest.state, deepest.reason_code) == (DocumentState.PARTIAL, "partly_read")
    assert "not kept" in deepest.reason


def test_a_number_never_lands_on_another_attachments_name(admin: User, folder: Folder, sent: list) -> None:
    texts = [f"# Text {n}\n\nBerth {n} pays {n} EUR.\n".encode() for n in range(3)]
    files = list(zip(("a.md", "a (2).md", "a.md"), texts, strict=True))
    upload(admin, folder, "mail.eml", mail(*files))
    work_off()
    held = dict(Document.objects.exclude(parent=None).values_list("name", "sha256"))
    assert set(held) == {"mail.eml/a.md", "mail.eml/a (2).md", "mail.eml/a (3).md"}
    upload(admin, folder, "mail.eml", mail(*files, subject="The same files again"))
    work_off()
    assert dict(Document.objects.exclude(parent=None).values_list("name", "sha256")) == held


def test_the_same_bytes_under_many_names_are_one_attachment(admin: User, folder: Folder, sent: list) -> None:
    upload(admin, folder, "mail.eml", mail(*((f"copy-{n}.md", HOTELS) for n in range(30))))
    work_off()
    assert set(states()) == {"mail.eml", "mail.eml/copy-0.md"}


def test_a_file_holds_a_bounded_number_of_files(
    admin: User, folder: Folder, sent: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attachments, "MAX_FILES", 5)
    inner = mail(*((f"inner-{n}.md", f"# Inner\n\nBerth {n}.\n".encode()) for n in range(4)), subject="Inner")
    outer = [(f"outer-{n}.md", f"# Outer\n\nPier {n}.\n".encode()) for n in range(3)]
    message = upload(admin, folder, "mail.eml", mail(("inner.eml", inner), *outer))
    work_off()
    assert Document.objects.exclude(parent=None).count() == 5
    inner_document = Document.objects.get(name="mail.eml/inner.eml")
    assert (inner_document.state, inner_document.warnings[0]["count"]) == (DocumentState.PARTIAL, 3)
    upload(admin, folder, "mail.eml", mail(("inner.eml", inner), *outer, subject="Again"))
    work_off()
    assert Document.objects.exclude(parent=None).count() == 5
    message.refresh_from_db()
    assert message.state == DocumentState.INDEXED


def pages(*texts: str) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    for text in texts:
        for line, words in enumerate(text.split("\n")):
            canvas.drawString(72, 700 - 20 * line, words)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def test_a_retry_of_some_pages_keeps_the_others(
    admin: User, folder: Folder, sent: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = pages(*(f"Rule {n}\nBerth {n} pays {n * 11} EUR a night for its mooring." for n in range(1, 5)))
    document = upload(admin, folder, "rules.pdf", body)
    real = rag.extract_file
    asked: list[tuple[int, int] | None] = []

    def partly(path: object, *, filename: str, limits: rag.ExtractionLimits) -> rag.Extraction:
        asked.append(limits.pages)
        return real(path, filename=filename, limits=limits)

    monkeypatch.setattr(rag, "extract_file", partly)
    work_off()
    document.refresh_from_db()
    before = storage.load_canonical(document.canonical_sha256)
    Document.objects.update(
        state=DocumentState.PARTIAL, reason_code="partly_read", reason="Some.", next_step="Retry."
    )
    retry_document(actor=admin, document=document, pages=(2, 3))
    work_off()
    document.refresh_from_db()
    assert asked == [None, (2, 3)]
    assert document.state == DocumentState.INDEXED
    after = storage.load_canonical(document.canonical_sha256)
    assert after.text == before.text
    assert [span.locator.page for span in after.spans] == [span.locator.page for span in before.spans]
    assert (document.coverage_read, document.coverage_total) == (4, 4)
    assert [attempt.pages for attempt in document.attempts.order_by("pk")] == ["", "2-3"]
