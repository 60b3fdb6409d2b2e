"""Reading ahead: nothing waits for a slower file, nothing is taken before its turn, errors stay with their file."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

import rag
from rag.reading import FileToRead, read_files
from rag.types import Coverage


def extraction(text: str) -> rag.Extraction:
    return rag.Extraction(text, text, (), "text", "text/1", Coverage("document", 1, 1))


def files(*names: str) -> list[FileToRead[str]]:
    return [FileToRead(name, Path(name), name) for name in names]


def test_every_file_comes_back_once_with_its_key() -> None:
    names = [f"file {number}" for number in range(50)]
    reads = read_files(iter(files(*names)), lambda path, **_: extraction(str(path)))
    seen = [(read.key, read.result().text) for batch in reads for read in batch]
    assert sorted(seen) == sorted((name, name) for name in names)


def test_an_error_comes_back_with_its_file_only() -> None:
    def extract(path: Path, **_: object) -> rag.Extraction:
        if path.name == "b":
            raise rag.DamagedDocument("broken")
        return extraction(path.name)

    reads = {read.key: read for batch in read_files(iter(files("a", "b", "c")), extract) for read in batch}
    assert reads["a"].result().text == "a"
    with pytest.raises(rag.DamagedDocument):
        reads["b"].result()
    assert reads["c"].error is None


def test_a_slow_file_holds_nobody_up() -> None:
    may_end = threading.Event()

    def extract(path: Path, **_: object) -> rag.Extraction:
        if path.name == "slow":
            assert may_end.wait(10)
        return extraction(path.name)

    reads = read_files(iter(files("slow", "a", "b", "c")), extract)
    early = []
    while len(early) < 3:
        early += [read.key for read in next(reads)]
    may_end.set()
    assert set(early) == {"a", "b", "c"}
    assert [read.key for batch in reads for read in batch] == ["slow"]


def test_what_became_ready_meanwhile_comes_together() -> None:
    reads = read_files(iter(files(*"abcdefgh")), lambda path, **_: extraction(path.name), n_ahead=8)
    first = next(reads)
    time.sleep(0.2)
    assert len(first) + len(next(reads)) == 8
    assert list(reads) == []


def test_a_batch_is_bounded_by_its_text() -> None:
    reads = read_files(iter(files(*"abcd")), lambda path, **_: extraction("x" * 100), max_ready_chars=150)
    assert max(len(batch) for batch in reads) <= 2


def test_files_are_asked_for_one_by_one_in_the_callers_thread() -> None:
    asked: list[threading.Thread] = []
    n_given_back = 0

    def supply() -> object:
        for file in files(*"abcdefghij"):
            asked.append(threading.current_thread())
            assert len(asked) - n_given_back <= 3
            yield file

    for batch in read_files(supply(), lambda path, **_: extraction("x"), n_ahead=3):
        n_given_back += len(batch)
    assert set(asked) == {threading.current_thread()}


def test_closing_early_reads_none_of_the_files_that_wait() -> None:
    begun: list[str] = []
    may_end = threading.Event()

    def extract(path: Path, **_: object) -> rag.Extraction:
        begun.append(path.name)
        assert path.name == "a" or may_end.wait(10)
        return extraction(path.name)

    reads = read_files(iter(files(*"abcdefgh")), extract, n_readers=1, n_ahead=8)
    assert [read.key for read in next(reads)] == ["a"]
    threading.Timer(0.1, may_end.set).start()
    reads.close()
    assert len(begun) <= 2


def test_the_caller_is_told_while_nothing_is_ready() -> None:
    may_end = threading.Event()
    n_told = 0

    def told() -> None:
        nonlocal n_told
        n_told += 1
        if n_told == 3:
            may_end.set()

    def extract(path: Path, **_: object) -> rag.Extraction:
        assert may_end.wait(10)
        return extraction("x")

    list(read_files(iter(files("a")), extract, on_wait=told, wait_s=0.01))
    assert n_told >= 3


def test_files_that_are_slow_leave_their_place_to_others() -> None:
    may_end = threading.Event()

    def extract(path: Path, **_: object) -> rag.Extraction:
        if path.name.startswith("slow"):
            assert may_end.wait(10)
        return extraction(path.name)

    names = ("slow 1", "slow 2", "a", "b", "c")
    reads = read_files(iter(files(*names)), extract, n_readers=1, n_slow=2, slow_s=0.05)
    early = []
    while len(early) < 3:
        early += [read.key for read in next(reads)]
    may_end.set()
    assert sorted(early) == ["a", "b", "c"]
    assert sorted(read.key for batch in reads for read in batch) == ["slow 1", "slow 2"]


def test_only_so_many_quick_files_are_read_at_one_time() -> None:
    running, most = 0, 0
    lock = threading.Lock()

    def extract(path: Path, **_: object) -> rag.Extraction:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1
        return extraction(path.name)

    names = [f"file {number}" for number in range(30)]
    assert sum(len(batch) for batch in read_files(iter(files(*names)), extract, n_readers=2)) == 30
    assert most == 2
