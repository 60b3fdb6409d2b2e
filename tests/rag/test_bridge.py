"""The second hop: a document that the evidence names is asked what the evidence leaves unsaid."""

from dataclasses import replace

import pytest

from rag.index import index_document
from rag.pipeline import answer
from rag.rerank import Reranked
from rag.types import Answered, Refused, Scope, Thresholds
from tests.rag.fakes import ScriptedReranker

SCOPE = Scope((7,))
PAGES = {
    1: ("Harbour Lights (novel)", "The novel Harbour Lights was written by Ada Quill in 1990."),
    2: ("Ada Quill", "Ada Quill was a member of the band Tin Gulls."),
    3: ("Payroll", "Salaries are paid on the 25th of each month."),
}
QUESTION = "Which band was the author who has written the novel Harbour Lights a member of?"
BOTH = {"written by": 0.9, "band": 0.8}


@pytest.fixture
def library(index, handbook):
    for document_id, (title, words) in PAGES.items():
        index_document(index, handbook((title, words)), document_id=document_id, folder_id=7, title=title)
    return index


def ask(index, question=QUESTION, *, scores=BOTH, scope=SCOPE, **more):
    reranker = ScriptedReranker(scores) if scores is not None else None
    return answer(
        question,
        index=index,
        scope=scope,
        thresholds=Thresholds(0.75, max_chunks=1, relevance_cut=0.7),
        reranker=reranker,
        **more,
    )


def details(result, name):
    return [stage.detail for stage in result.trace.stages if stage.name == name]


def cited(result):
    return [citation.chunk.document_id for citation in result.citations]


def test_the_answer_cites_the_passage_and_the_document_that_it_names(library):
    result = ask(library)
    assert isinstance(result, Answered)
    assert sorted(cited(result)) == [1, 2]
    assert "Ada Quill was a member of the band Tin Gulls." in [each.text for each in result.sentences]


def test_a_named_document_adds_one_sentence(index, handbook):
    more = " ".join(f"Ada Quill was a member of the band {name}." for name in ("Tin Gulls", "Salt", "Kelp"))
    for document_id, (title, words) in {**PAGES, 2: ("Ada Quill", more)}.items():
        index_document(index, handbook((title, words)), document_id=document_id, folder_id=7, title=title)
    assert cited(ask(index)).count(2) == 1


def test_the_trace_says_which_passage_led_to_which_query(library):
    result = ask(library)
    assert details(result, "bridge") == [{"n_named": 1, "from": "Harbour Lights (novel)"}]
    (hop,) = [detail for detail in details(result, "gate") if "searched" in detail]
    assert hop == {
        "score": "relevance",
        "best": 0.8,
        "cut": 0.7,
        "searched": "Ada Quill Which band was the author who has the a member of?",
        "n_passed": 1,
    }


def test_what_the_named_document_says_has_to_pass_the_same_cut(library):
    result = ask(library, scores={"written by": 0.9, "band": 0.69})
    assert isinstance(result, Answered)
    assert cited(result) == [1]


def test_a_hop_makes_no_answer_of_a_refusal(library):
    result = ask(library, scores={"written by": 0.69, "band": 0.1})
    assert isinstance(result, Refused)
    assert details(result, "bridge") == []


def test_a_document_outside_of_the_scope_is_not_named(library):
    result = ask(library, scope=Scope((7,), (1, 3)))
    assert isinstance(result, Answered)
    assert cited(result) == [1]
    assert details(result, "bridge") == [{"n_named": 0}]


def test_nothing_is_looked_up_where_the_passage_says_all_that_is_asked(library):
    result = ask(library, "When was the novel Harbour Lights written by Ada Quill?")
    assert isinstance(result, Answered)
    assert details(result, "bridge") == []


@pytest.mark.parametrize("left", ["How many", "How do I see", "Who can give me", "Please where do I get"])
def test_words_that_only_ask_are_nothing_left_to_say(library, left):
    result = ask(library, f"{left} the novel Harbour Lights written by Ada Quill in 1990?")
    assert details(result, "bridge") == []


def test_the_named_document_has_to_say_something_of_what_is_left(library):
    result = ask(library, "Which cinema shows the novel Harbour Lights that was written by Ada Quill?")
    assert details(result, "bridge")[0]["n_named"] == 1
    assert cited(result) == [1]


