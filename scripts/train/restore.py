"""Shipped 8-bit weights back as a `PairScorer`, so that a training can go on from them.

What was rounded stays rounded: of the 8-bit steps a training sees nothing after its first updates.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import torch
from network import PairScorer

_LINEAR = re.compile(r"/scorer/(?P<module>.+?)/MatMul_quant$")


def restored(model: Path) -> PairScorer:
    """The scorer whose weights `export` wrote to `model`.

    Raises:
        KeyError: the file is not one that `export` wrote.
    """
    import onnx
    from onnx.numpy_helper import to_array

    graph = onnx.load(model).graph
    held = {each.name: to_array(each) for each in graph.initializer}

    def real(name: str) -> np.ndarray:
        return (held[f"{name}_quantized"].astype(np.float32) - held[f"{name}_zero_point"]) * held[
            f"{name}_scale"
        ]

    scorer = PairScorer()
    state = scorer.state_dict()
    found = {
        name.removeprefix("scorer."): torch.from_numpy(value.copy())
        for name, value in held.items()
        if name.removeprefix("scorer.") in state
    }
    for node in graph.node:
        matched = _LINEAR.match(node.name)
        weight = next((name for name in node.input if name.endswith("_quantized") and name in held), None)
        if matched and weight:
            module = matched["module"].replace("/", ".")
            found[f"{module}.weight"] = torch.from_numpy(real(weight.removesuffix("_quantized")).T.copy())
        elif weight:
            name = weight.removesuffix("_quantized")
            values = real(name).T if name.endswith("_Transposed") else real(name)
            found[name.removeprefix("scorer.").removesuffix("_Transposed")] = torch.from_numpy(values.copy())
    missing = set(state) - set(found) - {name for name in state if name.endswith("position_ids")}
    if missing:
        raise KeyError(f"{model} lacks {sorted(missing)}")
    scorer.load_state_dict(found)
    return scorer
