"""What a value is of others, as the code between layers would say it.

Found by trying: functions of one value, operators of two, and both together, as far as shapes
allow.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from ...numerics.distance import apart
from ...numerics.limits import OF_EXPRESSIONS
from .attempts import MISFITS
from .layers.activation import FUNCTIONS
from .layers.layer import Array
from .layers.pooling import AdaptivePool, AvgPool, MaxPool
from .layers.resizing import Resize

MOST = 6
"""Of so many values, the last ones, expressions are made."""

REDUCTIONS: dict[str, Callable[..., Array]] = {
    "mean": np.mean,
    "sum": np.sum,
    "max": np.max,
    "min": np.min,
    "std": np.std,
    "norm": np.linalg.norm,
}

OPERATORS: dict[str, Callable[[Array, Array], Array]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "@": np.matmul,
    "@ transposed": lambda a, b: np.matmul(a, np.swapaxes(b, -1, -2)),
}

OTHERS: dict[str, Callable[[Array], Array]] = {
    "square": np.square,
    "sqrt": np.sqrt,
    "log": np.log,
    "reciprocal": np.reciprocal,
    "sin": np.sin,
    "cos": np.cos,
}

RESIZES = {
    "nearest": ("nearest", "asymmetric"),
    "bilinear": ("linear", "half_pixel"),
    "bilinear, align_corners": ("linear", "align_corners"),
    "bicubic": ("cubic", "half_pixel"),
    "bicubic, align_corners": ("cubic", "align_corners"),
    "area": ("area", "half_pixel"),
}
"""Mode and coordinates of each way to resize."""

POOLS = ((2, 2, 0), (3, 2, 1), (3, 1, 1), (3, 2, 0), (2, 1, 0), (4, 4, 0))
"""Kernel, stride and padding of pools that functions are called for."""


@dataclass(frozen=True, eq=False)
class Expression:
    """A value and how it is written; `is_open`: with an operator that is in no parentheses."""

    text: str
    value: Array
    is_open: bool = False

    @property
    def operand(self) -> str:
        """As it stands beside an operator."""
        return f"({self.text})" if self.is_open else self.text


def found(target: Array, sources: Mapping[str, Array]) -> Expression | None:
    """The simplest expression of the sources that gives the target, if one of those tried does,
    else one that does so times a number."""
    target = target.astype(np.float64)
    multiple: Expression | None = None
    for one in tried(target, sources):
        if one.value.shape != target.shape:
            continue
        if apart(one.value, target) <= OF_EXPRESSIONS:
            return one
        if multiple is None:
            times = next(scaled(one, target), None)
            multiple = times if times and apart(times.value, target) <= OF_EXPRESSIONS else None
    return multiple


def tried(target: Array, sources: Mapping[str, Array]) -> Iterator[Expression]:
    """The simplest first; only what may have the target's shape."""
    plain = [Expression(name, value.astype(np.float64)) for name, value in sources.items()]
    plain = plain[-MOST:]
    yield from plain
    for one in plain:
        yield from of_one(one, target)
    pairs = list(of_two(plain, plain))
    yield from pairs
    yield from joined(plain, target)
    for one in pairs:
        yield from of_one(one, target)
    changed = [e for one in plain for e in elementwise(one)]
    yield from of_two(changed, plain)
    yield from of_two(plain, changed)
    for one in changed:
        yield from of_one(one, target)


def of_two(first: Sequence[Expression], second: Sequence[Expression]) -> Iterator[Expression]:
    for (sign, operator), a, b in itertools.product(OPERATORS.items(), first, second):
        if (sign in "+*" and a.text > b.text) or (sign in "+-/" and a.text == b.text):
            continue
        value = attempted(operator, a.value, b.value)
        if value is not None:
            yield Expression(f"{a.operand} {sign} {b.operand}", value, is_open=True)


def joined(plain: Sequence[Expression], target: Array) -> Iterator[Expression]:
    """Several along one axis."""
    for count in range(2, len(plain) + 1):
        for some in itertools.permutations(plain, count):
            axes = [k for k in range(target.ndim) if fits_joined(some, target, k)]
            for axis in axes:
                value = np.concatenate([e.value for e in some], axis)
                yield Expression(f"concat({', '.join(e.text for e in some)}, {axis})", value)


def fits_joined(some: Sequence[Expression], target: Array, axis: int) -> bool:
    shapes = [list(e.value.shape) for e in some]
    if any(len(shape) != target.ndim for shape in shapes):
        return False
    whole = sum(shape[axis] for shape in shapes)
    rest = [n for k, n in enumerate(target.shape) if k != axis]
    return whole == target.shape[axis] and all(
        [n for k, n in enumerate(shape) if k != axis] == rest for shape in shapes
    )


def of_one(one: Expression, target: Array) -> Iterator[Expression]:
    """What may become of one value, if it may have the target's shape."""
    if one.value.shape == target.shape:
        yield from elementwise(one)
        yield from along_axes(one)
        yield from scaled(one, target)
    if sorted(one.value.shape) == sorted(target.shape):
        yield from moved(one, target)
    if one.value.size == target.size and one.value.shape != target.shape:
        yield from reshaped(one, target)
    if one.value.ndim >= target.ndim and one.value.size > target.size:
        yield from reduced(one, target)
        yield from taken(one, target)
    if one.value.shape[:2] == target.shape[:2] and one.value.ndim == target.ndim > 2:
        yield from pooled(one, target)
        yield from resized(one, target)


