"""The corrective loop: other wordings, parts, follow-ups, generators that fail, claims that do not hold."""

from dataclasses import replace

import pytest

from rag.ask.follow_up import Turn
from rag.errors import ModelMissing, ModelRefused, ModelTimeout, RateLimited
from rag.generate import read_markers
from rag.index import index_document
from rag.pipeline import answer
from rag.rerank import Reranked
from rag.rerank.pair_model import OutOfTime
from rag.types import Answered, GeneratorFault, RefusalReason, Refused, Scope, Thresholds, UnansweredPart
from tests.rag.fakes import ScriptedReranker, ScriptedSupport

SCOPE = Scope((7,))
QUESTION = "On which days may gulls be fed?"
PAGES = {
    1: ("Gulls", "Gulls may be fed on Fridays only."),
    2: ("Terns", "Terns may be fed on Sundays only."),
    3: ("Payroll", "Salaries are paid on the 25th of each month."),
}


@pytest.fixture
def full(index, handbook):
    for document_id, section in PAGES.items():
        index_document(index, handbook(section), document_id=document_id, folder_id=7, title="Handbook")
    return index


class Scripted:
    """A language model that always writes the same, or fails."""

    name = "scripted"

    def __init__(self, text="", error=None):
        self.text = text
        self.error = error
        self.limits = []

    def generate(self, question, passages, *, time_limit_s=None):
        self.limits.append(time_limit_s)
        if self.error is not None:
            raise self.error
        return read_markers(self.text)


def ask(index, question=QUESTION, *, cut=0.7, scores=None, **more):
    if scores is not None:
        more["reranker"] = scores if isinstance(scores, ScriptedReranker) else ScriptedReranker(scores)
    return answer(question, index=index, scope=SCOPE, thresholds=Thresholds(0.75, relevance_cut=cut), **more)


def details(result, name):
    return [stage.detail for stage in result.trace.stages if stage.name == name]


def names(result):
    return [stage.name for stage in result.trace.stages]


def configured(index, **changes):
    return replace(index, config=replace(index.config, **changes))


def test_enough_evidence_is_searched_for_once(full):
    result = ask(full, scores={"Fridays": 0.7})
    assert isinstance(result, Answered)
    assert details(result, "grade") == [{"decision": "generate", "hop": 1}]
    assert names(result) == [
        "route", "retrieve", "fuse", "rerank", "gate", "grade", "bridge", "generate", "bind", "verify",
    ]  # fmt: skip


def test_hopeless_evidence_is_refused_without_another_search_and_without_generating(full):
    model = Scripted("Never [1].")
    result = ask(full, scores={"Fridays": 0.29}, generator=model)
    assert isinstance(result, Refused)
    assert result.reason is RefusalReason.BELOW_THRESHOLD
    assert details(result, "grade") == [{"decision": "refuse", "hop": 1}]
    assert model.limits == []


def test_between_the_two_it_searches_again_in_other_words(index, handbook):
    # One candidate a side: the question finds the page about terns alone, its content words find the other one.
    pages = {
        1: ("Seabirds", "Terns may be fed by visitors."),
        2: ("Rules", "Seabirds: gulls get fed on Fridays."),
    }
    for document_id, section in pages.items():
        index_document(index, handbook(section), document_id=document_id, folder_id=7, title="Handbook")
    narrow = configured(index, n_candidates=1)
    scores = {"Fridays": 0.9, "visitors": 0.5}
    result = ask(narrow, "May terns be fed by visitors on Fridays?", scores=scores)
    assert isinstance(result, Answered)
    first, *_, last = details(result, "grade")
    assert (first["decision"], last["decision"]) == ("refine", "generate")
    assert first["searched_next"] == "terns fed visitors Fridays"
    assert result.citations[0].chunk.document_id == 2


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_it_gives_up_after_the_last_hop(full, hops):
    result = ask(configured(full, max_hops=hops), scores={"fed": 0.69})
    assert isinstance(result, Refused)
    assert result.reason is RefusalReason.BELOW_THRESHOLD
    grades = details(result, "grade")
    assert len(grades) <= hops
    assert [grade["decision"] for grade in grades] == ["refine"] * (len(grades) - 1) + ["refuse"]
    assert names(result).count("retrieve") == len(grades)
    assert result.best_relevance == 0.69


