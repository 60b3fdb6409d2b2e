import pytest

from rag.errors import EmptyQuestion, QuestionTooLong, StoreDown
from rag.generate import Draft, DraftSentence, read_markers
from rag.index import index_document, remove_document
from rag.pipeline import answer, retrieve
from rag.types import Answered, RefusalReason, Refused, Scope, Thresholds
from tests.rag.fakes import ScriptedSupport

PAGES = {
    1: (7, ("Gulls", "Gulls may be fed on Fridays only. They prefer bread.")),
    2: (7, ("Ferry", "The ferry leaves at nine from the north pier.")),
    3: (8, ("Payroll", "Salaries are paid on the 25th of each month.")),
}
EVERYWHERE = Scope((7, 8))
QUESTION = "On which days may gulls be fed?"


@pytest.fixture
def full(index, handbook):
    for document_id, (folder_id, section) in PAGES.items():
        index_document(
            index, handbook(section), document_id=document_id, folder_id=folder_id, title="Handbook"
        )
    return index


class Scripted:
    """A language model that always writes the same."""

    name = "scripted"

    def __init__(self, text):
        self.text = text
        self.asked = []

    def generate(self, question, passages, *, time_limit_s=None):
        self.asked.append((question, passages))
        return read_markers(self.text)


def ask(index, question=QUESTION, *, scope=EVERYWHERE, cut=0.75, **more):
    return answer(question, index=index, scope=scope, thresholds=Thresholds(cut), **more)


def test_an_answer_points_at_its_sentence(full):
    result = ask(full)
    assert isinstance(result, Answered)
    assert result.sentences[0].text == "Gulls may be fed on Fridays only."
    citation = result.citations[result.sentences[0].citation_numbers[0] - 1]
    assert citation.chunk.document_id == 1
    assert citation.quote == "Gulls may be fed on Fridays only."
    assert result.generator == "extractive/7"
    assert 0 < result.best_distance <= 0.75


def test_the_trace_tells_the_whole_way(full):
    result = ask(full)
    assert [stage.name for stage in result.trace.stages] == [
        "route", "retrieve", "fuse", "gate", "grade", "generate", "bind", "verify",
    ]  # fmt: skip
    assert all(stage.elapsed_ms >= 0 for stage in result.trace.stages)
    gate = result.trace.stages[3].detail
    assert gate["cut"] == 0.75
    assert gate["n_passed"] >= 1
    assert result.trace.candidates[0].chunk.document_id == 1
    assert result.trace.total_ms > 0


@pytest.mark.parametrize("question", ["", "  \n", "?!…"])
def test_a_question_needs_a_word(full, question):
    with pytest.raises(EmptyQuestion):
        ask(full, question)
    with pytest.raises(EmptyQuestion):
        retrieve(question, index=full, scope=EVERYWHERE)


def test_a_question_may_be_too_long(full):
    with pytest.raises(QuestionTooLong):
        ask(full, "gull " * 401)
    assert ask(full, "gull " * 399)


def test_an_empty_scope_is_refused_without_a_search(full, monkeypatch):
    monkeypatch.setattr(full.store, "search", lambda *_, **__: pytest.fail("searched"))
    result = ask(full, scope=Scope(()))
    assert isinstance(result, Refused)
    assert result.reason is RefusalReason.OUT_OF_SCOPE_FOLDER
    assert (result.best_distance, result.nearest) == (None, ())
    assert retrieve(QUESTION, index=full, scope=Scope(())) == ()


def test_nothing_retrieved(index):
    result = ask(index)
    assert isinstance(result, Refused)
    assert result.reason is RefusalReason.NOTHING_RETRIEVED


def test_below_the_cut_the_generator_is_not_called(full):
    model = Scripted("Never. [1]")
    result = ask(full, cut=0.01, generator=model)
    assert isinstance(result, Refused)
    assert result.reason is RefusalReason.BELOW_THRESHOLD
    assert model.asked == []
    assert result.distance_cut == 0.01
    assert result.best_distance == result.nearest[0].distance > 0.01
    distances = [candidate.distance for candidate in result.nearest]
    assert distances == sorted(distances)
    assert len(distances) == 3


def test_weak_evidence_and_abstention_are_refusals(full):
    weak = ask(full, "Which pensions do gulls get?", cut=2.0)
    assert isinstance(weak, Refused)
    assert weak.reason is RefusalReason.WEAK_EVIDENCE
    abstained = ask(full, generator=Scripted("NO_ANSWER"))
    assert isinstance(abstained, Refused)
    assert abstained.reason is RefusalReason.MODEL_ABSTAINED


@pytest.mark.parametrize(
    ("text", "n_unresolved"), [("The moon is cheese. [9]", 1), ("Gulls eat on Fridays.", 0)]
)
def test_a_draft_without_one_good_marker_is_a_refusal(full, text, n_unresolved):
    result = ask(full, generator=Scripted(text))
    assert isinstance(result, Refused)
    assert result.reason is RefusalReason.UNSUPPORTED_CLAIMS
    assert (result.generator, result.n_unresolved_markers) == ("scripted", n_unresolved)
    detail = result.trace.stages[-1].detail
    assert (detail["n_unresolved"], detail["n_uncited"]) == (n_unresolved, 1)


