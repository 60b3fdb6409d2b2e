"""The opposite in another word, what a claim adds to its sentence, and claims that say nothing by themselves."""

import pytest

from rag.types import AnswerSentence, BoundCitation, Locator
from rag.verify import Evidence, mechanical_faults, verify
from tests.rag.test_quotable import chunk_of
from tests.rag.verify.scripted_support import Fixed

HOTELS = "Hotel costs are reimbursed up to 120 euros a night."
DOGS = "Dogs are not allowed in the office."

OPPOSITES = [
    ("Overtime is never paid out.", "Overtime is paid."),
    ("Overtime is never paid out.", "Yes, overtime is paid."),
    ("Overtime is unpaid.", "Overtime is paid."),
    ("Smoking is prohibited inside.", "Smoking is allowed inside."),
    ("Smoking is prohibited inside.", "You may smoke inside."),
    ("Smoking is prohibited inside.", "Smoking inside is not prohibited."),
    ("Smoking is forbidden inside the building, including vaping.", "Vaping is allowed inside the building."),
    ("Bikes are banned from the lobby.", "Bikes are welcome in the lobby."),
    ("Private phones are forbidden unless the supervisor agrees.", "Private phones are allowed."),
    ("Vaping is permitted on the terrace.", "Vaping is prohibited on the terrace."),
    (DOGS, "Dogs are allowed in the office."),
    (DOGS, "You can bring dogs to the office."),
    (DOGS, "They are allowed."),
    ("No dogs are allowed in the kitchen.", "Dogs are allowed in the kitchen."),
    ("Nobody may enter the vault alone.", "You may enter the vault alone."),
    ("Employees are not permitted to share passwords.", "Employees can share passwords."),
    ("The warranty excludes water damage.", "Water damage is covered by the warranty."),
    ("Parking in Ghent is free of charge.", "Parking in Ghent is paid."),
    ("Parking in Antwerp is paid.", "Parking in Antwerp is free."),
    ("The office is closed on 24 December.", "The office is open on 24 December."),
    ("A form is not required for visitors.", "A form is mandatory for visitors."),
    ("Laptops are never collected up front from the desk.", "Laptops are collected."),
]

THE_SAME = [
    ("Smoking is prohibited inside.", "Smoking is not allowed inside."),
    ("Smoking is prohibited inside.", "You must not smoke inside."),
    ("Smoking is prohibited inside.", "No, smoking is forbidden inside."),
    ("Smoking is prohibited inside except on the terrace.", "Smoking is allowed on the terrace."),
    ("Dogs are allowed in the garden but not in the office.", "Dogs are not allowed in the office."),
    ("Dogs are allowed in the garden but not in the office.", "Dogs are allowed in the garden."),
    ("Dogs are allowed on Fridays. Dogs are not allowed in the kitchen.", "Dogs may come on Fridays."),
    (DOGS, "No, they are not allowed."),
    ("The warranty does not cover water damage but covers fire.", "The warranty covers fire."),
    ("The warranty excludes water damage.", "Water damage is not covered by the warranty."),
    ("Lunch is free for all staff.", "Lunch is paid by the company."),
    ("Feel free to open the window.", "You may open the window."),
    (
        "Employees who are not on probation are allowed to work from home.",
        "Employees are allowed to work from home.",
    ),
    ("Visitors may enter only with a badge.", "Visitors may not enter without a badge."),
    ("Visitors may enter only with a badge.", "Visitors may enter with a badge."),
    (
        "Late claims are not paid unless the finance director signs.",
        "Late claims are paid if the finance director signs.",
    ),
    ("Parking is prohibited on weekdays and allowed on Sundays.", "Parking is allowed on Sundays."),
    ("Unpaid leave may be taken for up to 3 months.", "You can take up to 3 months of unpaid leave."),
    ("Overtime is not paid out but compensated with time off.", "Overtime is compensated with time off."),
    ("Not all costs are reimbursed: taxis are.", "Taxis are reimbursed."),
    ("No more than two guests are allowed.", "Two guests are allowed."),
    ("Employees may not take more than 5 days.", "Employees may take 5 days."),
    ("A form is not required.", "No form is needed."),
    ("A form is not required.", "The form is optional."),
    ("It is forbidden to park here without a permit.", "With a permit you may park here."),
    ("The office is closed on 24 December.", "On 24 December the office is not open."),
    ("Staff may bring dogs to the office.", "Dogs are allowed in the office."),
]

