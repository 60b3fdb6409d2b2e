"""What a model wrote is recorded as what it was: an abstention, or something that nothing carries."""

import pytest

from rag.generate.prompt import read_completion
from rag.types import RefusalReason
from tests.rag.fakes import scored, stored_chunk

PASSAGES = (scored(stored_chunk("Tea is free.")),)


@pytest.mark.parametrize(
    "text", ["ABSTAIN", "I abstain. [1]", "No answer.", "**no-answer**", "NO_ANSWER", ""]
)
def test_an_abstention_in_other_letters_is_one(text):
    draft = read_completion(text, PASSAGES)
    assert (draft.sentences, draft.abstained) == ((), RefusalReason.MODEL_ABSTAINED)


@pytest.mark.parametrize("text", ["[1]", "[1].", "[1][2]"])
def test_a_marker_without_words_is_no_abstention(text):
    draft = read_completion(text, PASSAGES)
    assert (draft.sentences, draft.abstained) == ((), RefusalReason.UNSUPPORTED_CLAIMS)


@pytest.mark.parametrize("text", ["No answer is needed by post. [1]", "Abstain from tea. [1]"])
def test_a_sentence_that_begins_like_one_is_read(text):
    assert len(read_completion(text, PASSAGES).sentences) == 1