def test_past_the_deadline_nothing_is_searched_again(full):
    result = ask(configured(full, answer_time_s=0.0), scores={"fed": 0.69})
    assert names(result).count("retrieve") == 1


def test_a_passage_is_read_once_whatever_finds_it_again(full):
    reranker = ScriptedReranker({"fed": 0.69})
    seen = []
    plain = reranker.rerank

    def rerank(question, candidates, **more):
        seen.extend(candidate.chunk.chunk_id for candidate in candidates)
        return plain(question, candidates, **more)

    reranker.rerank = rerank
    ask(full, scores=reranker)
    assert len(seen) == len(set(seen)) == 3


def test_without_a_relevance_there_is_no_grade_and_no_second_search(full):
    result = ask(full, "Which pensions do pilots get?")
    assert isinstance(result, Refused)
    assert names(result).count("retrieve") == 1


@pytest.mark.parametrize("text", ["hello", "thanks!", "what can you do?"])
def test_small_talk_never_reaches_the_documents(full, text, monkeypatch):
    monkeypatch.setattr(full.store, "search", lambda *_, **__: pytest.fail("searched"))
    result = ask(full, text)
    assert isinstance(result, Refused)
    assert result.reason is RefusalReason.ROUTED_NO_RETRIEVAL
    assert details(result, "route")[0]["small_talk"]


def test_a_follow_up_is_searched_for_as_a_question_of_its_own(full):
    turns = (Turn("On which days may terns be fed?", ("Terns may be fed on Sundays only.",), ("Handbook",)),)
    result = ask(full, "and gulls?", turns=turns, scores={"Fridays": 0.9})
    assert isinstance(result, Answered)
    assert result.sentences[0].text == "Gulls may be fed on Fridays only."
    assert "gulls" in details(result, "route")[0]["asked_as"].lower()
    off_topic = ask(full, "What is the capital of France?", turns=turns, scores={"Fridays": 0.1})
    assert isinstance(off_topic, Refused)
    assert "asked_as" not in details(off_topic, "route")[0]


TWO_THINGS = "On which days may gulls be fed, and on which days may terns be fed?"


def test_two_things_asked_at_once_cite_both_documents(full):
    result = ask(full, TWO_THINGS, scores={"Fridays": 0.9, "Sundays": 0.9})
    assert isinstance(result, Answered)
    assert details(result, "route")[0]["n_parts"] == 2
    assert {citation.chunk.document_id for citation in result.citations} == {1, 2}
    assert [citation.number for citation in result.citations] == list(range(1, len(result.citations) + 1))


def by_question(**scores):
    """A reranker whose scores depend on a word of what it is asked."""
    reranker = ScriptedReranker({})

    def rerank(asked, *more, **named):
        known = next((found for word, found in scores.items() if word in asked), {})
        return ScriptedReranker(known).rerank(asked, *more, **named)

    reranker.rerank = rerank
    return reranker


def test_one_passage_may_answer_both_parts_with_another_relevance_for_each(index, handbook):
    page = ("Seabirds", "Gulls may be fed on Fridays only. Terns may be fed on Sundays only.")
    index_document(index, handbook(page), document_id=1, folder_id=7, title="Handbook")
    result = ask(index, TWO_THINGS, scores=by_question(gulls={"fed": 0.9}, terns={"fed": 0.8}))
    assert isinstance(result, Answered)
    assert {"Gulls may be fed on Fridays only.", "Terns may be fed on Sundays only."} <= {
        sentence.text for sentence in result.sentences
    }


HALF_KNOWN = "On which days may gulls be fed, and on which days may whales be fed?"
WHALES = "On which days may whales be fed?"


def test_of_two_things_the_unknown_one_is_refused_by_name_with_its_own_score(full):
    result = ask(full, HALF_KNOWN, scores=by_question(whales={"fed": 0.2}, gulls={"Fridays": 0.9}))
    assert isinstance(result, Answered)
    assert [sentence.text for sentence in result.sentences] == ["Gulls may be fed on Fridays only."]
    assert result.unanswered == (
        UnansweredPart(WHALES, RefusalReason.BELOW_THRESHOLD, 0.2, 0.7, "relevance"),
    )


