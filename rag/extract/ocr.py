"""Text of a picture with RapidOCR; its models are part of its package, so no network is needed."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rag.errors import ResourceLimit
from rag.extract.canonical import line_text
from rag.extract.layout.segments import Segment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rapidocr import RapidOCR
    from rapidocr.ch_ppocr_cls import TextClsOutput

_THREADS = 2
# Grey levels (0 to 255): paper with dust or a scanner's shadow stays below, one line of text does not.
_BLANK_DEVIATION = 2.0
_MIN_SCORE = 0.5
_MAX_SIDE = 2_000  # RapidOCR scales larger pictures down to this
# A crop this much higher than wide is turned by the model before it is read (1.5 in RapidOCR).
_TALL = 1.5
# One line alone, or a few that the classifier of directions mistook, do not turn a page.
_MIN_LINES_TO_TURN = 3
_FLIPPED_SHARE = 0.6

_Corners = list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class RecognisedText:
    """The lines found in a picture, in pixels of the upright picture, and how sure the model is.

    `scores` are one a line, in [0, 1]. `width` and `height` are the upright picture's.
    """

    segments: tuple[Segment, ...]
    scores: tuple[float, ...]
    width: float
    height: float

    @property
    def confidence(self) -> float:
        """Mean of the scores; 0 without lines."""
        return sum(self.scores) / len(self.scores) if self.scores else 0.0


def is_blank(image: NDArray[np.uint8]) -> bool:
    """The picture is one even shade: there is nothing to recognise."""
    return float(image[::2, ::2].std()) < _BLANK_DEVIATION


def recognise(image: NDArray[np.uint8]) -> RecognisedText:
    """The text of an RGB picture ``(height, width, 3)``. Costs seconds on two cores.

    Raises:
        ResourceLimit: the model ran out of memory.
    """
    import cv2
    from onnxruntime.capi.onnxruntime_pybind11_state import Fail, RuntimeException
    from rapidocr.inference_engine.onnxruntime.main import ONNXRuntimeError
    from rapidocr.utils.output import RapidOCROutput

    height, width = float(image.shape[0]), float(image.shape[1])
    engine, log = _engine(), _turned_crops()
    log.clear()
    try:
        result = engine(image)
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
        return RecognisedText((), (), width, height)
    boxes = [[(float(x), float(y)) for x, y in box] for box in result.boxes]
    turns = _quarter_turns(boxes, log)
    segments, scores = [], []
    for box, text, score in zip(boxes, result.txts, result.scores, strict=True):
        words = line_text(str(text))
        if words and float(score) >= _MIN_SCORE:
            segments.append(_segment(words, _turned(box, turns, width, height)))
            scores.append(float(score))
    if turns % 2:
        width, height = height, width
    return RecognisedText(tuple(segments), tuple(scores), width, height)


def recognise_long(image: NDArray[np.uint8]) -> RecognisedText:
    """As `recognise`, for pictures much higher than wide, such as a screenshot of a whole web page.

    The model would scale them down until no letter is left: they are cut between lines.
    """
    found = [(top, recognise(part)) for top, part in _stretches(image) if not is_blank(part)]
    if len(found) == 1:
        return found[0][1]
    segments = [
        replace(item, top=item.top + top, bottom=item.bottom + top)
        for top, part in found
        for item in part.segments
    ]
    scores = [score for _, part in found for score in part.scores]
    return RecognisedText(tuple(segments), tuple(scores), float(image.shape[1]), float(image.shape[0]))


def _stretches(image: NDArray[np.uint8]) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """The picture from top to bottom in parts that the model takes as they are, with their tops."""
    top, height = 0, int(image.shape[0])
    while height - top > _MAX_SIDE:
        # The evenest row of the last fifth: most likely it goes through no letter.
        first = top + _MAX_SIDE * 4 // 5
        rows = image[first : top + _MAX_SIDE].std(axis=(1, 2))
        cut = first + int(rows.argmin())
        yield top, image[top:cut]
        top = cut
    yield top, image[top:]


def _quarter_turns(boxes: Sequence[_Corners], is_flipped: Sequence[bool]) -> int:
    """How far the picture has to be turned counter-clockwise until most of its lines are upright.

    The model reads each line by itself: it turns tall boxes a quarter and flips what then stands on
    its head. What it did to most lines tells how the whole page lies.
    """
    if len(boxes) < _MIN_LINES_TO_TURN:
        return 0
    n_tall = sum(math.dist(box[0], box[3]) >= _TALL * math.dist(box[0], box[1]) for box in boxes)
    n_flipped = sum(is_flipped)
    return (2 * n_tall > len(boxes)) + 2 * (n_flipped > _FLIPPED_SHARE * len(is_flipped))


def _turned(box: _Corners, turns: int, width: float, height: float) -> _Corners:
    """Corners in the picture turned counter-clockwise, again from its own top left corner on."""
    if turns == 1:
        box = [(y, width - x) for x, y in box]
    elif turns == 2:
        box = [(width - x, height - y) for x, y in box]
    elif turns == 3:
        box = [(height - y, x) for x, y in box]
    return [*box[turns:], *box[:turns]]


def _segment(text: str, corners: _Corners) -> Segment:
    """A line from its corners, clockwise from the top left; as high as its letters also when skewed."""
    xs = [x for x, _ in corners]
    (_, y0), (_, y1), (_, y2), (_, y3) = corners
    middle, height = (y0 + y1 + y2 + y3) / 4, (y3 - y0 + y2 - y1) / 2
    return Segment(text, min(xs), max(xs), middle - height / 2, middle + height / 2)


@functools.cache
def _turned_crops() -> list[bool]:
    """Of each line of the last picture, whether the model flipped it; filled by `_engine`'s classifier."""
    return []


@functools.cache
def _engine() -> RapidOCR:
    """Loaded once a process: 0.8 s."""
    from rapidocr import RapidOCR

    class Engine(RapidOCR):
        """Keeps what the classifier of directions says, which RapidOCR's result leaves out."""

        def cls_and_rotate(
            self, img: list[NDArray[np.uint8]]
        ) -> tuple[list[NDArray[np.uint8]], TextClsOutput]:
            crops, found = super().cls_and_rotate(img)
            _turned_crops().extend("180" in label for label, _ in found.cls_res or ())
            return crops, found

    params = {
        "Global.log_level": "error",
        "EngineConfig.onnxruntime.intra_op_num_threads": _THREADS,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    }
    return Engine(params=params)
