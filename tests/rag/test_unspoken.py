import pytest

from rag.unspoken import unspoken_names
from tests.rag.fakes import scored, stored_chunk

GENUS = scored(stored_chunk("Ajuga is a genus of 40 species.", title="Ajuga", section="Kinds"))
LISBON = scored(stored_chunk("Lisbon staff get 25 days of paid time off.", title="Leave"))


def missed(question, *passages, candidates=()):
    return unspoken_names(question, passages, (*passages, *candidates))


@pytest.mark.parametrize(
    ("question", "passage", "names"),
    [
        ("What are most species of the genus Ocryopsis?", GENUS, ("Ocryopsis",)),
        ("What does CDB include?", GENUS, ("CDB",)),
        ("who runs the iPhone pool?", LISBON, ("iPhone",)),
        ("How much leave do Berlin's staff get?", LISBON, ("Berlin",)),
        ("Were Scott Wood and Ajuga seen?", GENUS, ("Scott", "Wood")),
    ],
)
def test_names_that_no_passage_has(question, passage, names):
    assert missed(question, passage) == names


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("How many species has Ajuga?", GENUS),
        ("Which Kinds of it are there?", GENUS),
        ("How much PTO do people in Lisbon get?", LISBON),
        ("How many PTOs are there?", LISBON),
        ("How much leave is taken in October or on a Monday?", LISBON),
        ("How Much Leave Is There In Berlin?", LISBON),
        ("HOW MUCH LEAVE IS THERE IN BERLIN?", LISBON),
        ("Berlin?", LISBON),
        ("Wie viel Urlaub gibt es in Berlin?", LISBON),
        ("i told SFDC about it, what now?", LISBON),
        ("How much leave is there? It is for Lisbon.", LISBON),
    ],
)
def test_nothing_is_missed(question, passage):
    assert missed(question, passage) == ()


def test_one_of_the_passages_is_enough():
    assert missed("Does Ajuga grow in Lisbon?", GENUS, LISBON) == ()


@pytest.mark.parametrize(
    ("document_id", "index", "names"), [(1, 1, ()), (1, 2, ("Ostrel",)), (12, 1, ("Ostrel",))]
)
def test_the_passage_beside_it_may_say_what_it_is_about(document_id, index, names):
    heading = scored(stored_chunk("The ferry to Ostrel.", document_id=document_id, index=index, start=40))
    strangers = [scored(stored_chunk("Lunch is paid.", document_id=number)) for number in range(2, 12)]
    assert missed("How many species grow in Ostrel?", GENUS, candidates=(heading, *strangers)) == names


def test_the_organisations_name_goes_without_saying():
    others = [scored(stored_chunk("Acme pays for lunch.", document_id=number)) for number in range(2, 4)]
    question = "How much leave does Acme give?"
    assert missed(question, LISBON, candidates=others) == ()
    strangers = [scored(stored_chunk("Lunch is paid.", document_id=number)) for number in range(2, 12)]
    assert missed(question, LISBON, candidates=(others[0], *strangers)) == ("Acme",)
