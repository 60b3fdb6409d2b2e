"""One sentence before each chunk that says where in its document it stands, written by a language model.

The second reference's situating sentence. It is embedded and searched like the header, and never quoted. Off unless
an `Index` is opened with a `Situating`: a model writes for seconds a chunk, and a chunk's header says much of it
already.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from rag.header import CountTokens, shortened
from rag.sentences import sentence_spans
from rag.types import Chunk

_OPENING_CHARS = 800
"""What a document is about stands at its beginning."""

_BEFORE_CHARS = 600
"""What "it" and "this" in a passage mean stands right before it."""

_TASK = (
    "In one short sentence, say which part of the document this passage is and what it is about. "
    "Write the sentence only."
)


class SentenceWriter(Protocol):
    """A language model: prompts in, a completion each, in their order."""

    def write(self, prompts: list[str]) -> list[str]:
        """One completion a prompt."""
        ...


class SentenceCheckpoint:
    """The sentences written so far, in an append-only file of JSON lines; safe to share between threads.

    A sentence is kept under the SHA-256 of its prompt, so a passage is written about again only when it, or what the
    writer was shown around it, changed. Another model needs another file. A killed run loses at most its
    last batch; a line that it left torn is passed over.
    """

    def __init__(self, path: Path) -> None:
        """Reads `path` where it exists; its folder must."""
        self._path = path
        self._lock = threading.Lock()
        self._sentences = dict(_read(path))

    def get(self, prompt: str) -> str | None:
        """The model's completion for `prompt`; None when it was not asked yet."""
        return self._sentences.get(_key(prompt))

    def put(self, prompts: Sequence[str], completions: Sequence[str]) -> None:
        """Keep the completions; they are on disk when this returns."""
        kept = {_key(prompt): text for prompt, text in zip(prompts, completions, strict=True)}
        lines = "".join(f"{json.dumps({'key': key, 'sentence': text})}\n" for key, text in kept.items())
        with self._lock, self._path.open("ab") as file:
            # The line break closes a line that a killed run left torn.
            file.write((lines if _ends_with_line(self._path) else f"\n{lines}").encode())
            file.flush()
            os.fsync(file.fileno())
            self._sentences |= kept


@dataclass(frozen=True, slots=True)
class Situating:
    """What an index needs to put sentences before its chunks: it is given to `open_index`."""

    writer: SentenceWriter
    checkpoint: SentenceCheckpoint
    batch_size: int = 8


@dataclass(frozen=True, slots=True)
class SituatedChunks:
    """Chunks with their sentences.

    Attributes:
        n_situated: chunks that have a sentence, shortened or whole.
        n_shortened: sentences that lost words to the encoder's window.
        n_left_out: chunks without one: the window had no room, or the model wrote nothing.
        n_written: prompts the model was asked in this run.
    """

    chunks: tuple[Chunk, ...]
    n_situated: int
    n_shortened: int
    n_left_out: int
    n_written: int


