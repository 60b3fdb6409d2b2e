"""An index whose words are those of an earlier release: it is told, and made anew from the stored passages."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

import rag
from console import engine
from console.index.selectors import active_version
from console.index.words import rebuild_outdated_words
from console.people.models import User
from console.sources import ingest
from console.sources.models import Folder
from tests.workers.conftest import HOTELS, LAPTOPS, upload
from workers.ownership import DataFolderOwnership

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("sent")]


@pytest.fixture
def outdated(data_folder: Path, admin: User, folder: Folder) -> dict[int, int]:
    """Passages of each document; the manifest is that of the release before."""
    documents = [upload(admin, folder, "policy.md", HOTELS), upload(admin, folder, "laptops.md", LAPTOPS)]
    for document in documents:
        ingest.ingest_document(document.pk)
    index = engine.index_of(active_version())
    counts = {one.pk: index.lexical.count(one.pk) for one in documents}
    assert all(counts.values())
    engine.close()
    (manifest,) = data_folder.rglob("lexical/manifest.json")
    described = json.loads(manifest.read_text())
    del described["words"]
    manifest.write_text(json.dumps(described))
    return counts


def counted(counts: dict[int, int]) -> dict[int, int]:
    index = engine.index_of(active_version())
    return {document_id: index.lexical.count(document_id) for document_id in counts}


def test_doctor_finds_it_and_the_command_rebuilds_it(
    outdated: dict[int, int], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        call_command("doctor", stdout=io.StringIO())
    printed = " ".join(capsys.readouterr().out.split())
    assert "FAULT The lexical index holds words of version 1" in printed
    assert "manage.py rebuild_words" in printed
    out = io.StringIO()
    call_command("rebuild_words", stdout=out)
    assert f"The words of {sum(outdated.values())} passages" in out.getvalue()
    assert counted(outdated) == outdated
    index = engine.index_of(active_version())
    assert index.lexical.search("laptop depot", 3, [Folder.objects.get().pk])


def test_a_server_that_starts_rebuilds_it_itself(outdated: dict[int, int]) -> None:
    with pytest.raises(rag.IndexMismatch):
        counted(outdated)
    assert rebuild_outdated_words(active_version())
    assert counted(outdated) == outdated
    assert not rebuild_outdated_words(active_version()), "once is enough"


def test_it_is_left_alone_while_a_server_runs(outdated: dict[int, int]) -> None:
    owner = DataFolderOwnership()
    assert owner.claim()
    try:
        with pytest.raises(CommandError, match="stop it first"):
            call_command("rebuild_words")
    finally:
        owner.release()


def test_without_an_index_there_is_nothing_to_rebuild(data_folder: Path, transactional_db: None) -> None:
    with pytest.raises(CommandError, match="no index yet"):
        call_command("rebuild_words")
