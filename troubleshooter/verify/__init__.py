"""Whether a converted network is still the same: imports, constructs, runs, is equal, trains."""

from ...numerics.verdict import Difference
from ..sides.inputs import InputShape, shape_of
from .judgement import Tolerance
from .outcome import STAGES, CaseResult, Explanation, StageResult, Verification
from .verifier import Settings, Verifier, verify

__all__ = [
    "STAGES",
    "CaseResult",
    "Difference",
    "Explanation",
    "InputShape",
    "Settings",
    "StageResult",
    "Tolerance",
    "Verification",
    "Verifier",
    "shape_of",
    "verify",
]
