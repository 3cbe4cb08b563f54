"""Where two trainings part: loss, gradient, clipping, rate, step and average, one after another."""

from .comparer import TrainingSettings, compare_training
from .comparison import Reason, Stage, TrainingComparison, TrainingDifference

__all__ = [
    "Reason",
    "Stage",
    "TrainingComparison",
    "TrainingDifference",
    "TrainingSettings",
    "compare_training",
]
