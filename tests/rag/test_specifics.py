import pytest

from rag.generate.specifics import demanded, phrases_in_quotes, speaks_of, specifics
from rag.lexical import stems


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("What happens after 90 days?", "From the 90th day you may"),
        ("What happens on the 90th day?", "after 90 days"),
        ("a 90-day trial", "ninety days"),
        ("more than 1,000 euro", "1000 EUR"),
        ("more than 1000 euro", "1 000 EUR"),
        ("more than 1000 euro", "1.000 EUR"),
        ("3 weeks", "three weeks"),
        ("21 nights", "twenty-one nights"),
        ("200 guests", "two hundred guests"),
        ("it costs 2,5 florins", "2.50 florins"),
        ("error L-52", "Error L52"),
        ("error L52", "Error L 52"),
        ("err-4012", "ERR 4012: stuck"),
        ("version v2.3", "Version 2.3"),
        ("in 3.1.2", "since v3.1.2"),
        ("on 31/03/2024", "31 March 2024"),
        ("the 401k plan", "the 401(k) plan"),
        ("from 2023-2025", "2023 to 2025"),
        ("at 7am", "07:00"),
        ("mid-2024", "June 2024"),
        ("who pays?", "nobody"),
        ("one of two", "none"),
    ],
)
def test_the_same_in_other_writing(question, evidence):
    assert speaks_of(specifics(question), evidence)


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("count 99", "count 9, count 19, count 990"),
        ("more than 1,000", "1 and 0"),
        ("error L-52", "Error L-31, level 52 of 60, item M-52"),
        ("ERR-4012", "ERR-4013"),
        ("version 2.3", "version 2.4"),
        ("in 3.1.2", "since 3.1.3"),
        ("rule 5", "you may go"),
        ("between 12 and 15", "12 only"),
    ],
)
def test_another_number_or_code(question, evidence):
    assert not speaks_of(specifics(question), evidence)


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("got 3 books for 40 bucks each, do i need a sign-off?", "Several books at once need a request."),
        ("my helmet is from 2022, is it still fine", "Helmets are changed five years after they were made."),
        ("can i log in to the k8s box b4 monday", "The Kubernetes box opens on request."),
        ("we rode 12x this month", "Every ride is paid."),
    ],
)
def test_the_numbers_of_somebodys_own_case_are_theirs(question, evidence):
    assert not speaks_of(specifics(question), evidence)
    assert speaks_of(demanded(question), evidence)


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("i get error 4012 when i log in", "Error 4013 means that you are locked out."),
        ("my lock says L-52, what now", "L-53: call the desk."),
        ("we are on v2.3.1, do i update?", "2.4.1 needs no update."),
        ("my room 214 is cold", "Room 215 is warm."),
        ("What is the rate for 2024?", "The rate for 2023 is two florins."),
        ("How many seats has floor 4?", "The floor has nine seats."),
    ],
)
def test_what_a_number_names_is_demanded_of_everybody(question, evidence):
    assert not speaks_of(demanded(question), evidence)


def test_what_stands_in_quotation_marks_is_demanded():
    assert phrases_in_quotes('What does "validated learning" mean, and “burn-down charts”?') == (
        frozenset({"valid", "learn"}),
        frozenset(stems("burn-down charts")),
    )
    assert phrases_in_quotes('What is "" or "?"') == ()


@pytest.mark.parametrize(
    "question",
    [
        'What do I do when the message "Tunnel lost" appears?',
        "where is the button ‘Tunnel lost’",
        "my screen has an error saying: 'tunnel lost'",
        "What does `tunnel lost` mean?",
    ],
)
def test_what_a_screen_says_is_demanded_of_everybody(question):
    assert phrases_in_quotes(question) == (frozenset({"tunnel", "lost"}),)


@pytest.mark.parametrize("question", ["what's the boss' view on it's colour", "the '90s"])
def test_an_apostrophe_is_no_quotation_mark(question):
    assert phrases_in_quotes(question) == ()


def test_what_somebody_was_told_is_not_demanded():
    assert phrases_in_quotes('my colleague says "looking into it", is that fine?') == ()
