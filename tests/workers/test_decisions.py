"""Disable, enable, delete and rename, each proven by a search restricted to the document's id."""

from __future__ import annotations

import pytest

import rag
from console import engine
from console.access import NotPermitted, Rejected
from console.audit.models import AuditEntry
from console.index.selectors import active_version
from console.people.models import Role, User
from console.people.services import create_user
from console.questions.models import Answer, QuestionState
from console.questions.services import answer_question, ask_question
from console.sources import ingest, upkeep
from console.sources.models import Document, DocumentState, Folder
from console.sources.services import (
    delete_document,
    disable_document,
    enable_document,
    retry_document,
    with_children,
)
from console.sources.uploads import rename_document, upload_document
from tests.workers.conftest import HOTELS, LAPTOPS, upload

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("data_folder")]
QUESTION = "What is the nightly hotel limit in capital cities?"


def found(document: Document) -> bool:
    """True when a search restricted to the document finds a passage of it."""
    version = active_version()
    if version is None:
        return False
    scope = rag.Scope(folder_ids=(document.folder_id,), document_ids=(document.pk,))
    return bool(rag.retrieve(QUESTION, index=engine.index_of(version), scope=scope))


def answer_to(actor: User, text: str = QUESTION) -> Answer:
    question = ask_question(actor=actor, text=text)
    answer_question(str(question.pk))
    return Answer.objects.get(question=question)


@pytest.fixture
def policy(admin: User, folder: Folder, sent: list) -> Document:
    return ingest.ingest_document(upload(admin, folder, "policy.md", HOTELS).pk)


def test_a_disabled_document_is_found_by_no_search_and_an_enabled_one_again(
    admin: User, policy: Document, sent: list
) -> None:
    assert found(policy)
    disabled = disable_document(actor=admin, document=policy)
    assert (disabled.state, disabled.reason_code) == (DocumentState.LEFT_OUT, "disabled")
    assert disabled.next_step == "Enable it to have it searched again."
    assert sent[-1] == ("footnote.purge_document", policy.pk)
    upkeep.purge_document(policy.pk)
    assert not found(policy)
    assert not policy.index_stamps.exists()
    assert Document.objects.filter(pk=policy.pk).exists(), "it is left out, not deleted"
    assert ingest.ingest_document(policy.pk) is None, "no worker takes it"

    assert enable_document(actor=admin, document=policy).state == DocumentState.QUEUED
    assert ingest.ingest_document(policy.pk).state == DocumentState.INDEXED
    assert found(policy)
    assert [attempt.trigger for attempt in policy.attempts.all()] == ["enable", "upload"]
    actions = AuditEntry.objects.filter(subject="Travel/policy.md").order_by("pk")
    assert [entry.action for entry in actions][-2:] == ["document.disable", "document.enable"]


def test_a_disabled_document_is_out_of_answers_before_the_workers_purge_it(
    admin: User, policy: Document
) -> None:
    assert answer_to(admin).outcome == QuestionState.ANSWERED
    disable_document(actor=admin, document=policy)
    refused = answer_to(admin)
    assert refused.outcome == QuestionState.REFUSED
    assert refused.nearest == []
    assert not found(policy)


