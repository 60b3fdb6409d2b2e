"""Risk and coverage of whole answers: what is answered from a confidence on, and how much of it is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.evaluate.discrimination import RiskPoint, area_under_risk, risk_coverage
from rag.evaluate.golden import GoldenSet
from rag.evaluate.report import Ask, cites_needles
from rag.evaluate.statistics import Proportion
from rag.types import Answered


@dataclass(frozen=True, slots=True)
class ConfidentAnswer:
    """One question asked with the gate open.

    Attributes:
        is_answerable: the documents answer it.
        confidence: what the gate would compare, of the best passage that is cited, higher is surer: its relevance in
            [0, 1] or 1 − its cosine distance; None where it was refused all the same, and is at every cut.
        is_right: answered from the right passage.
    """

    is_answerable: bool
    confidence: float | None
    is_right: bool


@dataclass(frozen=True, slots=True)
class AnswerRisk:
    """Selective answering over `n` questions (El-Yaniv and Wiener 2010), strictest cut first.

    Coverage is the share of all `n` that is answered; it ends where questions are refused at every cut.
    """

    n: int
    n_answerable: int
    points: tuple[RiskPoint, ...]

    @property
    def area(self) -> float:
        """Mean risk over the coverages that are reached, as a share of them (AURC); 0.0 for none."""
        reached = self.points[-1].coverage if self.points else 0.0
        return area_under_risk(self.points) / reached if reached else 0.0

    def at_risk(self, most: float) -> RiskPoint | None:
        """The point of the highest coverage with a risk of at most `most`; None where there is none."""
        return max((p for p in self.points if p.risk <= most), key=lambda p: p.coverage, default=None)

    def at_coverage(self, least: float) -> RiskPoint | None:
        """The first point that covers at least `least`; None where that many are never answered."""
        return next((p for p in self.points if p.coverage >= least), None)

    def wrong(self, point: RiskPoint) -> Proportion:
        """The wrong ones among the answered, of which the point's risk is the share."""
        n_answered = round(point.coverage * self.n)
        return Proportion(round(point.risk * n_answered), n_answered)


def ask_with_open_gate(golden: GoldenSet, ask: Ask) -> tuple[ConfidentAnswer, ...]:
    """Every question once; `ask` must let every passage pass, so that the confidence can be cut afterwards.

    With the gate at a cut other passages than the cited one may be left to quote, and doubt is searched again: the
    curve is what a cut on the answer's own confidence would give, close to the gate's and not the same.
    """
    asked = [(each.question, each.needles) for each in golden.asked]
    asked += [(each.question, ()) for each in golden.refusals]
    return tuple(_asked(question, needles, ask) for question, needles in asked)


def answer_risk(answers: Sequence[ConfidentAnswer], *, answerable_only: bool = False) -> AnswerRisk:
    """The curve; with `answerable_only` as if nothing had been asked that the documents do not answer."""
    asked = [each for each in answers if each.is_answerable or not answerable_only]
    answered = [(each.confidence, each.is_right) for each in asked if each.confidence is not None]
    curve = risk_coverage([score for score, _ in answered], [is_right for _, is_right in answered])
    share = len(answered) / len(asked) if asked else 0.0
    return AnswerRisk(
        n=len(asked),
        n_answerable=sum(each.is_answerable for each in asked),
        points=tuple(RiskPoint(point.score, point.coverage * share, point.risk) for point in curve),
    )


def _asked(question: str, needles: tuple[str, ...], ask: Ask) -> ConfidentAnswer:
    result = ask(question)
    if not isinstance(result, Answered):
        return ConfidentAnswer(bool(needles), None, is_right=False)
    surer = 1.0 - result.best_distance if result.best_relevance is None else result.best_relevance
    return ConfidentAnswer(bool(needles), surer, is_right=bool(needles) and cites_needles(result, needles))
