"""Activation layers."""

from __future__ import annotations

from typing import Any

from ..cells.cell import Cell
from ..engine import dtype as dtypes
from ..engine.argument import check_int, check_type
from ..engine.failure import ShapeError
from ..engine.initializer import initializer
from ..engine.parameter import Parameter
from ..engine.tensor import Tensor
from ..ops import activation
from ..ops.arithmetic import mul


class Elementwise(Cell):
    """An activation that has no settings. Abstract: subclasses define `construct`."""

    def __init__(self) -> None:
        super().__init__()


class ReLU(Elementwise):
    def construct(self, x: Tensor) -> Tensor:
        return activation.relu(x)


class ReLU6(Elementwise):
    def construct(self, x: Tensor) -> Tensor:
        return activation.relu6(x)


class LeakyReLU(Cell):
    """x where positive, else alpha * x; alpha is 0.2 (PyTorch: 0.01)."""

    def __init__(self, alpha: float = 0.2) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Tensor:
        return activation.leaky_relu(x, self.alpha)


class RReLU(Cell):
    """x where positive, else x times a random number from `lower` to `upper`."""

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3) -> None:
        super().__init__()
        for name, bound in (("lower", lower), ("upper", upper)):
            check_type(self.cls_name, name, bound, int, float)
        if lower > upper:
            got = f"{lower}, {upper}"
            raise ShapeError(self.cls_name, "upper must not be below lower", got=got)
        self.lower, self.upper = lower, upper

    def construct(self, x: Tensor) -> Tensor:
        return activation.rrelu(x, self.lower, self.upper)


class ELU(Cell):
    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Tensor:
        return activation.elu(x, self.alpha)


class CELU(Cell):
    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Tensor:
        return activation.celu(x, self.alpha)


class SeLU(Elementwise):
    def construct(self, input_x: Tensor) -> Tensor:
        return activation.selu(input_x)


class GELU(Cell):
    """By tanh unless `approximate` is False (PyTorch: exact by default)."""

    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        self.approximate = check_type(self.cls_name, "approximate", approximate, bool)

    def construct(self, x: Tensor) -> Tensor:
        return activation.gelu(x, "tanh" if self.approximate else "none")


class FastGelu(Elementwise):
    """x * sigmoid(1.702 * x)."""

    def construct(self, x: Tensor) -> Tensor:
        return mul(x, activation.sigmoid(mul(x, 1.702)))


class SiLU(Elementwise):
    def construct(self, x: Tensor) -> Tensor:
        return activation.silu(x)


class Mish(Elementwise):
    def construct(self, input_x: Tensor) -> Tensor:
        return activation.mish(input_x)


class HSwish(Elementwise):
    def construct(self, x: Tensor) -> Tensor:
        return activation.hardswish(x)


class HSigmoid(Elementwise):
    def construct(self, input_x: Tensor) -> Tensor:
        return activation.hardsigmoid(input_x)


class Sigmoid(Elementwise):
    def construct(self, x: Tensor) -> Tensor:
        return activation.sigmoid(x)


class Tanh(Elementwise):
    def construct(self, x: Tensor) -> Tensor:
        return activation.tanh(x)


class Softsign(Elementwise):
    def construct(self, x: Tensor) -> Tensor:
        return activation.softsign(x)


class LogSigmoid(Elementwise):
    def construct(self, input_x: Tensor) -> Tensor:
        return activation.logsigmoid(input_x)


class Tanhshrink(Elementwise):
    def construct(self, input_x: Tensor) -> Tensor:
        return activation.tanhshrink(input_x)


class AlongAxis(Cell):
    """An activation along one axis. Abstract: subclasses define `construct`."""

    kinds: tuple[type, ...] = (int,)

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = check_type(self.cls_name, "axis", axis, *self.kinds)


class Softmax(AlongAxis):
    def construct(self, input: Tensor) -> Tensor:
        return activation.softmax(input, self.axis)


class LogSoftmax(AlongAxis):
    def construct(self, x: Tensor) -> Tensor:
        return activation.log_softmax(x, self.axis)


class Softmin(AlongAxis):
    def construct(self, x: Tensor) -> Tensor:
        return activation.softmin(x, self.axis)


