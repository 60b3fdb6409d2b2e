"""Export the trained cross-encoders, calibrate them on what trained nothing, test them, and write `model.json`.

Everything is measured on the 8-bit model that ships, not on the one that was trained.

    PYTHONPATH=. python scripts/train/finish.py --data ../shared/data --prepared build/adapted.pkl
        --relevance build/relevance --support build/support
"""

from __future__ import annotations

import argparse
import json
import pickle
import shutil
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from corpora import Labelled, Passage, is_held_out, read_rows
from export import export
from mine import Mined
from network import PairScorer

import rag
from rag.embed import model_folder
from rag.evaluate import auroc
from rag.lexical import stems
from rag.rerank.pair_model import PairModel
from rag.sentences import sentence_spans
from rag.verify.support import PackagedSupport

MODELS = Path("rag/models")
N_CANDIDATES = 20
EMBEDDERS = ("footnote-minilm", "all-MiniLM-L6-v2")
N_CLOSE = 6
Row = tuple[str, Passage, float, bool | None]
"""Question, passage, cosine, whether it answers (None: not known)."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--relevance", type=Path)
    parser.add_argument("--support", type=Path)
    parser.add_argument("--every", type=int, default=1, help="calibrate on every n-th held-out passage")
    parser.add_argument("--keep", action="store_true", help="calibrate and test the models that are there")
    parser.add_argument("--most", type=int, default=3_000, help="rows of a public source that are tested")
    arguments = parser.parse_args()
    labelled, mined = pickle.loads(arguments.prepared.read_bytes())
    held_out = [each for each in labelled if is_held_out(each.passage)]
    if arguments.relevance:
        if not arguments.keep:
            _exported(arguments.relevance, MODELS / "relevance")
        _finish_relevance(arguments.data, held_out, mined, arguments.every)
    if arguments.support:
        if not arguments.keep:
            _exported(arguments.support, MODELS / "support")
        _finish_support(arguments.data, held_out, arguments.most)


def _exported(trained: Path, folder: Path) -> None:
    scorer = PairScorer()
    scorer.load_state_dict(torch.load(trained / "state.pt", weights_only=True))
    export(scorer, folder / "model.onnx")
    shutil.copy(model_folder("all-MiniLM-L6-v2") / "tokenizer.json", folder / "tokenizer.json")
    settings = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    settings["padding"] = None
    settings["truncation"] = {
        "direction": "Right",
        "max_length": 384,
        "strategy": "LongestFirst",
        "stride": 0,
    }
    (folder / "tokenizer.json").write_text(json.dumps(settings, ensure_ascii=False), encoding="utf-8")
    (folder / "model.json").write_text("{}\n")


def _finish_relevance(data: Path, held_out: list[Labelled], mined: Mined, every: int) -> None:
    folder = MODELS / "relevance"
    model = PairModel(folder)
    order: dict[str, dict[str, float]] = {"": {"logit": 1.0, "cosine": 0.0}}
    scores: dict[str, dict[str, Any]] = {}
    read: dict[tuple[str, str], float] = {}
    found: dict[str, tuple[list[Row], np.ndarray]] = {}
    for embedder in EMBEDDERS:
        rows = _retrieved(held_out[::every], mined, embedder)
        asked = [(question, passage.text) for question, passage, _, _ in rows]
        new = [pair for pair in dict.fromkeys(asked) if pair not in read]
        read |= dict(zip(new, model.score(new).tolist(), strict=True))
        logits = np.array([read[pair] for pair in asked])
        known = np.array([at for at, row in enumerate(rows) if row[3] is not None])
        truth = np.array([rows[at][3] for at in known], dtype=bool)
        features = np.array([[logits[at], rows[at][2]] for at in known])
        order[embedder] = _order(features, truth, [rows[at][0] for at in known])
        found[embedder] = (rows, logits)
    close = _close(*found[EMBEDDERS[0]], order[EMBEDDERS[0]]["cosine"])
    best = _best_sentences(model, [(question, passage) for question, passage, _, _ in close])
    features = np.array([[read[row[0], row[1].text], each] for row, each in zip(close, best, strict=True)])
    truth = np.array([bool(answers) for *_, answers in close])
    weights, bias = _logistic(features, truth)
    relevance = {"passage": weights[0], "sentence": weights[1], "bias": bias}
    scores["held-out handbooks, close passages"] = _estimate(features @ weights, truth)
    scores["held-out handbooks, answered against near question on one passage"] = _own_passage(
        model, held_out
    )
    scores["squad2 eval"] = _squad(model, data)
    _write(folder, {"order": order, "relevance": relevance, "scores": scores})


def _ranked(rows: list[Row], logits: np.ndarray, cosine: float) -> list[list[tuple[float, Row]]]:
    """Of each question its rows with their scores, best first."""
    by_question: dict[str, list[tuple[float, Row]]] = defaultdict(list)
    for row, logit in zip(rows, logits, strict=True):
        by_question[row[0]].append((float(logit) + cosine * row[2], row))
    return [sorted(each, key=lambda pair: -pair[0]) for each in by_question.values()]


def _close(rows: list[Row], logits: np.ndarray, cosine: float) -> list[Row]:
    """What the gate must tell apart: answering passages and three beside them, and what is closest to near questions.

    Of a plain question nobody marked which of its passage's chunks answers; it is left out.
    """
    chosen: list[Row] = []
    for each in _ranked(rows, logits, cosine):
        ranked = [row for _, row in each]
        answering = [row for row in ranked if row[3]]
        if not any(row[3] is None for row in ranked):
            others = [row for row in ranked if not row[3]][: 3 if answering else N_CLOSE]
            chosen += answering + others
    return chosen


def _best_sentences(model: PairModel, asked: Sequence[tuple[str, Passage]]) -> np.ndarray:
    """``(n,)``: the highest logit among the sentences of each passage."""
    pairs: list[tuple[str, str]] = []
    owners: list[int] = []
    for at, (question, passage) in enumerate(asked):
        for sentence in _sentences(passage):
            pairs.append((question, sentence))
            owners.append(at)
    best = np.full(len(asked), -20.0)
    np.maximum.at(best, owners, model.score(pairs))
    return best


def _sentences(passage: Passage) -> list[str]:
    found = [
        passage.content[a:b]
        for a, b in sentence_spans(passage.content)
        if any(map(str.isalnum, passage.content[a:b]))
    ]
    return [f"{passage.header}\n{sentence}" if passage.header else sentence for sentence in found]


def _order(features: np.ndarray, truth: np.ndarray, questions: list[str]) -> dict[str, float]:
    """McFadden 1974: conditional logit over the candidates of a question; the logit's weight is 1."""
    from scipy.optimize import minimize_scalar

    groups: dict[str, list[int]] = defaultdict(list)
    for at, question in enumerate(questions):
        groups[question].append(at)
    chosen = [np.array(group) for group in groups.values() if truth[group].any()]

    def loss(weight: float) -> float:
        total = 0.0
        for group in chosen:
            score = features[group] @ [1.0, weight]
            total += np.logaddexp.reduce(score) - np.logaddexp.reduce(score[truth[group]])
        return total / len(chosen)

    found = minimize_scalar(loss, bounds=(0.0, 60.0), method="bounded")
    return {"logit": 1.0, "cosine": round(float(found.x), 2)}