def situate_chunks(
    chunks: Sequence[Chunk],
    document_text: str,
    writer: SentenceWriter,
    checkpoint: SentenceCheckpoint,
    batch_size: int,
    *,
    window_tokens: int,
    count_tokens: CountTokens,
) -> SituatedChunks:
    """The chunks of one document with a sentence after the header line of `text`; `content` stays as it is.

    Args:
        chunks: as `chunk_document` made them of `document_text`.
        document_text: the canonical text.
        writer: asked only for what the checkpoint lacks.
        checkpoint: filled after each batch.
        batch_size: prompts a call of the writer.
        window_tokens: the encoder's window; a sentence that would pass it is shortened or left out.
        count_tokens: the embedding model's own tokenizer, special tokens included.
    """
    prompts = [situating_prompt(chunk, document_text) for chunk in chunks]
    missing = [prompt for prompt in dict.fromkeys(prompts) if checkpoint.get(prompt) is None]
    for at in range(0, len(missing), batch_size):
        batch = missing[at : at + batch_size]
        checkpoint.put(batch, writer.write(batch))
    sentences = [first_sentence(checkpoint.get(prompt) or "") for prompt in prompts]
    situated = [
        _situated(chunk, text) if text else chunk for chunk, text in zip(chunks, sentences, strict=True)
    ]
    counts = count_tokens([chunk.text for chunk in situated]) if situated else []
    found: list[Chunk] = []
    n_shortened = 0
    for chunk, longer, sentence, count in zip(chunks, situated, sentences, counts, strict=True):
        if count <= window_tokens:
            found.append(replace(longer, n_tokens=count))
            continue
        fitting = _fitting(chunk, sentence, window_tokens, count_tokens)
        n_shortened += fitting is not chunk
        found.append(fitting)
    n_situated = sum(new.text != old.text for new, old in zip(found, chunks, strict=True))
    return SituatedChunks(
        chunks=tuple(found),
        n_situated=n_situated,
        n_shortened=n_shortened,
        n_left_out=len(found) - n_situated,
        n_written=len(missing),
    )


def situating_prompt(chunk: Chunk, document_text: str) -> str:
    """What the model is asked about one chunk: the document's opening, what stands before the chunk, the chunk."""
    opening = document_text[: min(_OPENING_CHARS, chunk.start)].strip()
    before = document_text[max(len(opening), chunk.start - _BEFORE_CHARS) : chunk.start].strip()
    parts = [
        f"Document:\n{opening}" if opening else "",
        f"Before the passage:\n{before}" if before else "",
        f"Passage:\n{chunk.text}",
        _TASK,
    ]
    return "\n\n".join(part for part in parts if part)


def first_sentence(completion: str) -> str:
    """The first sentence of what a model wrote, on one line and without quotation marks around it; may be empty."""
    lines = [line for line in map(str.strip, completion.splitlines()) if any(map(str.isalnum, line))]
    if not lines:
        return ""
    line = " ".join(lines[0].split())
    start, end = sentence_spans(line)[0]
    return line[start:end].strip("\"'“”‘’ ")


def _situated(chunk: Chunk, sentence: str) -> Chunk:
    """The chunk with `sentence` on a line of its own after the header line, before a repeated table header."""
    prefix = chunk.text.removesuffix(chunk.content)
    header, rest = "", prefix
    if prefix.startswith("["):
        header, _, rest = prefix.partition("\n")
        header += "\n"
    return replace(chunk, text=f"{header}{sentence}\n{rest}{chunk.content}")


def _fitting(chunk: Chunk, sentence: str, window_tokens: int, count_tokens: CountTokens) -> Chunk:
    """The chunk with as many words of the sentence as the window has room for; itself when it has none."""
    special = count_tokens([""])[0]
    room = window_tokens - chunk.n_tokens
    while room > 0:
        words = shortened(sentence, max_tokens=room + special, count_tokens=count_tokens)
        if not words:
            break
        shorter = _situated(chunk, words)
        n_tokens = count_tokens([shorter.text])[0]
        if n_tokens <= window_tokens:
            return replace(shorter, n_tokens=n_tokens)
        room //= 2  # tokens of the parts need not add up in every tokenizer
    return chunk


def _key(prompt: str) -> str:
    return hashlib.sha256(prompt.encode(errors="replace")).hexdigest()


def _read(path: Path) -> list[tuple[str, str]]:
    if not path.is_file():
        return []
    found = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            row = json.loads(line)
            found.append((str(row["key"]), str(row["sentence"])))
        except (ValueError, KeyError, TypeError):
            continue
    return found


def _ends_with_line(path: Path) -> bool:
    """Whether the file is empty or its last line is closed."""
    size = path.stat().st_size
    if size == 0:
        return True
    with path.open("rb") as file:
        file.seek(size - 1)
        return file.read(1) == b"\n"
