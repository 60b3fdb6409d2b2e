"""The field's terms as the console uses them; `docs/glossary.md` says the same at more length."""

from __future__ import annotations

TERMS: dict[str, str] = {
    "cosine distance": (
        "1 − the cosine of the angle between question and passage: 0 says the same, 1 has nothing in common, "
        "2 is opposite."
    ),
    "cut": (
        "A passage may be answered from when its relevance is at or above the cut or, where no reranker read it, when "
        "its cosine distance is at or below it."
    ),
    "relevance": (
        "How probably the passage answers the question, 0 to 1, as the reranker says after reading both together."
    ),
    "rerank order": (
        "What the reranker orders by: its own score and the cosine. Compares within one question only; whether "
        "a passage passes is decided by its relevance."
    ),
    "reranker": "A model that reads question and passage together; slower than vectors, better at what answers.",
    "max passages": "At most this many passages that pass the cut are handed on; four good ones beat twenty.",
    "passage": "A stretch of a document that is searched, compared and quoted as one (a chunk).",
    "coverage": "How much of a file was read: pages, slides, rows with a value, chapters, cues, seconds; read of all.",
    "index version": "One build of the index by one model and one pipeline; vectors of two models never meet.",
    "dimension": "How many numbers stand for one passage.",
    "pooling": "How the model makes one vector of many words.",
    "window": "How many tokens the model reads at once; what is longer would be cut off silently, so it is split.",
    "over window": "Passages longer than the model's window. Must be 0: their end would not be searchable.",
    "split for window": "Passages that had to be split to fit the model's window.",
    "stale": "Documents whose bytes changed since this version indexed them.",
    "vectors": "Passages in the dense index, counted in the index.",
    "lexical": "Passages in the BM25 index, counted in the index. Must equal the vectors.",
    "BM25": "Score of the words that question and passage share; compares within one question only.",
    "RRF": "Reciprocal rank fusion: the two lists' ranks added up as 1 / (60 + rank).",
    "refused": "Nothing in the documents was good enough to answer from, and Footnote said so.",
    "not allowed": "The people who would read the answer may not see the folders it could stand in.",
    "broken": "Something failed on our side. Never told as a refusal.",
    "may explain": (
        "Refusals of the last 30 days whose search covered the file's folder while the file could not be read in full. "
        "It may hold their answer; nobody knows before it is read. Each refusal counts once a reason."
    ),
    "near-duplicate": (
        "Two texts that share at least nine tenths of their runs of words (Jaccard similarity, 1 is the same text)."
    ),
    "left out": "A decision, not a fault: somebody disabled the document, or an older one says nearly the same.",
    "encoding": "How the file's bytes stand for letters: as the file says it, else as guessed from how its words read.",
    "OCR confidence": "How sure the recognition of a scanned page's letters is, 0 to 1, averaged over its lines.",
    "open": "Everybody may be answered from it: all people of the console, direct messages, channels without a set-up.",
    "external": "Guests and people of other organisations may be answered from it.",
    "pipeline": "Version of reading, cutting and embedding; a new one makes stored vectors stale.",
    "golden set": (
        "Questions whose right outcome is known: with the sentence that answers them, or to be refused. It measures."
    ),
    "needle": "A sentence that answers a golden question; it stands word for word, once, and is no heading.",
    "needles destroyed": "Needles that no passage holds whole: cut apart, they cannot be found whatever is asked.",
    "support": (
        "How probably the cited text says what the answer's weakest claim says, 0 to 1; 1 where every "
        "sentence stands there verbatim."
    ),
    "claim": (
        "A part of a sentence that can be checked alone. Each is held against what its sentence cites; the weakest "
        "decides."
    ),
    "bluff": "A question that must be refused, and was answered. Always told beside the wrong refusals.",
    "wrong refusal": "A question that the documents answer, and was refused. The price of few bluffs.",
    "right passage": "Answered, and a cited passage holds the needle whole.",
    "right quote": "Stricter: a quote holds the needle, or is the part of it that makes one sentence.",
    "answer coverage": "Answerable questions that were answered, rightly or not.",
    "faults": (
        "Where the right passage was lost: not among the candidates, held back by the gate, or passed and not quoted."
    ),
    "recall@k": "Questions of which the needle stands whole in one of the first k passages.",
    "nDCG": "How high the right passages stand among the first ten: 1 when they stand first, 0 when none is there.",
    "MRR": "Mean reciprocal rank: the mean of 1 / the rank of the right passage, 0 where it was not found.",
    "interval": "95 %: Wilson's for shares, bootstrap for means. Two that overlap may be the same.",
    "sign test": "Two-sided exact test on the questions that only one of the two got right; p below 0.05 is no chance.",
    "risk": "Of the questions that the gate lets through, the share that does not pass with its right passage.",
    "AUROC": (
        "How probably an answerable question scores better than one to refuse: 1 tells them apart, 0.5 is a coin."
    ),
    "unresolved markers": "Citation marks of the generator that named no passage; they were removed.",
}
