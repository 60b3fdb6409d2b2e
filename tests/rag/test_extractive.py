from dataclasses import replace

import pytest

from rag.generate import ExtractiveGenerator, load_generator
from rag.sentences import sentence_spans
from rag.types import Locator, RefusalReason, SentenceRelevance, Span
from tests.rag.fakes import HashingEmbedder, scored, stored_chunk


@pytest.fixture
def generator(embedder):
    return ExtractiveGenerator(embedder, max_sentences=4, evidence_floor=0.4, reranked_evidence_floor=0.4)


GULLS = stored_chunk(
    "Gulls may be fed on Fridays only. The ferry leaves at nine. Bring your own bread.", document_id=1
)


def texts(draft):
    return [sentence.text for sentence in draft.sentences]


def test_the_best_sentence_is_quoted_word_for_word(generator):
    draft = generator.generate("On which days may gulls be fed?", (scored(GULLS),))
    assert texts(draft) == ["Gulls may be fed on Fridays only."]
    assert draft.sentences[0].passages == (1,)
    assert draft.abstained is None
    assert draft.evidence > 0.4


def test_weak_evidence_is_not_quoted(generator):
    draft = generator.generate("What is the boiling point of ethanol?", (scored(GULLS),))
    assert draft.sentences == ()
    assert draft.abstained is RefusalReason.WEAK_EVIDENCE
    assert draft.evidence is not None


def test_what_a_reranker_let_pass_needs_less(embedder):
    generator = ExtractiveGenerator(
        embedder, max_sentences=4, evidence_floor=1.4, reranked_evidence_floor=0.1
    )
    question = "On which days may gulls be fed?"
    assert generator.generate(question, (scored(GULLS),)).sentences == ()
    read = replace(scored(GULLS), relevance=0.9)
    assert texts(generator.generate(question, (read,)))[0] == "Gulls may be fed on Fridays only."
    # One passage that was not read and the gate compared distances: the strict floor.
    assert generator.generate(question, (read, scored(GULLS))).sentences == ()


def test_passages_without_words_are_an_abstention(generator):
    draft = generator.generate("anything", (scored(stored_chunk("--- | ---")),))
    assert draft.abstained is RefusalReason.MODEL_ABSTAINED


def test_at_most_max_sentences_and_copies_once(embedder):
    passages = tuple(
        scored(stored_chunk(f"Gulls eat bread number {n}. Gulls eat bread.", document_id=n)) for n in range(6)
    )
    draft = ExtractiveGenerator(
        embedder, max_sentences=3, evidence_floor=0.1, reranked_evidence_floor=0.1
    ).generate("Do gulls eat bread?", passages)
    assert 1 <= len(draft.sentences) <= 3
    assert len(set(texts(draft))) == len(draft.sentences)


def test_one_documents_sentences_stand_in_reading_order(generator):
    late = stored_chunk("Gulls are fed bread on Fridays.", document_id=1, start=900)
    early = stored_chunk("Gulls are fed fish on Mondays.", document_id=1, start=100)
    draft = generator.generate("When are gulls fed?", (scored(late), scored(early)))
    assert texts(draft) == ["Gulls are fed fish on Mondays.", "Gulls are fed bread on Fridays."]


def test_a_row_is_found_through_its_header_and_quoted_whole(generator):
    content = "Oslo | 90 EUR\n\nLisbon | 70 EUR"
    spans = (
        Span(0, 13, "table_row", Locator(), "City | Daily hotel rate"),
        Span(15, 30, "table_row", Locator(), "City | Daily hotel rate"),
    )
    passage = scored(stored_chunk(content, spans=spans))
    assert texts(generator.generate("daily hotel rate Lisbon", (passage,)))[0] == "Lisbon | 70 EUR"


