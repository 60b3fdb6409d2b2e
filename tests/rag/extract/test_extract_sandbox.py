from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from extraction_checks import assert_sound

from rag import extract_file
from rag.config import ExtractionLimits
from rag.errors import (
    DamagedDocument,
    EmptyDocument,
    EncryptedDocument,
    ExtractorCrashed,
    ResourceLimit,
    UnsupportedFormat,
)
from rag.extract import sandbox
from rag.extract.registry import extract_in_process
from rag.extract.wire import decode_result, encode_error, encode_extraction

HEAVY = (
    "pypdfium2",
    "openpyxl",
    "docx",
    "lxml",
    "bs4",
    "markdown_it",
    "onnxruntime",
    "rapidocr",
    "cv2",
    "torch",
    "numpy",
)


def stored(folder: Path, data: bytes) -> Path:
    path = folder / "0f3a"
    path.write_bytes(data)
    return path


def test_the_sub_process_gives_what_reading_here_gives(tmp_path: Path) -> None:
    path = stored(tmp_path, "# Reise\n\n| Ort | € |\n|--|--|\n| Århus | 120 |\n| 北京 | 90 |\n".encode())
    extraction = extract_file(path, filename="reise.md")
    assert_sound(extraction)
    assert extraction == extract_in_process(path, filename="reise.md", limits=ExtractionLimits())


def test_reasons_come_back_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFormat, match="program") as caught:
        extract_file(stored(tmp_path, b"\x7fELF\x02\x01\x01...."), filename="a.pdf")
    assert caught.value.next_step == UnsupportedFormat.default_next_step


def test_no_bytes_and_no_file_need_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    with pytest.raises(EmptyDocument):
        extract_file(stored(tmp_path, b""), filename="a.md")
    with pytest.raises(DamagedDocument):
        extract_file(tmp_path / "gone", filename="a.md")


def test_the_time_limit_ends_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_BOOTSTRAP", "import time; time.sleep(60)")
    started = time.monotonic()
    with pytest.raises(ResourceLimit, match=r"0\.3 seconds"):
        extract_file(stored(tmp_path, b"text"), filename="a.md", limits=ExtractionLimits(time_s=0.3))
    assert time.monotonic() - started < 5


def test_the_time_limit_ends_what_the_process_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "grandchild"
    script = (
        "import subprocess, pathlib; child = subprocess.Popen(['sleep', '60']);"
        f"pathlib.Path({str(note)!r}).write_text(str(child.pid)); child.wait()"
    )
    monkeypatch.setattr(sandbox, "_BOOTSTRAP", script)
    with pytest.raises(ResourceLimit):
        extract_file(stored(tmp_path, b"text"), filename="a.md", limits=ExtractionLimits(time_s=1))
    assert _within(1, lambda: _is_gone(int(note.read_text()))), "the grandchild lives on"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the address space")
def test_the_memory_limit(tmp_path: Path) -> None:
    path = stored(tmp_path, b"word " * 40_000_000)
    with pytest.raises(ResourceLimit, match="256 MiB"):
        extract_file(path, filename="a.txt", limits=ExtractionLimits(memory_mib=256))


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("import os; os.abort()", ExtractorCrashed),
        ("raise ValueError('library text')", ExtractorCrashed),
        ("import sys; sys.exit(0)", ExtractorCrashed),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", ResourceLimit),
        ("import sys; sys.exit(\"terminate called after throwing 'std::bad_alloc'\")", ResourceLimit),
        ("raise RuntimeError('Failed to allocate memory for requested buffer')", ResourceLimit),
        ("import sys; open(sys.argv[2], 'w').write('{\"extraction\": {}}')", ExtractorCrashed),
        ("import sys; open(sys.argv[2], 'w').write('not json')", ExtractorCrashed),
    ],
)
def test_every_way_to_end_has_a_reason(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    script: str,
    error: type[Exception],
) -> None:
    monkeypatch.setattr(sandbox, "_BOOTSTRAP", script)
    with caplog.at_level(logging.DEBUG, logger="rag.extract.sandbox"), pytest.raises(error) as caught:
        extract_file(stored(tmp_path, b"text"), filename="a.md")
    assert "library text" not in str(caught.value)
    assert "extraction process ended" in caplog.text


def test_absurd_nesting_is_a_resource_limit(tmp_path: Path) -> None:
    page = b"<html><body>" + b"<div>" * 5000 + b"x" + b"</div>" * 5000
    with pytest.raises(ResourceLimit, match="nested"):
        extract_file(stored(tmp_path, page), filename="a.html")