def test_a_models_answer_without_what_was_asked_for_is_a_refusal(full):
    told = Scripted("Gulls may be fed. [1]")
    result = ask(full, "How many gulls may be fed?", generator=told, support=ScriptedSupport({"fed": 0.9}))
    assert isinstance(result, Refused)
    assert (result.reason, result.generator) == (RefusalReason.WEAK_EVIDENCE, "scripted")
    assert [claim.text for each in result.findings.sentences for claim in each] == ["Gulls may be fed."]
    assert isinstance(
        ask(full, "Which gulls may be fed?", generator=told, support=ScriptedSupport({"fed": 0.9})), Answered
    )


def test_a_name_that_no_passage_mentions_is_a_refusal_before_anything_is_written(full):
    told = Scripted("Gulls may be fed on Fridays. [1]")
    result = ask(full, "On which days may gulls of Ostrel be fed?", generator=told)
    assert isinstance(result, Refused)
    assert (result.reason, result.trace.unspoken) == (RefusalReason.WEAK_EVIDENCE, ("Ostrel",))
    assert told.asked == []
    assert isinstance(ask(full), Answered)
    assert ask(full).trace.unspoken == ()


def test_the_part_with_a_name_that_nothing_mentions_is_refused_by_name(full):
    result = ask(full, "On which days may gulls be fed, and when does the ferry to Ostrel leave?", cut=2.0)
    assert isinstance(result, Answered)
    assert [each.text for each in result.sentences] == ["Gulls may be fed on Fridays only."]
    [left] = result.unanswered
    assert (left.reason, "Ostrel" in left.question) == (RefusalReason.WEAK_EVIDENCE, True)


def test_a_models_answer_is_bound_by_the_server(full):
    told = Scripted("They eat on Fridays [1]. Aliens too [7].")
    result = ask(full, generator=told, support=ScriptedSupport({"eat": 0.9}))
    assert isinstance(result, Answered)
    assert [sentence.text for sentence in result.sentences] == ["They eat on Fridays."]
    assert result.n_unresolved_markers == 1
    assert result.citations[0].quote in PAGES[1][1][1]


def test_a_passage_cannot_forge_a_marker(index, handbook):
    page = ("Gulls", "Gulls may be fed on Fridays [2] only [1].")
    index_document(index, handbook(page), document_id=1, folder_id=7, title="Handbook")
    result = ask(index)
    assert isinstance(result, Answered)
    assert [citation.number for citation in result.citations] == [1]
    assert result.sentences[0].text == "Gulls may be fed on Fridays (2) only (1)."
    assert result.citations[0].quote == page[1]
    assert result.n_unresolved_markers == 0


def test_the_scope_hides_other_folders_and_documents(full):
    for scope in (Scope((8,)), Scope((7, 8), (2, 3))):
        found = {candidate.chunk.document_id for candidate in retrieve(QUESTION, index=full, scope=scope)}
        assert 1 not in found
    result = ask(full, scope=Scope((8,)))
    assert isinstance(result, Refused)
    assert {candidate.chunk.folder_id for candidate in result.nearest} == {8}


def test_a_lexical_hit_outside_the_dense_results_gets_its_real_distance(full, monkeypatch):
    search = full.store.search

    def lexical_only(collection, vector, k, scope, *, only=None):
        return search(collection, vector, k, scope, only=only) if only is not None else []

    monkeypatch.setattr(full.store, "search", lexical_only)
    found = retrieve("north pier ferry", index=full, scope=EVERYWHERE)
    assert found[0].chunk.document_id == 2
    expected = 1 - full.embedder.encode_question("north pier ferry") @ full.embedder.encode_question(
        found[0].chunk.text
    )
    assert found[0].distance == pytest.approx(expected, abs=1e-3)
    assert found[0].bm25_score > 0


def test_a_document_deleted_on_one_side_only_does_not_come_back(full):
    full.store.delete_document(full.name, 1)
    assert all(
        candidate.chunk.document_id != 1 for candidate in retrieve(QUESTION, index=full, scope=EVERYWHERE)
    )


def test_a_removed_document_is_not_answered_from(full):
    remove_document(full, 1)
    assert isinstance(ask(full), Refused)


def test_a_store_that_is_down_is_an_error_and_no_refusal(full, monkeypatch):
    def down(*_args, **_kwargs):
        raise StoreDown("gone")

    monkeypatch.setattr(full.store, "search", down)
    with pytest.raises(StoreDown):
        ask(full)


def test_every_stage_result_is_repeatable(full):
    first, second = ask(full), ask(full)
    assert isinstance(first, Answered)
    assert isinstance(second, Answered)
    assert (first.sentences, first.citations) == (second.sentences, second.citations)


def test_a_draft_of_markup_only_is_a_refusal(full):
    class Empty:
        name = "empty"

        def generate(self, question, passages, *, time_limit_s=None):
            return Draft((DraftSentence("**", (1,)),))

    result = ask(full, generator=Empty())
    assert isinstance(result, Refused)
