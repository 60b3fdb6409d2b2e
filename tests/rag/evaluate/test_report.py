from rag.cite import bind
from rag.evaluate import GoldenNeedle, GoldenRefusal, evaluate_answers
from rag.generate import Draft, DraftSentence
from rag.types import Answered, RefusalReason, Refused, Trace
from tests.rag.fakes import scored, stored_chunk

NEEDLES = [
    GoldenNeedle("n1", "a.md", "Gulls eat bread.", "gulls?", "birds hungry"),
    GoldenNeedle("n2", "b.md", "The ferry leaves at nine.", "ferry?", ""),
]
GULLS = scored(stored_chunk("Gulls eat bread. They like it.", chunk_id="g"))
FERRY = scored(stored_chunk("The ferry leaves at nine. Daily.", chunk_id="f"))
REFUSALS = [GoldenRefusal("r1", "near", "gull pay?"), GoldenRefusal("r2", "far", "moon?")]


def answered(words, passage):
    bound = bind(Draft((DraftSentence(words, (1,)),)), (passage,))
    return Answered(bound.sentences, bound.citations, 0.2, 0, "fake", Trace(()))


def refused(reason):
    return Refused(reason, 0.9, 0.5, (), Trace(()))


SEARCH = {"gulls?": [FERRY, GULLS], "birds hungry": [FERRY], "ferry?": [FERRY]}
ANSWERS = {
    "gulls?": answered("They like it.", GULLS),
    "birds hungry": refused(RefusalReason.BELOW_THRESHOLD),
    "ferry?": answered("The ferry leaves at nine.", FERRY),
    "gull pay?": answered("Gulls eat bread.", GULLS),
    "moon?": refused(RefusalReason.WEAK_EVIDENCE),
}


def run(**more):
    return evaluate_answers(
        NEEDLES, REFUSALS, search=SEARCH.__getitem__, ask=ANSWERS.__getitem__, ks=(1, 2), **more
    )


def counts(proportion):
    return proportion.successes, proportion.n


def test_faults_are_counted_apart():
    report = run()
    assert {k: counts(recall) for k, recall in report.recall.items()} == {1: (1, 3), 2: (2, 3)}
    assert counts(report.coverage) == (2, 3)
    assert counts(report.right_passage) == (2, 3)
    assert counts(report.right_quote) == (1, 3)
    assert counts(report.wrong_refusals) == (1, 3)
    assert report.refusal_reasons == {"below_threshold": 1}
    assert counts(report.bluffs) == (1, 2)
    assert {kind: counts(bluffs) for kind, bluffs in report.bluffs_by_kind.items()} == {
        "near": (1, 1),
        "far": (0, 1),
    }


def test_tickets_can_be_left_out():
    assert counts(run(tickets=False).coverage) == (2, 2)
