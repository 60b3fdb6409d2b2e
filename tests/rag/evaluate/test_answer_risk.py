import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.evaluate import ConfidentAnswer, answer_risk, ask_with_open_gate
from tests.rag.evaluate.test_report import ANSWERS, GOLDEN

ANSWERED = [
    ConfidentAnswer(True, 0.9, is_right=True),
    ConfidentAnswer(True, 0.8, is_right=True),
    ConfidentAnswer(False, 0.7, is_right=False),
    ConfidentAnswer(True, 0.6, is_right=True),
    ConfidentAnswer(True, None, is_right=False),
]
answers = st.lists(
    st.builds(
        lambda is_answerable, confidence, right: ConfidentAnswer(
            is_answerable, confidence, is_answerable and confidence is not None and right
        ),
        st.booleans(),
        st.none() | st.sampled_from([0.1, 0.2, 0.5, 0.9]),
        st.booleans(),
    ),
    max_size=12,
)


def test_coverage_is_of_all_that_were_asked_and_ends_where_the_rest_is_refused():
    risk = answer_risk(ANSWERED)
    assert [(p.score, p.coverage, round(p.risk, 3)) for p in risk.points] == [
        (0.9, 0.2, 0.0),
        (0.8, 0.4, 0.0),
        (0.7, pytest.approx(0.6), 0.333),
        (0.6, 0.8, 0.25),
    ]
    assert risk.at_risk(0.01).coverage == 0.4
    assert risk.at_risk(0.3).coverage == 0.8, "the risk may fall again"
    assert risk.at_coverage(0.5).score == 0.7
    assert risk.at_coverage(0.9) is None
    assert str(risk.wrong(risk.points[-1])).startswith("1/4")


def test_without_questions_to_refuse_only_another_passage_is_wrong():
    risk = answer_risk(ANSWERED, answerable_only=True)
    assert (risk.n, risk.n_answerable) == (4, 4)
    assert [p.risk for p in risk.points] == [0.0, 0.0, 0.0]
    assert risk.points[-1].coverage == 0.75


@given(answers)
def test_each_point_counts_as_a_loop_does(asked):
    risk = answer_risk(asked)
    for point in risk.points:
        told = [each for each in asked if each.confidence is not None and each.confidence >= point.score]
        assert point.coverage == pytest.approx(len(told) / len(asked))
        assert point.risk == pytest.approx(sum(not each.is_right for each in told) / len(told))
        assert risk.wrong(point).n == len(told)
        assert risk.wrong(point).successes == sum(not each.is_right for each in told)
    assert 0.0 <= risk.area <= 1.0 + 1e-12  # a sum of floats


def test_every_question_is_asked_and_a_bluff_is_wrong():
    found = ask_with_open_gate(GOLDEN, ANSWERS.__getitem__)
    assert [(each.is_answerable, each.confidence is not None, each.is_right) for each in found] == [
        (True, True, True),
        (True, True, True),
        (True, False, False),
        (True, False, False),
        (True, True, False),
        (False, True, False),
        (False, False, False),
    ]
    assert found[0].confidence == pytest.approx(0.8), "no reranker read: one minus the distance"
