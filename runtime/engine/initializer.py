"""`mindspore.common.initializer`: initial weights, the numbers that MindSpore draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import context
from . import dtype as dtypes
from . import trace as tracing
from .argument import check_choice, check_range, check_type
from .chance.philox import NO_NUMBERS, Philox
from .dtype import Array, DType
from .failure import ShapeError
from .tensor import LazyTensor, Tensor, Unbegun


class Initializer:
    """A way to fill a new parameter. Abstract: subclasses define `draw`.

    Users' own subclasses define `_initialize(array)`, which fills an array, as in MindSpore.
    """

    random = True
    asks_numpy = False

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs
        self.seed: Any = None  # MindSpore heeds it only where a weight is split over devices

    def draw(self, shape: tuple[int, ...], generator: Philox) -> Any:
        """An array of `shape`, of any floating type, random numbers from `generator`."""
        array = np.zeros(shape, np.float32)
        self._initialize(array)
        return array

    def _initialize(self, arr: Array) -> None:
        if type(self).draw is Initializer.draw:
            raise NotImplementedError(f"{type(self).__name__} defines no _initialize")
        arr[...] = self.draw(arr.shape, drawing())

    def __call__(self, arr: Array) -> None:
        """Fills `arr`."""
        self._initialize(arr)

    def check(self, shape: tuple[int, ...]) -> None:
        """Raises: ValueError (MS304) for a shape that it cannot fill."""

    def array(self, shape: tuple[int, ...], dtype: DType) -> Array:
        self.check(shape)
        return self.drawer(shape, dtype)()

    def drawer(self, shape: tuple[int, ...], dtype: DType) -> Callable[[], Array]:
        """What draws the array, later. NumPy is asked now for what MindSpore asks it.

        Users' own initialisers are called now: they may draw from NumPy.
        """
        of_user = type(self).draw is Initializer.draw
        generator = drawing() if self.random and not of_user else NO_NUMBERS
        if self.asks_numpy or of_user:
            drawn = np.asarray(self.draw(shape, generator)).astype(dtype.numpy)
            return lambda: drawn
        return lambda: np.asarray(self.draw(shape, generator)).astype(dtype.numpy)


def of_numpy() -> Any:
    """NumPy's global generator, which `set_seed` seeds and MindSpore asks.

    In a trace, where that one is left alone, one that the runtime's seeds.
    """
    if tracing.active() is None:
        return np.random.mtrand._rand
    return np.random.RandomState(int(context.generator.integers(1 << 32)))


def _numpy_seed() -> int:
    return int(of_numpy().randint(1, 1 << 63, dtype=np.int64))


def drawing() -> Philox:
    return Philox(_numpy_seed())


class Constant(Initializer):
    """Every element is `value`."""

    random = False

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def draw(self, shape: tuple[int, ...], generator: Philox) -> Any:
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
        super().__init__(sigma=sigma, mean=mean)
        self.sigma, self.mean = sigma, mean

    def check(self, shape: tuple[int, ...]) -> None:
        check_range("Normal", "sigma", self.sigma, 0)

    def draw(self, shape: tuple[int, ...], generator: Philox) -> Any:
        return generator.normal(shape, self.sigma, self.mean)


class TruncatedNormal(Initializer):
    """N(mean, sigma**2) kept within [a, b], which are values as in PyTorch."""

    def __init__(
        self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0
    ) -> None:
        super().__init__(sigma=sigma, mean=mean, a=a, b=b)
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def check(self, shape: tuple[int, ...]) -> None:
        check_range("TruncatedNormal", "sigma", self.sigma, 0)

    def draw(self, shape: tuple[int, ...], generator: Philox) -> Any:
        if not self.sigma:
            return np.full(shape, self.mean)
        return generator.truncated(shape, self.sigma, self.mean, self.a, self.b)


class Uniform(Initializer):
    """U(-scale, scale)."""

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def draw(self, shape: tuple[int, ...], generator: Philox) -> Any:
        return generator.uniform(shape, -self.scale, self.scale)


class UniformOfNumpy(Uniform):
    """U(-scale, scale) from NumPy's own generator, as MindSpore's recurrent layers have it."""

    random, asks_numpy = False, True

    def draw(self, shape: tuple[int, ...], generator: Philox) -> Any:
        return of_numpy().uniform(-self.scale, self.scale, shape).astype(np.float32)


class Fanned(Initializer):
    """One that depends on how many inputs and outputs an element connects. Abstract."""

    def check(self, shape: tuple[int, ...]) -> None:
        fans(shape)


class Xavier(Fanned):
    """Abstract."""

    def __init__(self, gain: float = 1) -> None:
        super().__init__(gain=gain)
        self.gain = gain


class XavierUniform(Xavier):
    def draw(self, shape: tuple[int, ...], generator: Philox) -> Any:
        bound = self.gain * math.sqrt(6.0 / sum(fans(shape)))
        return generator.uniform(shape, -bound, bound)


class XavierNormal(Xavier):
    def draw(self, shape: tuple[int, ...], generator: Philox) -> Any:
        return generator.normal(shape, self.gain * math.sqrt(2.0 / sum(fans(shape))))


class He(Fanned):
    """Abstract."""

    def __init__(
        self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
    ) -> None:
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def check(self, shape: tuple[int, ...]) -> None:
        super().check(shape)
        self.sigma(shape)

    def sigma(self, shape: tuple[int, ...]) -> float:
        fan = _calculate_correct_fan(shape, self.mode)
        return gain(self.nonlinearity, self.negative_slope) / math.sqrt(fan)


class HeUniform(He):
    def draw(self, shape: tuple[int, ...], generator: Philox) -> Any:
        bound = math.sqrt(3.0) * self.sigma(shape)
        return generator.uniform(shape, -bound, bound)


class HeNormal(He):
    def draw(self, shape: tuple[int, ...], generator: Philox) -> Any:
        return generator.normal(shape, self.sigma(shape))


class VarianceScaling(Fanned):
    """Of variance scale / fan: uniform, truncated_normal or untruncated_normal.

    MindSpore 2.10 draws uniform numbers for truncated_normal; here it is as documented.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
    ) -> None:
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        known = ("uniform", "truncated_normal", "untruncated_normal")
        check_range("VarianceScaling", "scale", scale, 0.0, ends="neither")
        check_choice("VarianceScaling", "mode", mode, ("fan_in", "fan_out", "fan_avg"))
        check_choice("VarianceScaling", "distribution", distribution, known)
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def draw(self, shape: tuple[int, ...], generator: Philox) -> Any:
        fan_in, fan_out = fans(shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        sigma = math.sqrt(self.scale / max(1.0, fan))
        if self.distribution == "uniform":
            return generator.uniform(shape, -math.sqrt(3.0) * sigma, math.sqrt(3.0) * sigma)
        if self.distribution == "untruncated_normal":
            return generator.normal(shape, sigma)
        return generator.truncated(shape, 1.0, 0.0, -2.0, 2.0) * (sigma / TRUNCATED)


TRUNCATED = 0.8796256610342398
"""The standard deviation of N(0, 1) kept within [-2, 2]."""


class Orthogonal(Initializer):
    """A (semi-)orthogonal matrix over the first axis and all others."""

    def __init__(self, gain: float = 1.0) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def check(self, shape: tuple[int, ...]) -> None:
        if len(shape) < 2:
            raise ShapeError("Orthogonal", "needs two axes at least", got=str(shape))

    def draw(self, shape: tuple[int, ...], generator: Philox) -> Any:
        rows, columns = shape[0], math.prod(shape[1:])
        drawn = generator.normal((rows, columns))
        q, r = np.linalg.qr(drawn.T if rows < columns else drawn)
        q = q * np.sign(np.diag(r))
        return self.gain * (q.T if rows < columns else q).reshape(shape)


class Matrix(Initializer):
    """One that fills matrices alone. Abstract."""

    def check(self, shape: tuple[int, ...]) -> None:
        if len(shape) != 2:
            raise ShapeError(type(self).__name__, "needs two axes", got=str(shape))


class Identity(Matrix):
    random = False

    def draw(self, shape: tuple[int, ...], generator: Philox) -> Any:
        rows, columns = shape
        return np.eye(rows, columns)


class Sparse(Matrix):
    """N(0, sigma**2), and `sparsity` of each column zero."""

    asks_numpy = True

    def __init__(self, sparsity: float, sigma: float = 0.01) -> None:
        super().__init__()
        self.sparsity, self.sigma = sparsity, sigma

    def draw(self, shape: tuple[int, ...], generator: Philox) -> Any:
        drawn = generator.normal(shape, self.sigma)
        zeros = math.ceil(self.sparsity * shape[0])
        for column in range(shape[1]):
            drawn[of_numpy().permutation(shape[0])[:zeros], column] = 0.0
        return drawn


class Dirac(Initializer):
    """Convolutions that pass their inputs on: 1 in the middle of kernel (k, k) of each group."""

    random = False

    def __init__(self, groups: int = 1) -> None:
        super().__init__()
        self.groups = groups

    def check(self, shape: tuple[int, ...]) -> None:
        if len(shape) not in (3, 4, 5) or shape[0] % self.groups:
            got = f"{shape}, {self.groups} groups"
            raise ShapeError("Dirac", "needs 3 to 5 axes, the first divisible by groups", got=got)

    def draw(self, shape: tuple[int, ...], generator: Philox) -> Any:
        made = np.zeros(shape)
        size = shape[0] // self.groups
        middle = tuple(n // 2 for n in shape[2:])
        for group in range(self.groups):
            for k in range(min(size, shape[1])):
                made[(group * size + k, k, *middle)] = 1
        return made


CLASSES: tuple[type[Initializer], ...] = (
    *(Dirac, HeNormal, HeUniform, Identity, Normal, One, Orthogonal, Sparse, TruncatedNormal),
    *(Uniform, VarianceScaling, XavierNormal, XavierUniform, Zero),
)
NAMES = {cls.__name__.lower(): cls for cls in CLASSES}
NAMES.update(
    zeros=Zero,
    ones=One,
    xavier_uniform=XavierUniform,
    xavier_normal=XavierNormal,
    he_uniform=HeUniform,
    he_normal=HeNormal,
)
"""The names that `initializer` and the `weight_init` arguments take."""


def fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """How many inputs an output sees, and the reverse: (o, c, *kernel) -> (c*k, o*k)."""
    if len(shape) < 2:
        raise ShapeError("initializer", "fans need two axes at least", got=str(shape))
    kernel = math.prod(shape[2:])
    return shape[1] * kernel, shape[0] * kernel


GAINS = dict.fromkeys(
    "linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d sigmoid"
    .split(), 1.0
) | {"tanh": 5.0 / 3, "relu": math.sqrt(2.0)}  # fmt: skip
"""The recommended gains of nonlinearities, beside leaky_relu."""


def gain(nonlinearity: str, slope: Any = None) -> float:
    """The recommended gain for `nonlinearity`; `slope` is leaky_relu's, 0.01 if None."""
    if nonlinearity != "leaky_relu":
        check_choice("initializer", "nonlinearity", nonlinearity, [*GAINS, "leaky_relu"])
        return GAINS[nonlinearity]
    slope = 0.01 if slope is None else slope
    if isinstance(slope, bool) or not isinstance(slope, (int, float)):
        raise ShapeError("initializer", "negative_slope must be a number", got=repr(slope))
    return math.sqrt(2.0 / (1 + slope**2))


# What users' own initialisers import from MindSpore's module.

_calculate_fan_in_and_fan_out = _calculate_in_and_out = fans
_calculate_gain = gain


def _calculate_correct_fan(shape: tuple[int, ...], mode: str) -> int:
    check_choice("initializer", "mode", mode.lower(), ("fan_in", "fan_out"))
    return fans(shape)[mode.lower() == "fan_out"]


def _register(*aliases: str) -> Callable[[type[Initializer]], type[Initializer]]:
    """Makes an initialiser known by its name, and by others."""

    def add(cls: type[Initializer]) -> type[Initializer]:
        for name in (cls.__name__.lower(), *aliases):
            NAMES.setdefault(name, cls)
        return cls

    return add


def _assignment(arr: Array, num: Any) -> Array:
    arr[...] = num
    return arr


def _init_random_normal(mean: float, sigma: float, shape: tuple[int, ...]) -> Array:
    made: Array = drawing().normal(shape, sigma, mean)
    return made


def _init_random_uniform(a: float, b: float, shape: tuple[int, ...]) -> Array:
    made: Array = drawing().uniform(shape, a, b)
    return made


def initializer(init: Any, shape: Sequence[int] | int | None = None, dtype: Any = None) -> Tensor:
    """A Tensor filled by `init`: a Tensor, a number, a name of `NAMES` or an Initializer.

    Raises: TypeError for anything else; ValueError (MS304) for an unknown name, or a shape that
    it cannot have
    """
    if isinstance(init, Tensor):
        if shape is not None and init.shape != tuple_of(shape):
            raise ShapeError(
                "initializer", "another shape", got=str(init.shape), expected=str(shape)
            )
        return init
    if isinstance(init, str):
        check_choice("initializer", "init", init.lower(), NAMES)
        init = NAMES[init.lower()]()
    elif not isinstance(init, Initializer):
        init = Constant(check_type("initializer", "init", init, int, float, bool, complex))
    target = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
    sizes = () if shape is None else tuple_of(shape)
    init.check(sizes)
    return LazyTensor(Unbegun(sizes, target.numpy, no_array, lambda: init.drawer(sizes, target)))


def no_array() -> Array:
    raise AssertionError("an array was read before its random numbers were chosen")


def tuple_of(shape: Any) -> tuple[int, ...]:
    """Raises: ValueError (MS304) for sizes that are not whole numbers of 1 or more."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1 for n in sizes):
        raise ShapeError("initializer", "sizes must be positive whole numbers", got=str(shape))
    return tuple(int(n) for n in sizes)
