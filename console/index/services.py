"""Changes to index versions and thresholds."""

from __future__ import annotations

import math
import re

from django.db import IntegrityError, transaction
from django.utils import timezone

import rag
from console import engine
from console.access import Rejected, require_admin
from console.audit.services import record
from console.index.models import CutCalibration, IndexVersion, ThresholdSetting, VersionState
from console.index.selectors import active_version, threshold_in_force
from console.people.models import User
from console.values import is_usable_name


def prepare_active_version() -> IndexVersion:
    """The active version; on a first start it is made with the configured model and default cut.

    Raises:
        rag.ModelMissing: the configured model is not on this machine.
    """
    version = active_version()
    if version is not None:
        return version
    config = engine.config()
    model = engine.embedder(config.model).model
    slug = re.sub(r"[^a-z0-9]+", "-", model.name.lower()).strip("-")[-40:]
    try:
        with transaction.atomic():
            version = IndexVersion.objects.create(
                collection=f"{slug}-{model.revision[:8]}-p{rag.PIPELINE_VERSION}-{timezone.now():%Y%m%d%H%M%S}",
                model_name=config.model,
                model_revision=model.revision,
                dimension=model.dimension,
                window_tokens=model.window_tokens,
                pooling=model.pooling,
                is_normalised=model.normalised,
                pipeline_version=rag.PIPELINE_VERSION,
                chunking=_chunking_of(config),
                state=VersionState.ACTIVE,
                activated_at=timezone.now(),
            )
            ThresholdSetting.objects.create(
                version=version,
                distance_cut=config.distance_cut,
                relevance_cut=config.relevance_cut,
                reranker=_reranker_of_the_default(),
                max_chunks=config.max_chunks,
                reason="Default of this release.",
            )
            record(actor=None, action="version.create", subject=str(version), collection=version.collection)
    except IntegrityError:
        # Another process made it in the same moment; one_active_version decided.
        version = active_version()
        if version is None:
            raise
    return version


def _reranker_of_the_default() -> str:
    """The default cut was calibrated for the reranker that Footnote brings, whatever is configured."""
    try:
        return rag.reranker_identity()
    except rag.ModelMissing:
        return ""


def _chunking_of(config: rag.RagConfig) -> str:
    """``E: boundaries, header, 512 characters``: how this version's passages were cut."""
    strategy = rag.CHUNKING_STRATEGIES[config.chunking]
    parts = ["boundaries" if strategy.boundaries else "blind"]
    parts += ["header"] if strategy.header else []
    parts += [f"overlap {strategy.overlap_chars}"] if strategy.overlap_chars else []
    size = (
        f"{config.chunk_chars} characters" if config.chunk_tokens is None else f"{config.chunk_tokens} tokens"
    )
    return f"{config.chunking}: {', '.join([*parts, size])}"


def set_threshold(
    *,
    actor: User | None,
    version: IndexVersion,
    distance_cut: float,
    max_chunks: int,
    reason: str,
    relevance_cut: float | None = None,
    calibration: CutCalibration | None = None,
) -> ThresholdSetting:
    """A new setting of the gate, in force from the next question on.

    A cut that stays as it is keeps what it was set for and calibrated on, whatever else is changed.

    Args:
        relevance_cut: in [0, 1]; None keeps the one in force.
        calibration: an unsaved record of what chose the one of the two cuts that it names.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: a value out of range, or no reason.
    """
    require_admin(actor)
    reason = " ".join(reason.split())
    if relevance_cut is None:
        before = threshold_in_force(version)
        relevance_cut = before.relevance_cut if before else engine.config().relevance_cut
    _require_in_range(relevance_cut, distance_cut, max_chunks)
    if not reason:
        raise Rejected("reason_missing", "Say in a few words why; the history shows it.")
    if not is_usable_name(reason):
        raise Rejected("reason_unusable", "Say why in letters that can be seen, without control characters.")
    with transaction.atomic():
        setting = ThresholdSetting(
            version=version,
            distance_cut=distance_cut,
            relevance_cut=relevance_cut,
            max_chunks=max_chunks,
            set_by=actor,
            reason=reason[:300],
        )
        _stamp(setting, threshold_in_force(version), calibration)
        setting.save()
        record(
            actor=actor,
            action="threshold.set",
            subject=str(version),
            distance_cut=distance_cut,
            relevance_cut=relevance_cut,
            max_chunks=max_chunks,
            reason=setting.reason,
        )
    return setting


def _require_in_range(relevance_cut: float, distance_cut: float, max_chunks: int) -> None:
    if not math.isfinite(relevance_cut) or not 0 <= relevance_cut <= 1:
        raise Rejected("relevance_cut_out_of_range", "The relevance cut is a number from 0 to 1.")
    if not math.isfinite(distance_cut) or not 0 <= distance_cut <= 2:
        raise Rejected("cut_out_of_range", "The cut is a cosine distance from 0 to 2.")
    if not 1 <= max_chunks <= 20:
        raise Rejected("max_chunks_out_of_range", "Between 1 and 20 passages may pass.")


def _stamp(
    setting: ThresholdSetting, before: ThresholdSetting | None, calibration: CutCalibration | None
) -> None:
    """Whose relevance the cut is for, and what each of the two cuts was calibrated on."""
    setting.reranker = engine.serving_reranker()
    if before is not None and before.relevance_cut == setting.relevance_cut:
        setting.reranker = before.reranker
        setting.relevance_calibration = before.relevance_calibration
    if before is not None and before.distance_cut == setting.distance_cut:
        setting.distance_calibration = before.distance_calibration
    if calibration is None:
        return
    calibration.save()
    if calibration.score == "relevance":
        setting.reranker, setting.relevance_calibration = calibration.reranker, calibration
    else:
        setting.distance_calibration = calibration