def test_a_hop_that_was_not_read_in_time_adds_nothing(library):
    class Once(ScriptedReranker):
        def rerank(self, *arguments, **more):
            self.n = getattr(self, "n", 0) + 1
            return super().rerank(*arguments, **more) if self.n == 1 else Reranked((), (), timed_out=True)

    result = answer(
        QUESTION,
        index=library,
        scope=SCOPE,
        thresholds=Thresholds(0.99, max_chunks=1, relevance_cut=0.7),
        reranker=Once(BOTH),
    )
    assert cited(result) == [1]


def test_without_a_reranker_there_is_no_second_hop(library):
    assert details(ask(library, "Who was the novel Harbour Lights written by?", scores=None), "bridge") == []


@pytest.mark.parametrize(("hops", "n"), [(1, 0), (2, 1), (3, 2)])
def test_searches_keep_to_the_hop_limit(index, handbook, hops, n):
    names = ("Ada Quill", "Bo Reed", "Cy Pen")
    pages = [("Novel", f"The novel was written by {', '.join(names[:2])} and {names[2]}.")]
    pages += [(name, f"{name} played in a band.") for name in names]
    for document_id, (title, words) in enumerate(pages, start=1):
        index_document(index, handbook((title, words)), document_id=document_id, folder_id=7, title=title)
    limited = replace(index, config=replace(index.config, max_hops=hops))
    result = ask(limited, "In which band was who has written the novel?")
    assert len([detail for detail in details(result, "gate") if "searched" in detail]) == n


@pytest.mark.parametrize(
    ("words", "n_named"),
    [
        ("The novel was written by Ada Quill.", 1),
        ("The novel was written by ada quill.", 0),
        ("The novel was written by Ada Maria Quill.", 0),
    ],
)
def test_a_name_stands_whole_and_with_a_capital(index, handbook, words, n_named):
    for document_id, (title, text) in enumerate([("Novel", words), PAGES[2]], start=1):
        index_document(index, handbook((title, text)), document_id=document_id, folder_id=7, title=title)
    result = ask(index, "In which band was who has written the novel?", scores={"written": 0.9})
    assert details(result, "bridge")[0]["n_named"] == n_named


@pytest.mark.parametrize(("n_saying", "n_named"), [(2, 1), (3, 0)])
def test_a_word_that_much_of_what_was_found_says_names_nothing(index, handbook, n_saying, n_named):
    pages = [("Channels", "Who has written something posts it in Slack."), ("Slack", "A tool with a band.")]
    pages += [(f"Page {n}", f"Something is written in Slack on day {n}.") for n in range(1, n_saying)]
    for document_id, (title, text) in enumerate(pages, start=1):
        index_document(index, handbook((title, text)), document_id=document_id, folder_id=7, title=title)
    result = ask(index, "Which band has written something?", scores={"posts": 0.9, "Something": 0.5})
    assert details(result, "bridge")[0]["n_named"] == n_named


FALCON = "Who leads the team that runs Falcon?"
TEAM = ("Mobility team", "The mobility team is led by Ida Holm.")


def falcon(index, handbook, told, team=TEAM):
    for document_id, (title, words) in enumerate([("Falcon", told), team, PAGES[3]], start=1):
        index_document(index, handbook((title, words)), document_id=document_id, folder_id=7, title=title)
    return index


@pytest.mark.parametrize(
    ("told", "title", "n_named"),
    [
        ("Falcon is run by the mobility team.", "Mobility team", 1),
        ("Falcon is run by our mobility team in Hull.", "The Mobility Team", 1),
        ("Falcon is run by mobility team members.", "Mobility team", 0),  # no determiner: no name
        ("Falcon is run by the urban mobility team.", "Mobility team", 0),  # another one
        ("Falcon is run by the mobility office.", "Mobility team", 0),
        ("Falcon is run by the team of mobility.", "Team", 0),  # one word is anything
    ],
)
def test_a_title_of_several_words_is_a_name_without_capitals_too(index, handbook, told, title, n_named):
    library = falcon(index, handbook, told, (title, f"{title} is led by Ida Holm."))
    result = ask(library, FALCON, scores={"Falcon": 0.9, "led": 0.8})
    assert details(result, "bridge")[0]["n_named"] == n_named
    assert ("Ida Holm" in " ".join(each.text for each in result.sentences)) == bool(n_named)


def test_a_title_that_was_asked_for_itself_is_no_further_document(index, handbook):
    library = falcon(index, handbook, "Falcon and the mobility team share one office.")
    result = ask(library, "Which office do Falcon and the mobility team lead?", scores={"Falcon": 0.9})
    assert details(result, "bridge")[0]["n_named"] == 0
