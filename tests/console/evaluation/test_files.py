"""Import and export: all or nothing, every fault by its line, and there and back again."""

from __future__ import annotations

import io
import json
import time
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rag
from console.evaluation.files import (
    MAX_BYTES,
    MAX_FAULTS,
    MAX_MEMBERS,
    ImportFaulty,
    export_archive,
    faults_of_row,
    read_upload,
)
from console.evaluation.golden import GoldenRow, golden_of, single
from console.evaluation.models import GoldenQuestion, GoldenSet
from console.evaluation.services import import_questions
from tests.console.conftest import World, golden_set

NEEDLE = {"id": "n1", "document": "a.md", "needle": "The limit is 5.", "question": "What is it?"}
REFUSAL = {"id": "r1", "kind": "near", "question": "Who?", "why": "Nobody says."}
SEVERAL = {
    "id": "m1",
    "question": "Both?",
    "needles": [{"document": "a.md", "needle": "One."}, {"document": "b.md", "needle": "Two."}],
}


def lines(*rows: object) -> bytes:
    return "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows).encode()


def faults_of(*files: tuple[str, bytes]) -> list[tuple[str, int, str]]:
    with pytest.raises(ImportFaulty) as caught:
        read_upload(files, max_question_chars=2_000)
    return [(fault.file, fault.line, fault.message) for fault in caught.value.faults]


def archive(**members: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as file:
        for name, content in members.items():
            file.writestr(name.replace("_jsonl", ".jsonl"), content)
    return written.getvalue()


def test_every_faulty_line_is_named() -> None:
    needles = lines(NEEDLE, "{broken", "", {"id": "n2"}, NEEDLE, {**NEEDLE, "id": "n3", "question": "?!"})
    refusals = lines({**REFUSAL, "kind": "odd"}, ["a list"])
    found = faults_of(("needles.jsonl", needles), ("refusals.jsonl", refusals))
    assert [(file, line) for file, line, _ in found] == [
        ("needles.jsonl", 2),
        ("needles.jsonl", 4),
        ("needles.jsonl", 5),
        ("needles.jsonl", 6),
        ("refusals.jsonl", 1),
        ("refusals.jsonl", 2),
    ]
    told = [message for _, _, message in found]
    assert told[0] == "this is no JSON."
    assert told[1] == "document must be a text."
    assert "needles.jsonl, line 1" in told[2]
    assert "no word" in told[3]
    assert "near, literal, false_premise, far" in told[4]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ([("needles.jsonl", b"\xff\xfe")], "UTF-8"),
        ([("notes.txt", b"x")], "none of"),
        ([("needles.jsonl", b"\n\n")], "no question"),
        ([("set.zip", b"PK\x03\x04 not really")], "damaged"),
        ([("multihop.jsonl", lines({**SEVERAL, "needles": SEVERAL["needles"][:1]}))], "two different"),
        ([("needles.jsonl", lines(NEEDLE)), ("x/needles.jsonl", lines(NEEDLE))], "two files"),
        ([("needles.jsonl", lines({**NEEDLE, "question": "w" * 2_001}))], "at most 2000"),
        ([("needles.jsonl", lines({**NEEDLE, "needle": "a\0b"}))], "cannot be stored"),
        ([("needles.jsonl", lines({**NEEDLE, "question": "half \ud800 pair"}))], "cannot be stored"),
        ([("needles.jsonl", lines({**NEEDLE, "id": "a\nb"}))], "can be seen"),
        ([("needles.jsonl", b" " * (MAX_BYTES + 1))], "MiB"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_taken_is_said(files: list[tuple[str, bytes]], told: str) -> None:
    assert any(told in message for _, _, message in faults_of(*files))


def test_a_bomb_is_not_unpacked() -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("needles.jsonl", b"\n" * (MAX_BYTES * 2))
    assert any("unpacks to more" in message for _, _, message in faults_of(("set.zip", written.getvalue())))


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damaged_bytes_of_a_member_are_said(method: int) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as file:
        file.writestr("needles.jsonl", lines(*({**NEEDLE, "id": f"n{at}"} for at in range(50))))
    content = bytearray(written.getvalue())
    # Behind the local header: 30 bytes and the name, then the compressed bytes.
    first = 30 + len("needles.jsonl")
    for at in range(first + 4, first + 40):
        content[at] ^= 0xFF
    found = faults_of(("set.zip", bytes(content)))
    assert found[0] == ("set.zip", 0, "This ZIP is damaged, or needs a password.")


def test_a_line_nested_too_deeply_is_a_faulty_line() -> None:
    [(file, line, told)] = faults_of(("refusals.jsonl", b"[" * 200_000))
    assert (file, line) == ("refusals.jsonl", 1)
    assert "JSON" in told


@pytest.mark.parametrize("content", [b"x\n" * 200_000, lines(NEEDLE) * 4_000], ids=["no JSON", "one id"])
def test_the_list_of_faults_ends(content: bytes) -> None:
    started = time.monotonic()
    found = faults_of(("needles.jsonl", content))
    assert time.monotonic() - started < 5
    assert len(found) == MAX_FAULTS + 1
    assert found[0] == ("", 0, f"Only the first {MAX_FAULTS} faults are listed.")


def test_a_zip_of_very_many_files_is_not_read() -> None:
    members = {f"{at}.txt": b"" for at in range(MAX_MEMBERS + 1)}
    assert [told for _, _, told in faults_of(("set.zip", archive(**members)))] == [
        f"It holds more than {MAX_MEMBERS} files."
    ]


def test_archives_together_unpack_to_no_more_than_one() -> None:
    half = b"\n" * (MAX_BYTES // 2 + 1)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("needles.jsonl", half)
    told = faults_of(("a.zip", written.getvalue()), ("b.zip", written.getvalue()))
    assert any("unpacks to more" in message for _, _, message in told)


def test_nothing_is_imported_when_one_line_is_faulty(world: World) -> None:
    golden = golden_set("New", world.travel)
    with pytest.raises(ImportFaulty):
        import_questions(
            actor=world.lead, golden_set=golden, files=[("needles.jsonl", lines(NEEDLE, "{broken"))]
        )
    assert not golden.questions.exists()


def test_a_known_id_is_replaced_and_another_added(world: World) -> None:
    golden = golden_set("New", world.travel)
    first = [("needles.jsonl", lines(NEEDLE)), ("refusals.jsonl", lines(REFUSAL))]
    assert import_questions(actor=world.lead, golden_set=golden, files=first) == (2, 0)
    assert import_questions(actor=world.lead, golden_set=golden, files=first) == (0, 0)
    again = archive(needles_jsonl=lines({**NEEDLE, "ticket": "how much"}), multihop_jsonl=lines(SEVERAL))
    assert import_questions(actor=world.lead, golden_set=golden, files=[("set.zip", again)]) == (1, 1)
    assert golden.questions.get(key="n1").ticket == "how much"
    assert golden.questions.get(key="m1").places == [("a.md", "One."), ("b.md", "Two.")]


def test_the_import_of_the_export_gives_the_same_set(world: World) -> None:
    golden = golden_set("New", world.travel)
    files = [
        ("needles.jsonl", lines({**NEEDLE, "id": "z", "answers": ["5", "five"]}, NEEDLE)),
        ("refusals.jsonl", lines(REFUSAL)),
        ("multihop.jsonl", lines({**SEVERAL, "answers": ["both"]})),
    ]
    import_questions(actor=world.lead, golden_set=golden, files=files)
    copy = golden_set("Copy", world.travel)
    exported = export_archive(golden_of(golden))
    import_questions(actor=world.lead, golden_set=copy, files=[("export.zip", exported)])
    assert golden_of(copy).fingerprint == golden_of(golden).fingerprint
    assert export_archive(golden_of(copy)) == exported
    assert [row.answers for row in golden_of(copy).needles] == [("5", "five"), ()]
    assert [row.answers for row in golden_of(copy).multihop] == [("both",)]


busy = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda text: any(character.isalnum() for character in text)
)


@busy
@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=4))
def test_any_text_survives_the_way_out_and_in(rows: list[tuple[str, str, str]]) -> None:
    golden = rag.GoldenSet(
        "any", tuple(rag.GoldenNeedle(f"n{at}", d, n, q, "") for at, (d, n, q) in enumerate(rows))
    )
    files = [("any.zip", export_archive(golden))]
    assert read_upload(files, max_question_chars=10_000) == golden.needles


