"""Metrics of classes: how many of them were found, and how many of those found are right."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ..engine.argument import check_range, check_type
from ..engine.dtype import Array
from ..engine.failure import ElementTypeError, ShapeError
from .metric import TINY, EvaluationBase, Metric, is_one_hot, rearrange_inputs


class Accuracy(EvaluationBase):
    """The share of right samples: of classes, or (`multilabel`) of samples right in all labels."""

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)
        self.clear()

    def clear(self) -> None:
        self._correct_num, self._total_num, self._class_num = 0, 0, 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        y_pred, y = self.checked(inputs)
        if self._type == "classification":
            right = np.equal(y_pred.argmax(axis=1), y).reshape(-1)
        else:
            right = np.equal(self.flat(y_pred), self.flat(y)).all(axis=1)
        self._correct_num += int(right.sum())
        self._total_num += right.shape[0]

    def flat(self, y: Array) -> Array:
        """(samples, classes), in MindSpore's order of axes."""
        return y.swapaxes(1, y.ndim - 1).reshape(-1, self._class_num)

    def eval(self) -> float:
        self.require_some(self._total_num)
        return self._correct_num / self._total_num


class FoundShare(EvaluationBase):
    """Abstract: true positives as a share of what the subclass counts, for each class."""

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)
        self.eps = TINY
        self.clear()

    def clear(self) -> None:
        self._class_num = 0
        several = self._type == "multilabel"
        self._true_positives: Any = np.empty(0) if several else 0
        self.whole: Any = np.empty(0) if several else 0
        self.share_sum, self.share_count = 0.0, 0

    @abstractmethod
    def counted(self, y_pred: Array, y: Array) -> Array:
        """What the true positives are a share of: one of the two."""

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        y_pred, y = self.checked(inputs)
        if self._type == "classification":
            y_pred, y = self.hot_pair(y_pred, y)
        else:
            y_pred, y = (a.swapaxes(1, 0).reshape(self._class_num, -1) for a in (y_pred, y))
        hits, whole = (y * y_pred).sum(axis=0), self.counted(y_pred, y).sum(axis=0)
        if self._type == "classification":
            self._true_positives, self.whole = self._true_positives + hits, self.whole + whole
            return
        self._true_positives = np.concatenate([self._true_positives, hits])
        self.whole = np.concatenate([self.whole, whole])
        self.share_sum += float((hits / (whole + self.eps)).sum())
        self.share_count += len(whole)

    def eval(self, average: bool = False) -> Any:
        """For each class (of labels, for each sample), or their average."""
        self.require_some(self._class_num)
        check_type(type(self).__name__, "average", average, bool)
        shares = self._true_positives / (self.whole + self.eps)
        if not average:
            return shares
        if self._type == "multilabel":
            return self.share_sum / (self.share_count + self.eps)
        return float(shares.mean())


class Precision(FoundShare):
    """The share of right samples among those predicted as a class."""

    def counted(self, y_pred: Array, y: Array) -> Array:
        return y_pred


class Recall(FoundShare):
    """The share of found samples among those of a class."""

    def counted(self, y_pred: Array, y: Array) -> Array:
        return y


class Fbeta(EvaluationBase):
    """The weighted harmonic mean of precision and recall, for each class."""

    def __init__(self, beta: float) -> None:
        super().__init__("classification")
        self.eps = TINY
        check_range("Fbeta", "beta", beta, 0, ends="right")
        self.beta = beta
        self.clear()

    def clear(self) -> None:
        self._true_positives: Any = 0
        self._actual_positives: Any = 0
        self._positives: Any = 0
        self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        y_pred, y = self.predicted_and_true(inputs)
        if y_pred.ndim == y.ndim and is_one_hot(y):
            y = y.argmax(axis=1)
        self.count_classes(y_pred)
        predicted, true = self.hot_pair(y_pred, y)
        if predicted.shape != true.shape:
            raise self.mismatch(y_pred, y, "(n, c, ...) and (n, ...), or both one-hot (n, c)")
        self._true_positives = self._true_positives + (true * predicted).sum(axis=0)
        self._positives = self._positives + predicted.sum(axis=0)
        self._actual_positives = self._actual_positives + true.sum(axis=0)

    def eval(self, average: bool = False) -> Any:
        """For each class, or the average of the classes."""
        check_type(type(self).__name__, "average", average, bool)
        self.require_some(self._class_num)
        square = self.beta**2
        whole = square * self._actual_positives + self._positives + self.eps
        found = (1.0 + square) * self._true_positives / whole
        return float(found.mean()) if average else found


class F1(Fbeta):
    """Fbeta with beta 1."""

    def __init__(self) -> None:
        super().__init__(1.0)


class TopKCategoricalAccuracy(Metric):
    """The share of samples whose true class is among the `k` with the highest scores."""

    def __init__(self, k: int) -> None:
        super().__init__()
        if not isinstance(k, int):
            raise ElementTypeError(type(self).__name__, "k is no int", got=type(k).__name__)
        if k < 1:
            raise ShapeError(type(self).__name__, "k is less than 1", got=str(k))
        self.k = k
        self.clear()

    def clear(self) -> None:
        self._correct_num, self._samples_num = 0, 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        y_pred, y = self.predicted_and_true(inputs)
        if y_pred.ndim == y.ndim and is_one_hot(y):
            y = y.argmax(axis=1)
        if y_pred.ndim != 2 or y.size != y_pred.shape[0] or y_pred.shape[1] < self.k:
            raise self.mismatch(y_pred, y, f"(n, c) and (n,), with c of {self.k} or more")
        highest = np.argsort(-y_pred, axis=1)[:, : self.k]
        self._correct_num += int(np.equal(highest, y.reshape(-1, 1)).sum())
        self._samples_num += y_pred.shape[0]

    def eval(self) -> float:
        self.require_some(self._samples_num)
        return self._correct_num / self._samples_num


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """TopKCategoricalAccuracy with k 1."""

    def __init__(self) -> None:
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """TopKCategoricalAccuracy with k 5."""

    def __init__(self) -> None:
        super().__init__(5)
