"""Whether a drafted answer says only what its citations say: claim by claim, and the weakest decides."""

from rag.verify.claims import atomic_claims
from rag.verify.findings import DroppedClaim, Findings, dropped_claims
from rag.verify.mechanical import is_verbatim, mechanical_faults
from rag.verify.numbering import renumbered, revise
from rag.verify.protocol import CheckedClaim, Evidence, FaultKind, MechanicalFault, Method, SupportModel
from rag.verify.verification import Verification, evidence_in, verify

__all__ = [
    "CheckedClaim",
    "DroppedClaim",
    "Evidence",
    "FaultKind",
    "Findings",
    "MechanicalFault",
    "Method",
    "SupportModel",
    "Verification",
    "atomic_claims",
    "dropped_claims",
    "evidence_in",
    "is_verbatim",
    "mechanical_faults",
    "renumbered",
    "revise",
    "verify",
]
