"""Messages as people type them, sentence by sentence."""

import time

import pytest

from rag.ask.typed import questions_in, typed_sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hi all. what is the limit? thanks", ["hi all.", "what is the limit?", "thanks"]),
        ("Pay him! then go.", ["Pay him!", "then go."]),
        ("is it approx. three nights? e.g. in May", ["is it approx. three nights?", "e.g. in May"]),
        ("who is in no. five? dr. who is", ["who is in no. five?", "dr. who is"]),
        ("trains etc. are fine. until 5 p.m. is it?", ["trains etc. are fine. until 5 p.m. is it?"]),
        ("the avg. hotel. the rest", ["the avg. hotel.", "the rest"]),
        ("well... what’s it? what’s that", ["well...", "what’s it?", "what’s that"]),
        ("Is it free (or was it? once) for all?", ["Is it free (or was it? once) for all?"]),
        ("Hi all\nWhat is the limit", ["Hi all", "What is the limit"]),
        ("hi all\nwhat is the\nhotel limit", ["hi all", "what is the hotel limit"]),
        ("one\n\ntwo\n- three", ["one", "two", "- three"]),
        ("a\n???\n:-)\nB", ["a", "B"]),
        ("", []),
    ],
)
def test_a_sentence_may_begin_in_lower_case_and_on_every_line(text, expected):
    assert typed_sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Is it? Nope. is that?! yes", ["Is it?", "is that?"]),
        ("*Is it?* _who?_ “How?” (why?)", ["Is it?", "who?", "How?", "why?"]),
        ("*_Is it?_*", ["Is it?"]),
        ("*Travel:* is it?", ["*Travel:* is it?"]),
        ("(a) is it?)", ["(a) is it?"]),
        ("See the page (what is it?).", []),
        ("Run `a = ?`", []),
        ("See a?b=1 now.", []),
        ("???", []),
        ("酒店限额是多少？谢谢。", ["酒店限额是多少？"]),
        ("ما هو الحد؟ شكرا.", ["ما هو الحد?"]),
        ("Πόσο κοστίζει\u037e Ευχαριστώ.", ["Πόσο κοστίζει?"]),
    ],
)
def test_a_question_ends_in_a_question_mark(text, expected):
    assert questions_in(text) == expected


@pytest.mark.parametrize(
    "piece", ["?", "? ", "a\n", "(", "?-", ". a", "(a? ", "`?", "*", "[a ", "<a ", "a? ", "?!. ", "e.g. "]
)
def test_the_longest_message_is_read_in_no_time(piece):
    started = time.process_time()
    questions_in(piece * (40_000 // len(piece)) + "x")
    assert time.process_time() - started < 3
