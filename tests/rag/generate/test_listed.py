from dataclasses import replace

import pytest

from rag.cite import bind
from rag.generate import Draft, DraftSentence, ExtractiveGenerator
from rag.generate.listed import quotations
from rag.lists import Around
from rag.quotable import quotables
from rag.types import ListRest
from rag.verify import verify
from tests.rag.fakes import scored
from tests.rag.test_quotable import chunk_of

HOW = "How do I clear the jam?"
WHICH = "Which flap blinks?"
STEPS = tuple(
    f"{n}. {words}" for n, words in enumerate(["Open.", "Pull.", "Close.", "Wait.", "Ring.", "Go."], 1)
)


def alone(_):
    """A passage that is its whole document."""
    return Around(None, None)


def quoted(question, chunk, *chosen, most=4, look_around=None):
    """`chosen` are words of the passage, best first."""
    places = [(chunk.content.index(words), chunk.content.index(words) + len(words)) for words in chosen]
    return quotations(question, [(1, chunk, place) for place in places], most=most, look_around=look_around)


def told(question, chunk, *chosen, most=4):
    """The words of each quotation of a whole document with the number of items left out."""
    found = quoted(question, chunk, *chosen, most=most, look_around=alone)
    assert not any(each.list_rest for each in found)
    return [(each.words, each.n_more) for each in found]


def noted(question, chunk, *chosen, most=4, look_around=None):
    """Each quotation with its gap mark before it and what is said of the rest behind it."""
    found = quoted(question, chunk, *chosen, most=most, look_around=look_around)
    assert not any(each.n_more and each.list_rest for each in found)
    return [("… " * each.is_after_gap + each.words, each.list_rest or each.n_more) for each in found]


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
        found = quoted(question, chunk, chosen, look_around=alone)
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


GOES_ON, MAY_GO_ON = ListRest.GOES_ON, ListRest.MAY_GO_ON
ALL = [f"{n}. Turn the screw {n}." for n in range(1, 11)]


def items(*words):
    return [("list_item", each) for each in words]


def beside(*, before=None, behind=None):
    """Looks at neighbours that stand at other offsets of the document."""
    around = Around(before and shifted(before, -1000), behind and shifted(behind, 1000))
    return lambda _: around


def shifted(chunk, by):
    spans = tuple(replace(span, start=span.start + by, end=span.end + by) for span in chunk.spans)
    return replace(chunk, start=chunk.start + by, end=chunk.end + by, spans=spans)


def test_a_list_that_is_cut_at_the_edge_of_a_passage_is_never_told_as_whole():
    first, second = chunk_of(("paragraph", "Do this:"), *items(*ALL[:4])), chunk_of(*items(*ALL[4:8]))
    third = chunk_of(*items(*ALL[8:]), ("paragraph", "Done."))
    assert noted(HOW, first, ALL[0])[-1] == (ALL[3], MAY_GO_ON)
    assert noted(HOW, first, ALL[0], look_around=beside(behind=second))[-1] == (ALL[3], GOES_ON)
    assert noted(HOW, first, ALL[0], look_around=alone)[-1] == (ALL[3], 0)
    assert noted(HOW, first, ALL[0], most=3)[-1] == (ALL[2], GOES_ON), "no count of what nobody saw"
    assert noted(WHICH, first, ALL[0]) == [(f"Do this:\n\n{ALL[0]}", GOES_ON)]
    assert noted(HOW, second, ALL[4]) == [(f"… {ALL[4]}", 0), (ALL[5], 0), (ALL[6], 0), (ALL[7], GOES_ON)]
    assert noted(WHICH, second, ALL[6]) == [("… Turn the screw 7.", GOES_ON)]
    assert noted(HOW, third, ALL[8]) == [(f"… {ALL[8]}", 0), (ALL[9], GOES_ON)]