def _retrieved(held_out: Sequence[Labelled], mined: Mined, model: str) -> list[Row]:
    """What the index would hand to the reranker: the candidates of a hybrid search in the question's own corpus."""
    from bm25s import BM25

    embedder = rag.load_embedder(model)
    rows: list[Row] = []
    for source in ("clef", "tau2", "sourcegraph"):
        asked = [each for each in held_out if each.passage.source == source]
        pool = [passage for passage in mined.pool if passage.source == source]
        vectors = embedder.encode_passages([passage.text for passage in pool])
        index = BM25(k1=1.2, b=0.75, method="lucene")
        index.index([stems(passage.text) or ["-"] for passage in pool], show_progress=False)
        # What is asked of another organisation is far from everything here.
        strangers = [each.ticket for each in held_out if each.passage.source != source][: len(asked)]
        own = [(each, question) for each in asked for question in (each.plain, each.ticket, *each.near)]
        for each, question in [*own, *((None, question) for question in strangers)]:
            cosines = vectors @ embedder.encode_question(question)
            words = index.get_scores(list(dict.fromkeys(stems(question))))
            for at in _fused(cosines, words):
                answers = _answers(each, question, pool[at]) if each is not None else False
                rows.append((question, pool[at], float(cosines[at]), answers))
    return rows


