"""What is no longer as it was when the cuts in force were set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from console import engine
from console.evaluation.golden import golden_of
from console.evaluation.models import GoldenSet
from console.index.models import CutCalibration, DocumentIndex, ThresholdSetting
from console.sources.models import Document


@dataclass(frozen=True, slots=True)
class Drift:
    """One sentence. `is_fault` says that the cut means nothing any more; else it may only be less good."""

    text: str
    is_fault: bool = False


def drifts_of(setting: ThresholdSetting) -> list[Drift]:
    """What changed since: the reranker, the most passages, the golden set, its documents."""
    drifts = []
    serving = engine.serving_reranker()
    if serving and setting.reranker != serving:
        drifts.append(
            Drift(
                f"The relevance cut was set for {setting.reranker or 'no reranker'}, and {serving} runs. "
                "Relevances of two models do not compare.",
                is_fault=True,
            )
        )
    for calibration in setting.calibrations:
        drifts += [Drift(f"The {calibration.score} cut {text}") for text in _since(calibration, setting)]
    return drifts


def _since(calibration: CutCalibration, setting: ThresholdSetting) -> Iterator[str]:
    name = calibration.golden_set_name
    if calibration.max_chunks != setting.max_chunks:
        yield (
            f"was calibrated with at most {calibration.max_chunks} passages; {setting.max_chunks} may pass now."
        )
    set_id = calibration.golden_set_id
    golden_set = None if set_id is None else GoldenSet.objects.filter(pk=set_id).first()
    if golden_set is None:
        yield f"was calibrated on {name}, which is gone."
    elif calibration.golden_id != golden_of(golden_set).fingerprint:
        yield f"was calibrated on {name} with other questions than it has now."
    if n := _n_changed_documents(calibration, setting):
        documents = "document of its folders was" if n == 1 else "documents of its folders were"
        yield f"was calibrated on {name}, and {n} {documents} added, changed or deleted since."


def _n_changed_documents(calibration: CutCalibration, setting: ThresholdSetting) -> int:
    since, folder_ids = calibration.measured_at, calibration.folder_ids
    indexed = DocumentIndex.objects.filter(
        version_id=setting.version_id,
        indexed_at__gt=since,
        document__folder_id__in=folder_ids,
        document__deleted_at=None,
    )
    deleted = Document.objects.filter(folder_id__in=folder_ids, deleted_at__gt=since)
    return indexed.count() + deleted.count()