def test_one_step_that_fills_its_passage_is_not_told_as_if_it_were_all():
    long = "1. Open the flap. " + "Turn the screw on the left side with care. " * 8
    chunk = chunk_of(("paragraph", "Do this:"), ("list_item", long.strip()))
    after = chunk_of(*items(*ALL[1:3]))
    sentence = "Turn the screw on the left side with care."
    assert noted(WHICH, chunk, sentence, look_around=beside(behind=after)) == [
        ("Do this:", 0),
        (f"… {sentence}", GOES_ON),
    ]
    assert noted(WHICH, chunk, "1. Open the flap.", look_around=beside(behind=after)) == [
        ("Do this:\n\n1. Open the flap.", GOES_ON)
    ]
    assert noted(WHICH, chunk_of(("list_item", "4. Open.")), "4. Open.") == [("… Open.", GOES_ON)]


def test_steps_that_a_paragraph_parts_are_one_list():
    chunk = chunk_of(*items(*ALL[:2]), ("paragraph", "It clicks."), *items(*ALL[2:4]), ("paragraph", "End."))
    assert noted(HOW, chunk, ALL[0], look_around=alone) == [(ALL[0], 0), (ALL[1], GOES_ON)]
    assert noted(HOW, chunk, ALL[2], look_around=alone) == [(f"… {ALL[2]}", 0), (ALL[3], GOES_ON)]


def test_points_whose_introduction_stands_in_the_passage_before_are_not_told_bare():
    before, chunk = (
        chunk_of(("paragraph", "Never pay for:"), *items("fines")),
        chunk_of(*items("gifts", "wine")),
    )
    assert noted(WHICH, chunk, "gifts", look_around=beside(before=before)) == [("… gifts", GOES_ON)]
    assert noted(WHICH, chunk, "gifts", look_around=alone) == [("gifts", 0)]


def test_items_from_the_middle_stand_behind_a_gap_mark_and_not_as_the_first():
    chunk = chunk_of(
        ("paragraph", "Never pay for:"), *items("ale", "rum", "gin", "tea"), ("paragraph", "End.")
    )
    assert noted(WHICH, chunk, "gin") == [("Never pay for:", 0), ("… gin", 3)]
    assert noted(WHICH, chunk, "gin", most=1) == [("… gin", 3)]
    assert noted(WHICH, chunk, "ale") == [("Never pay for:\n\nale", 3)]
    assert noted(HOW, chunk, "tea", most=3) == [("Never pay for:", 0), ("… gin", 0), ("tea", 2)]


def test_the_items_told_are_those_that_were_chosen_where_there_is_room():
    chunk = steps(6, ("paragraph", "Do this:"))
    assert noted(WHICH, chunk, STEPS[3], STEPS[5], look_around=alone) == [
        ("Do this:", 0),
        (f"… {STEPS[3]}", 0),
        (STEPS[4], 0),
        (STEPS[5], 3),
    ]


@pytest.mark.parametrize("lead_in", ["The warranty does not cover:", "The warranty covers:"])
def test_the_item_that_is_asked_for_is_told(embedder, lead_in):
    generator = ExtractiveGenerator(
        embedder, max_sentences=4, evidence_floor=0.1, reranked_evidence_floor=0.1, look_around=alone
    )
    points = ["damage on water", "water damage on boats", "theft", "damage by rain"]
    chunk = chunk_of(("paragraph", lead_in), *items(*points, "water damage", "wear and tear"))
    draft = generator.generate("Does the warranty cover water damage?", (scored(chunk),))
    assert [(each.text, each.is_after_gap, each.n_more) for each in draft.sentences] == [
        (lead_in, False, 0),
        ("water damage", True, 5),
    ]
    bare = scored(chunk_of(*items("Water damage")))
    assert generator.generate("Does the warranty cover water damage?", (bare,)).sentences == ()


def test_a_term_without_its_meaning_is_nothing_to_quote():
    chunk = chunk_of(("list_item", "Hypothesis -"), ("list_item", "POC - Proof of Concept"))
    assert [chunk.content[each.start : each.end] for each in quotables(chunk)] == ["POC - Proof of Concept"]
