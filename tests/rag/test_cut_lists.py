"""Lists that chunking cuts: what an answer says of the part that it does not see, from extraction to answer."""

from dataclasses import replace

import pytest

from rag import ListRest, Scope, Thresholds, answer, index_document
from rag.types import Coverage, Extraction, Locator, Span
from rag.write import _around

SCOPE = Scope((1,))
QUESTION = "How do I replace the cartridge?"


def manual(n_steps, detail="as the label on the inside of the lid shows it, with both hands"):
    """A lead-in and steps; of those with the detail, about 100 characters, a passage holds a few."""
    blocks = [
        ("paragraph", "To replace the cartridge of the printer:"),
        *(
            ("list_item", f"{n}. Replace part {n} of the cartridge {detail}".strip())
            for n in range(1, n_steps + 1)
        ),
    ]
    text, spans = "", []
    for kind, words in blocks:
        text += "\n\n" if text else ""
        spans.append(Span(len(text), len(text) + len(words), kind, Locator(heading_path=("Cartridge",))))
        text += words
    return Extraction("Printers", text, tuple(spans), "md", "md/1", Coverage("document", 1, 1))


def answered(index, extraction):
    index_document(index, extraction, document_id=1, folder_id=1, title=extraction.title)
    lenient = replace(index, config=replace(index.config, evidence_floor=0.0))
    return answer(QUESTION, index=lenient, scope=SCOPE, thresholds=Thresholds(2.0, max_chunks=1)).sentences


@pytest.mark.parametrize("n_steps", [8, 10])
def test_a_list_longer_than_a_passage_is_told_as_going_on_and_never_counted(index, n_steps):
    told = answered(index, manual(n_steps))
    assert told[-1].list_rest == ListRest.GOES_ON
    assert not any(sentence.n_more for sentence in told)


def test_a_list_that_ends_with_its_passage_is_told_as_whole(index):
    told = answered(index, manual(3, detail=""))
    assert len(told) == 3
    assert not any(sentence.list_rest or sentence.n_more or sentence.is_after_gap for sentence in told)


def test_what_stands_around_a_passage_is_not_guessed(index, monkeypatch):
    index_document(index, manual(10), document_id=1, folder_id=1, title="Printers")
    first, second, *_ = chunks = index.store.document_chunks(index.name, 1)
    assert (_around(index, first).before, _around(index, first).behind) == (None, second)
    assert _around(index, chunks[-1]).behind is None
    monkeypatch.setattr("rag.write._MOST_LOOKED_THROUGH", len(chunks) - 1)
    assert _around(index, first) is None