def test_a_title_of_what_is_asked_is_no_answer(embedder):
    generator = ExtractiveGenerator(
        embedder, max_sentences=4, evidence_floor=0.1, reranked_evidence_floor=0.1
    )
    spans = (Span(0, 9, "list_item", Locator()), Span(11, 40, "list_item", Locator()))
    passage = scored(stored_chunk("Error L52\n\nError L52 means a stuck valve", spans=spans))
    assert texts(generator.generate("What is error L52?", (passage,))) == ["Error L52 means a stuck valve"]


def test_the_question_itself_is_no_answer(generator):
    text = "What does the pass cost? It is sold for eleven florins. Who may buy the aardvark pass?"
    passage = scored(stored_chunk(text))
    assert texts(generator.generate("What does the pass cost?", (passage,))) == [
        "It is sold for eleven florins."
    ]
    draft = generator.generate("Who may buy the aardvark pass?", (passage,))
    assert draft.abstained is RefusalReason.WEAK_EVIDENCE


def test_a_sentence_that_repeats_the_question_is_no_answer(generator):
    passage = scored(stored_chunk("The pass cost. The desk sells the pass at a cost of two florins."))
    assert texts(generator.generate("What does the pass cost?", (passage,))) == [
        "The desk sells the pass at a cost of two florins."
    ]


def test_a_statement_in_the_words_of_the_question_answers_it(generator):
    passage = scored(stored_chunk("The office has two floors. Dogs are allowed in the office."))
    assert texts(generator.generate("Are dogs allowed in the office?", (passage,))) == [
        "Dogs are allowed in the office."
    ]


def test_what_only_speaks_of_an_amount_does_not_tell_it(generator):
    passage = scored(stored_chunk("Ask whether you are eligible for a rebate on the ferry pass."))
    draft = generator.generate("How much is the rebate on the ferry pass?", (passage,))
    assert (draft.sentences, draft.abstained) == ((), RefusalReason.WEAK_EVIDENCE)
    assert draft.evidence > 0.4
    asks_for_the_way = generator.generate("Who is eligible for a rebate on the ferry pass?", (passage,))
    assert asks_for_the_way.sentences


def test_the_amount_may_stand_in_the_line_that_introduces_it(generator):
    chunk = stored_chunk(
        "Within 30 days you hand back:\n- your badge\n- your keys",
        spans=(
            Span(0, 29, "paragraph", Locator()),
            Span(30, 42, "list_item", Locator()),
            Span(43, 54, "list_item", Locator()),
        ),
    )
    assert generator.generate(
        "How soon do you hand back your badge and your keys?", (scored(chunk),)
    ).sentences


def test_a_term_in_quotation_marks_has_to_be_there(generator):
    passages = (scored(stored_chunk("A definition of done says when learning is finished.")),)
    assert generator.generate("What is the definition of learning?", passages).sentences
    assert not generator.generate('What is the definition of "validated learning"?', passages).sentences


def test_another_number_is_no_answer(generator):
    passages = tuple(
        scored(stored_chunk(f"The numbat count {n} is stored in drawer {n + 40}.", document_id=n))
        for n in range(1, 5)
    )
    assert texts(generator.generate("Where is the numbat count 3 stored?", passages)) == [
        "The numbat count 3 is stored in drawer 43."
    ]
    draft = generator.generate("Where is the numbat count 99 stored?", passages)
    assert (draft.sentences, draft.abstained) == ((), RefusalReason.WEAK_EVIDENCE)


def test_a_number_may_stand_in_the_context(generator):
    words = "The rate for cars is two florins."
    for more in ({"section": "Rates 2023"}, {"title": "Rates 2023"}):
        passage = scored(stored_chunk(words, **more))
        assert texts(generator.generate("What is the rate for cars in 2023?", (passage,))) == [words]
        assert not generator.generate("What is the rate for cars in 2024?", (passage,)).sentences


