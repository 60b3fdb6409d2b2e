"""A trained `PairScorer` as one ONNX file with 8-bit weights, and how much that changes its scores.

Weights become int8, per output channel, of which 7 bits are used: with 8 the products of two neighbours overflow on
processors without VNNI, and scores would depend on the machine. Activations are quantised as they come (dynamic), so no
calibration data is needed. The word embeddings are int8 too: they are half of the file.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import torch
from network import PairScorer
from torch import Tensor, nn


class Exported(nn.Module):
    """Takes what the tokenizer gives; gives back the logit. The words' logits only helped to learn."""

    def __init__(self, scorer: PairScorer) -> None:
        super().__init__()
        self.scorer = scorer

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        return self.scorer(input_ids, attention_mask, token_type_ids)[0]


def export(scorer: PairScorer, target: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    scorer.eval()
    ids = torch.randint(1000, 20_000, (3, 24))
    types = torch.zeros_like(ids)
    types[:, 8:] = 1
    axes = {0: "batch", 1: "tokens"}
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        torch.onnx.export(
            Exported(scorer),
            (ids, torch.ones_like(ids), types),
            str(plain),
            input_names=["input_ids", "attention_mask", "token_type_ids"],
            output_names=["logit"],
            dynamic_axes=dict.fromkeys(("input_ids", "attention_mask", "token_type_ids", "words"), axes)
            | {"logit": {0: "batch"}},
            opset_version=17,
            dynamo=False,
        )
        quantize_dynamic(
            plain,
            target,
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=["MatMul", "Gather"],
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    scorer = PairScorer()
    scorer.load_state_dict(torch.load(arguments.state, weights_only=True))
    export(scorer, arguments.out)
    print(f"{arguments.out}: {arguments.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
