import math
import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.cite import Bound, bind
from rag.generate import Draft, DraftSentence
from rag.quotable import quotables
from rag.types import AnswerSentence, Locator, Span
from rag.verify import evidence_in, renumbered, revise, verify
from tests.rag.fakes import scored, stored_chunk
from tests.rag.verify.scripted_support import Fixed, WordShare

LEAVE = stored_chunk(
    "Antwerp staff get 24 days. Up to 5 unused days move into the next year unless a manager refuses.",
    chunk_id="leave",
    section="Annual leave",
    title="Leave and absence",
)
TRAVEL = stored_chunk(
    "Book flights in Wayfinder. The lift takes 8 persons and does not like pallets.",
    chunk_id="travel",
    section="Booking",
    title="Travel policy 2025",
)
PASSAGES = (scored(LEAVE), scored(TRAVEL))


def bound(*sentences: tuple[str, tuple[int, ...]], passages=PASSAGES) -> Bound:
    return bind(Draft(tuple(DraftSentence(text, at) for text, at in sentences)), passages)


def checked(answer: Bound, support=None, *, threshold=0.5, deadline=None):
    return verify(
        answer.sentences,
        {citation.number: citation for citation in answer.citations},
        support=support,
        threshold=threshold,
        deadline=deadline,
    )


def told(verification):
    return [(claim.text, claim.support, claim.method) for claim in verification.claims]


def test_word_for_word_needs_no_model():
    support = WordShare()
    verification = checked(
        bound(
            ("Antwerp  staff get 24 days", (1,)),
            ("The lift takes 8 persons and does not like pallets.", (2,)),
            ("The lift does not like pallets.", (2,)),
        ),
        support,
        threshold=1.0,
    )
    assert [(claim.support, claim.method) for claim in verification.claims] == [(1.0, "verbatim")] * 4
    assert verification.passed
    assert not verification.degraded
    assert support.asked == []
    assert verification.model is None


def test_a_mechanical_fault_is_no_matter_for_the_model():
    support = WordShare()
    verification = checked(bound(("Antwerp staff get 26 days.", (1,))), support)
    (claim,) = verification.claims
    assert (claim.support, claim.method) == (0.0, "mechanical")
    assert [(fault.kind, fault.words) for fault in claim.faults] == [("number", "26")]
    assert support.asked == []
    assert not verification.passed
    assert not verification.degraded


def test_the_model_weighs_the_rest_against_title_section_and_text():
    support = WordShare()
    verification = checked(bound(("In Antwerp, staff have 24 days of annual leave.", (1,))), support)
    assert support.asked == [
        (
            "In Antwerp, staff have 24 days of annual leave.",
            f"[Leave and absence > Annual leave]\n{read}",
        )
        for read in (LEAVE.content, "Antwerp staff get 24 days.")
    ]
    (claim,) = verification.claims
    assert claim.method == "model"
    assert 0.5 < claim.support < 1.0
    assert claim.carried_by == (1,)
    assert verification.model == "word-share/1"


def test_the_weakest_claim_decides():
    verification = checked(
        bound(("Antwerp staff get 24 days.", (1,)), ("Zebras are striped animals.", (1,))), WordShare()
    )
    assert told(verification)[0] == ("Antwerp staff get 24 days.", 1.0, "verbatim")
    assert verification.min_support == verification.claims[1].support < 0.5
    assert not verification.passed


@pytest.mark.parametrize(
    ("score", "passed"), [(0.5, True), (math.nextafter(0.5, 0), False), (1.0, True), (0.0, False)]
)
def test_the_threshold_itself_passes(score, passed):
    verification = checked(bound(("Staff in Antwerp have 24 days.", (1,))), Fixed(score))
    assert (verification.min_support, verification.passed) == (score, passed)


def test_without_a_model_what_is_not_verbatim_is_unchecked():
    answer = bound(("Staff in Antwerp have 24 days.", (1,)), ("Book flights in Wayfinder.", (2,)))
    verification = checked(answer)
    assert [(support, method) for _, support, method in told(verification)] == [
        (0.0, "unchecked"),
        (1.0, "verbatim"),
    ]
    assert verification.degraded
    assert not verification.passed
    assert verification.model is None


def test_a_model_that_runs_out_of_time_leaves_claims_unchecked():
    answer = bound(("Staff in Antwerp have 24 days.", (1,)), ("Antwerp staff get 26 days.", (1,)))
    verification = checked(answer, WordShare(seconds=0.02), deadline=time.monotonic() + 0.01)
    assert [method for *_, method in told(verification)] == ["unchecked", "mechanical"]
    assert verification.degraded
    assert checked(answer, WordShare(), deadline=time.monotonic() + 60).claims[0].method == "model"


