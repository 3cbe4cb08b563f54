"""Metrics of the confusion matrix: what was predicted, by what was true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import MsconvertError
from ..engine.argument import check_choice, check_int, check_type
from ..engine.dtype import Array
from ..engine.failure import ShapeError
from .metric import Metric, rearrange_inputs

NORMS = ("target", "prediction", "all", "no_norm")


class ConfusionMatrix(Metric):
    """How often each true class (row) was predicted as each class (column)."""

    def __init__(
        self, num_classes: int, normalize: str = "no_norm", threshold: float = 0.5
    ) -> None:
        super().__init__()
        name = "ConfusionMatrix"
        check_int(name, "num_classes", num_classes, 1)
        self.num_classes = num_classes
        check_choice(name, "normalize", normalize, NORMS)
        self.normalize = normalize
        self.threshold = check_type(name, "threshold", threshold, float)
        self.clear()

    def clear(self) -> None:
        self.confusion_matrix = np.zeros((self.num_classes, self.num_classes))
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        y_pred, y = self.predicted_and_true(inputs)
        if y_pred.ndim == y.ndim + 1 and y_pred.ndim > 1:
            y_pred = np.argmax(y_pred, axis=1)
        elif y_pred.dtype.kind == "f":
            y_pred = (y_pred >= self.threshold).astype(int)
        if y_pred.shape != y.shape:
            raise self.mismatch(y_pred, y, "(n, c, ...) and (n, ...), or the same shape")
        count = self.num_classes
        if any(a.size and not is_class(a, count) for a in (y_pred, y)):
            raise ShapeError(
                "ConfusionMatrix.update", "a class is out of range, or no whole number",
                got=f"predicted {y_pred.min()} to {y_pred.max()}, true {y.min()} to {y.max()}",
                expected=f"0 to {count - 1}", advice="give ConfusionMatrix(num_classes=...) more",
            )  # fmt: skip
        pairs = (y.reshape(-1) * count + y_pred.reshape(-1)).astype(int)
        self.confusion_matrix += np.bincount(pairs, minlength=count**2).reshape(count, count)
        self._is_update = True

    def eval(self) -> Array:
        self.require_some(self._is_update)
        counts = self.confusion_matrix.astype(float)
        if self.normalize == "no_norm":
            return counts
        axis = {"target": 1, "prediction": 0}.get(self.normalize)
        whole = counts.sum(axis=axis, keepdims=axis is not None)
        shares: Array = np.divide(counts, whole, out=np.zeros_like(counts), where=whole != 0)
        return shares


def is_class(a: Array, count: int) -> bool:
    """Whether all elements are whole numbers from 0 to below `count`."""
    return bool(a.min() >= 0 and a.max() < count and np.all(a == np.floor(a)))


@dataclass(frozen=True)
class Counts:
    """True and false positives and negatives."""

    tp: Any
    fp: Any
    tn: Any
    fn: Any

    @property
    def sensitivity(self) -> Any:
        return share(self.tp, self.tp + self.fn)

    @property
    def specificity(self) -> Any:
        return share(self.tn, self.fp + self.tn)

    @property
    def precision(self) -> Any:
        return share(self.tp, self.tp + self.fp)

    @property
    def negatives_found(self) -> Any:
        return share(self.tn, self.tn + self.fn)


def share(part: Any, whole: Any) -> Any:
    """`part / whole`, NaN where there is nothing."""
    part, whole = np.asarray(part, float), np.asarray(whole, float)
    nothing = np.full(np.broadcast(part, whole).shape, np.nan)
    return np.divide(part, whole, out=nothing, where=whole != 0)


def prevalence_threshold(c: Counts) -> Any:
    tpr, tnr = c.sensitivity, c.specificity
    return share(np.sqrt(tpr * (1.0 - tnr)) + tnr - 1.0, tpr + tnr - 1.0)


def correlation(c: Counts) -> Any:
    sums = (c.tp + c.fp) * (c.tp + c.fn) * (c.tn + c.fp) * (c.tn + c.fn)
    return share(c.tp * c.tn - c.fp * c.fn, np.sqrt(sums))


RATES: dict[str, Callable[[Counts], Any]] = {
    "sensitivity recall hit_rate true_positive_rate tpr": lambda c: c.sensitivity,
    "specificity selectivity true_negative_rate tnr": lambda c: c.specificity,
    "precision positive_predictive_value ppv": lambda c: c.precision,
    "negative_predictive_value npv": lambda c: c.negatives_found,
    "miss_rate false_negative_rate fnr": lambda c: share(c.fn, c.tp + c.fn),
    "fall_out false_positive_rate fpr": lambda c: share(c.fp, c.fp + c.tn),
    "false_discovery_rate fdr": lambda c: share(c.fp, c.fp + c.tp),
    "false_omission_rate for": lambda c: share(c.fn, c.fn + c.tn),
    "prevalence_threshold pt": prevalence_threshold,
    "threat_score critical_success_index ts csi": lambda c: share(c.tp, c.tp + c.fn + c.fp),
    "accuracy acc": lambda c: share(c.tp + c.tn, c.tp + c.fp + c.tn + c.fn),
    "balanced_accuracy ba": lambda c: (c.sensitivity + c.specificity) / 2.0,
    "f1_score f1": lambda c: share(c.tp * 2.0, c.tp * 2.0 + c.fn + c.fp),
    "matthews_correlation_coefficient mcc": correlation,
    "fowlkes_mallows_index fm": lambda c: np.sqrt(c.precision * c.sensitivity),
    "informedness bookmaker_informedness bm": lambda c: c.sensitivity + c.specificity - 1.0,
    "markedness deltap mk": lambda c: c.precision + c.negatives_found - 1.0,
}
BY_NAME = {name: rate for names, rate in RATES.items() for name in names.split()}


class UnknownRateError(MsconvertError, NotImplementedError):
    """MS301: a figure of the confusion matrix that there is not."""


def rate_of(metric_name: str) -> Callable[[Counts], Any]:
    """The figure of that name. Raises: NotImplementedError (MS301) if there is none."""
    name = metric_name.replace(" ", "_").lower()
    if name not in BY_NAME:
        raise UnknownRateError(
            "MS301", f"ConfusionMatrixMetric: {metric_name!r}", "there is no such figure",
            expected=", ".join(names.split()[0] for names in RATES),
        )  # fmt: skip
    return BY_NAME[name]


AXES: dict[str, tuple[int, ...]] = {
    "none": (), "mean": (1, 0), "sum": (1, 0), "mean_batch": (0,), "sum_batch": (0,),
    "mean_channel": (1,), "sum_channel": (1,),
}  # fmt: skip
"""Over which axes of (batch, channels) each `decrease` goes, one after the other."""


def decreased(figures: Array, decrease: str) -> tuple[Array, Array]:
    """The figures with fewer axes, and of how many each is made; NaN counts for nothing."""
    counts = (~np.isnan(figures)).astype(float)
    found = np.nan_to_num(figures, nan=0.0)
    for axis in AXES[decrease]:
        found, number = found.sum(axis=axis), counts.sum(axis=axis)
        counts = number
        if decrease.startswith("mean"):
            found = np.where(number > 0, found / np.maximum(number, 1), 0.0)
            counts = (number > 0).astype(float) if decrease == "mean" else number
    return found, counts


class ConfusionMatrixMetric(Metric):
    """A figure of binary masks (batch, channels, ...): of all counts, or the mean of batches'.

    calculation_method: the figure of each image and channel first, then `decrease`.
    skip_channel: False leaves out the first channel, the background.
    """

    def __init__(
        self,
        skip_channel: bool = True,
        metric_name: str = "sensitivity",
        calculation_method: bool = False,
        decrease: str = "mean",
    ) -> None:
        super().__init__()
        name = "ConfusionMatrixMetric"
        self.skip_channel = check_type(name, "skip_channel", skip_channel, bool)
        self.calculation_method = check_type(name, "calculation_method", calculation_method, bool)
        self.metric_name: str = check_type(name, "metric_name", metric_name, str)
        self.decrease: str = check_type(name, "decrease", decrease, str)
        check_choice(name, "decrease", decrease, AXES)
        self.clear()

    def clear(self) -> None:
        self._total_num, self._class_num = 0.0, 0
        self.totals = np.zeros(4)

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        y_pred, y = self.predicted_and_true(inputs)
        if not np.all(y.astype(np.uint8) == y):
            raise ShapeError("ConfusionMatrixMetric.update", "the true value is no mask of 0 and 1")
        if y_pred.ndim < 2 or y_pred.shape != y.shape or y.size == 0:
            raise self.mismatch(y_pred, y, "the same shape (batch, channels, ...)")
        flat = y_pred.ndim == 2 or (y_pred.ndim == 3 and y_pred.shape[-1] == 1)
        counts = counted(y_pred.astype(float), y.astype(float), self.skip_channel)
        if not self.calculation_method or flat:
            self.take_counts(counts)
            return
        figures = rate_of(self.metric_name)(Counts(*np.moveaxis(counts, -1, 0)))
        found, numbers = decreased(figures, self.decrease)
        if found.size != 1:
            raise ShapeError(
                "ConfusionMatrixMetric.update", "decrease leaves more than one number",
                got=f"{self.decrease!r}: shape {found.shape}", expected="'mean' or 'sum'",
            )  # fmt: skip
        number = int(numbers.item())
        self._total_num += float(found.item()) * number
        self._class_num += number

    def take_counts(self, counts: Array) -> None:
        """Raises: ValueError (MS304) where a figure is wanted of each image, which has no pixel."""
        if self.calculation_method:
            raise ShapeError(
                "ConfusionMatrixMetric.update", "calculation_method needs images",
                got="masks of one pixel", expected="(batch, channels, ...) with more pixels",
                advice="leave calculation_method out",
            )  # fmt: skip
        self.totals += counts.sum(axis=(0, 1))

    def eval(self) -> Any:
        rate = rate_of(self.metric_name)
        if self.calculation_method:
            self.require_some(self._class_num)
            return self._total_num / self._class_num
        return np.asarray(rate(Counts(*self.totals.reshape(4, 1))))


def counted(y_pred: Array, y: Array, skip_channel: bool) -> Array:
    """(batch, channels, 4): true and false positives, true and false negatives."""
    if not skip_channel and y.shape[1] > 1:
        y_pred, y = y_pred[:, 1:], y[:, 1:]
    y_pred, y = (a.reshape(*a.shape[:2], -1) for a in (y_pred, y))
    tp, tn = ((y_pred + y == both).astype(float).sum(axis=2) for both in (2, 0))
    positive = y.sum(axis=2)
    return np.stack([tp, y.shape[-1] - positive - tn, tn, positive - tp], axis=-1)
