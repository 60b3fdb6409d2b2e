import pytest

from rag.refine import rewordings
from rag.types import Locator
from tests.rag.fakes import scored, stored_chunk


def found(*paths, title="Travel policy"):
    return [
        scored(stored_chunk("text", title=title, locator=Locator(heading_path=path)), 0.4) for path in paths
    ]


def test_first_the_content_words_then_the_headings_of_what_was_found():
    question = "hi team, how do I get my money back for the taxi?"
    assert rewordings(question, found(("Travel", "Ground transport"), ("Meals",), ("Hotels",))) == (
        "money back taxi",
        f"{question} Ground transport Meals",
    )


def test_a_passage_without_headings_counts_by_its_title():
    assert rewordings("taxi", found(())) == ("taxi Travel policy",)


def test_the_same_heading_counts_once():
    assert rewordings("taxi", found(("Meals",), ("Meals",), ("Hotels",))) == ("taxi Meals Hotels",)


@pytest.mark.parametrize("question", ["taxi", "taxi receipts", "Taxi?"])
def test_nothing_new_is_not_searched_for_again(question):
    assert rewordings(question, []) == ()


@pytest.mark.parametrize(
    "question", ["how do I do it?", "什么时候发工资", "", "?", "a" * 5000, "x's e-mail: a.b@c.de ERR-4012"]
)
def test_any_question(question):
    assert all(wording.strip() and wording != question for wording in rewordings(question, found(("Meals",))))


def test_codes_and_addresses_stay_whole():
    [wording, _] = rewordings("what is ERR-4012 at ops@example.org about?", found(("Meals",)))
    assert wording == "ERR-4012 ops@example.org"
