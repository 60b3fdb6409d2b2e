"""A figure or name of the sentence beside the quote is no evidence: readers are shown the quote."""

import pytest

from rag.cite import bind
from rag.generate.prompt import read_completion
from rag.verify import verify
from tests.rag.fakes import scored, stored_chunk
from tests.rag.verify.scripted_support import Fixed

TRAVEL = scored(
    stored_chunk(
        "Hotel costs are reimbursed up to 120 euros a night. Meals are reimbursed up to 40 euros a day. "
        "Ask Marta about visas.",
        section="Expenses",
    )
)
LEAVE = scored(
    stored_chunk(
        "Employees get 27 days of paid annual leave. Parental leave lasts 14 weeks.", section="Leave"
    )
)


def checked(text, passage):
    """By a model that believes everything."""
    answer = bind(read_completion(text, (passage,)), (passage,))
    numbered = {each.number: each for each in answer.citations}
    return answer, verify(answer.sentences, numbered, support=Fixed(1.0), threshold=0.5)


@pytest.mark.parametrize(
    ("passage", "lie", "kind"),
    [
        (TRAVEL, "Meals are reimbursed up to 120 euros a day. [1]", "number"),
        (TRAVEL, "For hotels 40 euros a night are reimbursed. [1]", "number"),
        (
            TRAVEL,
            "Meals are reimbursed up to 120 euros a night and hotels up to 40 euros a day. [1]",
            "number",
        ),
        (
            TRAVEL,
            "Hotel costs are reimbursed up to 120 euros a night by [Marta](https://marta.example). [1]",
            "name",
        ),
        (
            TRAVEL,
            "Hotel costs are reimbursed up to 120 euros a night by [Ida](https://ida.example). [1]",
            "name",
        ),
        (LEAVE, "Annual leave lasts 14 weeks. [1]", "number"),
        (LEAVE, "Parental leave lasts 27 days. [1]", "number"),
    ],
)
def test_what_the_neighbour_says_is_a_fault_however_sure_the_model_is(passage, lie, kind):
    (claim,) = checked(lie, passage)[1].claims
    assert (claim.method, claim.faults[0].kind) == ("mechanical", kind)


@pytest.mark.parametrize(
    ("passage", "text", "n_quotes"),
    [
        (TRAVEL, "You get up to 40 euros a day for meals. [1]", 1),
        (TRAVEL, "Hotels cost up to 120 euros a night and meals up to 40 euros a day. [1]", 2),
        (LEAVE, "You get 14 weeks of parental leave. [1]", 1),
        (LEAVE, "Annual leave is 27 days and parental leave is 14 weeks. [1]", 2),
        (LEAVE, "Parental leave lasts 14 weeks. [1]", 1),
    ],
)
def test_what_is_true_is_none_and_all_it_needs_is_quoted(passage, text, n_quotes):
    answer, verification = checked(text, passage)
    assert verification.passed
    assert len(answer.citations) == n_quotes


def test_the_lower_of_passage_and_quote_counts():
    class Wary(Fixed):
        def support(self, pairs, *, deadline=None):
            return [0.9 if "annual" in evidence else 0.2 for _, evidence in pairs]

    answer = bind(read_completion("New parents are off for 14 weeks of leave. [1]", (LEAVE,)), (LEAVE,))
    numbered = {each.number: each for each in answer.citations}
    verification = verify(answer.sentences, numbered, support=Wary(1.0), threshold=0.5)
    assert verification.min_support == 0.2