def elementwise(one: Expression) -> Iterator[Expression]:
    for name, function in {**FUNCTIONS, **OTHERS}.items():
        if name != "Identity":
            yield Expression(f"{name}({one.text})", np.asarray(function(one.value)))


def along_axes(one: Expression) -> Iterator[Expression]:
    for axis in range(one.value.ndim):
        for name in ("softmax", "log_softmax"):
            value = np.asarray(getattr(special, name)(one.value, axis=axis))
            yield Expression(f"{name}({one.text}, {axis})", value)
        yield Expression(f"cumsum({one.text}, {axis})", one.value.cumsum(axis))
        norm = np.linalg.norm(one.value, axis=axis, keepdims=True)
        yield Expression(f"normalize({one.text}, {axis})", one.value / norm)
        yield Expression(f"flip({one.text}, {axis})", np.flip(one.value, axis))


def scaled(one: Expression, target: Array) -> Iterator[Expression]:
    """By the number that fits best, or moved by it; of many elements, so that it shows."""
    size = float((one.value * one.value).sum())
    if not size or target.size < 5:
        return
    factor = float(f"{float((one.value * target).sum()) / size:.7g}")
    yield Expression(f"{factor:g} * {one.operand}", factor * one.value, is_open=True)
    offset = float(f"{float((target - one.value).mean()):.7g}")
    yield Expression(f"{one.operand} + {offset:g}", one.value + offset, is_open=True)
    low, high = float(target.min()), float(target.max())
    yield Expression(f"clip({one.text}, {low:g}, {high:g})", np.clip(one.value, low, high))


def moved(one: Expression, target: Array) -> Iterator[Expression]:
    for axes in itertools.islice(itertools.permutations(range(one.value.ndim)), 1, 120):
        value = one.value.transpose(axes)
        if value.shape == target.shape:
            yield Expression(f"transpose({one.text}, {axes})", value)


def reshaped(one: Expression, target: Array) -> Iterator[Expression]:
    """As it is, then with axes in another order."""
    yield Expression(f"{one.operand}.reshape{target.shape}", one.value.reshape(target.shape))
    for axes in itertools.islice(itertools.permutations(range(one.value.ndim)), 1, 24):
        text = f"transpose({one.text}, {axes}).reshape{target.shape}"
        yield Expression(text, one.value.transpose(axes).reshape(target.shape))


def reduced(one: Expression, target: Array) -> Iterator[Expression]:
    every = range(one.value.ndim)
    some = [axes for n in every for axes in itertools.combinations(every, n + 1)]
    for axes, (name, function) in itertools.product(some, REDUCTIONS.items()):
        axis = axes[0] if len(axes) == 1 else axes
        value = attempted_along(function, one.value, axis)
        if value is not None and value.size == target.size:
            yield Expression(f"{name}({one.text}, {axis})", value.reshape(target.shape))


def taken(one: Expression, target: Array) -> Iterator[Expression]:
    """One element of an axis, or a stretch from its start or to its end."""
    for axis, size in enumerate(one.value.shape):
        front = ":, " * axis
        for place in (0, -1):
            value = np.take(one.value, place, axis)
            if value.size == target.size:
                text = f"{one.operand}[{front}{place}]"
                yield Expression(text, value.reshape(target.shape))
        others = one.value.size // size
        count, rest = divmod(target.size, others)
        if rest or not 0 < count < size or one.value.ndim != target.ndim:
            continue
        for text, stretch in ((f":{count}", slice(count)), (f"{-count}:", slice(-count, None))):
            value = one.value[(slice(None),) * axis + (stretch,)]
            yield Expression(f"{one.operand}[{front}{text}]", value)


def resized(one: Expression, target: Array) -> Iterator[Expression]:
    sizes = target.shape[2:]
    if sizes == one.value.shape[2:]:
        return
    for name, (mode, coordinates) in RESIZES.items():
        value = Resize(sizes, mode, coordinates).outputs(one.value)[0]
        yield Expression(f"interpolate({one.text}, {name})", value)


def pooled(one: Expression, target: Array) -> Iterator[Expression]:
    axes = target.ndim - 2
    for largest in (False, True):
        name = "max_pool" if largest else "avg_pool"
        for kernel, stride, padding in POOLS:
            window = ((kernel,) * axes, (stride,) * axes, ((padding, padding),) * axes)
            pool = MaxPool(*window) if largest else AvgPool(*window)
            if tuple(pool.places(one.value.shape[2:])) == target.shape[2:]:
                text = f"{name}({one.text}, {kernel}, stride {stride}, padding {padding})"
                yield Expression(text, pool.outputs(one.value)[0])
        if all(a <= b for a, b in zip(target.shape[2:], one.value.shape[2:], strict=True)):
            adaptive = AdaptivePool(target.shape[2:], largest).outputs(one.value)[0]
            yield Expression(f"adaptive_{name}({one.text})", adaptive)


def attempted(operator: Callable[[Array, Array], Array], a: Array, b: Array) -> Array | None:
    try:
        return np.asarray(operator(a, b))
    except MISFITS:
        return None


def attempted_along(
    function: Callable[..., Array], x: Array, axis: int | tuple[int, ...]
) -> Array | None:
    try:
        return np.asarray(function(x, axis=axis))
    except MISFITS:
        return None
