import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import BadInput
from rag.evaluate import (
    GoldenMultihop,
    GoldenNeedle,
    GoldenRefusal,
    GoldenSet,
    NeedlePlace,
    Wording,
    golden_files,
    golden_set_of,
    holds_needle,
    needles_destroyed,
    read_golden_set,
    read_multihop,
    read_needles,
    read_refusals,
    write_golden_set,
)
from tests.rag.fakes import stored_chunk

LINES = [
    '{"id": "n1", "document": "a.md", "needle": "one  two", "question": "q", "ticket": "t"}',
    "",
    '{"id": "n2", "document": "a.md", "needle": "three four", "question": "q"}',
]
PLACES = '[{"document": "a.md", "needle": "x y"}, {"document": "b.md", "needle": "z"}]'
TWO = f'{{"id": "m1", "question": "q", "needles": {PLACES}}}'

words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).filter(str.strip)
answers = st.lists(words, max_size=2, unique=True).map(tuple)
needles = st.builds(GoldenNeedle, words, words, words, words, words | st.just(""), answers)
refusals = st.builds(GoldenRefusal, words, words, words, words | st.just(""))
places = st.builds(NeedlePlace, words, words)
multihop = st.builds(
    GoldenMultihop, words, words, st.lists(places, min_size=1, max_size=3).map(tuple), answers
)
golden_sets = st.builds(
    GoldenSet,
    st.just("set"),
    st.lists(needles, max_size=3).map(tuple),
    st.lists(refusals, max_size=3).map(tuple),
    st.lists(multihop, max_size=3).map(tuple),
)


def test_lines_become_questions():
    first, second = read_needles(LINES)
    assert (first.needle, first.ticket, second.ticket) == ("one  two", "t", "")
    (refusal,) = read_refusals(['{"id": "r1", "kind": "near", "question": "q", "why": "w"}'])
    assert (refusal.id, refusal.kind, refusal.question, refusal.why) == ("r1", "near", "q", "w")
    (two,) = read_multihop([TWO])
    assert two.needles == (NeedlePlace("a.md", "x y"), NeedlePlace("b.md", "z"))


@pytest.mark.parametrize(
    ("read", "line", "message"),
    [
        (read_needles, "{", "needles.jsonl, line 2: this is no JSON"),
        (read_needles, "[]", "needles.jsonl, line 2: this is no JSON object"),
        (read_needles, '{"id": "n", "document": "a", "needle": " ", "question": "q"}', "needle must be"),
        (read_needles, '{"id": 4, "document": "a", "needle": "n", "question": "q"}', "id must be"),
        (read_refusals, '{"id": "r", "question": "q"}', "refusals.jsonl, line 2: kind must be"),
        (read_multihop, '{"id": "m", "question": "q", "needles": "x"}', "needles must be a list"),
        (read_multihop, '{"id": "m", "question": "q", "needles": ["x"]}', "must be an object"),
        (read_needles, LINES[0][:-1] + ', "answers": "x"}', "answers must be a list of texts"),
        (read_needles, LINES[0][:-1] + ', "answers": [" "]}', "answers must be a list of texts"),
        (read_multihop, TWO[:-1] + ', "answers": [4]}', "answers must be a list of texts"),
    ],
)
def test_a_line_that_is_no_row_is_named(read, line, message):
    with pytest.raises(BadInput, match=message):
        read(["", line])


@settings(deadline=None)
@given(golden_sets)
def test_what_is_written_is_read_back(golden):
    again = golden_set_of(golden_files(golden), name="set")
    assert again == golden
    assert again.fingerprint == golden.fingerprint


def test_gold_answers_may_be_left_out_and_change_nothing_then():
    with_answers = [line and line[:-1] + ', "answers": ["two", "two", "2"]}' for line in LINES]
    assert [row.answers for row in read_needles(with_answers)] == [("two", "2")] * 2
    plain, given = (GoldenSet("s", tuple(read_needles(lines))) for lines in (LINES, with_answers))
    assert "answers" not in golden_files(plain)["needles.jsonl"]
    assert plain.fingerprint != given.fingerprint
    assert [asked.answers for asked in given.asked] == [("two", "2")] * 3, "the ticket has them too"


