"""What all metrics share, and how a metric chooses among the outputs of a network."""

from __future__ import annotations

import functools
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from ..engine.dtype import Array
from ..engine.failure import ElementTypeError, RefusedError, ShapeError
from ..engine.tensor import Tensor

TINY = sys.float_info.min
"""Added to what is divided by: a class that never came has 0."""

KINDS = ("classification", "multilabel")

Update = TypeVar("Update", bound=Callable[..., Any])


def rearrange_inputs(func: Update) -> Update:
    """The method `update`, given only the inputs that `set_indexes` has chosen."""

    @functools.wraps(func)
    def chosen(self: Metric, *inputs: Any) -> Any:
        order = self.indexes
        return func(self, *(inputs if not order else [inputs[place] for place in order]))

    return chosen  # type: ignore[return-value]  # of the same signature


class Metric(ABC):
    """Abstract: `clear`, then `update` with each batch, then `eval`.

    A subclass defines these three; `update` may be decorated by `rearrange_inputs`.
    """

    def __init__(self) -> None:
        self._indexes: list[int] | None = None

    def _convert_data(self, data: Any) -> Array:
        """A Tensor, a list or an array as an array. Raises: TypeError (MS304) for all else."""
        if isinstance(data, Tensor):
            return data.asnumpy()
        if isinstance(data, list):
            return array_of(data, type(self).__name__)
        if isinstance(data, np.ndarray):
            return data
        raise ElementTypeError(
            type(self).__name__,
            "an input of update is of a wrong type",
            got=type(data).__name__,
            expected="a Tensor, a list or a NumPy array",
        )

    @property
    def indexes(self) -> list[int] | None:
        """Which of the inputs `update` takes, in this order; None for all of them."""
        return getattr(self, "_indexes", None)

    def set_indexes(self, indexes: list[int]) -> Metric:
        """Sets which of a network's outputs `update` takes; gives the metric itself."""
        if not isinstance(indexes, list) or not all(isinstance(n, int) for n in indexes):
            expected = "a list of numbers, for instance [0, 2]"
            raise ShapeError("set_indexes", "wrong indexes", got=repr(indexes), expected=expected)
        self._indexes = indexes
        return self

    def __call__(self, *inputs: Any) -> Any:
        """The metric of these inputs alone."""
        self.clear()
        self.update(*inputs)
        return self.eval()

    @abstractmethod
    def clear(self) -> Any:
        """Forgets all batches."""

    @abstractmethod
    def eval(self) -> Any:
        """The metric of all batches since `clear`."""

    @abstractmethod
    def update(self, *inputs: Any) -> Any:
        """Takes a batch."""

    # for the metrics of this folder

    def given(self, inputs: Sequence[Any], *names: str) -> Sequence[Any]:
        """`inputs`. Raises: ValueError (MS304) unless there is one for each name."""
        if len(inputs) != len(names):
            raise ShapeError(
                f"{type(self).__name__}.update",
                "it has another number of inputs",
                got=str(len(inputs)),
                expected=f"{len(names)}: {', '.join(names)}",
                advice="choose among the outputs of the network with set_indexes([...])",
            )
        return inputs

    def numbers(self, data: Any) -> Array:
        """An input as an array of numbers. Raises: TypeError (MS304) for texts and objects."""
        found = self._convert_data(data)
        if found.dtype.name == "bfloat16":
            return found.astype(np.float32)
        if found.dtype.kind not in "biuf":
            raise ElementTypeError(
                f"{type(self).__name__}.update", "an input holds no real numbers",
                got=str(found.dtype), expected="integers, floats or booleans",
            )  # fmt: skip
        return found.astype(np.int64) if found.dtype.kind == "b" else found

    def predicted_and_true(self, inputs: Sequence[Any]) -> tuple[Array, Array]:
        """The two inputs of most metrics, as arrays."""
        y_pred, y = self.given(inputs, "the predicted value", "the true value")
        return self.numbers(y_pred), self.numbers(y)

    def mismatch(self, y_pred: Array, y: Array, expected: str) -> ShapeError:
        """The error for shapes that do not go together."""
        return ShapeError(
            f"{type(self).__name__}.update",
            "the shapes of the predicted and the true value do not go together",
            got=f"{y_pred.shape} and {y.shape}",
            expected=expected,
        )

    def require_some(self, seen: Any) -> None:
        """Raises: RuntimeError (MS304) if nothing was `seen`."""
        if seen == 0:
            raise RefusedError(
                type(self).__name__,
                "there is no sample to evaluate",
                expected="update() with a batch that is not empty, before eval()",
            )