ADDED = [
    (HOTELS, "Hotel and flight costs are reimbursed up to 120 euros a night."),
    (HOTELS, "Hotel costs of guests and family members are reimbursed up to 120 euros a night."),
    (HOTELS, "Hotel costs are reimbursed up to 120 euros a night for business class flights."),
    (DOGS, "Cats are not allowed in the office."),
    (DOGS, "Cats are allowed in the office."),
]

ADDS_NOTHING = [
    (HOTELS, "Hotel costs of employees are reimbursed up to 120 euros a night."),
    (HOTELS, "Hotel costs of team members and of all other staff are reimbursed up to 120 euros a night."),
    (HOTELS, "Hotel costs are reimbursed up to 120 euros a night in total."),
    (HOTELS, "The company reimburses hotel costs up to 120 euros a night."),
    ("Staff may bring dogs to the office.", "Employees may bring dogs to the office."),
    ("The charge for parking is 20 euros a month.", "The fee for parking is 20 euros a month."),
    ("Taxis are reimbursed up to 40 euros.", "Cabs are reimbursed up to 40 euros."),
    ("Book flights at least 14 days ahead.", "Flights have to be booked at least 14 days in advance."),
]


@pytest.mark.parametrize(("evidence", "claim"), OPPOSITES)
def test_the_opposite_in_another_word_is_a_fault(evidence, claim):
    assert "negation" in {fault.kind for fault in mechanical_faults(claim, Evidence(evidence))}


@pytest.mark.parametrize(("evidence", "claim"), [*THE_SAME, *ADDS_NOTHING])
def test_the_same_in_another_word_is_none(evidence, claim):
    assert mechanical_faults(claim, Evidence(evidence)) == ()


@pytest.mark.parametrize(("evidence", "claim"), ADDED)
def test_what_the_cited_text_has_nothing_of_cannot_be_added_to_its_sentence(evidence, claim):
    assert "name" in {fault.kind for fault in mechanical_faults(claim, Evidence(evidence))}


def test_what_is_added_may_stand_in_the_title_or_in_another_sentence():
    claim = "Hotel and flight costs are reimbursed up to 120 euros a night."
    assert mechanical_faults(claim, Evidence(HOTELS, "[Flights and hotels]")) == ()
    assert mechanical_faults(claim, Evidence(f"{HOTELS} The same holds for flights.")) == ()


@pytest.mark.parametrize("claim", ["Yes.", "No", "Yes, they are.", "They are.", "It is.", "Ja."])
def test_what_says_nothing_is_not_left_to_the_model(claim):
    assert [fault.kind for fault in mechanical_faults(claim, Evidence(DOGS))] == ["substance"]
    assert mechanical_faults(claim, Evidence(f"May I? {claim}")) == ()


def test_a_list_is_read_with_the_line_above_it():
    chunk = chunk_of(
        ("paragraph", "The warranty does not cover:"),
        *(("list_item", item) for item in ("scratches", "water damage", "theft")),
    )
    start = chunk.content.index("water")
    cited = BoundCitation(
        1, chunk, "water damage", chunk.start + start, chunk.start + start + 12, Locator(), 0.2
    )
    found = [
        verify([AnswerSentence(text, (1,))], {1: cited}, support=Fixed(1.0), threshold=0.5).claims[0]
        for text in (
            "The warranty covers water damage.",
            "The warranty does not cover water damage.",
            "The warranty does not cover: water damage",
        )
    ]
    assert [claim.method for claim in found] == ["mechanical", "model", "verbatim"]