class GLU(AlongAxis):
    def construct(self, x: Tensor) -> Tensor:
        return activation.glu(x, self.axis)


class Softmax2d(Elementwise):
    """Softmax over the channels of (n, c, h, w) or (c, h, w)."""

    def construct(self, input: Tensor) -> Tensor:
        return activation.softmax(input, -3)


class Shrink(Cell):
    """0 within `lambd` of 0. Abstract: subclasses define `construct`."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = check_type(self.cls_name, "lambd", lambd, bool, int, float)


class SoftShrink(Shrink):
    def construct(self, input: Tensor) -> Tensor:
        return activation.softshrink(input, self.lambd)


class HShrink(Shrink):
    def construct(self, input: Tensor) -> Tensor:
        return activation.hardshrink(input, self.lambd)


class Hardtanh(Cell):
    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        super().__init__()
        for name, bound in (("min_val", min_val), ("max_val", max_val)):
            check_type(self.cls_name, name, bound, int, float)
        if min_val >= max_val:
            got = f"{min_val}, {max_val}"
            raise ShapeError(self.cls_name, "min_val must be below max_val", got=got)
        self.min_val, self.max_val = min_val, max_val

    def construct(self, x: Tensor) -> Tensor:
        return activation.hardtanh(x, self.min_val, self.max_val)


class Threshold(Cell):
    """x where it exceeds `threshold`, else `value`."""

    def __init__(self, threshold: float, value: float) -> None:
        super().__init__()
        self.threshold, self.value = threshold, value

    def construct(self, input_x: Tensor) -> Tensor:
        return activation.threshold(input_x, self.threshold, self.value)


class PReLU(Cell):
    """x where positive, else w * x; w has one element or one per channel (axis 1)."""

    dtype: dtypes.DType = dtypes.float32

    def __init__(self, channel: int = 1, w: Any = 0.25) -> None:
        super().__init__()
        check_int(self.cls_name, "channel", channel, 1)
        if isinstance(w, Tensor) and w.shape != (channel,):
            got, expected = str(w.shape), f"({channel},)"
            raise ShapeError(self.cls_name, "w has a wrong shape", got=got, expected=expected)
        if isinstance(w, list) and len(w) != channel:
            raise ShapeError(self.cls_name, "w has a wrong length", got=str(w))
        if isinstance(w, list):
            w = Tensor(w, self.dtype)
        given = w if isinstance(w, Tensor) else initializer(w, (channel,), self.dtype)
        self.w = Parameter(given, name="a")

    def construct(self, x: Tensor) -> Tensor:
        return activation.prelu(x, self.w)


class PReLUExt(PReLU):
    """As PReLU, with PyTorch's names of the arguments."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: Any = None) -> None:
        if dtype is not None:
            self.__dict__["dtype"] = dtype
        super().__init__(num_parameters, init)


NAMES: dict[str, type[Cell]] = {
    "softmin": Softmin,
    "softmax": Softmax,
    "softmax2d": Softmax2d,
    "logsoftmax": LogSoftmax,
    "relu": ReLU,
    "relu6": ReLU6,
    "rrelu": RReLU,
    "tanh": Tanh,
    "tanhshrink": Tanhshrink,
    "hardtanh": Hardtanh,
    "gelu": GELU,
    "fast_gelu": FastGelu,
    "elu": ELU,
    "sigmoid": Sigmoid,
    "prelu": PReLU,
    "leakyrelu": LeakyReLU,
    "hswish": HSwish,
    "hsigmoid": HSigmoid,
    "logsigmoid": LogSigmoid,
    "softshrink": SoftShrink,
    "silu": SiLU,
    "hshrink": HShrink,
    "threshold": Threshold,
    "mish": Mish,
    "softsign": Softsign,
}
"""The names that `get_activation` and `nn.Dense(activation=...)` take."""


def get_activation(name: str, prim_name: str | None = None) -> Cell | None:
    """The activation layer called `name`. Raises: KeyError if there is none."""
    if name is None:
        return None
    if name not in NAMES:
        place, known = prim_name or "get_activation", ", ".join(sorted(NAMES))
        raise KeyError(f"For {place}, there is no activation {name!r}: it is one of {known}")
    return NAMES[name]()
