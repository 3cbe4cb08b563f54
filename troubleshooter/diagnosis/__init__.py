"""Why a layer's output is another: its options, and the known causes tried in numbers."""

from .diagnose import diagnose
from .hypothesis import VERDICTS, Hypothesis, OptionDifference
from .options import compare_options

__all__ = ["VERDICTS", "Hypothesis", "OptionDifference", "compare_options", "diagnose"]
