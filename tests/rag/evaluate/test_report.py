from rag.cite import bind
from rag.evaluate import (
    GoldenMultihop,
    GoldenNeedle,
    GoldenRefusal,
    GoldenSet,
    NeedlePlace,
    Wording,
    evaluate_answers,
)
from rag.generate import Draft, DraftSentence
from rag.types import Answered, RefusalReason, Refused, Stage, Thresholds, Trace
from tests.rag.fakes import scored, stored_chunk

GULLS = scored(stored_chunk("Gulls eat bread. They like it.", chunk_id="g"), 0.3)
FERRY = scored(stored_chunk("The ferry leaves at nine. Daily.", chunk_id="f"), 0.2)
CUT = Thresholds(distance_cut=0.25)
GOLDEN = GoldenSet(
    "birds",
    (
        GoldenNeedle("n1", "a.md", "Gulls eat bread.", "gulls?", "birds hungry"),
        GoldenNeedle("n2", "b.md", "The ferry leaves at nine.", "ferry?", "boat when"),
    ),
    (GoldenRefusal("r1", "near", "gull pay?"), GoldenRefusal("r2", "far", "moon?")),
    (
        GoldenMultihop(
            "m1",
            "gulls and ferry?",
            (NeedlePlace("a.md", "Gulls eat bread."), NeedlePlace("b.md", "The ferry leaves at nine.")),
        ),
    ),
)


def trace(*candidates, ms=2.0):
    return Trace((Stage("retrieve", ms),), candidates)


def answered(words, passage, *candidates):
    bound = bind(Draft((DraftSentence(words, (1,)),)), (passage,))
    return Answered(bound.sentences, bound.citations, 0.2, 0, "fake", trace(*candidates))


def refused(reason, *candidates):
    return Refused(reason, 0.9, 0.5, (), trace(*candidates, ms=4.0))


ANSWERS = {
    "gulls?": answered("They like it.", GULLS, FERRY, GULLS),
    "birds hungry": refused(RefusalReason.BELOW_THRESHOLD, GULLS),
    "ferry?": answered("The ferry leaves at nine.", FERRY, FERRY),
    "boat when": refused(RefusalReason.WEAK_EVIDENCE, FERRY),
    "gulls and ferry?": answered("Gulls eat bread.", GULLS, GULLS, FERRY),
    "gull pay?": answered("Gulls eat bread.", GULLS),
    "moon?": refused(RefusalReason.WEAK_EVIDENCE),
}


def run(**more):
    return evaluate_answers(GOLDEN, ask=ANSWERS.__getitem__, thresholds=CUT, ks=(1, 2), **more)


def counts(proportion):
    return proportion.successes, proportion.n


def test_answers_refusals_and_bluffs_are_counted():
    report = run()
    assert {k: counts(recall) for k, recall in report.recall.items()} == {1: (3, 4), 2: (4, 4)}
    assert counts(report.coverage) == (2, 4)
    assert counts(report.right_passage) == (2, 4)
    assert counts(report.right_quote) == (1, 4)
    assert counts(report.wrong_refusals) == (2, 4)
    assert report.refusal_reasons == {"below_threshold": 1, "weak_evidence": 1}
    assert counts(report.bluffs) == (1, 2)
    assert {kind: counts(bluffs) for kind, bluffs in report.bluffs_by_kind.items()} == {
        "near": (1, 1),
        "far": (0, 1),
    }


def test_where_a_passage_was_lost_is_counted_apart():
    report = run()
    assert report.faults == {"not_retrieved": 0, "cut_by_gate": 1, "not_quoted": 1}
    assert sum(report.faults.values()) + report.right_passage.successes == report.coverage.n
    nothing_found = ANSWERS | {"birds hungry": refused(RefusalReason.NOTHING_RETRIEVED)}
    lost = evaluate_answers(GOLDEN, ask=nothing_found.__getitem__, thresholds=CUT)
    assert lost.faults == {"not_retrieved": 1, "cut_by_gate": 0, "not_quoted": 1}


def test_every_wording_is_counted_by_itself():
    by_wording = run().by_wording
    assert list(by_wording) == [Wording.QUESTIONS, Wording.TICKETS, Wording.MULTIHOP]
    assert counts(by_wording[Wording.QUESTIONS].right_passage) == (2, 2)
    assert counts(by_wording[Wording.TICKETS].right_passage) == (0, 2)


def test_several_needles_count_only_together():
    multihop = run().by_wording[Wording.MULTIHOP]
    assert {k: counts(recall) for k, recall in multihop.recall.items()} == {1: (0, 0), 2: (1, 1)}
    assert counts(multihop.coverage) == (1, 1)
    assert counts(multihop.right_passage) == counts(multihop.right_quote) == (0, 1)
    assert multihop.faults["cut_by_gate"] == 1  # the gulls lie behind the cut


def test_wordings_can_be_left_out():
    report = run(wordings=[Wording.QUESTIONS])
    assert counts(report.coverage) == (2, 2)
    assert list(report.by_wording) == [Wording.QUESTIONS]


def test_times_are_over_everything_asked():
    latency = run().latency
    assert (latency.total.n, latency.n_answered, latency.n_refused) == (7, 4, 3)
    assert (latency.stages["retrieve"].p50_ms, latency.total.p95_ms) == (2.0, 4.0)
