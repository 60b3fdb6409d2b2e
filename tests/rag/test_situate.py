import json

import pytest

from rag.causal import CausalWriter
from rag.chunk import chunk_document
from rag.config import RagConfig
from rag.errors import ModelMissing
from rag.index import chunks_of_document, index_document, open_index
from rag.situate import SentenceCheckpoint, Situating, first_sentence, situate_chunks, situating_prompt
from rag.types import Coverage, Extraction, Locator, Span
from tests.rag.fakes import HashingEmbedder

EMBEDDER = HashingEmbedder(window_tokens=64)


class Scripted:
    """Answers every prompt by its number; can be killed before its n-th batch."""

    def __init__(self, *, killed_at=None, answer="This is about number {n}."):
        self.prompts, self.batches = [], 0
        self.killed_at, self.answer = killed_at, answer

    def write(self, prompts):
        if self.batches == self.killed_at:
            raise KeyboardInterrupt
        self.batches += 1
        self.prompts += prompts
        return [self.answer.format(n=len(self.prompts) - len(prompts) + at) for at in range(len(prompts))]


def situate(made, document, writer, path, *, batch_size=2, window=64):
    return situate_chunks(
        made.chunks,
        document.text,
        writer,
        SentenceCheckpoint(path),
        batch_size,
        window_tokens=window,
        count_tokens=EMBEDDER.count_tokens,
    )


def chunked(document):
    return chunk_document(document, budget_chars=60, window_tokens=64, count_tokens=EMBEDDER.count_tokens)


@pytest.fixture
def document(handbook):
    return handbook(*((f"Part {n}", f"Rule {n} of the gulls is about ferries.") for n in range(7)))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "sentences.jsonl"


def test_the_sentence_stands_after_the_header_and_is_never_quoted(document, path):
    made = chunked(document)
    result = situate(made, document, Scripted(), path)
    assert result.chunks[3].text == (
        "[Handbook > Part 3]\nThis is about number 3.\nRule 3 of the gulls is about ferries."
    )
    assert [chunk.content for chunk in result.chunks] == [chunk.content for chunk in made.chunks]
    assert [chunk.n_tokens for chunk in result.chunks] == EMBEDDER.count_tokens(
        [chunk.text for chunk in result.chunks]
    )
    assert (result.n_situated, result.n_shortened, result.n_left_out, result.n_written) == (7, 0, 0, 7)


def test_a_repeated_table_header_stays_at_its_rows(path):
    rows = "Oslo | 90\nRome | 70"
    place = Locator(heading_path=("Rates",))
    spans = tuple(Span(at, at + 9, "table_row", place, "City | Rate") for at in (0, 10))
    document = Extraction("Handbook", rows, spans, "md", "md/1", Coverage("document", 1, 1))
    result = situate(chunked(document), document, Scripted(), path)
    assert result.chunks[0].text == f"[Handbook > Rates]\nThis is about number 0.\nCity | Rate\n{rows}"


def test_a_killed_run_goes_on_where_it_was(document, path):
    made = chunked(document)
    killed, second, third = Scripted(killed_at=2), Scripted(), Scripted()
    with pytest.raises(KeyboardInterrupt):
        situate(made, document, killed, path)
    result = situate(made, document, second, path)
    assert (len(killed.prompts), len(second.prompts)) == (4, 3)
    assert killed.prompts + second.prompts == [
        situating_prompt(chunk, document.text) for chunk in made.chunks
    ]
    assert result.n_situated == 7
    assert situate(made, document, third, path).chunks == result.chunks
    assert third.prompts == []


def test_a_torn_last_line_costs_only_its_own_prompt(document, path):
    made = chunked(document)
    situate(made, document, Scripted(), path)
    path.write_bytes(path.read_bytes()[:-20])
    again = Scripted()
    situate(made, document, again, path)
    assert again.prompts == [situating_prompt(made.chunks[-1], document.text)]
    assert situate(made, document, Scripted(killed_at=0), path).n_written == 0
    lines = path.read_text().splitlines()
    assert len(lines) == 8
    assert json.loads(lines[-1]).keys() == {"key", "sentence"}


