"""Whether a converted network is still the same: imports, constructs, runs, is equal, trains."""

from ...numerics.rounding import Allowance
from ...numerics.verdict import Difference
from ..sides.inputs import InputShape, shape_of
from .outcome import STAGES, CaseResult, Explanation, StageResult, Verification
from .verifier import Settings, Verifier, verify

__all__ = [
    "STAGES",
    "Allowance",
    "CaseResult",
    "Difference",
    "Explanation",
    "InputShape",
    "Settings",
    "StageResult",
    "Verification",
    "Verifier",
    "shape_of",
    "verify",
]