def test_a_part_that_was_decided_without_the_reranker_says_that_its_number_is_a_distance(full):
    reads_gulls = by_question(gulls={"Fridays": 0.9})
    plain = reads_gulls.rerank

    def rerank(asked, *more, **named):
        if "whales" in asked:
            raise ModelTimeout("late")
        return plain(asked, *more, **named)

    reads_gulls.rerank = rerank
    result = answer(
        HALF_KNOWN,
        index=full,
        scope=SCOPE,
        thresholds=Thresholds(0.3, relevance_cut=0.7),
        reranker=reads_gulls,
    )
    assert isinstance(result, Answered)
    assert result.gate_score == "relevance"
    (whales,) = result.unanswered
    assert (whales.gate_score, whales.cut) == ("distance", 0.3)
    assert whales.best > 0.3


def test_a_refusal_tells_no_relevance_where_what_passed_was_decided_by_distance(full):
    reads_whales = by_question(whales={"fed": 0.16})
    plain = reads_whales.rerank

    def rerank(asked, *more, **named):
        return Reranked((), (), timed_out=True) if "gulls" in asked else plain(asked, *more, **named)

    reads_whales.rerank = rerank
    result = ask(full, f"{PAID[:-1]}, and on which days may whales be fed?", scores=reads_whales)
    assert isinstance(result, Refused)
    assert result.reason == RefusalReason.WEAK_EVIDENCE
    assert (result.gate_score, result.best_relevance) == ("distance", None)
    assert result.best_distance <= 0.75
    assert result.trace.degrades == ("rerank",)
    distances = [each.distance for each in result.nearest]
    assert distances == sorted(distances)


PAID = "On which days may gulls be paid 4012 EUR?"


def test_a_part_that_nothing_is_quoted_for_is_refused_by_name_too(full):
    question = "On which days may gulls be fed, and on which days may gulls be paid 4012 EUR?"
    result = ask(full, question, scores={"Fridays": 0.9})
    assert isinstance(result, Answered)
    (paid,) = result.unanswered
    assert (paid.reason, paid.best) == (RefusalReason.WEAK_EVIDENCE, 0.9)
    assert "4012" in paid.question


def test_where_every_part_is_known_nothing_is_said_to_be_refused(full):
    assert ask(full, TWO_THINGS, scores={"Fridays": 0.9, "Sundays": 0.9}).unanswered == ()
    assert ask(full, scores={"Fridays": 0.9}).unanswered == ()


def test_a_language_model_is_asked_only_for_what_is_left(full):
    model = Scripted("Gulls may be fed on Fridays only. [1]")
    asked = []
    generate = model.generate
    model.generate = lambda question, *more, **named: (
        asked.append(question) or generate(question, *more, **named)
    )
    result = ask(full, HALF_KNOWN, scores=by_question(whales={}, gulls={"Fridays": 0.9}), generator=model)
    assert asked == ["On which days may gulls be fed?"]
    assert [part.question for part in result.unanswered] == [WHALES]


@pytest.mark.parametrize("inner", [0.9, 0.1])
def test_the_first_link_of_a_chain_alone_is_no_answer_and_its_score_is_not_told(full, inner):
    question = "What is the salary of the person who feeds the gulls?"
    scores = by_question(salary={"25th": 0.4}, gulls={"Fridays": inner})
    result = ask(configured(full, max_hops=1), question, scores=scores)
    assert isinstance(result, Refused)
    assert details(result, "route")[0]["n_parts"] == 2
    assert result.best_relevance == 0.4


