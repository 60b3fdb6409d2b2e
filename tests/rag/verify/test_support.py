"""The packaged support model: the real weights; how long evidence is read in parts needs none."""

import shutil
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import ModelMissing
from rag.rerank.pair_model import OutOfTime
from rag.verify.support import _PART_CHARS, PackagedSupport, _parts, load_support

EVIDENCE = (
    "Leave policy > Annual leave\nEvery employee gets 28 days of annual leave a year. Leave has to be approved by the "
    "line manager before it is booked. Unused days may be carried over until the end of March."
)


@pytest.fixture(scope="module")
def model():
    return load_support()


@pytest.mark.model
def test_what_is_said_stands_before_what_is_not(model):
    says, elsewhere = "The line manager approves leave before it is booked.", "Lunch is free on Fridays."
    supported, not_stated = model.support([(says, EVIDENCE), (elsewhere, EVIDENCE)])
    assert 1 >= supported > 0.5 > not_stated >= 0
    assert supported > 3 * not_stated


@pytest.mark.model
def test_it_has_a_name_with_its_revision(model):
    name, revision = model.name.split("/")
    assert name == "footnote-support"
    assert len(revision) == 12


@pytest.mark.model
def test_nothing_to_weigh_and_out_of_time(model):
    assert model.support([]) == []
    with pytest.raises(OutOfTime):
        model.support([("a claim", EVIDENCE)], deadline=time.monotonic() - 1)


@pytest.mark.model
def test_long_evidence_is_read_to_its_end(model):
    claim = "Unused days may be carried over until the end of March."
    filler = "The harbour office opens at eight and closes at four on every working day of the week. " * 60
    [at_the_end] = model.support([(claim, f"{filler}{EVIDENCE}")])
    [nowhere] = model.support([(claim, filler)])
    assert at_the_end > 0.5 > nowhere


@pytest.mark.model
@pytest.mark.parametrize("text", ["", "\x00", "汉字 " * 2000, "a" * 50_000, "🙂"])
def test_any_text_can_be_weighed(model, text):
    for pair in ((text, EVIDENCE), ("A claim.", text)):
        [score] = model.support([pair])
        assert 0 <= score <= 1


@pytest.mark.model
def test_damaged_files_are_named(tmp_path):
    folder = PackagedSupport()._model._folder
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / "model.json").write_text("{}")
    with pytest.raises(ModelMissing, match=r"model\.json"):
        PackagedSupport(copy)
    (copy / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ModelMissing):
        PackagedSupport(copy)


def test_none_and_unknown_names():
    assert load_support("none") is None
    with pytest.raises(ValueError, match="accepted: footnote-support, none"):
        load_support("other")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text("ab .", min_size=1, max_size=900), max_size=12).map("".join))
def test_the_parts_hold_everything_and_fit(text):
    parts = list(_parts(text))
    assert all(part and len(part) <= _PART_CHARS for part in parts) or len(text) <= _PART_CHARS
    at, covered = 0, np.zeros(len(text), dtype=bool)
    for part in parts:
        at = text.index(part, at)
        covered[at : at + len(part)] = True
    assert all(covered[i] for i, character in enumerate(text) if not character.isspace())