def test_a_claim_is_held_against_what_its_sentence_cites_alone():
    said = "Book flights in Wayfinder."
    assert checked(bound((said, (2,)))).passed
    elsewhere = checked(bound((said, (1,))))
    assert [fault.kind for fault in elsewhere.claims[0].faults] == ["name"]


def test_facts_of_two_passages_are_weighed_together_and_only_together():
    support = WordShare()
    verification = checked(bound(("Antwerp staff with 24 days use Wayfinder.", (1, 2))), support)
    (claim,) = verification.claims
    # Either passage alone lacks a name or number; both have them, so that merging is for the model to judge.
    assert [evidence for _, evidence in support.asked] == [
        f"[Leave and absence > Annual leave]\n{leave}\n\n[Travel policy 2025 > Booking]\n{travel}"
        for leave, travel in (
            (LEAVE.content, TRAVEL.content),
            ("Antwerp staff get 24 days.", "Book flights in Wayfinder."),
        )
    ]
    assert (claim.method, claim.carried_by) == ("model", (1, 2))


def test_the_passage_that_carries_best_counts():
    support = WordShare()
    verification = checked(bound(("You book flights there.", (1, 2))), support)
    assert len(support.asked) == 5  # the page on leave, where nothing can be quoted, is read once
    alone = checked(bound(("You book flights there.", (2,))), WordShare())
    assert verification.min_support == alone.min_support == 0.5
    assert verification.claims[0].carried_by == (2,)


REMOTE = tuple(
    scored(stored_chunk(content, chunk_id=title, title=title))
    for title, content in (
        ("Remote work", "You may work remotely up to three days a week."),
        ("Remote work of crews", "Crews may work remotely up to two days a week."),
        ("Home office", "At home you may work up to three days a week, remotely."),
    )
)


@pytest.mark.parametrize(
    "text", ["You may work remotely up to three days a week.", "Up to three days a week are remote."]
)
def test_a_source_that_says_otherwise_is_not_named_for_what_another_one_says(text):
    answer = bound((text, (1, 2, 3)), passages=REMOTE)
    verification = checked(answer, Fixed(0.9))
    assert verification.passed
    assert [claim.against for claim in verification.claims] == [(2,)]
    (sentence,) = revise(answer.sentences, verification)
    assert (sentence.text, sentence.citation_numbers) == (text, (1, 3))
    assert revise(answer.sentences, verification, keep={1, 2}) == answer.sentences


def test_a_source_that_only_one_of_the_claims_needs_stays():
    answer = bound(("Antwerp staff get 24 days, and the lift takes 8 persons.", (1, 2)))
    verification = checked(answer, Fixed(0.9))
    assert len(verification.claims) == 2
    assert revise(answer.sentences, verification) == answer.sentences
    together = bound(("Antwerp staff with 24 days use Wayfinder.", (1, 2)))
    assert revise(together.sentences, checked(together, Fixed(0.9))) == together.sentences


def test_faults_are_those_of_the_passage_that_comes_nearest():
    verification = checked(bound(("Antwerp staff get 26 days.", (2, 1))))
    assert [(fault.kind, fault.words) for fault in verification.claims[0].faults] == [("number", "26")]


def test_a_sentence_a_model_wrote_in_front_of_the_passage_is_no_evidence():
    chunk = replace(LEAVE, text=f"[Leave and absence]\nPorto staff get 25 days.\n{LEAVE.content}")
    verification = checked(bound(("Porto staff get 25 days.", (1,)), passages=(scored(chunk),)))
    assert verification.claims[0].method == "mechanical"
    assert "Porto" not in evidence_in(chunk).whole


def test_a_tables_header_and_the_names_of_its_columns_are_evidence():
    rows = tuple(
        Span(start, end, "table_row", Locator(), "City | Limit in EUR") for start, end in ((0, 9), (11, 22))
    )
    chunk = stored_chunk("Oslo | 90\n\nLisbon | 70", spans=rows)
    passages = (scored(chunk),)
    assert told(checked(bound(("Lisbon | 70", (1,)), passages=passages))) == [
        ("City: Lisbon; Limit in EUR: 70", 1.0, "verbatim")
    ]
    support = WordShare()
    checked(bound(("The limit in Lisbon is EUR 70.", (1,)), passages=passages), support)
    assert support.asked[0][1] == "[Handbook]\nCity | Limit in EUR\nOslo | 90\n\nLisbon | 70"


