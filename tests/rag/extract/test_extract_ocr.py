from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest
from rapidocr.inference_engine.onnxruntime.main import ONNXRuntimeError

from rag.errors import ResourceLimit
from rag.extract import ocr

PICTURE = np.zeros((40, 40, 3), dtype=np.uint8)


def failing(error: Exception) -> Any:
    def engine() -> Any:
        def recognise(_image: object) -> None:
            raise error

        return recognise

    return engine


@pytest.mark.parametrize(
    "error",
    [ONNXRuntimeError("Failed to allocate memory"), cv2.error("Insufficient memory: failed to allocate")],
)
def test_a_model_without_memory_is_a_limit(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr(ocr, "_engine", failing(error))
    with pytest.raises(ResourceLimit) as caught:
        ocr.recognise(PICTURE)
    assert caught.value.__cause__ is error


@pytest.mark.parametrize(
    "error", [ONNXRuntimeError("bad shape"), MemoryError(), ValueError("allocate a bug")]
)
def test_any_other_failure_stays_what_it_is(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr(ocr, "_engine", failing(error))
    with pytest.raises(type(error)) as caught:
        ocr.recognise(PICTURE)
    assert caught.value is error