def test_a_folder_holds_a_set(tmp_path):
    golden = GoldenSet("mine", tuple(read_needles(LINES)), (), tuple(read_multihop([TWO])))
    write_golden_set(golden, tmp_path / "mine")
    assert read_golden_set(tmp_path / "mine") == golden
    assert read_golden_set(tmp_path / "mine", name="other").fingerprint == golden.fingerprint
    with pytest.raises(BadInput, match=r"must hold needles\.jsonl"):
        read_golden_set(tmp_path)


def test_a_zip_holds_the_same_set(tmp_path):
    golden = GoldenSet("mine", tuple(read_needles(LINES)), (), tuple(read_multihop([TWO])))
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        for name, text in golden_files(golden).items():
            archive.writestr(f"exported/{name}", text)
    assert read_golden_set(tmp_path / "mine.zip") == golden


def test_a_byte_order_mark_is_no_part_of_the_set(tmp_path):
    (tmp_path / "needles.jsonl").write_text(LINES[0], encoding="utf-8-sig")
    assert len(read_golden_set(tmp_path).needles) == 1


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_another_encoding_is_said(tmp_path, encoding):
    (tmp_path / "needles.jsonl").write_bytes(LINES[0].replace("one", "ün").encode(encoding))
    with pytest.raises(BadInput, match=r"needles\.jsonl is not written in UTF-8"):
        read_golden_set(tmp_path)


@pytest.mark.parametrize("content", [None, b"", b"no zip"])
def test_what_is_neither_folder_nor_zip_is_said(tmp_path, content):
    if content is not None:
        (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(BadInput, match="must be a folder, or a ZIP"):
        read_golden_set(tmp_path / "x.zip")


def test_the_fingerprint_changes_with_a_question():
    first, second = read_needles(LINES)
    assert GoldenSet("a", (first, second)).fingerprint == GoldenSet("b", (first, second)).fingerprint
    assert GoldenSet("a", (first,)).fingerprint != GoldenSet("a", (first, second)).fingerprint


def test_every_wording_is_asked():
    golden = GoldenSet("mine", tuple(read_needles(LINES)), (), tuple(read_multihop([TWO])))
    assert [(asked.id, asked.wording, asked.needles) for asked in golden.asked] == [
        ("n1", Wording.QUESTIONS, ("one  two",)),
        ("n2", Wording.QUESTIONS, ("three four",)),
        ("n1", Wording.TICKETS, ("one  two",)),
        ("m1", Wording.MULTIHOP, ("x y", "z")),
    ]
    assert [needle_id for needle_id, _ in golden.places] == ["n1", "n2", "m1", "m1"]


def test_a_needle_is_held_whatever_the_white_space():
    assert holds_needle("zero one\ntwo three", "one  two")
    assert not holds_needle("one, two", "one two")


def test_a_needle_may_be_written_as_a_reader_sees_it():
    raw = "- See the [travel **guide**](../travel.md): `a_b` costs \\$50."
    assert holds_needle(raw, "travel guide: a_b costs $50.")
    assert holds_needle(
        "travel guide: a_b costs $50.", "[travel **guide**](../travel.md): `a_b` costs \\$50."
    )
    assert not holds_needle(raw, "[](empty.md)")


def test_a_needle_over_a_border_is_destroyed():
    chunks = [stored_chunk("zero one two"), stored_chunk("three"), stored_chunk("four")]
    golden = GoldenSet("mine", tuple(read_needles(LINES)))
    assert needles_destroyed(chunks, golden.needles) == ("n2",)
    assert needles_destroyed(chunks, golden.places) == ("n2",)
