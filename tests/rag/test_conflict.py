import pytest

from rag.cite import Bound, citation_of
from rag.conflict import with_conflicts
from rag.types import AnswerSentence
from tests.rag.fakes import scored, stored_chunk

NOW = "The nightly hotel limit in capital cities is 180 EUR."


def passage(content, *, title="Travel policy", document_id=2):
    return scored(
        stored_chunk(content, chunk_id=f"chunk-{document_id}", document_id=document_id, title=title)
    )


def answer(*others, quote=NOW, title="Travel policy"):
    own = passage(f"{quote} Book early.", title=title, document_id=1)
    citation = citation_of(1, own, 0, len(quote))
    return with_conflicts(Bound((AnswerSentence(quote, (1,)),), (citation,), 0), (own, *others))


def test_an_older_version_with_another_figure_is_shown_beside_it():
    old = "Since 2019 all is new. The nightly hotel limit in capital cities is 150 EUR."
    bound, pairs = answer(passage(old, title="Travel policy 2023 (archived)"))
    assert pairs == ((1, 2),)
    assert [sentence.text for sentence in bound.sentences] == [
        NOW,
        "The nightly hotel limit in capital cities is 150 EUR.",
    ]
    assert bound.sentences[1].citation_numbers == (2,)
    assert bound.citations[1].quote == bound.sentences[1].text
    assert bound.citations[1].chunk.document_id == 2


@pytest.mark.parametrize(
    ("quote", "other"),
    [
        ("Leave requests need 14 days of notice.", "Leave requests need 3 weeks of notice."),
        ("Expense claims close on 5 March for everybody.", "Expense claims close on 12 March for everybody."),
        ("The on-call allowance is EUR 1,200 a month.", "The on-call allowance is 900 euros a month."),
    ],
)
def test_days_dates_and_amounts(quote, other):
    assert answer(passage(other), quote=quote)[1] == ((1, 2),)


@pytest.mark.parametrize(
    "other",
    [
        NOW,
        "The nightly hotel limit in capital cities is €180.",
        "The nightly hotel limit in capital cities is one hundred and eighty euros, 180 EUR.",
        "The nightly hotel limit in capital cities is 180 EUR, breakfast of 20 EUR included.",
        "The nightly hotel limit in capital cities is set by finance.",
        "Meals in capital cities are paid up to 60 EUR a day for everyone who travels.",
        "150 EUR",
    ],
)
def test_what_agrees_or_speaks_of_something_else_is_no_conflict(other):
    bound, pairs = answer(passage(other))
    assert pairs == ()
    assert len(bound.sentences) == 1


@pytest.mark.parametrize("title", ["Lisbon office", "Travel to Norway", "Expense policy"])
def test_another_document_is_no_version_of_it(title):
    assert answer(passage(NOW.replace("180", "150"), title=title))[1] == ()


def test_what_is_cited_already_is_not_cited_twice():
    other = passage(NOW.replace("180", "150"))
    own = passage(NOW, document_id=1)
    citations = (citation_of(1, own, 0, len(NOW)), citation_of(2, other, 0, len(NOW)))
    sentences = tuple(AnswerSentence(each.quote, (each.number,)) for each in citations)
    bound, pairs = with_conflicts(Bound(sentences, citations, 0), (own, other))
    assert pairs == ((1, 2),)
    assert bound.sentences == sentences
    assert bound.citations == citations


def test_a_version_in_the_same_document_is_the_documents_own_matter():
    assert answer(passage(NOW.replace("180", "150"), document_id=1))[1] == ()
