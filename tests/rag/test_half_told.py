"""Of a question about what is described only the description is told: the answer says that the rest is missing."""

import pytest

from rag.ask.described import description_in
from rag.cite import citation_of
from rag.evidence import Evidence, Part
from rag.half_told import half_told
from rag.index import index_document
from rag.inflected import forms_of
from rag.pipeline import answer
from rag.run import Run
from rag.types import Answered, RefusalReason, Scope, Thresholds
from tests.rag.fakes import ScriptedReranker, scored, stored_chunk

FALCON = "Who leads the team that runs Falcon?"
SITS = "In which city does the team that runs Falcon sit?"


def ask(index, handbook, question, *pages):
    for document_id, (title, words) in enumerate(pages, start=1):
        index_document(index, handbook((title, words)), document_id=document_id, folder_id=7, title=title)
    return answer(
        question,
        index=index,
        scope=Scope((7,)),
        thresholds=Thresholds(0.75, max_chunks=1, relevance_cut=0.7),
        reranker=ScriptedReranker({"mobility": 0.9}),
    )


@pytest.mark.parametrize("question", [FALCON, SITS])
@pytest.mark.parametrize(
    ("title", "told"),
    [("Projects", "Falcon is run by the mobility team."), ("Falcon", "It is run by the mobility team.")],
)
def test_the_description_alone_is_half_an_answer_and_says_so(index, handbook, question, title, told):
    result = ask(index, handbook, question, (title, told))
    assert isinstance(result, Answered)
    assert "run by the mobility team." in result.sentences[0].text
    (part,) = result.unanswered
    assert (part.question, part.reason) == (question, RefusalReason.WEAK_EVIDENCE)
    assert (part.best, part.gate_score) == (0.9, "relevance")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (FALCON, "Falcon is run by the mobility team, which Ida Holm leads."),
        (FALCON, "Falcon is run by the mobility team, led by Ida Holm."),
        (SITS, "Falcon is run by the mobility team, which sits in Hull."),
        (SITS, "The mobility team of Falcon has its desks in Hull."),
        ("How do I contact the team that runs Falcon?", "Falcon is run by the mobility team (extension 12)."),
        ("What is the name of the team that runs Falcon?", "Falcon is run by the mobility team."),
        ("Which team runs Falcon?", "Falcon is run by the mobility team."),
    ],
)
def test_an_answer_that_may_be_whole_says_nothing_of_the_kind(index, handbook, question, told):
    result = ask(index, handbook, question, ("Projects", told))
    assert isinstance(result, Answered)
    assert result.unanswered == ()


@pytest.mark.parametrize(
    ("quotes", "n_missing"),
    [
        (["Falcon is run by the mobility team."], 1),
        (["Ida Holm is the boss of the mobility team of Falcon."], 0),  # not in the words of the description
        (["Falcon is run by the mobility team.", "Ida Holm is its boss."], 0),
        (["Falcon is run by the mobility team.", "Ben Cole led the pool."], 0),
        ([], 0),
    ],
)
def test_one_quote_that_may_say_the_rest_is_enough(quotes, n_missing):
    passages = tuple(scored(stored_chunk(quote, title="Projects")) for quote in quotes)
    citations = [
        citation_of(number, each, 0, len(each.chunk.content)) for number, each in enumerate(passages, start=1)
    ]
    evidence = Evidence(passages, (Part(FALCON, passages),))
    run = Run(Thresholds(0.75), time_limit_s=5.0)
    assert len(half_told(FALCON, evidence, citations, run)) == n_missing


def test_what_the_named_document_says_makes_it_whole(index, handbook):
    pages = [
        ("Projects", "Falcon is run by the mobility team."),
        ("Mobility team", "The mobility team is led by Ida Holm."),
    ]
    result = ask(index, handbook, FALCON, *pages)
    assert [each.text for each in result.sentences][-1] == "The mobility team is led by Ida Holm."
    assert result.unanswered == ()


@pytest.mark.parametrize(
    ("question", "description", "asked"),
    [
        (FALCON, ("runs", "falcon"), ("leads",)),
        (SITS, ("runs", "falcon"), ("sit",)),
        ("Who is the manager of the head of finance?", ("head", "finance"), ("manager",)),
        ("Which airline flies from the city where our office is?", ("office",), ("airline", "flies")),
        ("When does the team that owns payroll meet?", ("owns", "payroll"), ("meet",)),
    ],
)
def test_a_description_and_what_is_asked_of_it(question, description, asked):
    found = description_in(question)
    assert found is not None
    assert (found.description, found.asked) == (description, asked)


@pytest.mark.parametrize(
    "question",
    [
        "Who is the person who approves travel?",
        "Who approves travel?",
        "Is the gym that we have free?",
        "the team",
        "",
    ],
)
def test_no_description_or_nothing_asked_of_it(question):
    assert description_in(question) is None


def test_a_past_that_no_stemmer_knows_is_the_same_verb():
    assert forms_of("leads") == forms_of("led") == {"lead", "led"}
    assert forms_of("walks") == {"walk"}
