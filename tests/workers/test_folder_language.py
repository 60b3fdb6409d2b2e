"""A document is indexed in its folder's language, and again when that changes."""

from __future__ import annotations

import pytest

from console import engine
from console.index.selectors import active_version
from console.people.models import User
from console.sources import ingest
from console.sources.models import DocumentState, Folder
from console.sources.services import update_folder
from tests.workers.conftest import upload

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("data_folder")]

TRAVEL = b"# Reiser\n\nAvdelingen betaler reisene til kundene.\n"


def found(question: str, folder: Folder) -> int:
    version = active_version()
    assert version is not None
    return len(engine.index_of(version).lexical.search(question, 5, [folder.pk]))


def test_a_change_of_the_language_is_met_by_what_was_there(admin: User, folder: Folder, sent: list) -> None:
    document = upload(admin, folder, "reiser.md", TRAVEL)
    ingest.ingest_document(document.pk)
    assert found("reisene", folder) > 0
    assert found("kunde", folder) == 0
    update_folder(
        actor=admin,
        folder=folder,
        is_open=True,
        is_shared_externally=False,
        description="",
        leaves_out_near_duplicates=False,
        language="norwegian",
    )
    assert found("reisene", folder) > 0  # searched as it was until it is read again
    assert sent.count(("footnote.ingest_document", document.pk)) == 2
    done = ingest.ingest_document(document.pk)
    assert done is not None
    assert done.state == DocumentState.INDEXED
    assert found("kunde", folder) > 0
