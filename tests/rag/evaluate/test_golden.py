from rag.evaluate import holds_needle, needles_destroyed, read_needles, read_refusals
from tests.rag.fakes import stored_chunk

LINES = [
    '{"id": "n1", "document": "a.md", "needle": "one  two", "question": "q", "ticket": "t"}',
    "",
    '{"id": "n2", "document": "a.md", "needle": "three four", "question": "q"}',
]


def test_lines_become_questions():
    first, second = read_needles(LINES)
    assert (first.needle, first.ticket, second.ticket) == ("one  two", "t", "")
    (refusal,) = read_refusals(['{"id": "r1", "kind": "near", "question": "q", "why": "w"}'])
    assert (refusal.id, refusal.kind, refusal.question) == ("r1", "near", "q")


def test_a_needle_is_held_whatever_the_white_space():
    assert holds_needle("zero one\ntwo three", "one  two")
    assert not holds_needle("one, two", "one two")


def test_a_needle_over_a_border_is_destroyed():
    chunks = [stored_chunk("zero one two"), stored_chunk("three"), stored_chunk("four")]
    assert needles_destroyed(chunks, read_needles(LINES)) == ("n2",)
