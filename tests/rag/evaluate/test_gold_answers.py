"""Against the textbook: the functions of SQuAD 2.0's evaluation script as it stands, slow and word by word."""

import collections
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.cite import bind
from rag.evaluate import (
    GoldenMultihop,
    GoldenNeedle,
    GoldenSet,
    NeedlePlace,
    Wording,
    evaluate_answers,
    exact_match,
    holds_answer,
    normalized_answer,
    token_f1,
)
from rag.generate import Draft, DraftSentence
from rag.types import Answered, RefusalReason, Refused, Stage, Thresholds, Trace
from tests.rag.fakes import scored, stored_chunk


def textbook_normalize(s):
    def remove_articles(text):
        regex = re.compile(r"\b(a|an|the)\b", re.UNICODE)
        return re.sub(regex, " ", text)

    def white_space_fix(text):
        return " ".join(text.split())

    def remove_punc(text):
        exclude = set(string.punctuation)
        return "".join(ch for ch in text if ch not in exclude)

    return white_space_fix(remove_articles(remove_punc(s.lower())))


def textbook_f1(a_gold, a_pred):
    gold_toks = textbook_normalize(a_gold).split()
    pred_toks = textbook_normalize(a_pred).split()
    common = collections.Counter(gold_toks) & collections.Counter(pred_toks)
    num_same = sum(common.values())
    if len(gold_toks) == 0 or len(pred_toks) == 0:
        return int(gold_toks == pred_toks)
    if num_same == 0:
        return 0
    precision = 1.0 * num_same / len(pred_toks)
    recall = 1.0 * num_same / len(gold_toks)
    return (2 * precision * recall) / (precision + recall)


words = st.sampled_from(
    ["a", "an", "The", "the", "gull", "Gull's", "U.S.", "90", "1,000", "-", "–", "İ", "thé", "  ", "\n"]
)
texts = st.one_of(st.lists(words, max_size=12).map(" ".join), st.text(max_size=30))
golds = st.lists(texts, min_size=1, max_size=4)


@given(texts, golds)
def test_exact_match_and_f1_are_squads(text, golds):
    assert normalized_answer(text) == textbook_normalize(text)
    assert exact_match(text, golds) == max(
        textbook_normalize(text) == textbook_normalize(gold) for gold in golds
    )
    assert token_f1(text, golds) == pytest.approx(max(textbook_f1(gold, text) for gold in golds))


@given(texts, golds)
def test_an_answer_is_held_where_a_loop_over_words_finds_it(text, golds):
    held = textbook_normalize(text).split()
    wanted = [textbook_normalize(gold).split() for gold in golds]
    assert holds_answer(text, golds) == any(
        held[at : at + len(gold)] == gold for gold in wanted if gold for at in range(len(held))
    )


def test_a_part_of_a_word_is_no_answer():
    assert holds_answer("It costs 90 EUR.", ("90 EUR",))
    assert not holds_answer("It costs 190 EUR.", ("90 EUR",))
    assert not holds_answer("It costs the same.", ("the",)), "nothing is left of this gold answer"


GULLS = scored(stored_chunk("Gulls eat white bread. They like it.", chunk_id="g"))


def answered(words):
    bound = bind(Draft((DraftSentence(words, (1,)),)), (GULLS,))
    return Answered(bound.sentences, bound.citations, 0.2, 0, "fake", Trace((Stage("retrieve", 1.0),)))


REFUSED = Refused(RefusalReason.WEAK_EVIDENCE, 0.9, 0.5, (), Trace(()))
GOLDEN = GoldenSet(
    "birds",
    (
        GoldenNeedle("n1", "a.md", "Gulls eat white bread.", "what?", "food", ("bread", "white bread")),
        GoldenNeedle("n2", "a.md", "They like it.", "who?", ""),
    ),
    (),
    (GoldenMultihop("m1", "both?", (NeedlePlace("a.md", "They like it."),), ("the gulls",)),),
)
ANSWERS = {
    "what?": answered("Gulls eat white bread."),
    "food": REFUSED,
    "who?": answered("They like it."),
    "both?": answered("They like it."),
}


def test_only_questions_with_gold_answers_count_and_a_refusal_is_an_empty_answer():
    report = evaluate_answers(GOLDEN, ask=ANSWERS.__getitem__, thresholds=Thresholds(0.5))
    gold = report.gold_answers
    assert (gold.quoted.successes, gold.quoted.n) == (1, 2)
    assert (gold.quoted_of_answered.successes, gold.quoted_of_answered.n) == (1, 1)
    assert (gold.exact.successes, gold.exact.n) == (0, 2)
    # Of four words two are the gold answer's: precision 1/2, recall 1; and 0 for the refusal.
    assert gold.f1.value == pytest.approx((2 / 3) / 2)
    assert (gold.f1.n, gold.f1.low, gold.f1.high) == (2, 0.0, pytest.approx(2 / 3))
    multihop = report.by_wording[Wording.MULTIHOP].gold_answers
    assert (multihop.quoted.successes, multihop.quoted.n) == (0, 1)


def test_a_set_without_gold_answers_has_no_such_figures():
    golden = GoldenSet("birds", (GOLDEN.needles[1],))
    assert evaluate_answers(golden, ask=ANSWERS.__getitem__, thresholds=Thresholds(0.5)).gold_answers is None
