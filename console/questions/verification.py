"""What was checked of an answer, as it is kept in its row."""

from __future__ import annotations

import rag


def verification_json(findings: rag.Findings) -> dict[str, object]:
    """The findings as JSON; of what was dropped also the folders it cited, which decide who may read it."""
    return {
        "threshold": findings.threshold,
        "model": findings.model or "",
        "sentences": [[_claim(claim) for claim in claims] for claims in findings.sentences],
        "dropped": [
            {
                "sentence": dropped.sentence,
                "folder_ids": sorted({chunk.folder_id for chunk in dropped.cited}),
                "claim": _claim(dropped.claim),
            }
            for dropped in findings.dropped
        ],
    }


def _claim(claim: rag.CheckedClaim) -> dict[str, object]:
    return {
        "text": claim.text,
        "support": round(claim.support, 4),
        "method": claim.method,
        "citations": list(claim.carried_by),
        "faults": [
            {"kind": fault.kind, "words": fault.words, "reason": fault.reason} for fault in claim.faults
        ],
    }
