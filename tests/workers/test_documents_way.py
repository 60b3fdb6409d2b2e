"""A document's way through the services that the tasks call, with the real model and Qdrant Edge."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

import rag
from console import engine, storage
from console.access import NotPermitted, Rejected
from console.index.models import DocumentIndex, IndexVersion
from console.index.selectors import active_version
from console.people.models import Role, User
from console.people.services import create_user
from console.sources import claims, ingest, outcomes, upkeep
from console.sources.models import Document, DocumentState, Folder
from console.sources.services import delete_document, retry_document
from console.sources.uploads import upload_document
from tests.workers.conftest import HOTELS, LAPTOPS, in_a_reader, upload

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("data_folder")]


def chunks_in_index(document_id: int) -> rag.ChunkCounts:
    version = active_version()
    assert version is not None
    return rag.count_chunks(engine.index_of(version), document_id=document_id)


def test_a_document_ends_indexed_and_its_counts_are_those_of_the_index(
    admin: User, folder: Folder, sent: list[tuple[str, int]]
) -> None:
    document = upload(admin, folder, "policy.md", HOTELS)
    assert sent == [("footnote.ingest_document", document.pk)]
    done = ingest.ingest_document(document.pk)
    assert done is not None
    assert (done.state, done.reason_code, done.title) == (DocumentState.INDEXED, "", "Travel policy")
    stamp = DocumentIndex.objects.get(document=document)
    counts = chunks_in_index(document.pk)
    assert counts.vectors == counts.lexical == stamp.n_vectors == stamp.n_lexical == done.n_chunks > 0
    assert stamp.n_over_window == 0
    canonical = storage.load_canonical(done.canonical_sha256).text
    assert all(canonical[start:end].strip() for start, end in stamp.chunk_offsets)
    assert done.attempts.get().outcome == DocumentState.INDEXED


def test_a_broken_file_fails_with_reason_and_step_and_the_next_one_is_indexed(
    admin: User, folder: Folder, sent: list
) -> None:
    broken = upload(admin, folder, "broken.pdf", b"%PDF-1.7\nnot really")
    good = upload(admin, folder, "good.md", LAPTOPS)
    failed = ingest.ingest_document(broken.pk)
    assert failed is not None
    assert (failed.state, failed.reason_code) == (DocumentState.FAILED, "damaged")
    assert failed.reason
    assert failed.next_step
    assert ingest.ingest_document(good.pk).state == DocumentState.INDEXED


def test_same_bytes_do_nothing_and_new_bytes_replace(admin: User, folder: Folder, sent: list) -> None:
    document = upload(admin, folder, "policy.md", HOTELS)
    ingest.ingest_document(document.pk)
    again = upload_document(actor=admin, folder=folder, name="policy.md", pieces=[HOTELS])
    assert (again.outcome, again.has_changed) == ("unchanged", False)
    replaced = upload_document(actor=admin, folder=folder, name="policy.md", pieces=[LAPTOPS])
    assert (replaced.outcome, replaced.has_changed) == ("replaced", True)
    assert replaced.document.pk == document.pk
    ingest.ingest_document(document.pk)
    version = active_version()
    texts = [chunk.content for chunk in rag.chunks_of_document(engine.index_of(version), document.pk)]
    assert any("42 months" in text for text in texts)
    assert not any("180 EUR" in text for text in texts)


def test_a_deleted_document_is_found_by_no_id_restricted_search(
    admin: User, folder: Folder, sent: list
) -> None:
    document = upload(admin, folder, "policy.md", HOTELS)
    ingest.ingest_document(document.pk)
    index = engine.index_of(active_version())
    scope = rag.Scope(folder_ids=(folder.pk,), document_ids=(document.pk,))
    assert rag.retrieve("nightly hotel limit", index=index, scope=scope)
    delete_document(actor=admin, document=document)
    assert ("footnote.purge_document", document.pk) in sent
    assert upkeep.purge_document(document.pk)
    assert not rag.retrieve("nightly hotel limit", index=index, scope=scope)
    assert not Document.objects.filter(pk=document.pk).exists()


def test_a_document_deleted_while_it_is_read_leaves_nothing(
    admin: User, folder: Folder, sent: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = upload(admin, folder, "policy.md", HOTELS)
    real = rag.extract_file

    def delete_meanwhile(*args: object, **kwargs: object) -> rag.Extraction:
        in_a_reader(lambda: delete_document(actor=admin, document=document))
        return real(*args, **kwargs)

    ingest.ingest_document(upload(admin, folder, "laptops.md", LAPTOPS).pk)
    monkeypatch.setattr(rag, "extract_file", delete_meanwhile)
    ingest.ingest_document(document.pk)
    assert sent[-1] == ("footnote.purge_document", document.pk)
    assert upkeep.purge_document(document.pk)
    assert not Document.objects.filter(pk=document.pk).exists()
    assert chunks_in_index(document.pk).vectors == 0


def test_bytes_that_are_replaced_while_they_are_read_never_overwrite_the_new_ones(
    admin: User, folder: Folder, sent: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = upload(admin, folder, "policy.md", HOTELS)
    real = rag.index_documents

    def replace_meanwhile(*args: object, **kwargs: object) -> rag.BatchReport:
        upload(admin, folder, "policy.md", LAPTOPS)
        assert ingest.ingest_document(document.pk) is None, "the first worker still holds it"
        return real(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(rag, "index_documents", replace_meanwhile)
        ingest.ingest_document(document.pk)
    assert sent[-1] == ("footnote.ingest_document", document.pk)
    assert ingest.ingest_document(document.pk).state == DocumentState.INDEXED
    chunks = rag.chunks_of_document(engine.index_of(active_version()), document.pk)
    assert "42 months" in chunks[0].content
    assert not any("180 EUR" in chunk.content for chunk in chunks)


def test_a_file_fails_only_when_its_old_text_is_out_of_the_index(
    admin: User, folder: Folder, sent: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = upload(admin, folder, "policy.md", HOTELS)
    ingest.ingest_document(document.pk)
    upload(admin, folder, "policy.md", b"")

    def away(index: rag.Index, document_id: int) -> None:
        raise rag.StoreDown("Qdrant does not answer.")

    with monkeypatch.context() as patch:
        patch.setattr(rag, "remove_document", away)
        with pytest.raises(rag.StoreDown):
            ingest.ingest_document(document.pk)
    document.refresh_from_db()
    assert document.state == DocumentState.QUEUED
    assert ingest.ingest_document(document.pk).state == DocumentState.FAILED
    assert chunks_in_index(document.pk).vectors == 0


def test_a_replacement_that_cannot_be_read_takes_the_old_text_out_of_the_index(
    admin: User, folder: Folder, sent: list
) -> None:
    document = upload(admin, folder, "policy.md", HOTELS)
    ingest.ingest_document(document.pk)
    upload(admin, folder, "policy.md", b"")
    assert ingest.ingest_document(document.pk).reason_code == "empty_file"
    assert chunks_in_index(document.pk) == rag.ChunkCounts(vectors=0, lexical=0)


def test_retry_clears_the_old_reason_and_keeps_the_history(admin: User, folder: Folder, sent: list) -> None:
    document = upload(admin, folder, "broken.pdf", b"%PDF-1.7\nnot really")
    failed = ingest.ingest_document(document.pk)
    retried = retry_document(actor=admin, document=failed)
    assert (retried.state, retried.reason_code, retried.reason) == (DocumentState.QUEUED, "", "")
    ingest.ingest_document(document.pk)
    assert [attempt.outcome for attempt in document.attempts.all()] == ["failed", "failed"]
    good = upload(admin, folder, "good.md", HOTELS)
    with pytest.raises(Rejected, match="nothing to retry"):
        retry_document(actor=admin, document=good)


def test_only_one_worker_gets_a_document(admin: User, folder: Folder, sent: list) -> None:
    document = upload(admin, folder, "policy.md", HOTELS)
    assert claims.claim(document.pk) is not None
    assert ingest.ingest_document(document.pk) is None


def test_a_restart_picks_up_what_a_killed_worker_held(admin: User, folder: Folder, sent: list) -> None:
    document = upload(admin, folder, "policy.md", HOTELS)
    claims.claim(document.pk)
    sent.clear()
    assert upkeep.pick_up_pending() == 0, "a live claim is left alone"
    assert upkeep.pick_up_pending(at_start=True) == 1
    assert sent == [("footnote.ingest_document", document.pk)]
    assert ingest.ingest_document(document.pk).state == DocumentState.INDEXED


def test_a_file_that_kills_its_worker_again_and_again_is_stalled(
    admin: User, folder: Folder, sent: list
) -> None:
    document = upload(admin, folder, "policy.md", HOTELS)
    for _ in range(claims.MAX_CLAIMS):
        assert claims.claim(document.pk) is not None
        Document.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert claims.claim(document.pk) is None
    document.refresh_from_db()
    assert (document.state, document.reason_code) == (DocumentState.STALLED, "worker_died")
    assert document.next_step


def test_a_store_that_is_away_queues_the_document_again(
    admin: User, folder: Folder, sent: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = upload(admin, folder, "policy.md", HOTELS)

    def away(version: IndexVersion) -> rag.Index:
        raise rag.StoreDown("Qdrant does not answer.")

    with monkeypatch.context() as patch:
        patch.setattr(engine, "index_of", away)
        with pytest.raises(rag.StoreDown):
            ingest.ingest_document(document.pk)
    document.refresh_from_db()
    assert (document.state, document.lease_until, document.n_claims) == (DocumentState.QUEUED, None, 0)
    assert ingest.ingest_document(document.pk).state == DocumentState.INDEXED


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("./a//b.md", "a/b.md"),
        ("/abs/policy.md", "abs/policy.md"),
        ("a\\b\\c.md", "a/b/c.md"),
        ("cafe\u0301.md", "café.md"),
        ("a\u202egnp.md", "a_gnp.md"),
        ("a\nb.txt", "a_b.txt"),
        ("bad\udcff.txt", "bad_.txt"),
    ],
)
def test_names_of_uploads_are_made_harmless(
    admin: User, folder: Folder, sent: list, given: str, kept: str
) -> None:
    assert upload(admin, folder, given, LAPTOPS).name == kept


def test_too_large_and_nameless_uploads_are_rejected_and_leave_no_file(
    admin: User, folder: Folder, sent: list, settings: object, data_folder: Path
) -> None:
    settings.MAX_UPLOAD_BYTES = 10
    with pytest.raises(Rejected, match="larger than"):
        upload(admin, folder, "big.txt", b"x" * 11)
    with pytest.raises(Rejected, match="no usable name"):
        upload(admin, folder, " / ", b"x")
    with pytest.raises(Rejected, match="relative to the folder"):
        upload(admin, folder, "../../etc/passwd", b"x")
    assert not [path for path in (data_folder / "files").rglob("*") if path.is_file()]


def test_only_admins_change_sources(admin: User, folder: Folder, sent: list) -> None:
    viewer = create_user(actor=admin, username="vera", password="correct horse", role=Role.VIEWER)
    document = upload(admin, folder, "policy.md", HOTELS)
    for change in (
        lambda: upload(viewer, folder, "x.md", LAPTOPS),
        lambda: retry_document(actor=viewer, document=document),
        lambda: delete_document(actor=viewer, document=document),
    ):
        with pytest.raises(NotPermitted):
            change()


def test_files_of_deleted_and_replaced_documents_are_removed_and_others_kept(
    admin: User, folder: Folder, sent: list, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deleted = upload(admin, folder, "deleted.md", HOTELS)
    ingest.ingest_document(deleted.pk)
    kept = upload(admin, folder, "kept.md", LAPTOPS)
    ingest.ingest_document(kept.pk)
    delete_document(actor=admin, document=deleted)
    upkeep.purge_document(deleted.pk)
    assert upkeep.remove_forgotten_files() == 0, "a file that was stored just now is spared"
    monkeypatch.setattr(storage, "MIN_AGE_S", 0.0)
    assert upkeep.remove_forgotten_files() == 2
    kept.refresh_from_db()
    assert storage.original_path(kept.sha256).exists()
    assert storage.load_canonical(kept.canonical_sha256).text


@pytest.mark.parametrize(
    ("coverage", "warnings", "told"),
    [
        (
            rag.Coverage("page", 10, 23, ("10", "11")),
            ("repeated_lines_removed", "ocr_time"),
            "10 of 23 pages were read. Without text: 10, 11. Told by ocr_time.",
        ),
        (rag.Coverage("document", 1, 1), ("comments_dropped", "damaged_parts"), "Told by damaged_parts."),
        (rag.Coverage("page", 0, 1, ("1",)), ("ocr_used",), "0 of 1 page was read. Without text: 1."),
        (rag.Coverage("document", 1, 1), (), "A part of the file could not be read."),
    ],
)
def test_a_partial_document_tells_what_is_missing_and_not_what_was_left_out(
    coverage: rag.Coverage, warnings: tuple[str, ...], told: str
) -> None:
    extraction = rag.Extraction(
        "A",
        "text",
        (),
        "pdf",
        "pdf/2",
        coverage,
        is_partial=True,
        warnings=tuple(rag.ExtractionWarning(code, f"Told by {code}.") for code in warnings),
    )
    assert outcomes._partial_reason(extraction) == told


def test_two_uploads_of_one_new_name_at_once_make_one_document(
    admin: User, folder: Folder, sent: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_stored = threading.Barrier(2)
    real = storage.store_original

    def store(pieces: Iterable[bytes]) -> tuple[str, int]:
        stored = real(pieces)
        both_stored.wait(10)
        return stored

    monkeypatch.setattr(storage, "store_original", store)
    outcomes_of: list[str] = []

    def upload_one(body: bytes) -> None:
        def change() -> None:
            done = upload_document(actor=admin, folder=folder, name="policy.md", pieces=[body])
            outcomes_of.append(done.outcome)

        in_a_reader(change)

    threads = [threading.Thread(target=upload_one, args=(body,)) for body in (HOTELS, LAPTOPS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes_of) == ["created", "replaced"]
    assert Document.objects.get().attempts.count() == 2


def test_a_damaged_canonical_text_is_told_as_gone(admin: User, folder: Folder, sent: list) -> None:
    done = ingest.ingest_document(upload(admin, folder, "policy.md", HOTELS).pk)
    assert storage.load_canonical(done.canonical_sha256).text
    path = storage._path("canonical", done.canonical_sha256)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(FileNotFoundError, match="damaged"):
        storage.load_canonical(done.canonical_sha256)