def test_sentences_without_the_number_still_tell_which_words_are_rare(generator):
    """Leaving them out before words are weighed would make every word of the only one left common."""
    content = "Error L-31 means old updates. Too many devices log in. Wait a minute. Restart now."
    passage = scored(stored_chunk(content))
    with_others = generator.generate("What does error L-31 mean?", (passage,))
    alone = generator.generate("What does error L-31 mean?", (scored(stored_chunk(content[:29])),))
    assert texts(with_others) == texts(alone) == ["Error L-31 means old updates."]
    assert with_others.evidence > alone.evidence


def test_a_row_is_not_asked_for_the_words_that_make_a_question(embedder):
    header = "City | Hotel limit"
    rows = ("Hull | 105", "Oslo | 90")
    spans = (Span(0, 10, "table_row", Locator(), header), Span(12, 21, "table_row", Locator(), header))
    passage = scored(stored_chunk("\n\n".join(rows), spans=spans))
    generator = ExtractiveGenerator(
        embedder, max_sentences=4, evidence_floor=0.0, reranked_evidence_floor=0.0
    )
    plain = generator.generate("hotel limit Hull", (passage,)).evidence
    polite = generator.generate("What is the hotel limit in Hull?", (passage,)).evidence
    cosines = [
        float(
            embedder.encode_passages(["City: Hull; Hotel limit: 105"])[0] @ embedder.encode_question(question)
        )
        for question in ("hotel limit Hull", "What is the hotel limit in Hull?")
    ]
    assert plain - cosines[0] == pytest.approx(polite - cosines[1], abs=1e-5) == pytest.approx(0.5, abs=1e-5)


def test_what_the_reranker_read_helps_to_choose(embedder):
    """Two sentences alike in words: the one that answers is told by who read them with the question."""
    content = "The pass is sold at the desk. The pass is sold for two florins."
    generator = ExtractiveGenerator(
        embedder, max_sentences=1, evidence_floor=0.0, reranked_evidence_floor=0.0
    )
    for better in (0, 1):
        read = tuple(
            SentenceRelevance(start, end, 0.9 if at == better else 0.1)
            for at, (start, end) in enumerate(sentence_spans(content))
        )
        passage = replace(scored(stored_chunk(content)), relevance=0.9, sentences=read)
        (told,) = texts(generator.generate("Where is the pass sold and for what?", (passage,)))
        assert told == content[read[better].start : read[better].end]


def test_context_gives_way_to_the_window(generator):
    long_section = "section " * 70
    passage = scored(stored_chunk("Gulls may be fed on Fridays only.", section=long_section))
    assert generator.generate("When may gulls be fed?", (passage,)).sentences


def test_loading_by_name(embedder):
    assert load_generator("extractive", embedder=embedder).name == "extractive/7"
    with pytest.raises(ValueError, match="accepted: extractive"):
        load_generator("oracle", embedder=HashingEmbedder())


@pytest.mark.parametrize(
    "example",
    [
        '"How many days of leave do we have in Antwerp?" works better than "leave??"',
        "Write “How many days of leave do we have in Antwerp?” and nothing else.",
        "Ask «How many leave days do we have in Antwerp?» in the channel.",
    ],
)
def test_a_stretch_that_quotes_the_question_answers_nothing(generator, example):
    question = "How many days of leave do we have in Antwerp?"
    alone = generator.generate(question, (scored(stored_chunk(example)),))
    assert alone.sentences == ()
    told = stored_chunk(f"{example}\n\nWe have 28 days of leave in Antwerp.")
    spans = (
        Span(0, len(example), "paragraph", Locator()),
        Span(len(example) + 2, len(told.content), "paragraph", Locator()),
    )
    draft = generator.generate(question, (scored(replace(told, spans=spans)),))
    assert texts(draft) == ["We have 28 days of leave in Antwerp."]


def test_a_stretch_that_quotes_something_else_is_quoted(generator):
    chunk = stored_chunk('In Antwerp we have 28 days of leave; write "leave" into the subject.')
    draft = generator.generate("How many days of leave do we have in Antwerp?", (scored(chunk),))
    assert texts(draft) == [chunk.content]
