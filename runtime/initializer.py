"""`mindspore.common.initializer`: initial weights, drawn from the runtime's generator."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import context
from . import dtype as dtypes
from .dtype import Array, DType
from .failure import MissingNameError, ShapeError
from .tensor import LazyTensor, Pending, Tensor


class Initializer:
    """A way to fill a new parameter. Abstract: subclasses define `draw`."""

    def draw(self, shape: tuple[int, ...], generator: np.random.Generator) -> Any:
        """An array of `shape`, of any floating type, random numbers from `generator`."""
        raise NotImplementedError

    def array(self, shape: tuple[int, ...], dtype: DType) -> Array:
        return self.drawer(shape, dtype)()

    def drawer(self, shape: tuple[int, ...], dtype: DType) -> Callable[[], Array]:
        """What draws the array, later: the seed is taken now, so that the order does not count."""
        seed = int(context.generator.integers(2**63))

        def make() -> Array:
            generator = np.random.Generator(np.random.PCG64(seed))
            return np.asarray(self.draw(shape, generator)).astype(dtype.numpy)

        return make


class Constant(Initializer):
    """Every element is `value`."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def draw(self, shape: tuple[int, ...], generator: np.random.Generator) -> Any:
        return np.broadcast_to(np.asarray(self.value), shape)


class Zero(Constant):
    def __init__(self) -> None:
        super().__init__(0)


class One(Constant):
    def __init__(self) -> None:
        super().__init__(1)


class Normal(Initializer):
    """N(mean, sigma**2)."""

    def __init__(self, sigma: float = 0.01, mean: float = 0.0) -> None:
        self.sigma = sigma
        self.mean = mean

    def draw(self, shape: tuple[int, ...], generator: np.random.Generator) -> Any:
        drawn = generator.standard_normal(shape, dtype=np.float32)
        return drawn * np.float32(self.sigma) + np.float32(self.mean)


class TruncatedNormal(Initializer):
    """N(mean, sigma**2) kept within [a, b] standard deviations."""

    def __init__(
        self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0
    ) -> None:
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def draw(self, shape: tuple[int, ...], generator: np.random.Generator) -> Any:
        drawn = generator.standard_normal(shape)
        outside = (drawn < self.a) | (drawn > self.b)
        while outside.any():
            drawn[outside] = generator.standard_normal(int(outside.sum()))
            outside = (drawn < self.a) | (drawn > self.b)
        return drawn * self.sigma + self.mean


class Uniform(Initializer):
    """U(-scale, scale)."""

    def __init__(self, scale: float = 0.07) -> None:
        self.scale = scale

    def draw(self, shape: tuple[int, ...], generator: np.random.Generator) -> Any:
        return uniform(shape, generator, self.scale)


class XavierUniform(Initializer):
    def __init__(self, gain: float = 1) -> None:
        self.gain = gain

    def draw(self, shape: tuple[int, ...], generator: np.random.Generator) -> Any:
        fan_in, fan_out = fans(shape)
        return uniform(shape, generator, self.gain * math.sqrt(6.0 / (fan_in + fan_out)))


class XavierNormal(Initializer):
    def __init__(self, gain: float = 1) -> None:
        self.gain = gain

    def draw(self, shape: tuple[int, ...], generator: np.random.Generator) -> Any:
        fan_in, fan_out = fans(shape)
        return Normal(self.gain * math.sqrt(2.0 / (fan_in + fan_out))).draw(shape, generator)


class HeUniform(Initializer):
    def __init__(
        self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
    ) -> None:
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def draw(self, shape: tuple[int, ...], generator: np.random.Generator) -> Any:
        fan = fans(shape)[self.mode == "fan_out"]
        return uniform(
            shape, generator, math.sqrt(3.0 / fan) * gain(self.nonlinearity, self.negative_slope)
        )


class HeNormal(Initializer):
    def __init__(
        self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
    ) -> None:
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def draw(self, shape: tuple[int, ...], generator: np.random.Generator) -> Any:
        fan = fans(shape)[self.mode == "fan_out"]
        return Normal(gain(self.nonlinearity, self.negative_slope) / math.sqrt(fan)).draw(
            shape, generator
        )


class Orthogonal(Initializer):
    """A (semi-)orthogonal matrix over the first axis and all others."""

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def draw(self, shape: tuple[int, ...], generator: np.random.Generator) -> Any:
        if len(shape) < 2:
            raise ShapeError("Orthogonal", "needs two axes at least", got=str(shape))
        rows, columns = shape[0], math.prod(shape[1:])
        q, r = np.linalg.qr(generator.standard_normal((max(rows, columns), min(rows, columns))))
        q = q * np.sign(np.diag(r))
        return self.gain * (q.T if rows < columns else q).reshape(shape)


class Identity(Initializer):
    def draw(self, shape: tuple[int, ...], generator: np.random.Generator) -> Any:
        rows, columns = shape
        return np.eye(rows, columns)


NAMES: dict[str, type[Initializer]] = {
    "zeros": Zero,
    "ones": One,
    "normal": Normal,
    "uniform": Uniform,
    "xavier_uniform": XavierUniform,
    "xavier_normal": XavierNormal,
    "he_uniform": HeUniform,
    "he_normal": HeNormal,
    "truncatednormal": TruncatedNormal,
    "orthogonal": Orthogonal,
    "identity": Identity,
    "zero": Zero,
    "one": One,
}
"""The names that `initializer` and the `weight_init` arguments take."""


def uniform(shape: tuple[int, ...], generator: np.random.Generator, bound: float) -> Any:
    """U(-bound, bound) as float32."""
    drawn = generator.random(shape, dtype=np.float32)
    return drawn * np.float32(2 * bound) - np.float32(bound)


def fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """How many inputs an output sees, and the reverse: (o, c, *kernel) -> (c*k, o*k)."""
    if len(shape) < 2:
        raise ShapeError("initializer", "fans need two axes at least", got=str(shape))
    kernel = math.prod(shape[2:])
    return shape[1] * kernel, shape[0] * kernel


def gain(nonlinearity: str, slope: float = 0) -> float:
    """The recommended gain for `nonlinearity`."""
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + slope**2))
    return {"relu": math.sqrt(2.0), "tanh": 5.0 / 3}.get(nonlinearity, 1.0)


def initializer(init: Any, shape: Sequence[int] | int | None = None, dtype: Any = None) -> Tensor:
    """A Tensor filled by `init`: a Tensor, a number, a name of `NAMES` or an Initializer.

    Raises: MS301 for an unknown name, MS304 if a Tensor does not have `shape`.
    """
    if isinstance(init, Tensor):
        if shape is not None and init.shape != tuple_of(shape):
            raise ShapeError(
                "initializer", "another shape", got=str(init.shape), expected=str(shape)
            )
        return init
    if isinstance(init, str):
        if init.lower() not in NAMES:
            raise MissingNameError("initializer", f"there is no initialiser {init!r}")
        init = NAMES[init.lower()]()
    elif not isinstance(init, Initializer):
        init = Constant(init)
    target = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
    sizes = () if shape is None else tuple_of(shape)
    return LazyTensor(Pending(sizes, target.numpy, init.drawer(sizes, target)))


def tuple_of(shape: Sequence[int] | int) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
