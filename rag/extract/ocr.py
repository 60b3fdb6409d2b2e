"""Text of a picture with RapidOCR; its models are part of its package, so no network is needed."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.errors import ResourceLimit
from rag.extract.canonical import line_text
from rag.extract.layout.segments import Segment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rapidocr import RapidOCR

_THREADS = 2
# Grey levels (0 to 255): paper with dust or a scanner's shadow stays below, one line of text does not.
_BLANK_DEVIATION = 2.0
_MIN_SCORE = 0.5


@dataclass(frozen=True, slots=True)
class RecognisedText:
    """The lines found in a picture, in pixels, and how sure the model is of each, in [0, 1]."""

    segments: tuple[Segment, ...]
    scores: tuple[float, ...]


def is_blank(image: NDArray[np.uint8]) -> bool:
    """The picture is one even shade: there is nothing to recognise."""
    return float(image[::2, ::2].std()) < _BLANK_DEVIATION


def recognise(image: NDArray[np.uint8]) -> RecognisedText:
    """The text of an RGB picture ``(height, width, 3)``. Costs seconds on two cores.

    Raises:
        ResourceLimit: the model ran out of memory.
    """
    import cv2
    from onnxruntime.capi.onnxruntime_pybind11_state import Fail, RuntimeException  # type: ignore[import-untyped]
    from rapidocr.inference_engine.onnxruntime.main import ONNXRuntimeError
    from rapidocr.utils.output import RapidOCROutput

    try:
        result = _engine()(image)
    except (ONNXRuntimeError, Fail, RuntimeException, cv2.error) as exc:
        if "alloc" in str(exc).lower():
            raise ResourceLimit("Recognising the text of a page needs more memory than the limit.") from exc
        raise
    if (
        not isinstance(result, RapidOCROutput)
        or result.boxes is None
        or result.txts is None
        or result.scores is None
    ):
        return RecognisedText((), ())
    segments, scores = [], []
    for box, text, score in zip(result.boxes, result.txts, result.scores, strict=True):
        words = line_text(str(text))
        if words and float(score) >= _MIN_SCORE:
            segments.append(_segment(words, [(float(x), float(y)) for x, y in box]))
            scores.append(float(score))
    return RecognisedText(tuple(segments), tuple(scores))


def _segment(text: str, corners: Sequence[tuple[float, float]]) -> Segment:
    """A line from its corners, clockwise from the top left; as high as its letters also when skewed."""
    xs = [x for x, _ in corners]
    (_, y0), (_, y1), (_, y2), (_, y3) = corners
    middle, height = (y0 + y1 + y2 + y3) / 4, (y3 - y0 + y2 - y1) / 2
    return Segment(text, min(xs), max(xs), middle - height / 2, middle + height / 2)


@functools.cache
def _engine() -> RapidOCR:
    """Loaded once a process: 0.8 s."""
    from rapidocr import RapidOCR

    params = {
        "Global.log_level": "error",
        "EngineConfig.onnxruntime.intra_op_num_threads": _THREADS,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    }
    return RapidOCR(params=params)