TERNS = "On which days may terns be fed?"
BOTH = {"gulls": {"Fridays": 0.9}, "terns": {"Sundays": 0.8}}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Gulls may be fed on Fridays only. [1]", RefusalReason.MODEL_ABSTAINED),
        (
            "Gulls may be fed on Fridays only. [1] Terns may be fed on Mondays. [2]",
            RefusalReason.UNSUPPORTED_CLAIMS,
        ),
    ],
)
def test_a_part_that_a_language_model_leaves_out_or_lies_about_is_told(full, text, reason):
    result = ask(full, TWO_THINGS, scores=by_question(**BOTH), generator=Scripted(text))
    assert isinstance(result, Answered)
    assert [sentence.text for sentence in result.sentences] == ["Gulls may be fed on Fridays only."]
    assert result.unanswered == (UnansweredPart(TERNS, reason, 0.8, 0.7, "relevance"),)


def test_where_a_language_model_answers_both_parts_nothing_is_said_to_be_left_out(full):
    both = Scripted("Gulls may be fed on Fridays only. [1] Terns may be fed on Sundays only. [2]")
    assert ask(full, TWO_THINGS, scores=by_question(**BOTH), generator=both).unanswered == ()


AWAY = [ModelTimeout("late"), RateLimited("later"), ModelRefused("key"), ModelMissing("no weights")]


@pytest.mark.parametrize("error", AWAY)
def test_a_generator_that_is_away_is_replaced_by_quoting_and_the_result_says_why(full, error):
    result = ask(full, scores={"Fridays": 0.9}, generator=Scripted(error=error))
    assert isinstance(result, Answered)
    assert result.generator.startswith("extractive/")
    assert details(result, "generate")[0]["degraded"] == error.code
    assert result.trace.degrades == ("generate",)
    assert result.generator_fault == GeneratorFault("scripted", error.code, error.message, error.next_step)


def test_a_refusal_of_quoting_says_too_that_it_was_to_be_written(full):
    question = "On which days may gulls be paid 4012 EUR?"
    result = ask(full, question, scores={"Fridays": 0.9}, generator=Scripted(error=ModelRefused("key")))
    assert isinstance(result, Refused)
    assert result.reason is RefusalReason.WEAK_EVIDENCE
    assert result.generator_fault.code == "model_refused"
    assert ask(full, scores={"Fridays": 0.9}).generator_fault is None


def test_a_claim_that_does_not_hold_is_refused(full):
    lie = Scripted("Gulls may be fed on Mondays [1].")
    sure = ScriptedSupport({"Mondays": 1.0})
    for support in (None, sure):  # another weekday is a mechanical fault: no model is believed against it
        result = ask(full, scores={"Fridays": 0.9}, generator=lie, support=support)
        assert isinstance(result, Refused)
        assert result.reason is RefusalReason.UNSUPPORTED_CLAIMS
        assert "revise" in names(result)
        assert result.findings.sentences == ()
        assert [each.sentence for each in result.findings.dropped] == ["Gulls may be fed on Mondays."]


def test_a_paraphrase_needs_the_support_model(full):
    told = Scripted("You can give gulls something on Fridays [1].")
    unchecked = ask(full, scores={"Fridays": 0.9}, generator=told)
    assert isinstance(unchecked, Refused)
    assert unchecked.reason is RefusalReason.UNSUPPORTED_CLAIMS
    checked = ask(full, scores={"Fridays": 0.9}, generator=told, support=ScriptedSupport({"give": 0.8}))
    assert isinstance(checked, Answered)
    assert checked.min_support == 0.8
    late = ask(full, scores={"Fridays": 0.9}, generator=told, support=ScriptedSupport({}, error=OutOfTime()))
    assert isinstance(late, Refused)
    assert details(late, "verify")[0]["degraded"] is True
    assert (late.trace.degrades, checked.trace.degrades) == (("verify",), ())
    assert unchecked.trace.degrades == (), "no support model is a choice, and nothing that passes"


