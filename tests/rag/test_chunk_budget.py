import re

from hypothesis import given, settings
from hypothesis import strategies as st

from rag.chunk import chunk_document
from rag.chunking.budget import CharBudget, token_budget
from rag.chunking.strategy import CHUNKING_STRATEGIES
from tests.rag.blocks import A, extraction, words

SENTENCES = extraction([("paragraph", " ".join(f"Gull number {n} eats bread." for n in range(40)), A)])


def parts(text):
    """What a BERT tokenizer parts before it looks anything up: words, marks, CJK characters."""
    return re.findall(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+|[^\w\s]", text)


def count_tokens(texts):
    return [2 + sum(1 + (len(part) - 1) // 8 for part in parts(text)) for text in texts]


def chunked(document, tokens, *, letter="E", window=64):
    return chunk_document(
        document,
        budget_chars=512,
        budget_tokens=tokens,
        window_tokens=window,
        count_tokens=count_tokens,
        strategy=CHUNKING_STRATEGIES[letter],
    )


def own_tokens(text):
    """Tokens without the two special ones."""
    return count_tokens([text])[0] - 2


def test_a_token_budget_packs_whole_sentences():
    chunks = chunked(SENTENCES, 24).chunks
    assert [chunk.content.count("Gull") for chunk in chunks] == [4] * 10
    assert all(own_tokens(chunk.content) <= 24 for chunk in chunks)


def test_the_real_size_is_the_smaller_of_budget_and_window():
    result = chunked(SENTENCES, 1_000)
    assert result.n_split_for_window == 0
    assert all(chunk.n_tokens <= 64 for chunk in result.chunks)
    assert all(chunk.content.startswith("Gull") and chunk.content.endswith(".") for chunk in result.chunks)
    assert len(result.chunks) == 5


def test_a_blind_token_budget_never_cuts_a_word():
    chunks = chunked(SENTENCES, 7, letter="A").chunks
    assert [part for chunk in chunks for part in parts(chunk.content)] == parts(SENTENCES.text)
    assert all(0 < own_tokens(chunk.content) <= 7 for chunk in chunks)


def test_a_word_over_the_token_budget_stands_alone():
    text = "a " + "x" * 50 + " b"
    budget = token_budget(text, 3, count_tokens)
    assert [budget.reach(0), budget.reach(2), budget.reach(53)] == [2, 53, 54]


def test_a_run_of_characters_that_is_one_token_is_still_cut():
    def one_token_a_word(texts):
        return [2 + len(text.split()) for text in texts]

    chunks = chunk_document(
        extraction([("paragraph", "x" * 5_000, A)]),
        budget_chars=512,
        budget_tokens=20,
        window_tokens=64,
        count_tokens=one_token_a_word,
    ).chunks
    assert all(len(chunk.content) <= 4 * 4 * 20 for chunk in chunks)
    assert "".join(chunk.content for chunk in chunks) == "x" * 5_000


@settings(deadline=None)
@given(words, st.data())
def test_characters_are_counted_as_they_are(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    budget = CharBudget(data.draw(st.integers(1, 200)), len(text))
    end = budget.reach(start)
    assert start < end <= len(text)
    assert budget.fits(start, end)
    assert end == len(text) or not budget.fits(start, end + 1)
    assert budget.within(1) is budget


@settings(deadline=None)
@given(words, st.integers(1, 30), st.data())
def test_token_budget_equals_counting_each_stretch(text, limit, data):
    budget = token_budget(text, limit, count_tokens)
    borders = sorted({0, len(text), *(at for match in re.finditer(r"\s", text) for at in match.span())})
    start = data.draw(st.sampled_from(borders[:-1]))
    end = data.draw(st.sampled_from([at for at in borders if at > start]))
    counted = count_tokens([text[start:end]])[0] - 2
    assert budget.size(start, end) == counted
    assert budget.fits(start, end) == (counted <= limit)
    reach = budget.reach(start)
    assert start < reach <= len(text)
    assert len(parts(text[start:reach])) <= 1 or count_tokens([text[start:reach]])[0] - 2 <= limit
    assert budget.within(0).limit == 1
