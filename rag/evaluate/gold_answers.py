"""Short gold answers: exact match and token F1 as SQuAD counts them, and whether a quote holds one.

Exact match and F1 are defined for answers of a few words; of quoted sentences F1 is the precision that their length
costs, and exact match is hardly ever 1. So what counts for an answer of quotes is that a gold answer stands in one.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rag.evaluate.ranking import Estimate, mean_estimate
from rag.evaluate.statistics import Proportion
from rag.types import Answered

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class GoldAnswerScore:
    """One question with gold answers; nothing of it holds where the question was refused.

    Attributes:
        is_answered: it was answered, rightly or not.
        is_quoted: a gold answer stands in a quote that the answer cites.
        exact: the answer's text is a gold answer.
        f1: of the answer's text with the gold answer that suits it best, in [0, 1].
    """

    is_answered: bool
    is_quoted: bool
    exact: bool
    f1: float


@dataclass(frozen=True, slots=True)
class GoldAnswerCounts:
    """Questions with gold answers. A refusal counts as an empty answer, as SQuAD counts it.

    Attributes:
        quoted: questions of which a gold answer stands in a cited quote.
        quoted_of_answered: the same of those that were answered.
        exact: exact match (Rajpurkar et al. 2016).
        f1: mean token F1 (the same) with its bootstrap 95 % interval.
    """

    quoted: Proportion
    quoted_of_answered: Proportion
    exact: Proportion
    f1: Estimate


def normalized_answer(text: str) -> str:
    """`text` in lower case without ASCII punctuation and English articles, words one blank apart.

    The `normalize_answer` of SQuAD's evaluation script: punctuation goes before articles do.

    >>> normalized_answer("The  U.S. Army, a force")
    'us army force'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_WITHOUT_PUNCTUATION)).split())


def exact_match(text: str, golds: Sequence[str]) -> bool:
    """Whether `text` is one of the gold answers, both normalized."""
    return normalized_answer(text) in {normalized_answer(gold) for gold in golds}


def token_f1(text: str, golds: Sequence[str]) -> float:
    """F1 of the bags of normalized words, in [0, 1], with the gold answer for which it is highest.

    Where one side has no words it is 1 if neither has, else 0, as in SQuAD 2.0. 0.0 without gold answers.
    """
    return max(
        (_f1(normalized_answer(text).split(), normalized_answer(gold).split()) for gold in golds), default=0.0
    )


def holds_answer(text: str, golds: Sequence[str]) -> bool:
    """Whether the words of a gold answer stand in `text`, in their order and next to each other, both normalized."""
    held = f" {normalized_answer(text)} "
    return any(f" {gold} " in held for gold in map(normalized_answer, golds) if gold)


def score_gold_answers(answer: Answered | None, golds: Sequence[str]) -> GoldAnswerScore:
    """How the answer stands to the gold answers; None is a refusal, an empty answer."""
    if answer is None:
        return GoldAnswerScore(
            is_answered=False, is_quoted=False, exact=exact_match("", golds), f1=token_f1("", golds)
        )
    told = " ".join(sentence.text for sentence in answer.sentences)
    return GoldAnswerScore(
        is_answered=True,
        is_quoted=any(holds_answer(citation.quote, golds) for citation in answer.citations),
        exact=exact_match(told, golds),
        f1=token_f1(told, golds),
    )


def count_gold_answers(scores: Sequence[GoldAnswerScore]) -> GoldAnswerCounts | None:
    """The counts over questions with gold answers; None where there is none."""
    if not scores:
        return None
    quoted = sum(score.is_quoted for score in scores)
    return GoldAnswerCounts(
        quoted=Proportion(quoted, len(scores)),
        quoted_of_answered=Proportion(quoted, sum(score.is_answered for score in scores)),
        exact=Proportion(sum(score.exact for score in scores), len(scores)),
        f1=mean_estimate([score.f1 for score in scores]),
    )


def _f1(said: Sequence[str], gold: Sequence[str]) -> float:
    if not said or not gold:
        return float(said == gold)
    n_same = sum((Counter(said) & Counter(gold)).values())
    if not n_same:
        return 0.0
    precision, recall = n_same / len(said), n_same / len(gold)
    return 2 * precision * recall / (precision + recall)
