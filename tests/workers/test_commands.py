"""The commands people type: what they print, how they end, and that two processes get along."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from console import engine
from console.index.services import prepare_active_version
from console.people.models import User
from console.questions.models import Question
from console.questions.services import answer_question
from console.sources import ingest
from console.sources.claims import claim
from console.sources.models import Document, DocumentState, Folder
from tests.rag.fakes import ScriptedReranker
from tests.workers.conftest import HOTELS, LAPTOPS, upload
from workers.management.commands import ask as ask_command
from workers.management.commands import serve
from workers.ownership import DataFolderOwnership

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("data_folder", "sent")]


@pytest.fixture
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    (folder / "policy.md").write_bytes(HOTELS)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnot really")
    return folder


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out, stderr=out)
    return out.getvalue()


def test_ingest_says_how_each_file_ended_and_exits_with_1_when_one_failed(
    admin: User, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run("ingest", str(files), "--folder", "Travel", "--open")
    assert ended.value.code == 1
    printed = capsys.readouterr().out
    assert "damaged" in printed
    assert "Open the file where it came from" in printed
    (files / "broken.pdf").unlink()
    assert "1 unchanged" in run("ingest", str(files), "--folder", "Travel")


def test_an_interrupted_ingest_is_taken_up_by_the_same_command(
    admin: User, folder: Folder, files: Path
) -> None:
    (files / "broken.pdf").unlink()
    waiting = upload(admin, folder, "policy.md", HOTELS)
    claim(waiting.pk)  # the process was killed in the middle
    assert "1 indexed" in run("ingest", str(files), "--folder", "Travel")
    assert Document.objects.get().state == DocumentState.INDEXED


def test_links_out_of_the_folder_are_left_out_and_named(admin: User, files: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The safe opens with 4711.")
    (files / "link.txt").symlink_to(secret)
    (files / "broken.pdf").unlink()
    assert "link.txt: left out" in run("ingest", str(files), "--folder", "Travel")
    assert [document.name for document in Document.objects.all()] == ["policy.md"]


def test_two_files_that_get_one_name_are_said(admin: User, files: Path) -> None:
    (files / "broken.pdf").unlink()
    (files / "a\nb.md").write_bytes(LAPTOPS)
    (files / "a_b.md").write_bytes(HOTELS)
    assert "both have one name here" in run("ingest", str(files), "--folder", "Travel")


def test_ask_answers_in_its_own_process_when_no_server_runs(
    admin: User, folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    ingest.ingest_document(upload(admin, folder, "policy.md", HOTELS).pk)
    run("ask", "What is the nightly hotel limit in capital cities?")
    assert "180 EUR. [1]" in capsys.readouterr().out


def test_ask_leaves_the_question_to_the_running_server(
    admin: User, folder: Folder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ingest.ingest_document(upload(admin, folder, "policy.md", HOTELS).pk)
    server = DataFolderOwnership()
    assert server.claim()

    def served_meanwhile(question: Question, timeout_s: float) -> None:
        answer_question(str(question.pk))

    monkeypatch.setattr(ask_command, "_wait", served_meanwhile)
    monkeypatch.setattr(DataFolderOwnership, "claim", lambda self: False)
    try:
        run("ask", "What is the nightly hotel limit in capital cities?")
        run("ask", "What is the nightly hotel limit in capital cities?", "--now", "--json")
    finally:
        server.release()
    assert "180 EUR. [1]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ask", "?!"), "Ask it in words"),
        (("ask", "x", "--as", "nobody"), "page People"),
        (("ingest", "/nowhere", "--folder", "F"), "does not exist"),
        (("ingest", __file__, "--folder", " "), "Give the folder a name"),
    ],
)
def test_wrong_arguments_are_told_with_the_next_step(
    admin: User, arguments: tuple[str, ...], said: str
) -> None:
    with pytest.raises(CommandError, match=said):
        run(*arguments)


@pytest.mark.parametrize(
    ("host", "port", "said"),
    [("127.0.0.1", 99_999, "1 to 65535"), ("nowhere.invalid", 8000, "no address of this machine")],
)
def test_serve_refuses_addresses_it_cannot_listen_on(host: str, port: int, said: str) -> None:
    with pytest.raises(CommandError, match=said):
        serve._refuse_taken_port(host, port)


def test_links_start_with_the_address_that_is_served(
    settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.BASE_URL = "http://127.0.0.1:8000"
    settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": {"connect-src": ["'self'", "ws://127.0.0.1:8000"]}}
    monkeypatch.delitem(os.environ, "FOOTNOTE_BASE_URL", raising=False)
    serve._settle_address("0.0.0.0", 8123)
    assert settings.BASE_URL == "http://127.0.0.1:8123"
    assert settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]["connect-src"] == ["'self'", "ws://127.0.0.1:8123"]


def test_doctor_finds_work_that_nobody_does(
    admin: User, folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    upload(admin, folder, "policy.md", HOTELS)
    with pytest.raises(SystemExit):
        run("doctor")
    assert "nothing works on them" in " ".join(capsys.readouterr().out.split())


def test_doctor_finds_a_cut_that_was_set_for_another_reranker(
    admin: User, settings: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    version = prepare_active_version()
    version.thresholds.update(reranker="another")
    run("doctor")
    printed = " ".join(capsys.readouterr().out.split())
    assert "no reranker; the gate compares distances" in printed
    settings.RERANKER = "footnote-relevance"
    monkeypatch.setattr(engine, "_reranker", None)
    with pytest.raises(SystemExit):
        run("doctor")
    printed = " ".join(capsys.readouterr().out.split())
    assert "reranker footnote-relevance/" in printed
    assert "FAULT The relevance cut was set for another, and footnote-relevance/" in printed
    assert "Evaluation" in printed


def test_doctor_has_the_reranker_read(
    admin: User, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare_active_version()
    monkeypatch.setattr(engine, "_reranker", ScriptedReranker({"office": float("nan")}))
    with pytest.raises(SystemExit):
        run("doctor")
    printed = " ".join(capsys.readouterr().out.split())
    assert "FAULT The reranker scripted gave scores that are no numbers." in printed
    assert "→ See the log; install the reranker again" in printed
