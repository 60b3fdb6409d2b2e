"""Every number the core works with, in one frozen, printable value."""

from __future__ import annotations

from dataclasses import dataclass

PIPELINE_VERSION = "3"
"""Raised when chunking or embedding changes so that stored vectors become stale."""

SAMPLE_MODEL = "all-MiniLM-L6-v2"
ADAPTED_MODEL = "footnote-minilm"
"""all-MiniLM-L6-v2 with Footnote's adapter for handbook questions (rag/models/embedder)."""
SAMPLE_RERANKER = "footnote-relevance"


@dataclass(frozen=True, slots=True)
class RagConfig:
    """Configuration of the core; sources are given where a value is not ours.

    Attributes:
        model: a known model name, or the path of a sentence-transformers folder.
        chunking: the letter of a chunking strategy, A to F (reference study: E).
        chunk_chars: budget of a chunk's own words, in characters (reference study: 512).
        chunk_tokens: the same in tokens of the embedding model, in place of `chunk_chars`; None leaves that.
        bm25_k1, bm25_b: Robertson and Zaragoza 2009; the reference study's values.
        bm25_average_words: words a chunk is taken to have by BM25 on a Qdrant server, which cannot count them
            (measured on the corpora at hand: 57 to 59); the embedded one counts.
        rrf_k: Cormack, Clarke and Büttcher 2009, who found 60 good over many collections.
        n_candidates: how many chunks each side hands to the fusion.
        reranker: "footnote-relevance", a cross-encoder's name or path, or "none".
        n_rerank: how many of the fused chunks the reranker reads (reference study: 25).
        rerank_time_s: the reranker's time limit; past it the fused order stands and the distance decides.
        relevance_cut: default gate where there is a reranker; a relevance in [0, 1].
        distance_cut: default gate where there is none; a cosine distance in [0, 2].
        evidence_floor: what the best quoted sentence must reach (cosine to the question + half the share
            of its words, in [−1, 1.5]); below it the answer is refused as weak evidence.
        reranked_evidence_floor: the same for passages that a reranker let pass: they were read with the question
            already, so that a sentence in other words may answer.
        refine_from: a best relevance from here up to the cut has the question searched for again in other words
            (second reference study: 0.4 of another scale).
        max_hops: searches for one question at most (second reference study: 3).
        support_cut: what the support model must give the weakest claim of an answer, in (0, 1].
        answer_time_s, generate_time_s, verify_time_s: time limits of the whole question, of the generator and of the
            support model; past the last two quoting replaces the generator and only verbatim claims hold.
        max_chunks: four good chunks beat twenty (reference study).
        max_sentences: the most sentences the extractive generator quotes.
        max_question_chars: longer questions are refused as bad input.
        threads: CPU threads for the model; 0 leaves torch's own choice.
    """

    model: str = ADAPTED_MODEL
    chunking: str = "E"
    chunk_chars: int = 512
    chunk_tokens: int | None = None
    bm25_k1: float = 1.2
    bm25_b: float = 0.75
    bm25_average_words: float = 59.0
    rrf_k: int = 60
    n_candidates: int = 25
    reranker: str = SAMPLE_RERANKER
    n_rerank: int = 25
    rerank_time_s: float = 3.0
    relevance_cut: float = 0.6
    distance_cut: float = 0.6
    evidence_floor: float = 0.8
    reranked_evidence_floor: float = 0.4
    refine_from: float = 0.3
    max_hops: int = 3
    support_cut: float = 0.5
    answer_time_s: float = 30.0
    generate_time_s: float = 20.0
    verify_time_s: float = 3.0
    max_chunks: int = 4
    max_sentences: int = 4
    max_question_chars: int = 2_000
    threads: int = 0


@dataclass(frozen=True, slots=True)
class ExtractionLimits:
    """What one file may cost. Passing a limit ends in `ResourceLimit`, never in a dead worker.

    `memory_mib` bounds the address space of the extraction process, `time_s` its wall time,
    `max_pages` and `max_cells` what is read, `max_unpacked_mib` what a zip container may unpack to,
    `max_chars` the canonical text, `max_attachment_mib` all files inside one file together.
    `pages`, first and last from 1, reads only these pages of a PDF or TIFF. `speech_model` is the name or
    folder of a Whisper model for recordings; without one they are not read. They may take
    `recording_time_s` instead of `time_s`; what was heard by then is kept.
    """

    memory_mib: int = 3_072
    time_s: float = 180.0
    max_pages: int = 3_000
    max_cells: int = 2_000_000
    max_unpacked_mib: int = 512
    max_chars: int = 20_000_000
    max_attachment_mib: int = 100
    pages: tuple[int, int] | None = None
    speech_model: str = ""
    recording_time_s: float = 3_600.0