def test_only_a_changed_passage_is_written_about_again(handbook, path):
    sections = [(f"Part {n}", f"Rule {n} of the gulls. " + "Gulls like ferries. " * 60) for n in range(4)]
    first = handbook(*sections)
    situate(chunked(first), first, Scripted(), path)
    sections[3] = ("Part 3", sections[3][1] + "But not trams.")
    second, again = handbook(*sections), Scripted()
    situate(chunked(second), second, again, path)
    assert 0 < len(again.prompts) <= 2
    assert all("But not trams." in prompt for prompt in again.prompts)


def test_equal_prompts_are_asked_once(handbook, path):
    document = handbook(("A", "Gulls."))
    made = chunked(document)
    writer = Scripted()
    result = situate_chunks(
        made.chunks * 3,
        document.text,
        writer,
        SentenceCheckpoint(path),
        2,
        window_tokens=64,
        count_tokens=EMBEDDER.count_tokens,
    )
    assert len(writer.prompts) == 1
    assert result.n_situated == 3


def test_a_sentence_over_the_window_is_shortened_or_left_out(handbook, path):
    document = handbook(("A", "gull " * 50), ("B", "gull " * 9))
    made = chunk_document(document, budget_chars=300, window_tokens=64, count_tokens=EMBEDDER.count_tokens)
    tight = made.chunks[0].n_tokens
    result = situate(made, document, Scripted(answer="word " * 40), path, window=tight)
    assert result.chunks[0] == made.chunks[0]
    assert (result.n_situated, result.n_shortened, result.n_left_out) == (1, 0, 1)
    result = situate(made, document, Scripted(), path, window=tight + 6)
    assert (result.n_situated, result.n_shortened, result.n_left_out) == (2, 1, 0)
    assert all(chunk.n_tokens <= tight + 6 for chunk in result.chunks)
    assert 1 <= result.chunks[0].text.count("word") <= 6


@pytest.mark.parametrize(
    ("completion", "sentence"),
    [
        ("It is about gulls. And more.", "It is about gulls."),
        ('\n "About ferries."\nSecond line.', "About ferries."),
        ("See No. 4 of the rules", "See No. 4 of the rules"),
        (" \n--\n", ""),
    ],
)
def test_only_the_first_sentence_of_a_completion_counts(completion, sentence):
    assert first_sentence(completion) == sentence


def test_a_model_that_writes_nothing_leaves_the_chunks_as_they_were(document, path):
    made = chunked(document)
    result = situate(made, document, Scripted(answer=" "), path)
    assert result.chunks == made.chunks
    assert result.n_left_out == 7


def test_an_index_can_situate_its_chunks(tmp_path, store, document, path):
    def indexed(situating):
        index = open_index(
            "main",
            config=RagConfig(),
            directory=tmp_path,
            store=store,
            embedder=HashingEmbedder(),
            situate=situating,
        )
        report = index_document(index, document, document_id=1, folder_id=1, title="Rules")
        return report, chunks_of_document(index, 1)

    plain, _ = indexed(None)
    assert plain.n_situated == 0
    report, chunks = indexed(Situating(Scripted(), SentenceCheckpoint(path)))
    assert report.n_situated == report.n_chunks == 7
    assert chunks[2].text.splitlines()[:2] == ["[Rules > Part 2]", "This is about number 2."]
    assert chunks[2].content == "Rule 2 of the gulls is about ferries."


def tiny_model(folder):
    """A causal model of a few thousand random weights with a tokenizer of words."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    words = ["<unk>", "<eos>", "gulls", "eat", "bread", "on", "ferries", "rule", "the", "of"]
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", eos_token="<eos>").save_pretrained(
        folder
    )
    torch.manual_seed(7)
    LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(words),
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=64,
            bos_token_id=1,
            eos_token_id=1,
            pad_token_id=None,
        )
    ).save_pretrained(folder)


@pytest.mark.model
def test_a_local_causal_model_writes_the_same_for_a_prompt_alone_and_in_a_batch(tmp_path):
    tiny_model(tmp_path / "model")
    writer = CausalWriter(tmp_path / "model", max_new_tokens=6)
    prompts = ["gulls eat bread", "rule of the ferries on the gulls " * 30, "the"]
    together = writer.write(prompts)
    assert len(together) == 3
    assert any(together)
    assert together == [writer.write([prompt])[0] for prompt in prompts]
    assert writer.write([]) == []


@pytest.mark.model
def test_a_folder_without_a_model_is_missing(tmp_path):
    with pytest.raises(ModelMissing):
        CausalWriter(tmp_path).write(["gulls"])
