import pytest

from rag.cite import bind
from rag.generate import Draft, DraftSentence, ExtractiveGenerator
from rag.generate.listed import quotations
from rag.quotable import quotables
from rag.verify import verify
from tests.rag.fakes import scored
from tests.rag.test_quotable import chunk_of

HOW = "How do I clear the jam?"
WHICH = "Which flap blinks?"
STEPS = tuple(
    f"{n}. {words}" for n, words in enumerate(["Open.", "Pull.", "Close.", "Wait.", "Ring.", "Go."], 1)
)


def told(question, chunk, *chosen, most=4):
    """The words of each quotation with the number of items left out; `chosen` are words of the passage, best first."""
    places = [(chunk.content.index(words), chunk.content.index(words) + len(words)) for words in chosen]
    found = quotations(question, [(1, chunk, place) for place in places], most=most)
    return [(each.words, each.n_more) for each in found]


def steps(n, *before):
    return chunk_of(*before, *(("list_item", step) for step in STEPS[:n]))


def test_a_procedure_that_is_asked_for_is_told_whole():
    assert told(HOW, steps(4), STEPS[2]) == [(step, 0) for step in STEPS[:4]]


def test_two_steps_without_the_one_between_are_never_told():
    assert told(WHICH, steps(3), STEPS[2], STEPS[0]) == [(step, 0) for step in STEPS[:3]]


def test_what_does_not_fit_is_told_in_one_piece_and_the_rest_is_counted():
    assert told(HOW, steps(6), STEPS[1]) == [*((step, 0) for step in STEPS[:3]), (STEPS[3], 2)]
    assert told(HOW, steps(6), STEPS[5]) == [*((step, 0) for step in STEPS[2:5]), (STEPS[5], 2)]
    assert told(HOW, steps(6), STEPS[1], most=1) == [(STEPS[1], 5)]


def test_one_point_of_a_numbered_list_goes_without_its_number_and_the_others_are_counted():
    assert told(WHICH, steps(4), STEPS[3]) == [("Wait.", 3)]


def test_an_item_stands_behind_the_line_that_turns_its_meaning():
    chunk = chunk_of(("paragraph", "Never pay for:"), ("list_item", "alcohol"), ("list_item", "fines"))
    assert told(WHICH, chunk, "alcohol") == [("Never pay for:\n\nalcohol", 1)]
    assert told(WHICH, chunk, "fines") == [("Never pay for:", 0), ("fines", 1)]
    assert told(HOW, chunk, "fines") == [("Never pay for:\n\nalcohol", 0), ("fines", 0)]
    long = steps(6, ("paragraph", "Do this:"))
    assert told(HOW, long, STEPS[5]) == [("Do this:", 0), (STEPS[3], 0), (STEPS[4], 0), (STEPS[5], 3)]


def test_points_that_nothing_ties_together_speak_for_themselves():
    chunk = chunk_of(*(("list_item", words) for words in ("Salt is white.", "Ice is cold.", "Tar is black.")))
    assert told(WHICH, chunk, "Tar is black.", "Salt is white.") == [
        ("Tar is black.", 0),
        ("Salt is white.", 0),
    ]
    assert len(told("How to tell them apart?", chunk, "Tar is black.")) == 3
    assert told("What do I do if tar is black?", chunk, "Tar is black.") == [("Tar is black.", 0)]


def test_a_better_sentence_elsewhere_leaves_the_list_what_room_is_left():
    chunk = chunk_of(("paragraph", "Ask the desk."), *(("list_item", step) for step in STEPS[:5]))
    assert told(HOW, chunk, "Ask the desk.", STEPS[1]) == [
        ("Ask the desk.", 0),
        (STEPS[0], 0),
        (STEPS[1], 0),
        (STEPS[2], 2),
    ]


@pytest.mark.parametrize("chosen", [STEPS[0], STEPS[3]])
@pytest.mark.parametrize("question", [HOW, WHICH])
def test_whatever_is_told_of_a_list_stands_there_word_for_word(question, chosen):
    for before in ((), (("paragraph", "First of all. Then do this:"),)):
        chunk = steps(6, *before)
        passage = scored(chunk)
        start = chunk.content.index(chosen)
        found = quotations(question, [(1, chunk, (start, start + len(chosen)))], most=4)
        bound = bind(Draft(tuple(DraftSentence(each.words, (1,), each.n_more) for each in found)), (passage,))
        assert bound.sentences
        assert sum(sentence.n_more for sentence in bound.sentences) > 0
        for citation in bound.citations:
            assert chunk.content[citation.start - chunk.start : citation.end - chunk.start] == citation.quote
        checked = verify(
            bound.sentences, {each.number: each for each in bound.citations}, support=None, threshold=0.5
        )
        assert {claim.method for claim in checked.claims} == {"verbatim"}


def test_the_generator_tells_the_list_and_leaves_a_bare_title_out(embedder):
    generator = ExtractiveGenerator(
        embedder, max_sentences=4, evidence_floor=0.1, reranked_evidence_floor=0.1
    )
    chunk = chunk_of(
        ("list_item", "1. Open the flap of the printer."),
        ("list_item", "2. Pull the paper."),
        ("list_item", "3. Close it."),
    )
    draft = generator.generate("How do I open the printer flap when paper is stuck?", (scored(chunk),))
    assert [(each.text, each.n_more) for each in draft.sentences] == [
        ("1. Open the flap of the printer.", 0),
        ("2. Pull the paper.", 0),
        ("3. Close it.", 0),
    ]
    words = ("Send the form to your lead.", "Before you send it, ask your lead to see the form to the end.")
    apart = chunk_of(*(("list_item", each) for each in words))
    draft = generator.generate("Whom is the form sent to, the lead?", (scored(apart),))
    assert len(draft.sentences) == 2, "the same words in another order say something else"
    titled = chunk_of(("list_item", "Error L-31"), ("list_item", "Error L-31 means old updates."))
    draft = generator.generate("My laptop shows error L-31", (scored(titled),))
    assert [each.text for each in draft.sentences] == ["Error L-31 means old updates."]


def test_a_term_without_its_meaning_is_nothing_to_quote():
    chunk = chunk_of(("list_item", "Hypothesis -"), ("list_item", "POC - Proof of Concept"))
    assert [chunk.content[each.start : each.end] for each in quotables(chunk)] == ["POC - Proof of Concept"]
