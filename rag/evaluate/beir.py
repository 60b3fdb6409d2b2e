"""BEIR collections (Thakur et al. 2021), so that figures compare with the literature.

A collection is a folder or ZIP with corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv. Title and text are indexed
together, as BEIR does. A document that does not fit one chunk is scored by its best chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.evaluate.beir_files import BeirDocument, BeirSet
from rag.evaluate.ranking import Estimate, mean_estimate, ndcg_at_k, recall_at_k
from rag.evaluate.retrieval import PairedTest, Search
from rag.index import DocumentText, Index, OnProgress, index_documents
from rag.types import Coverage, Extraction, Locator, ScoredChunk, Span

_BATCH = 64
"""Documents indexed together: their chunks share the encoder's batches."""


@dataclass(frozen=True, slots=True)
class BeirReport:
    """One way to search one collection; `ndcg_at_10` and `recall_at_100` hold a value for each query, in order."""

    configuration: str
    collection: str
    query_ids: tuple[str, ...]
    ndcg_at_10: tuple[float, ...]
    recall_at_100: tuple[float, ...]

    @property
    def mean_ndcg(self) -> Estimate:
        """Mean nDCG@10, the figure that BEIR reports."""
        return mean_estimate(self.ndcg_at_10)

    @property
    def mean_recall(self) -> Estimate:
        """Mean recall@100."""
        return mean_estimate(self.recall_at_100)


def index_beir(
    beir: BeirSet, index: Index, *, folder_id: int = 1, on_progress: OnProgress | None = None
) -> int:
    """Index the corpus and give the number of chunks; a document's id is its place in `documents`, from 1.

    `on_progress` is called with (documents indexed, documents in all).
    """
    n_chunks = 0
    for start in range(0, len(beir.documents), _BATCH):
        batch = [
            DocumentText(number, folder_id, document.title, _extraction(document))
            for number, document in enumerate(beir.documents[start : start + _BATCH], start=start + 1)
        ]
        report = index_documents(index, batch)
        n_chunks += sum(document.n_chunks for document in report.documents)
        if on_progress is not None:
            on_progress(start + len(batch), len(beir.documents))
    return n_chunks


def evaluate_beir(beir: BeirSet, search: Search, *, configuration: str) -> BeirReport:
    """Search every judged query; `search` gives chunks of an index made by `index_beir`, best first.

    A query is searched with all its words; what it finds counts by document, each at its first chunk's rank. A document
    with the query's own id is the query itself (ArguAna, Quora) and is left out, as BEIR does.
    """
    query_ids = tuple(query for query in beir.queries if query in beir.qrels)
    rankings = [
        tuple(found for found in ranked_documents(beir, search(beir.queries[query])) if found != query)
        for query in query_ids
    ]
    judged = [(ranking, beir.qrels[query]) for ranking, query in zip(rankings, query_ids, strict=True)]
    return BeirReport(
        configuration=configuration,
        collection=beir.name,
        query_ids=query_ids,
        ndcg_at_10=tuple(ndcg_at_k(ranking, grades, 10) for ranking, grades in judged),
        recall_at_100=tuple(recall_at_k(ranking, grades, 100) for ranking, grades in judged),
    )


def ranked_documents(beir: BeirSet, found: Sequence[ScoredChunk]) -> tuple[str, ...]:
    """Document ids in the order of their best chunks."""
    numbers = dict.fromkeys(candidate.chunk.document_id for candidate in found)
    return tuple(beir.documents[number - 1].id for number in numbers)


def compare_beir(first: BeirReport, second: BeirReport) -> PairedTest:
    """On which queries one has the higher nDCG@10.

    Raises:
        ValueError: the reports are over different queries.
    """
    if first.query_ids != second.query_ids:
        raise ValueError("only reports over the same queries can be paired")
    differences = [one - other for one, other in zip(first.ndcg_at_10, second.ndcg_at_10, strict=True)]
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    ties = len(differences) - wins - losses
    return PairedTest(first.configuration, second.configuration, wins, losses, ties)


def _extraction(document: BeirDocument) -> Extraction:
    text = document.text if document.text.strip() else document.title
    spans = (Span(0, len(text), "paragraph", Locator()),)
    return Extraction(document.title, text, spans, "beir", "beir/1", Coverage("document", 1, 1))
