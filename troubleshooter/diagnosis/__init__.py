"""Why a layer's output is another: its options, and the known causes tried in numbers."""

from .code import diagnose_code
from .diagnose import diagnose
from .gradients import diagnose_gradients
from .hypothesis import VERDICTS, Hypothesis, OptionDifference
from .options import compare_options
from .step import StepRecord, diagnose_step

__all__ = [
    "VERDICTS",
    "Hypothesis",
    "OptionDifference",
    "StepRecord",
    "compare_options",
    "diagnose",
    "diagnose_code",
    "diagnose_gradients",
    "diagnose_step",
]
