"""Measuring answers: golden questions, recall, bluffs and wrong refusals, all with intervals."""

from rag.evaluate.golden import (
    GoldenNeedle,
    GoldenRefusal,
    holds_needle,
    needles_destroyed,
    read_needles,
    read_refusals,
)
from rag.evaluate.report import EvaluationReport, evaluate_answers
from rag.evaluate.statistics import Proportion, sign_test, wilson_interval

__all__ = [
    "EvaluationReport",
    "GoldenNeedle",
    "GoldenRefusal",
    "Proportion",
    "evaluate_answers",
    "holds_needle",
    "needles_destroyed",
    "read_needles",
    "read_refusals",
    "sign_test",
    "wilson_interval",
]