def test_the_process_sees_no_secret_of_the_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-secret")
    monkeypatch.setattr(sandbox, "_BOOTSTRAP", "import os, sys; sys.exit(str(sorted(os.environ)))")
    records: list[str] = []
    monkeypatch.setattr(sandbox._log, "log", lambda level, text, *args: records.append(text % args))
    with pytest.raises(ExtractorCrashed):
        extract_file(stored(tmp_path, b"text"), filename="a.md")
    assert "PATH" in records[0]
    assert "SLACK" not in records[0]


def test_threads_extract_side_by_side(tmp_path: Path) -> None:
    path = stored(tmp_path, b"# A\n\nText.")
    texts: list[str] = []
    threads = [
        threading.Thread(target=lambda: texts.append(extract_file(path, filename="a.md").text))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == ["A\n\nText."] * 4


def test_no_file_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    extract_file(stored(tmp_path, b"text"), filename="a.md")
    with pytest.raises(UnsupportedFormat):
        extract_file(stored(tmp_path, b"\x7fELF"), filename="a.md")
    assert list(temporary.iterdir()) == []


def test_the_wire_is_checked() -> None:
    with pytest.raises(EncryptedDocument, match="locked") as caught:
        decode_result(encode_error(EncryptedDocument("locked", next_step="ask Ada")))
    assert caught.value.next_step == "ask Ada"
    with pytest.raises(ExtractorCrashed):
        decode_result(b'{"error": {"code": "made_up", "message": "", "next_step": ""}}')


def test_overlapping_spans_are_refused(tmp_path: Path) -> None:
    extraction = extract_in_process(
        stored(tmp_path, b"one\n\ntwo"), filename="a.txt", limits=ExtractionLimits()
    )
    answer = json.loads(encode_extraction(extraction))
    answer["extraction"]["spans"][1][0] = 1
    with pytest.raises(ExtractorCrashed):
        decode_result(json.dumps(answer).encode())


def test_importing_the_package_loads_no_format_library() -> None:
    code = (
        "import sys, types; rag = types.ModuleType('rag'); rag.__path__ = [sys.argv[1]]; sys.modules['rag'] = rag;"
        "import rag.extract, rag.extract.child;"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    package = str(Path(sandbox.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code, package], capture_output=True, text=True, check=True, env={}
    )
    assert done.stdout.strip() == "[]"


def test_importing_the_door_loads_no_format_library() -> None:
    formats = [name for name in HEAVY if name != "numpy"]
    code = f"import sys, rag; print([name for name in {formats!r} if name in sys.modules])"
    root = Path(sandbox.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=root,
        env={"PATH": os.defpath},
    )
    assert done.stdout.strip() == "[]"


def test_one_server_reads_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stored(tmp_path, b"Text.")
    extract_file(path, filename="a.txt")
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    assert [extract_file(path, filename="a.txt").text for _ in range(3)] == ["Text."] * 3


def test_a_reader_that_ends_at_once_is_noticed_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "_BOOTSTRAP", "pass")
    path = stored(tmp_path, b"Text.")
    started = time.monotonic()
    for _ in range(200):
        with pytest.raises(ExtractorCrashed):
            extract_file(path, filename="a.txt", limits=ExtractionLimits(time_s=30))
    assert time.monotonic() - started < 30


def test_a_server_that_was_killed_is_replaced(tmp_path: Path) -> None:
    path = stored(tmp_path, b"Text.")
    extract_file(path, filename="a.txt")
    for server in sandbox._servers._idle:
        server._process.kill()
        server._process.wait()
    assert extract_file(path, filename="a.txt").text == "Text."


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_server_has_one_thread_so_that_it_may_fork(tmp_path: Path) -> None:
    extract_file(stored(tmp_path, b"Text."), filename="a.txt")
    alive = [server for server in sandbox._servers._idle if server.is_alive()]
    assert alive
    for server in alive:
        assert len(list(Path(f"/proc/{server._process.pid}/task").iterdir())) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_server_and_reader_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    note = tmp_path / "child"
    reader = (
        f"import os, pathlib, time; pathlib.Path({str(note)!r}).write_text(str(os.getpid())); time.sleep(60)"
    )
    code = (
        "import sys; from pathlib import Path; from rag.extract import sandbox; from rag import extract_file;"
        f"sandbox._BOOTSTRAP = {reader!r}; extract_file(Path(sys.argv[1]), filename='a.txt')"
    )
    root = Path(sandbox.__file__).parents[2]
    parent = subprocess.Popen([sys.executable, "-c", code, str(stored(tmp_path, b"x"))], cwd=root)
    assert _within(20, lambda: note.exists() and note.read_text())
    child = int(note.read_text())
    server = int(Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[1])
    parent.kill()
    parent.wait()
    assert _within(5, lambda: _is_gone(child) and _is_gone(server))


def _within(seconds: float, holds: Callable[[], object]) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.02)
    return False


def _is_gone(pid: int) -> bool:
    """Ended: not there any more, or not yet collected by the process that adopted it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True