_BLOCKS = st.lists(
    st.tuples(
        st.sampled_from(["paragraph", "list_item", "table_row", "code", "heading"]),
        st.sampled_from(
            [
                "Pay **45 pence** a mile. See [1] and [the list](x.md)! You must ask; you may wait.",
                "Lost or stolen: phone the desk. Do not wait, and do not ask `why`.",
                "Oslo | 90",
                "It's “free”, isn't it? Yes: 1,000 EUR at most",
                "a_b = 2\nif x: pass",
                "2. Up to 5 days (unless refused) move,\nand staff get 28",
            ]
        ),
    ),
    min_size=1,
    max_size=5,
)


@settings(deadline=None)
@given(_BLOCKS)
def test_what_the_quoting_generator_says_is_supported_by_construction(blocks):
    content, spans = "", []
    for kind, words in blocks:
        content += "\n\n" if content else ""
        header = "City | Rate" if kind == "table_row" else None
        spans.append(Span(len(content), len(content) + len(words), kind, Locator(), header))
        content += words
    passage = scored(stored_chunk(content, spans=tuple(spans)))
    quoted = [content[place.start : place.end] for place in quotables(passage.chunk)]
    answer = bind(Draft(tuple(DraftSentence(words, (1,)) for words in quoted)), (passage,))
    verification = checked(answer, threshold=1.0)
    assert {claim.method for claim in verification.claims} <= {"verbatim"}
    assert revise(answer.sentences, verification) == answer.sentences


def test_nothing_said_is_not_passed():
    verification = verify((), {}, support=None, threshold=0.3)
    assert (verification.min_support, verification.passed, verification.degraded) == (0.0, False, False)


@pytest.mark.parametrize("threshold", [0.0, -1.0, 1.01, math.nan])
def test_a_threshold_that_lets_everything_or_nothing_pass_is_an_error(threshold):
    with pytest.raises(ValueError, match="threshold"):
        verify((), {}, support=None, threshold=threshold)


@pytest.mark.parametrize("score", [-0.1, 1.1, math.nan])
def test_a_score_that_is_no_probability_is_an_error(score):
    with pytest.raises(ValueError, match="probability"):
        checked(bound(("Staff in Antwerp have 24 days.", (1,))), Fixed(score))


def test_a_sentence_without_a_citation_or_with_an_unknown_one_is_an_error():
    with pytest.raises(ValueError, match="cites nothing"):
        verify((AnswerSentence("A.", ()),), {}, support=None, threshold=0.3)
    with pytest.raises(KeyError):
        verify((AnswerSentence("A.", (7,)),), {}, support=None, threshold=0.3)


def test_revision_drops_sentences_and_cuts_others_down_to_what_is_supported():
    answer = bound(
        ("Antwerp staff get 24 days, and Porto staff get 25 days.", (1,)),
        ("Zebras are striped animals.", (2,)),
        ("Book flights in Wayfinder.", (2,)),
    )
    verification = checked(answer, WordShare())
    revised = revise(answer.sentences, verification)
    assert [sentence.text for sentence in revised] == [
        "Antwerp staff get 24 days.",
        "Book flights in Wayfinder.",
    ]
    sentences, citations = renumbered(revised, answer.citations)
    again = verify(sentences, {each.number: each for each in citations}, support=WordShare(), threshold=0.5)
    assert again.passed


def test_a_sentence_that_is_cut_down_cites_only_what_carries_the_rest():
    answer = bound(("Antwerp staff get 24 days, and the lift takes 9 persons.", (1, 2)))
    verification = checked(answer)
    assert [claim.method for claim in verification.claims] == ["verbatim", "mechanical"]
    assert revise(answer.sentences, verification) == (AnswerSentence("Antwerp staff get 24 days.", (1,)),)


def test_several_kept_claims_are_checked_again_one_by_one():
    answer = bound(("Antwerp staff get 24 days; the lift takes 8 persons; Porto staff get 99 days.", (1, 2)))
    (revised,) = revise(answer.sentences, checked(answer))
    assert revised == AnswerSentence("Antwerp staff get 24 days. The lift takes 8 persons.", (1, 2))
    again = verify((revised,), {each.number: each for each in answer.citations}, support=None, threshold=1.0)
    assert again.passed


def test_nothing_supported_leaves_nothing():
    answer = bound(("Zebras are striped animals.", (2,)))
    assert revise(answer.sentences, checked(answer)) == ()


def test_a_revision_needs_the_verification_of_the_same_sentences():
    answer = bound(("Book flights in Wayfinder.", (2,)))
    with pytest.raises(ValueError, match="zip"):
        revise((), checked(answer))


def test_a_dropped_condition_is_not_verbatim():
    verification = checked(bound(("Up to 5 unused days move into the next year.", (1,))))
    assert [fault.kind for fault in verification.claims[0].faults] == ["condition"]