def _fused(cosines: np.ndarray, words: np.ndarray) -> list[int]:
    scores: dict[int, float] = defaultdict(float)
    for ranking in (np.argsort(-cosines)[:25], np.argsort(-words)[:25]):
        for rank, at in enumerate(ranking, start=1):
            scores[int(at)] += 1 / (60 + rank)
    return sorted(scores, key=lambda at: -scores[at])[:N_CANDIDATES]


def _answers(each: Labelled, question: str, passage: Passage) -> bool | None:
    """Of the labelled passage only what the label says; of other documents nobody knows, and few answer."""
    is_own = passage.document == each.passage.document and (
        passage.content[:50] in each.passage.content or each.passage.content[:50] in passage.content
    )
    if question == each.ticket:
        return each.evidence in passage.content if is_own else False
    if question == each.plain:
        return None if is_own else False
    return False


def _own_passage(model: PairModel, held_out: Sequence[Labelled]) -> dict[str, Any]:
    asked = [
        (question, each.passage) for each in held_out for question in (each.plain, each.ticket, *each.near)
    ]
    truth = np.array([answers for _ in held_out for answers in (True, True, False, False)])
    return _estimate(_best_sentences(model, asked), truth)


def _squad(model: PairModel, data: Path) -> dict[str, Any]:
    rows = [
        row
        for row in read_rows(data / "pairs" / "answerability.jsonl.gz")
        if row["src"] == "squad2" and row["use"] == "eval"
    ][::2]
    asked = [(str(row["question"]), Passage("squad2", "", "", str(row["passage"]))) for row in rows]
    return _estimate(_best_sentences(model, asked), np.array([bool(row["answerable"]) for row in rows]))


def _finish_support(data: Path, held_out: list[Labelled], most: int) -> None:
    folder = MODELS / "support"
    pairs: list[tuple[str, str]] = []
    truth: list[bool] = []
    for each in held_out:
        for claim in (each.supported, *each.unsupported):
            pairs.append((claim, each.passage.text))
            truth.append(claim == each.supported)
    logits = PairModel(folder).score(pairs)
    (weight,), bias = _logistic(logits.reshape(-1, 1), np.array(truth))
    support = {"logit": weight, "bias": bias}
    _write(folder, {"support": support})
    model = PackagedSupport(folder)
    scores = {"held-out handbooks": _estimate(np.array(model.support(pairs)), np.array(truth))}
    by_source: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in read_rows(data / "pairs" / "nli.jsonl.gz"):
        if row["use"] == "eval":
            by_source[row["src"]].append(row)
    for source, every_row in by_source.items():
        rows = every_row[:: max(1, len(every_row) // most)]
        found = _weakest(model, [(row["claim"], row["evidence"]) for row in rows])
        scores[source] = _estimate(found, np.array([row["label"] == "supported" for row in rows]))
    _write(folder, {"support": support, "scores": scores})


def _weakest(model: PackagedSupport, pairs: list[tuple[str, str]]) -> np.ndarray:
    """Of a claim of several sentences the weakest one counts, as it does in an answer."""
    sentences: list[tuple[str, str]] = []
    owners: list[int] = []
    for at, (claim, evidence) in enumerate(pairs):
        for start, end in sentence_spans(claim):
            sentences.append((claim[start:end], evidence))
            owners.append(at)
    weakest = np.ones(len(pairs))
    np.minimum.at(weakest, owners, model.support(sentences))
    return weakest


def _logistic(features: np.ndarray, truth: np.ndarray) -> tuple[list[float], float]:
    """Weights and bias of a logistic regression (Platt 1999), with answers and the rest weighted alike.

    Of a search's candidates few answer, so unweighted the best of them would get 0.1: true of a passage drawn at
    random, and no help to whoever sets a cut.
    """
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=1e4, max_iter=1_000, class_weight="balanced").fit(features, truth)
    return [float(weight) for weight in fitted.coef_[0]], float(fitted.intercept_[0])


def _estimate(scores: np.ndarray, truth: np.ndarray) -> dict[str, Any]:
    found = auroc(scores[truth].tolist(), scores[~truth].tolist())
    return {
        "auroc": found.value,
        "interval": [found.low, found.high],
        "positives": int(truth.sum()),
        "n": len(truth),
    }


def _write(folder: Path, settings: dict[str, Any]) -> None:
    (folder / "model.json").write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(settings, indent=1))


if __name__ == "__main__":
    main()
