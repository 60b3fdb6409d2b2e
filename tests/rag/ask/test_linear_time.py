"""A long text costs no more than its length: no pattern here may go back over what it has read."""

import time

import pytest

from rag.ask.decompose import sub_questions
from rag.ask.follow_up import Turn, rewrite
from rag.ask.premise import premises
from rag.ask.route import route, small_talk
from rag.ask.topic import asked_about

N_CHARS = 20_000
LIMIT_S = 3.0
"""Measured: at most 0.05 s; the machine may be busy."""

PIECES = {
    "one word": "a",
    "full stops": ".",
    "ellipses and a letter": ".... a",
    "question marks": "? ",
    "commas": ", ",
    "brackets": "(",
    "code marks": "`",
    "colons": ":a",
    "apostrophes": "'",
    "hyphens": "1-a",
    "pronouns": "is it ",
    "joints": "and who ",
    "comparisons": "than as ",
    "amounts": "the 500 ",
    "greetings": "hello ",
    "abbreviations": "e.g. ",
    "combining accents": "\u0301",
    "a character that folds into eighteen": "ﷺ",
    "emoji": "👋🏽",
}
TURN = Turn("How many days of leave do employees get?", ("25 days.",), ("Handbook",))


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
def test_a_long_text_is_read_in_no_time(piece):
    text = (piece * N_CHARS)[:N_CHARS]
    for question in (text, f"Why is the {text}", f"{text}?", f"{text}a"):
        started = time.process_time()
        route(question)
        sub_questions(question)
        premises(question)
        asked_about(question)
        rewrite(question, [TURN])
        rewrite("who approves it?", [Turn(question, (), ())] * 3)
        rewrite("who approves it?", [Turn(question, (), (), is_of_another=True)] * 3)
        assert time.process_time() - started < LIMIT_S


@pytest.mark.parametrize(
    "words", ["is it that ", "and who approves them ", "why is the a ", "the 5 a ", "of the city who "]
)
def test_the_longest_question_that_is_read_costs_little(words):
    question = " ".join((words * 250).split()[:250]) + "?"
    started = time.process_time()
    route(question)
    premises(question)
    rewrite(question, [TURN])
    rewrite("and for interns?", [Turn(question, (), ())] * 3)
    assert time.process_time() - started < LIMIT_S


def test_long_but_plain_is_left_as_it_is():
    question = "how many days " * (N_CHARS // 14)
    assert route(question).kind == "single_hop"
    assert premises(question) == ()
    assert rewrite(question, [TURN]).question == question


def test_a_text_too_long_for_small_talk_is_not_even_folded():
    started = time.process_time()
    assert small_talk("ﷺ" * 30 * N_CHARS) is None
    assert time.process_time() - started < LIMIT_S / 10