texts = st.sampled_from(["", "\u3000", "A word."])
word = st.just("A word.")
places = st.builds(rag.NeedlePlace, texts, st.sampled_from(["", "One.", "Two.", "Three."]))
answers = st.lists(texts, max_size=2, unique=True).map(tuple)
any_row = st.one_of(
    st.builds(rag.GoldenNeedle, texts, texts, texts, texts, texts, answers),
    st.builds(rag.GoldenRefusal, texts, st.sampled_from([*rag.REFUSAL_KINDS, "", "odd"]), texts, texts),
    st.builds(rag.GoldenMultihop, texts, texts, st.lists(places, max_size=3).map(tuple), answers),
)


@busy
@given(any_row)
def test_what_may_be_stored_can_be_exported_imported_and_run(row: GoldenRow) -> None:
    if not faults_of_row(row, 2_000):
        files = [("any.zip", export_archive(single(row)))]
        assert read_upload(files, max_question_chars=2_000) == (row,)


def test_the_sample_questions_are_taken_in_whole(world: World) -> None:
    from console.evaluation.sample import SAMPLE_QUESTIONS

    files = [(path.name, path.read_bytes()) for path in SAMPLE_QUESTIONS.glob("*.jsonl")]
    golden = golden_set("Sample", world.travel)
    n_added, _ = import_questions(actor=world.admin, golden_set=golden, files=files)
    assert n_added == GoldenQuestion.objects.filter(golden_set=golden).count() == 142
    assert golden_of(golden).fingerprint == rag.read_golden_set(SAMPLE_QUESTIONS).fingerprint
    assert GoldenSet.objects.filter(pk=golden.pk).exists()
