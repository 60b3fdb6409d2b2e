import pytest

from rag.generate.restated import asks_whether, restates


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What does the pass cost?", "The pass cost."),
        (
            "What is the name of the carrier?",
            "The name of the carrier and other pertinent information is available.",
        ),
        ("How much is the rebate?", "See below for details of the rebate."),
        ("Are dogs allowed in the office?", "Dogs allowed in office"),
        ("who gets a company car?", "Company car"),
    ],
)
def test_what_says_no_more_than_the_question(question, words):
    assert restates(question, words)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Are dogs allowed in the office?", "Dogs are allowed in the office."),
        ("hey team, can visitors bring dogs", "**Visitors can bring dogs.**"),
        ("Do we pay for parking?", "We pay for parking."),
        ("freelancers have access to the intranet?", "Freelancers have access to the intranet."),
        ("anyone know if vaping is permitted on the terrace", "Vaping is permitted on the terrace."),
        ("parking free in Ghent?", "Parking in Ghent is free."),
        ("dogs allowed?", "Dogs are allowed."),
        ("Who approves leave, Ann or Ben?", "Ben approves leave."),
        ("not sure whether gym fees are covered by the company", "Gym fees are covered by the company."),
        ("i'm in antwerp, is parking paid?", "Parking in Antwerp is paid"),
        ("Where is the list of carriers?", "The list of carriers is available here."),
        ("Which page lists the carriers?", "The carriers are listed on the page below."),
        ("What is the name of the carrier?", "The carrier is Acme."),
        ("Who approves leave?", "Ann approves leave."),
    ],
)
def test_what_answers(question, words):
    assert not restates(question, words)


@pytest.mark.parametrize(
    "question",
    [
        "Is it paid?",
        "so do i need a visa",
        "ok - can I?",
        "I moved to Porto. Does that change my pay?",
        "my leave",
        "",
    ],
)
def test_a_question_of_yes_or_no(question):
    assert asks_whether(question)


@pytest.mark.parametrize(
    "question",
    ["What is paid?", "how do I get there", "need to know what the gym costs", "How is it paid, is it cash?"],
)
def test_another_question(question):
    assert not asks_whether(question)