def array_of(values: list[Any], where: str) -> Array:
    """A list as an array. Raises: ValueError (MS304) if its rows differ in length."""
    try:
        return np.array(values)
    except ValueError as error:
        advice = "make the rows equally long, or give one array for each"
        got = str(error)
        raise ShapeError(where, "a list is no array", got=got, advice=advice) from error


def is_one_hot(y: Array) -> bool:
    """Whether each sample has a single 1 along the axis of classes, and zeros."""
    if y.ndim < 2 or not np.equal(y**2, y).all():
        return False
    return bool(np.equal(y.sum(axis=1), 1).all())


def one_hot(classes: Array, count: int) -> Array:
    """(samples, count) of zeros and ones."""
    return np.eye(count)[classes.reshape(-1).astype(np.int64)]


class EvaluationBase(Metric):
    """Abstract: what compares scores of classes (n, c, ...) with true classes or labels."""

    _class_num = 0

    def __init__(self, eval_type: str) -> None:
        super().__init__()
        if not isinstance(eval_type, str) or eval_type not in KINDS:
            expected = " or ".join(map(repr, KINDS))
            raise ElementTypeError(
                type(self).__name__, "there is no such eval_type", got=repr(eval_type),
                expected=expected,
            )  # fmt: skip
        self._type = eval_type

    def _check_shape(self, y_pred: Array, y: Array) -> None:
        if self._type == "multilabel" and y_pred.shape != y.shape:
            raise self.mismatch(y_pred, y, "the same shape, as eval_type is 'multilabel'")
        if self._type == "classification" and y.shape != (*y_pred.shape[:1], *y_pred.shape[2:]):
            raise self.mismatch(y_pred, y, "(n, c, ...) and (n, ...), or both one-hot (n, c)")

    def _check_value(self, y_pred: Array, y: Array) -> None:
        if self._type == "multilabel" and not all(np.equal(a**2, a).all() for a in (y_pred, y)):
            raise ShapeError(f"{type(self).__name__}.update", "a label is neither 0 nor 1")

    def checked(self, inputs: Sequence[Any]) -> tuple[Array, Array]:
        """The two inputs, true classes as numbers. Raises: ValueError (MS304) if they misfit."""
        y_pred, y = self.predicted_and_true(inputs)
        if self._type == "classification" and y_pred.ndim == y.ndim and is_one_hot(y):
            y = y.argmax(axis=1)
        self._check_shape(y_pred, y)
        self._check_value(y_pred, y)
        self.count_classes(y_pred)
        return y_pred, y

    def count_classes(self, y_pred: Array) -> None:
        """Raises: ValueError (MS304) if there were as many of them in all batches before."""
        if y_pred.ndim < 2:
            raise self.mismatch(y_pred, y_pred, "scores of shape (n, c, ...)")
        if self._class_num not in (0, y_pred.shape[1]):
            raise ShapeError(
                f"{type(self).__name__}.update", "there were another number of classes before",
                got=str(y_pred.shape[1]), expected=str(self._class_num),
            )  # fmt: skip
        self._class_num = y_pred.shape[1]

    def hot_pair(self, y_pred: Array, y: Array) -> tuple[Array, Array]:
        """Predicted and true classes, one-hot. Raises: ValueError (MS304) for a class too many."""
        count = self._class_num
        if y.size and y.dtype.kind not in "iu":
            raise ElementTypeError(
                f"{type(self).__name__}.update", "the true classes are no whole numbers",
                got=str(y.dtype), advice="convert the labels: label.astype(mindspore.int32)",
            )  # fmt: skip
        if y.size and y.max() + 1 > count:
            raise ShapeError(
                f"{type(self).__name__}.update", "a true class is not among the predicted ones",
                got=str(y.max()), expected=f"a class from 0 to {count - 1}",
            )  # fmt: skip
        return one_hot(y_pred.argmax(axis=1), count), one_hot(y, count)
