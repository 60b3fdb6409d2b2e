"""Read the labelled pairs and the corpora once, mine hard negatives, and keep both for the trainings.

PYTHONPATH=. python scripts/train/prepare.py --data ../shared/data --out build/prepared.pkl [--model footnote-minilm]
"""

from __future__ import annotations

import argparse
import pickle
from pathlib import Path

from corpora import is_held_out, read_corpora, read_labelled
from mine import mine

import rag


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--model",
        default="all-MiniLM-L6-v2",
        help="whose search finds the negatives; the adapted one finds harder ones",
    )
    arguments = parser.parse_args()
    labelled = read_labelled(arguments.data)
    passages = read_corpora(arguments.data)
    n_held_out = sum(is_held_out(each.passage) for each in labelled)
    print(
        f"{len(labelled)} labelled passages ({n_held_out} held out), {len(passages)} passages of the corpora"
    )
    mined = mine(labelled, passages, rag.load_embedder(arguments.model))
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_bytes(pickle.dumps((labelled, mined)))
    print(f"{len(mined.found)} questions searched; written to {arguments.out}")


if __name__ == "__main__":
    main()
