"""Metrics of numbers: how far predictions are off, and the mean of losses."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from ..engine.argument import check_choice, check_float, check_type
from ..engine.dtype import Array
from ..engine.failure import RefusedError, ShapeError
from .metric import Metric, rearrange_inputs


class MeanError(Metric):
    """Abstract: the errors of all elements, added up and divided by the number of samples."""

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self.total, self._samples_num = 0.0, 0

    @abstractmethod
    def error(self, difference: Array) -> Array:
        """What an element's difference counts."""

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        y_pred, y = self.predicted_and_true(inputs)
        if y.size != y_pred.size or y.ndim == 0:
            raise self.mismatch(y_pred, y, "as many elements in both")
        self.total += float(self.error(y.reshape(y_pred.shape) - y_pred).sum())
        self._samples_num += y.shape[0]

    def eval(self) -> float:
        self.require_some(self._samples_num)
        return self.total / self._samples_num


class MAE(MeanError):
    """The mean absolute error."""

    def error(self, difference: Array) -> Array:
        return np.abs(difference)


class MSE(MeanError):
    """The mean squared error."""

    def error(self, difference: Array) -> Array:
        return np.power(difference, 2)


class Loss(Metric):
    """The mean of the losses of all batches."""

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self._sum_loss, self._total_num = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        (given,) = self.given(inputs, "the loss")
        loss = self.numbers(given)
        if loss.ndim > 1:
            raise ShapeError(
                "Loss.update", "a loss has too many axes", got=str(loss.shape),
                expected="shape () or (n,)", advice="give the loss function reduction='mean'",
            )  # fmt: skip
        self._sum_loss += float(loss.mean())
        self._total_num += 1

    def eval(self) -> float:
        self.require_some(self._total_num)
        return self._sum_loss / self._total_num


class Perplexity(Metric):
    """e to the mean of -log(probability) of the true labels; `ignore_label` is left out."""

    def __init__(self, ignore_label: int | None = None) -> None:
        super().__init__()
        if ignore_label is not None:
            check_type("Perplexity", "ignore_label", ignore_label, int)
        self.ignore_label = ignore_label
        self.clear()

    def clear(self) -> None:
        self._sum_metric, self._num_inst = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        y_pred, y = self.predicted_and_true(inputs)
        if (
            y_pred.ndim == 0
            or y_pred.shape[-1] == 0
            or y.size != y_pred.size // max(y_pred.shape[-1], 1)
        ):
            got = f"{y_pred.shape} and {y.shape}"
            expected = "probabilities (..., classes) and labels (...)"
            raise RefusedError("Perplexity.update", "wrong shapes", got=got, expected=expected)
        labels, count = y.reshape(-1).astype(int), y_pred.shape[-1]
        if labels.size and not -count <= labels.min() <= labels.max() < count:
            got = f"{labels.min()} to {labels.max()}"
            raise ShapeError(
                "Perplexity.update", "a label is out of range", got=got,
                expected=f"0 to {count - 1}",
            )  # fmt: skip
        probabilities = y_pred.reshape(-1, y_pred.shape[-1])[np.arange(labels.size), labels]
        kept = np.ones(labels.size, bool)
        if self.ignore_label is not None:
            kept = labels != self.ignore_label
        self._sum_metric -= float(np.log(np.maximum(1e-10, probabilities[kept])).sum())
        self._num_inst += int(kept.sum())

    def eval(self) -> float:
        self.require_some(self._num_inst)
        return math.exp(self._sum_metric / self._num_inst)


class Dice(Metric):
    """Twice the overlap of two masks, as a share of both; the mean over batches per sample."""

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        check_float("Dice", "smooth", smooth, 0.0, ends="neither")
        self.smooth = smooth
        self.clear()

    def clear(self) -> None:
        self._dice_coeff_sum, self._samples_num = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        y_pred, y = self.predicted_and_true(inputs)
        if y_pred.shape != y.shape or y.ndim == 0:
            raise self.mismatch(y_pred, y, "the same shape")
        predicted, true = y_pred.flatten(), y.flatten()
        whole = float(np.dot(predicted, predicted) + np.dot(true, true) + self.smooth)
        self._dice_coeff_sum += 2 * float(np.dot(predicted, true)) / whole
        self._samples_num += y.shape[0]

    def eval(self) -> float:
        self.require_some(self._samples_num)
        return self._dice_coeff_sum / self._samples_num


class CosineSimilarity(Metric):
    """How similar the rows of one matrix are to each other."""

    def __init__(
        self, similarity: str = "cosine", reduction: str = "none", zero_diagonal: bool = True
    ) -> None:
        super().__init__()
        name = "CosineSimilarity"
        check_choice(
            name, "similarity", check_type(name, "similarity", similarity, str), ("dot", "cosine")
        )
        check_choice(
            name, "reduction", check_type(name, "reduction", reduction, str),
            ("none", "sum", "mean"),
        )  # fmt: skip
        self.similarity, self.reduction = similarity, reduction
        self.zero_diagonal = check_type(name, "zero_diagonal", zero_diagonal, bool)
        self.clear()

    def clear(self) -> None:
        self.sqr_mtx_res: Any = 0
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        (given,) = self.given(inputs, "the matrix")
        x = self.numbers(given)
        if x.ndim != 2:
            raise ShapeError(
                "CosineSimilarity.update", "it needs a matrix", got=str(x.shape), expected="(n, c)"
            )
        if self.similarity == "cosine":
            x = x / np.linalg.norm(x, ord=2, axis=1, keepdims=True)
        self.sqr_mtx_res = np.dot(x, x.T)
        self._is_update = True

    def eval(self) -> Array:
        self.require_some(self._is_update)
        found: Array = self.sqr_mtx_res
        if self.zero_diagonal:
            np.fill_diagonal(found, 0)
        if self.reduction == "none":
            return found
        by = np.mean if self.reduction == "mean" else np.sum
        return np.asarray(by(found, axis=-1))
