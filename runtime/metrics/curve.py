"""The curve of true over false positives, and the area under a curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.argument import check_type
from ..engine.dtype import Array
from ..engine.failure import ElementTypeError, ShapeError
from .metric import Metric, rearrange_inputs

Curve = tuple[Array, Array, Array]
"""False positive rates, true positive rates, thresholds."""


class ROC(Metric):
    """(false positive rates, true positive rates, thresholds), for several classes lists of them.

    class_num: 1 for scores of the shape of the labels, else the number of columns of scores;
    pos_label: the label that is positive, 1 if it is not given.
    """

    def __init__(self, class_num: int | None = None, pos_label: int | None = None) -> None:
        super().__init__()
        for name, value in (("class_num", class_num), ("pos_label", pos_label)):
            if value is not None:
                check_type("ROC", name, value, int)
        self.class_num, self.pos_label = class_num, pos_label
        self.clear()

    def clear(self) -> None:
        self.y_pred: Any = 0
        self.y: Any = 0
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        y_pred, y = self.predicted_and_true(inputs)
        if y_pred.ndim == y.ndim + 1 and y.ndim > 0:
            self.check_columns(y_pred)
            y_pred = np.moveaxis(y_pred, 1, -1).reshape(-1, y_pred.shape[1])
        elif y_pred.shape == y.shape and self.class_num in (None, 1):
            self.class_num, y_pred = 1, y_pred.flatten()
            self.pos_label = 1 if self.pos_label is None else self.pos_label
        else:
            expected = "the same shape and class_num 1, or scores (n, classes) and labels (n,)"
            raise self.mismatch(y_pred, y, expected)
        y = y.flatten()
        if len(y_pred) != len(y) or not len(y):
            raise self.mismatch(y_pred, y, "as many labels as rows of scores, and some")
        self.y_pred, self.y, self._is_update = y_pred, y, True

    def check_columns(self, y_pred: Array) -> None:
        if self.pos_label is not None or self.class_num != y_pred.shape[1]:
            raise ShapeError(
                "ROC.update", "class_num or pos_label do not go with scores for several classes",
                got=f"class_num {self.class_num}, pos_label {self.pos_label}",
                expected=f"ROC(class_num={y_pred.shape[1]})",
            )  # fmt: skip

    def eval(self) -> Any:
        self.require_some(self._is_update)
        if self.y_pred.ndim == 1:
            return curve(self.y_pred, self.y, self.pos_label)
        columns = [curve(scores, self.y, c) for c, scores in enumerate(self.y_pred.T)]
        return tuple(list(part) for part in zip(*columns, strict=True))


def curve(scores: Array, y: Array, positive: Any) -> Curve:
    """The rates where the threshold passes each score. Raises: ValueError (MS304)."""
    order = np.argsort(-scores)
    scores, hits = scores[order], (y[order] == positive).astype(np.int64)
    last = np.append(np.where(np.diff(scores))[0], len(scores) - 1)
    true = np.cumsum(hits)[last]
    false = 1 + last - true
    for name, counts in (("negative", false), ("positive", true)):
        if counts[-1] <= 0:
            raise ShapeError(
                "ROC.eval", f"there is no {name} sample in the true value",
                got=f"pos_label {positive}",
            )  # fmt: skip
    false, true = np.append(0, false), np.append(0, true)
    thresholds = np.append(scores[last][:1] + 1, scores[last])
    return false / false[-1], true / true[-1], thresholds


def auc(x: Array, y: Array, reorder: bool = False) -> Any:
    """The area under the points, by trapezoids; `reorder` sorts them first.

    Raises: ValueError (MS304) unless x goes up or down all the way
    """
    for value in (x, y):
        if not isinstance(value, np.ndarray):
            got = type(value).__name__
            raise ElementTypeError("auc", "x or y is no array", got=got, expected="NumPy arrays")
    if x.shape[:1] != y.shape[:1]:
        got = f"{x.shape} and {y.shape}"
        raise ShapeError("auc", "x and y differ in length", got=got)
    x, y = flat(x), flat(y)
    if len(x) < 2:
        raise ShapeError("auc", "it needs two points at least", got=str(len(x)))
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    steps = np.diff(x)
    if np.any(steps < 0) and np.any(steps > 0):
        raise ShapeError(
            "auc", "x goes up and down", got=repr(x), advice="sort the points, or reorder=True"
        )
    area = float(((y[1:] + y[:-1]) / 2 * steps).sum())
    return -area if np.any(steps < 0) else area


def flat(x: Array) -> Array:
    """Raises: ValueError (MS304) unless it is one column."""
    if x.ndim == 1 or (x.ndim == 2 and x.shape[1] == 1):
        return np.ravel(x)
    raise ShapeError("auc", "x or y is no single column", got=str(x.shape), expected="(n,)")