def test_one_revision_drops_what_does_not_hold_and_numbers_anew(full):
    told = Scripted("Terns may be fed on Mondays [2]. Gulls may be fed on Fridays only. [1]")
    result = ask(full, scores={"Fridays": 0.9, "Sundays": 0.8}, generator=told)
    assert isinstance(result, Answered)
    assert [sentence.text for sentence in result.sentences] == ["Gulls may be fed on Fridays only."]
    assert [citation.number for citation in result.citations] == [1]
    assert result.sentences[0].citation_numbers == (1,)
    assert names(result)[-3:] == ["verify", "revise", "verify"]
    ((kept,),) = result.findings.sentences
    assert (kept.method, kept.carried_by) == ("verbatim", (1,))
    (dropped,) = result.findings.dropped
    assert dropped.sentence == "Terns may be fed on Mondays."
    assert (dropped.claim.method, dropped.claim.faults[0].kind) == ("mechanical", "date")
    assert [chunk.document_id for chunk in dropped.cited] == [2]


def test_a_source_that_says_otherwise_is_no_source(full):
    told = Scripted("Gulls may be fed on Fridays only. [1][2]")
    result = ask(full, scores={"Fridays": 0.9, "Sundays": 0.8}, generator=told)
    assert isinstance(result, Answered)
    assert [(each.number, "Fridays" in each.quote) for each in result.citations] == [(1, True)]
    assert result.sentences[0].citation_numbers == (1,)
    assert result.findings.dropped == ()


def test_what_is_quoted_verbatim_asks_no_model(full):
    support = ScriptedSupport({}, error=AssertionError("asked"))
    result = ask(full, scores={"Fridays": 0.9}, support=support)
    assert isinstance(result, Answered)
    assert result.min_support == 1.0


def test_what_a_question_takes_for_granted_is_recorded_and_decides_nothing(full):
    result = ask(
        full,
        "Why may gulls be fed on Fridays only?",
        scores={"Fridays": 0.9},
        support=ScriptedSupport({"fed": 0.97}),
    )
    premise = details(result, "premise")[0]
    assert "gulls" in premise["premise"].lower()
    assert premise["support"] == 0.97


CLUB = {
    1: ("Gym", "The gym is not free for contractors. Contractors pay 20 EUR a month for the gym."),
    2: ("Canteen", "The canteen opens at noon."),
}
ASSUMES = "Why is the gym free for contractors?"


@pytest.fixture
def club(index, handbook):
    for document_id, section in CLUB.items():
        index_document(index, handbook(section), document_id=document_id, folder_id=7, title="Benefits")
    return index


def test_a_contradicted_premise_is_told_with_its_citation_beside_an_answer(club):
    result = ask(club, ASSUMES, scores={"gym": 0.9})
    assert isinstance(result, Answered)
    said = result.contradicted
    assert (said.premise, said.says) == (
        "The gym is free for contractors.",
        "The gym is not free for contractors.",
    )
    assert said.citation in result.citations
    assert said.citation.quote == said.says
    assert details(result, "premise")[0]["contradicted_by"] == "denial"
    assert [citation.number for citation in result.citations] == list(range(1, len(result.citations) + 1))


def test_one_that_no_sentence_cites_gets_a_number_of_its_own(club):
    told = Scripted("Contractors pay 20 EUR a month for the gym. [1]")
    result = ask(club, ASSUMES, scores={"gym": 0.9}, generator=told)
    assert [citation.quote for citation in result.citations] == [told.text[:-4], CLUB[1][1][:36]]
    assert (result.contradicted.citation.number, result.best_relevance) == (2, 0.9)


def test_it_is_told_with_a_refusal_too_where_the_reranker_rates_the_passage_high(club):
    for generator in (None, Scripted("NO_ANSWER")):
        refused = ask(
            club, ASSUMES, cut=0.95 if generator is None else 0.7, scores={"gym": 0.9}, generator=generator
        )
        assert isinstance(refused, Refused)
        assert refused.contradicted.says == "The gym is not free for contractors."
        assert refused.contradicted.citation.number == 1
    doubtful = ask(club, ASSUMES, cut=0.95, scores={"gym": 0.29})
    assert (doubtful.reason, doubtful.contradicted) == (RefusalReason.BELOW_THRESHOLD, None)


def test_without_a_reranker_only_what_passes_contradicts(club):
    near = ask(club, ASSUMES)
    assert near.contradicted is not None
    far = answer(ASSUMES, index=club, scope=SCOPE, thresholds=Thresholds(0.01))
    assert isinstance(far, Refused)
    assert far.contradicted is None
