"""Many documents at once: read ahead, embedded together, each with its own end."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

import rag
from console import engine
from console.index.selectors import active_version
from console.people.models import User
from console.sources import claims, ingest, upkeep
from console.sources.models import Document, DocumentState, Folder
from console.sources.services import delete_document, disable_document, enable_document
from tests.workers.conftest import HOTELS, LAPTOPS, in_a_reader, upload

pytestmark = pytest.mark.usefixtures("data_folder")


def notes(number: int) -> bytes:
    return f"# Note {number}\n\nThe mooring fee of berth {number} is {number * 7} EUR a night.\n".encode()


def states() -> dict[str, str]:
    return dict(Document.objects.values_list("name", "state"))


def test_one_message_brings_all_that_wait_to_their_ends(admin: User, folder: Folder, sent: list) -> None:
    for number in range(40):
        upload(admin, folder, f"note-{number}.md", notes(number))
    upload(admin, folder, "broken.pdf", b"%PDF-1.7\nnot really")
    ingest.ingest_due(Document.objects.earliest("pk").pk)
    assert states() == {f"note-{number}.md": "indexed" for number in range(40)} | {"broken.pdf": "failed"}
    for document in Document.objects.filter(state=DocumentState.INDEXED):
        index = engine.index_of(active_version())
        assert rag.count_chunks(index, document.pk) == rag.ChunkCounts(1, 1)
        assert document.n_chunks == 1
        assert document.lease_until is None
        assert document.attempts.get().extractor == "markdown/" + document.extractor.split("/")[1]
    assert Document.objects.get(name="broken.pdf").attempts.get().extractor.startswith("pdf/")


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """The ids of the documents that were indexed together, batch for batch."""
    seen: list[list[int]] = []
    real = rag.index_documents

    def noted(index: rag.Index, documents: list[rag.DocumentText], **more: object) -> rag.BatchReport:
        seen.append([document.document_id for document in documents])
        return real(index, documents, **more)

    monkeypatch.setattr(rag, "index_documents", noted)
    return seen


def test_small_documents_are_embedded_together(
    admin: User, folder: Folder, sent: list, batches: list[list[int]]
) -> None:
    for number in range(30):
        upload(admin, folder, f"note-{number}.md", notes(number))
    ingest.ingest_due(Document.objects.earliest("pk").pk)
    assert sum(len(batch) for batch in batches) == 30
    assert max(len(batch) for batch in batches) > 1


def test_a_document_that_breaks_the_index_does_not_hurt_those_beside_it(
    admin: User, folder: Folder, sent: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    poison = upload(admin, folder, "poison.md", notes(0))
    for number in range(1, 12):
        upload(admin, folder, f"note-{number}.md", notes(number))
    real = rag.index_documents

    def choke(index: rag.Index, documents: list[rag.DocumentText], **more: object) -> rag.BatchReport:
        if any(document.document_id == poison.pk for document in documents):
            raise RuntimeError("a fault of ours")
        return real(index, documents, **more)

    monkeypatch.setattr(rag, "index_documents", choke)
    ingest.ingest_due(poison.pk)
    poison.refresh_from_db()
    assert (poison.state, poison.reason_code) == (DocumentState.FAILED, "internal_error")
    assert set(states().values()) == {"failed", "indexed"}
    assert Document.objects.filter(state=DocumentState.INDEXED).count() == 11


def test_what_was_claimed_before_is_read_alone(admin: User, folder: Folder, sent: list) -> None:
    suspect = upload(admin, folder, "suspect.md", notes(1))
    Document.objects.filter(pk=suspect.pk).update(n_claims=1)
    fresh = upload(admin, folder, "fresh.md", notes(2))
    other = upload(admin, folder, "other.md", notes(3))
    ingest.ingest_due(fresh.pk)
    assert states() == {"suspect.md": "queued", "fresh.md": "indexed", "other.md": "indexed"}
    ingest.ingest_due(other.pk)
    ingest.ingest_due(suspect.pk)
    assert states()["suspect.md"] == "indexed"


def test_a_command_reads_what_was_claimed_before_alone_and_last(
    admin: User, folder: Folder, sent: list, batches: list[list[int]]
) -> None:
    suspects = [upload(admin, folder, f"suspect-{number}.md", notes(number)).pk for number in range(3)]
    Document.objects.update(n_claims=1)
    fresh = [upload(admin, folder, f"fresh-{number}.md", notes(9 + number)).pk for number in range(3)]
    done: list[None] = []
    ingest.ingest_documents([*suspects, *fresh], lambda: done.append(None))
    assert len(done) == 6
    assert sorted(batches[-3:]) == [[pk] for pk in suspects]
    assert sorted(pk for batch in batches[:-3] for pk in batch) == fresh


def test_a_store_that_is_away_costs_no_document_a_claim(
    admin: User, folder: Folder, sent: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        upload(admin, folder, f"note-{number}.md", notes(number))

    def away(*_: object, **__: object) -> rag.BatchReport:
        raise rag.StoreDown("Qdrant does not answer.")

    with monkeypatch.context() as patch:
        patch.setattr(rag, "index_documents", away)
        with pytest.raises(rag.StoreDown):
            ingest.ingest_due(Document.objects.earliest("pk").pk)
    assert set(Document.objects.values_list("state", "n_claims", "lease_until")) == {("queued", 0, None)}
    ingest.ingest_due(Document.objects.earliest("pk").pk)
    assert set(states().values()) == {"indexed"}


@pytest.mark.parametrize("step", ["extract_file", "index_documents"])
def test_a_document_disabled_while_it_is_worked_on_is_in_no_answer(
    admin: User, folder: Folder, sent: list, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    upload(admin, folder, "laptops.md", LAPTOPS)
    document = upload(admin, folder, "hotels.md", HOTELS)
    real = getattr(rag, step)

    def disable_meanwhile(*args: object, **kwargs: object) -> object:
        def disable() -> None:
            if Document.objects.get(pk=document.pk).state != DocumentState.LEFT_OUT:
                disable_document(actor=admin, document=document)

        in_a_reader(disable)
        return real(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(rag, step, disable_meanwhile)
        ingest.ingest_document(document.pk)
    ingest.ingest_due(Document.objects.get(name="laptops.md").pk)
    assert ("footnote.purge_document", document.pk) in sent
    assert upkeep.purge_document(document.pk)
    index = engine.index_of(active_version())
    scope = rag.Scope(folder_ids=(folder.pk,), document_ids=(document.pk,))
    assert not rag.retrieve("nightly hotel limit", index=index, scope=scope)
    document.refresh_from_db()
    assert (document.state, document.lease_until) == (DocumentState.LEFT_OUT, None)
    enable_document(actor=admin, document=document)
    ingest.ingest_document(document.pk)
    assert rag.retrieve("nightly hotel limit", index=index, scope=scope)


LONG = "# Leave\n\n" + " ".join(f"Rule {number} grants {number} days of leave." for number in range(60))


def upload_with_copy(admin: User, folder: Folder) -> tuple[Document, Document]:
    first = upload(admin, folder, "leave.md", LONG.encode())
    return first, upload(admin, folder, "leave-copy.md", (LONG + " Ask Ada.").encode())


def test_a_near_duplicate_is_reported_and_stays(admin: User, folder: Folder, sent: list) -> None:
    first, second = upload_with_copy(admin, folder)
    ingest.ingest_due(first.pk)
    second.refresh_from_db()
    assert second.state == DocumentState.INDEXED
    assert second.near_duplicate_of == first
    assert 0.9 <= second.near_duplicate_similarity < 1.0


def test_whichever_is_read_first_the_later_document_is_the_copy(
    admin: User, folder: Folder, sent: list
) -> None:
    Folder.objects.update(leaves_out_near_duplicates=True)
    first, second = upload_with_copy(admin, folder)
    ingest.ingest_document(second.pk)
    assert states() == {"leave.md": "queued", "leave-copy.md": "indexed"}
    ingest.ingest_document(first.pk)
    assert states() == {"leave.md": "indexed", "leave-copy.md": "left_out"}
    assert ("footnote.purge_document", second.pk) in sent
    upkeep.purge_document(second.pk)
    index = engine.index_of(active_version())
    assert rag.count_chunks(index, second.pk) == rag.ChunkCounts(0, 0)
    second.refresh_from_db()
    assert second.near_duplicate_of == first


def test_a_copy_of_what_was_rewritten_is_a_copy_no_longer(admin: User, folder: Folder, sent: list) -> None:
    Folder.objects.update(leaves_out_near_duplicates=True)
    first, second = upload_with_copy(admin, folder)
    ingest.ingest_due(first.pk)
    assert states()["leave-copy.md"] == "left_out"
    upload(admin, folder, "leave.md", HOTELS)
    ingest.ingest_document(first.pk)
    assert states()["leave-copy.md"] == "queued"
    ingest.ingest_document(second.pk)
    second.refresh_from_db()
    assert (second.state, second.near_duplicate_of) == (DocumentState.INDEXED, None)


def test_a_folder_may_leave_near_duplicates_out_until_the_original_goes(
    admin: User, folder: Folder, sent: list
) -> None:
    Folder.objects.update(leaves_out_near_duplicates=True)
    first, second = upload_with_copy(admin, folder)
    other = upload(admin, folder, "hotels.md", HOTELS)
    ingest.ingest_due(first.pk)
    second.refresh_from_db()
    assert (second.state, second.reason_code) == (DocumentState.LEFT_OUT, "near_duplicate")
    assert "leave.md" in second.reason
    assert second.next_step
    upkeep.purge_document(second.pk)  # the copy may have been read first
    index = engine.index_of(active_version())
    assert rag.count_chunks(index, second.pk) == rag.ChunkCounts(0, 0)
    assert Document.objects.get(pk=other.pk).near_duplicate_of is None
    enable_document(actor=admin, document=second)
    ingest.ingest_due(second.pk)
    second.refresh_from_db()
    assert second.state == DocumentState.INDEXED, "a person decided otherwise"
    Document.objects.filter(pk=second.pk).update(
        state=DocumentState.LEFT_OUT,
        reason_code="near_duplicate",
        reason="As leave.md.",
        next_step="Delete one.",
    )
    delete_document(actor=admin, document=first)
    upkeep.purge_document(first.pk)
    assert sent[-1] == ("footnote.ingest_document", second.pk)
    ingest.ingest_due(second.pk)
    second.refresh_from_db()
    assert (second.state, second.near_duplicate_of) == (DocumentState.INDEXED, None)


def test_a_copy_is_searched_when_its_original_is_disabled(admin: User, folder: Folder, sent: list) -> None:
    Folder.objects.update(leaves_out_near_duplicates=True)
    first, second = upload_with_copy(admin, folder)
    ingest.ingest_due(first.pk)
    disable_document(actor=admin, document=first)
    upkeep.purge_document(first.pk)
    assert sent[-1] == ("footnote.ingest_document", second.pk)
    ingest.ingest_due(second.pk)
    assert states() == {"leave.md": "left_out", "leave-copy.md": "indexed"}
    enable_document(actor=admin, document=first)
    ingest.ingest_due(first.pk)
    assert states() == {"leave.md": "indexed", "leave-copy.md": "left_out"}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (2, 1, 0)])
def test_a_copy_that_is_left_out_takes_no_other_document_with_it(
    admin: User, folder: Folder, sent: list, order: tuple[int, ...]
) -> None:
    """b says nearly the same as a and as c, but a and c differ."""
    Folder.objects.update(leaves_out_near_duplicates=True)
    ends = {
        "a.md": " ".join(f"harbour{n}" for n in range(25)),
        "b.md": "",
        "c.md": " ".join(f"quay{n}" for n in range(25)),
    }
    documents = [upload(admin, folder, name, f"{LONG} {end}".encode()) for name, end in ends.items()]
    for position in order:
        ingest.ingest_document(documents[position].pk)
    for pk in [pk for task, pk in sent if task == "footnote.purge_document"]:
        upkeep.purge_document(pk)
    for document in Document.objects.filter(state=DocumentState.QUEUED):
        ingest.ingest_document(document.pk)
    assert states() == {"a.md": "indexed", "b.md": "left_out", "c.md": "indexed"}


def test_claims_are_prolonged_while_work_goes_on(admin: User, folder: Folder, sent: list) -> None:
    document = claims.claim(upload(admin, folder, "hotels.md", HOTELS).pk)
    Document.objects.update(lease_until=timezone.now())
    claims.prolong([document])
    document.refresh_from_db()
    assert document.lease_until > timezone.now() + timedelta(seconds=60)
