"""Activation functions, and dropout."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine.argument import check_range
from ..engine.failure import ShapeError
from ..engine.tensor import Tensor
from ..ops.activation import FLOATS, check_elements, dropped_channels, keeping
from .operation import operation, same

for _name, _op in {
    "ReLU": "relu",
    "ReLU6": "relu6",
    "SeLU": "selu",
    "HSwish": "hardswish",
    "HSigmoid": "hardsigmoid",
    "Mish": "mish",
    "PReLU": "prelu",
    "Sigmoid": "sigmoid",
    "Softsign": "softsign",
    "Tanh": "tanh",
    "FastGeLU": "fast_gelu",
    "FastGelu": "fast_gelu",
}.items():
    same(_name, _op)


@operation("GeLU")
def gelu(input: Tensor) -> Any:
    """By tanh, unlike `ops.gelu`."""
    return ops.gelu(input, "tanh")


operation("Gelu")(lambda x: ops.gelu(x, "tanh"))


@operation("Softplus")
def softplus(x: Tensor) -> Any:
    return ops.softplus(x)


@operation("Elu")
def elu(input_x: Tensor, *, alpha: float | int = 1.0) -> Any:
    return ops.elu(input_x, float(alpha))


@operation("CeLU")
def celu(x: Tensor, *, alpha: float | int = 1.0) -> Any:
    return ops.celu(x, float(alpha))


@operation("HShrink")
def hard_shrink(input: Tensor, *, lambd: bool | int | float = 0.5) -> Any:
    return ops.hardshrink(input, lambd)


@operation("SoftShrink")
def soft_shrink(input: Tensor, *, lambd: bool | int | float = 0.5) -> Any:
    return ops.softshrink(input, lambd)


@operation("GLU")
def glu(x: Tensor, *, axis: Any = -1) -> Any:
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"GLU: there is no axis {axis} in {x.shape}")
    return ops.glu(x, axis)


@operation("Softmax")
def softmax(input: Tensor, *, axis: int | tuple[int, ...] = -1) -> Any:
    return ops.softmax(input, only(axis, "Softmax"))


@operation("LogSoftmax")
def log_softmax(logits: Tensor, *, axis: Any = -1) -> Any:
    return ops.log_softmax(logits, axis)


def only(axis: int | tuple[int, ...], where: str) -> int:
    """The axis of a tuple of one. Raises: RuntimeError for more, as MindSpore does."""
    if isinstance(axis, int):
        return axis
    if not axis:
        raise ShapeError(where, "takes one axis", got="()")
    if len(axis) != 1:
        raise RuntimeError(f"{where} takes one axis, got {axis}")
    return axis[0]


def check_keep_prob(keep_prob: float) -> None:
    check_range("Dropout", "keep_prob", keep_prob, 0.0, 1.0)


@operation("Dropout")
def dropout(x: Tensor, *, keep_prob: Any = 0.5, Seed0: Any = 0, Seed1: Any = 0) -> Any:
    """What is left, and the mask in the element type of `x`."""
    check_elements("Dropout", x, *FLOATS)
    if not 0 < keep_prob <= 1:
        raise RuntimeError(f"Dropout: keep_prob must be in (0, 1], got {keep_prob}")
    seed = None if Seed0 == Seed1 == 0 else hash((Seed0, Seed1)) & 0xFFFFFFFF
    kept, scale = keeping(x.shape, keep_prob, x.dtype, seed)
    return ops.mul(x, scale), ops.cast(kept, x.dtype)


def of_channels(x: Tensor, keep_prob: float, rank: int, where: str) -> tuple[Tensor, Tensor]:
    """Whole channels are dropped: (n, c, *sizes) and the boolean mask."""
    y, kept = dropped_channels(where, x, 1 - keep_prob, rank)
    return y, ops.broadcast_to(kept, x.shape)


@operation("Dropout2D", check_keep_prob)
def dropout_2d(x: Tensor, *, keep_prob: float = 0.5) -> Any:
    return of_channels(x, keep_prob, 4, "Dropout2D")


@operation("Dropout3D", check_keep_prob)
def dropout_3d(x: Tensor, *, keep_prob: float = 0.5) -> Any:
    return of_channels(x, keep_prob, 5, "Dropout3D")