def test_a_document_disabled_while_the_answer_is_made_is_not_cited(
    admin: User, policy: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = rag.answer

    def disable_meanwhile(*args: object, **kwargs: object) -> rag.Answered | rag.Refused:
        result = real(*args, **kwargs)
        if not Document.objects.get(pk=policy.pk).is_left_out:
            disable_document(actor=admin, document=policy)
        return result

    monkeypatch.setattr(rag, "answer", disable_meanwhile)
    answer = answer_to(admin)
    assert answer.outcome == QuestionState.REFUSED
    assert not answer.citations.exists()


def test_new_bytes_of_a_disabled_document_wait_until_it_is_enabled(
    admin: User, folder: Folder, policy: Document, sent: list
) -> None:
    disable_document(actor=admin, document=policy)
    upkeep.purge_document(policy.pk)
    uploaded = upload_document(actor=admin, folder=folder, name="policy.md", pieces=[LAPTOPS])
    assert (uploaded.outcome, uploaded.document.state) == ("replaced", DocumentState.LEFT_OUT)
    assert ingest.ingest_document(policy.pk) is None
    enable_document(actor=admin, document=policy)
    ingest.ingest_document(policy.pk)
    assert "42 months" in answer_to(admin, "After how many months does an employee get a new laptop?").text


def attached(parent: Document, body: bytes = LAPTOPS) -> Document:
    """A document that came inside another one, indexed."""
    child = upload(parent.uploaded_by, parent.folder, f"{parent.name}-inside.md", body)
    child.parent, child.name = parent, f"{parent.name}/inside.md"
    child.save()
    return ingest.ingest_document(child.pk)


def test_what_came_inside_a_document_goes_and_comes_with_it(
    admin: User, policy: Document, sent: list
) -> None:
    child = attached(policy)
    disable_document(actor=admin, document=policy)
    for one in (policy, child):
        upkeep.purge_document(one.pk)
        assert not found(one)
    enable_document(actor=admin, document=policy)
    assert set(sent[-2:]) == {("footnote.ingest_document", one.pk) for one in (policy, child)}
    assert ingest.ingest_document(child.pk).state == DocumentState.INDEXED
    assert found(child)
    sent.clear()
    delete_document(actor=admin, document=policy)
    assert sent == [("footnote.purge_document", child.pk), ("footnote.purge_document", policy.pk)]
    # In the wrong order on purpose: the parent's row takes the child's along.
    upkeep.purge_document(policy.pk)
    upkeep.purge_document(child.pk)
    assert not Document.objects.exists()
    assert not found(child)
    assert not found(policy)


def test_the_same_bytes_make_one_document(admin: User, folder: Folder, policy: Document, sent: list) -> None:
    sent.clear()
    again = upload_document(actor=admin, folder=folder, name="copy.md", pieces=[HOTELS])
    assert (again.outcome, again.document.pk, sent) == ("same_bytes", policy.pk, [])
    child = attached(policy)
    alone = upload_document(actor=admin, folder=folder, name="laptops.md", pieces=[LAPTOPS])
    assert alone.outcome == "created", "what came inside a file goes with that file"
    with pytest.raises(Rejected, match="inside another document"):
        upload(admin, folder, child.name, HOTELS)
    delete_document(actor=admin, document=policy)
    later = upload_document(actor=admin, folder=folder, name="copy.md", pieces=[HOTELS])
    assert later.outcome == "created"


def test_a_name_that_is_replaced_by_bytes_another_name_holds_has_them(
    admin: User, folder: Folder, policy: Document
) -> None:
    other = upload(admin, folder, "other.md", LAPTOPS)
    replaced = upload_document(actor=admin, folder=folder, name="other.md", pieces=[HOTELS])
    assert (replaced.outcome, replaced.document.pk) == ("replaced", other.pk)


@pytest.mark.parametrize(
    ("body", "name", "is_read_again"),
    [
        (HOTELS, "hr/rules.md", False),  # its title stands in the text
        (HOTELS, "policy.txt", True),
        (b"The nightly hotel limit in capital cities is 180 EUR.", "hr/rules.md", True),
    ],
)
def test_a_rename_keeps_the_document_and_reads_it_again_only_when_its_text_depends_on_the_name(
    admin: User, folder: Folder, sent: list, body: bytes, name: str, is_read_again: bool
) -> None:
    document = ingest.ingest_document(upload(admin, folder, "policy.md", body).pk)
    sent.clear()
    renamed = rename_document(actor=admin, document=document, name=name)
    assert (renamed.pk, renamed.name) == (document.pk, name)
    assert (sent == [("footnote.ingest_document", document.pk)]) is is_read_again
    if is_read_again:
        assert ingest.ingest_document(document.pk).state == DocumentState.INDEXED
    assert found(document)


def test_a_rename_takes_what_is_inside_along_and_no_name_twice(
    admin: User, folder: Folder, policy: Document
) -> None:
    child = attached(policy)
    rename_document(actor=admin, document=policy, name="rules.md")
    child.refresh_from_db()
    assert child.name == "rules.md/inside.md"
    upload(admin, folder, "taken.md", b"# Other")
    with pytest.raises(Rejected, match="already has a document"):
        rename_document(actor=admin, document=policy, name="taken.md")
    with pytest.raises(Rejected, match="keeps its name"):
        rename_document(actor=admin, document=child, name="out.md")
    upload(admin, folder, "moved.md/inside.md", b"# By hand")
    with pytest.raises(Rejected, match=r"already has a document named moved\.md/inside\.md"):
        rename_document(actor=admin, document=policy, name="moved.md")
    with pytest.raises(Rejected, match="longer than 400"):
        rename_document(actor=admin, document=policy, name="x" * 395)
    policy.refresh_from_db()
    assert policy.name == "rules.md"
    assert [one.pk for one in with_children(policy)] == [policy.pk, child.pk]


def test_some_pages_of_a_pdf_are_retried(admin: User, folder: Folder, sent: list) -> None:
    broken = ingest.ingest_document(upload(admin, folder, "scan.pdf", b"%PDF-1.7\nnot really").pk)
    retry_document(actor=admin, document=broken, pages=(3, 7))
    assert broken.attempts.first().pages == "3-7"
    ingest.ingest_document(broken.pk)
    for pages in ((0, 1), (5, 4), (1, 10**9)):
        with pytest.raises(Rejected, match="counted from 1"):
            retry_document(actor=admin, document=broken, pages=pages)
    empty = ingest.ingest_document(upload(admin, folder, "empty.md", b"").pk)
    with pytest.raises(Rejected, match="is no PDF"):
        retry_document(actor=admin, document=empty, pages=(1, 2))


def test_only_admins_decide(admin: User, policy: Document) -> None:
    viewer = create_user(actor=admin, username="vera", password="correct horse", role=Role.VIEWER)
    for change in (
        lambda: disable_document(actor=viewer, document=policy),
        lambda: enable_document(actor=viewer, document=policy),
        lambda: rename_document(actor=viewer, document=policy, name="x.md"),
    ):
        with pytest.raises(NotPermitted):
            change()
    with pytest.raises(Rejected, match="nothing to enable"):
        enable_document(actor=admin, document=policy)
