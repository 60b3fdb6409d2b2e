"""`manage.py sync`: what it says, how it ends, beside a running server, and watching."""

from __future__ import annotations

import io
import os
import threading
import time
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from console.people.models import User
from console.sources.models import Document, DocumentState, Folder
from tests.workers.conftest import HOTELS, LAPTOPS
from tests.workers.test_sync import BIKES, names, packed
from workers.management.commands import sync as sync_command
from workers.ownership import DataFolderOwnership

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("data_folder", "sent")]


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    root = tmp_path / "handbook"
    (root / "hr").mkdir(parents=True)
    (root / "hr" / "policy.md").write_bytes(HOTELS)
    (root / "laptops.md").write_bytes(LAPTOPS)
    (root / ".DS_Store").write_bytes(b"x")
    return root


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("sync", *arguments, stdout=out, stderr=out)
    return out.getvalue()


def test_the_command_syncs_reads_and_reports(
    admin: User, handbook: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    would = run(str(handbook), "--folder", "Handbook", "--dry-run")
    assert "Would be: 2 new." in would
    assert not Folder.objects.filter(name="Handbook").exists()
    done = run(str(handbook), "--folder", "Handbook", "--open")
    assert "2 new." in done
    assert "Handbook: 2 indexed." in done
    assert Folder.objects.get(name="Handbook").is_open
    (handbook / "hr" / "policy.md").rename(handbook / "hr" / "travel.md")
    (handbook / "laptops.md").unlink()
    (handbook / "broken.pdf").write_bytes(b"%PDF-1.7\nnot really")
    with pytest.raises(SystemExit) as ended:
        run(str(handbook), "--folder", "Handbook")
    assert ended.value.code == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "damaged" in printed
    assert "hr/travel.md" in printed
    assert set(names()) == {"hr/travel.md", "broken.pdf"}
    assert Document.objects.count() == 2, "what was deleted is out of the index too, without a server"
    with pytest.raises(CommandError, match="does not exist"):
        run(str(handbook / "nowhere"), "--folder", "Handbook")
    with pytest.raises(CommandError, match="takes single files"):
        run(str(handbook / "broken.pdf"), "--folder", "Handbook")


def test_what_stands_in_a_directory_that_cannot_be_listed_is_not_taken_for_gone(
    admin: User, handbook: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(str(handbook), "--folder", "Handbook")
    (handbook / "laptops.md").unlink()
    (handbook / "bikes.md").write_bytes(BIKES)
    real = os.scandir

    def scandir(path: str) -> object:
        if Path(path).name == "hr":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", scandir)
        with pytest.raises(SystemExit):
            run(str(handbook), "--folder", "Handbook")
    assert set(names()) == {"hr/policy.md", "bikes.md"}
    assert "cannot be listed" in " ".join(capsys.readouterr().out.split())
    (handbook / "hr" / "policy.md").unlink()
    run(str(handbook), "--folder", "Handbook")
    assert set(names()) == {"bikes.md"}


def test_the_command_takes_an_archive_too(admin: User, tmp_path: Path) -> None:
    (tmp_path / "handbook.zip").write_bytes(packed({"policy.md": HOTELS}))
    assert "1 new." in run(str(tmp_path / "handbook.zip"), "--folder", "Handbook")
    assert Document.objects.get().origin == "zip:handbook.zip"
    again = run(str(tmp_path / "handbook.zip"), "--folder", "Handbook", "--open")
    assert "Handbook exists and stays closed" in again
    assert "1 unchanged." in again


def test_beside_a_running_server_the_work_is_left_to_it(
    admin: User, folder: Folder, handbook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def served(self: DataFolderOwnership) -> bool:
        return False

    monkeypatch.setattr(DataFolderOwnership, "claim", served)
    with pytest.raises(CommandError, match="still queued"):
        run(str(handbook), "--folder", "Travel", "--timeout", "0.1")
    assert Document.objects.filter(queued_at=None).count() == 2, "the server's sweep sees them at once"


def test_watching_takes_changes_and_stops_cleanly(
    admin: User, handbook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync_command, "DEBOUNCE_MS", 100)
    command = sync_command.Command(stdout=io.StringIO(), stderr=io.StringIO())

    def edit() -> None:
        deadline = time.monotonic() + 60
        while "Watching" not in command.stdout.getvalue() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        (handbook / "bikes.md").write_bytes(BIKES)
        while "1 new" not in command.stdout.getvalue() and time.monotonic() < deadline:
            time.sleep(0.05)
        command.stopping.set()

    editor = threading.Thread(target=edit)
    editor.start()
    call_command(command, str(handbook), "--folder", "Handbook", "--watch")
    editor.join()
    assert "1 new, 2 unchanged." in command.stdout.getvalue()
    assert command.stdout.getvalue().endswith("Stopped.\n")
    assert Document.objects.get(name="bikes.md").state == DocumentState.INDEXED
