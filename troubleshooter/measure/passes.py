"""A pass over two arrays, block by block; subclasses say how elements are subtracted."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...formats.blocks import USER_TYPES
from ...numerics.tolerance import Tolerance
from .counting import HUGE, Count, OutOfRange
from .elements import BLOCK, Array, Elements, both, same_bytes
from .metrics import ERRORS, RTOLS, Metrics, Worst, scalar
from .ulp import UlpCount


class Block(NamedTuple):
    """The finite elements of a block, as they are and in float64: `size` is |a|, `away` |a - b|.

    `squares` is the sum of away's; `free` is of the same size, for whatever is computed of them;
    `exact` is the distance of whole numbers. `places`: where in the block the elements stand, None
    if they are all of it.
    """

    start: int
    a: Array
    b: Array
    size: Array
    away: Array
    free: Array
    squares: float
    exact: Array | None = None
    places: Array | None = None

    def place(self, number: int) -> int:
        """Where the element stands in the whole array, in C order."""
        return self.start + (number if self.places is None else int(self.places[number]))


class Pass(ABC):
    """Two arrays of one shape. `record`: what judging again needs is kept.

    `scale` multiplies all elements, for those whose squares float64 cannot hold.
    """

    wide: type = np.float64
    ulps: UlpCount | None = None

    def __init__(
        self,
        a: Elements,
        b: Elements,
        tolerance: Tolerance,
        record: bool,
        scale: float = 1.0,
    ) -> None:
        self.a, self.b, self.tolerance, self.scale = a, b, tolerance, scale
        self.buffers: list[Array] = [np.empty(min(BLOCK, a.size), self.wide) for _ in range(3)]
        self.count_a, self.count_b = Count(), Count()
        self.equal = self.close = self.sign_changes = self.nan_both = self.inf_same = 0
        self.finite = 0
        self.sum_abs = self.sum_rel = self.squares = self.alone = 0.0
        self.max_abs: int | float = 0
        self.max_rel = self.error = 0.0
        self.worst: tuple[int, Any, Any] | None = None
        """Place and elements of the largest error."""
        self.odd: Worst | None = None
        self.within = [0] * len(ERRORS) if record else []
        self.bounds = [0.0] * len(RTOLS) if record else []

    @abstractmethod
    def block(self, start: int, a: Array, b: Array) -> Block:
        """A block of both arrays, what is not finite counted and left out; counts `b`."""

    @abstractmethod
    def count_close(self, block: Block, error: Array) -> None:
        """Counts what is close; `error` may be written over."""

    def run(self) -> Metrics:
        """Both arrays: the blocks that are equal, then the reference alone, then both."""
        if self.a.whole is not None and self.b.whole is not None:
            self.count_a.add(self.widened(self.a.whole, 0))
            self.rms = self.count_a.rms
            self.count(self.block(0, self.a.whole, self.b.whole))
        else:
            self.run_in_blocks()
        self.count_a.refuse_vanishing()
        return self.metrics()

    def run_in_blocks(self) -> None:
        first = self.equal_beginning()
        for block in self.a.blocks(first):
            self.count_a.add(self.widened(block, 0))
        self.rms = self.count_a.rms
        for place, a, b in both(self.a, self.b, first):
            self.count(self.block(place, a, b))

    def widened(self, block: Array, buffer: int) -> Array:
        """A block in float64 (or complex128), in one of the buffers."""
        wide = fill(self.buffers[buffer][: block.size], block)
        if self.scale != 1.0:
            wide *= self.scale
        return wide

    def equal_beginning(self) -> int:
        """Counts the blocks before the first one whose bytes differ; where that one begins."""
        first = 0
        if self.a.dtype == self.b.dtype:
            for place, a, b in both(self.a, self.b):
                if not same_bytes(a, b):
                    break
                self.count_a.add(self.widened(a, 0))
                self.count_a.zero += zeros_in(a)
                first = place + a.size
        self.count_b = self.count_a.copy()
        self.nan_both, self.inf_same = self.count_a.nan, self.count_a.inf
        self.equal = self.close = self.inf_same
        self.count_equal(self.count_a.finite)
        return first

    def count_equal(self, count: int) -> None:
        """Counts finite elements that are equal."""
        self.finite += count
        self.equal += count
        self.close += count
        self.within = [n + count for n in self.within]
        if self.ulps is not None:
            self.ulps.add_equal(count)

    # what differs

    def count(self, block: Block) -> None:
        """Counts a block. Raises: OutOfRange"""
        if not math.isfinite(block.squares):
            raise OutOfRange(1 / HUGE)
        self.squares += block.squares
        exact = block.away if block.exact is None else block.exact
        largest = np.maximum.reduce(exact, initial=0).item()
        if largest == 0:
            self.count_a.zero += zeros_in(block.size)
            self.count_equal(block.size.size)
            return
        self.finite += block.size.size
        self.max_abs = max(self.max_abs, largest)
        self.sum_abs += float(np.add.reduce(block.away))
        zeros, ratio = self.count_relative(block)
        if ratio >= 1:
            self.sign_changes += self.changed_signs(block)
        self.equal += self.count_steps(block, same_signs=ratio < 1 and not zeros)
        self.count_close(block, self.raise_error(block))
        if self.bounds:
            self.raise_bounds(block, math.inf if zeros else ratio)

    def count_steps(self, block: Block, same_signs: bool) -> int:
        """How many elements are equal; counts units in the last place, if the type has them."""
        return zeros_in(block.away)

    def changed_signs(self, block: Block) -> int:
        """How many elements are positive in one array and negative in the other."""
        a, b = block.a, block.b
        return int(np.count_nonzero((a < 0) & (b > 0)) + np.count_nonzero((a > 0) & (b < 0)))

    def count_relative(self, block: Block) -> tuple[int, float]:
        """How many elements of the reference are zero, and the largest relative error elsewhere."""
        ratio = np.divide(block.away, block.size, out=block.free)
        largest, zeros = float(np.maximum.reduce(ratio)), 0
        if not math.isfinite(largest):
            is_zero = block.size == 0
            zeros = int(np.count_nonzero(is_zero))
            ratio[is_zero] = 0
            largest = float(np.maximum.reduce(ratio))
        self.count_a.zero += zeros
        self.max_rel = max(self.max_rel, largest)
        self.sum_rel += float(np.add.reduce(ratio))
        return zeros, largest

    def raise_error(self, block: Block) -> Array:
        """The errors of a block; keeps where the worst of all is."""
        error = block.free
        if self.rms > 0:
            np.add(block.size, self.rms, out=error)
            np.divide(block.away, error, out=error)
        else:
            error[...] = np.where(block.away > 0, math.inf, 0.0)
        for place, most in enumerate(ERRORS[: len(self.within)]):
            self.within[place] += at_most(error, most)
        place = int(error.argmax())
        if error[place] > self.error:
            self.error = float(error[place])
            self.worst = block.place(place), block.a[place], block.b[place]
        return error

    def raise_bounds(self, block: Block, ratio: float) -> None:
        """What would have to be added to rtol * |a|; `ratio` is the largest relative error."""
        for place, rtol in enumerate(RTOLS):
            if rtol < ratio:
                over = np.multiply(block.size, -rtol, out=block.free)
                np.add(over, block.away, out=over)
                self.bounds[place] = max(self.bounds[place], float(np.maximum.reduce(over)))

    def worst_at(self, place: int, a: Any, b: Any) -> Worst:
        """The element at a place in C order."""
        index: list[int] = []
        for size in reversed(self.a.shape):
            place, at = divmod(place, size)
            index.append(at)
        return Worst(tuple(reversed(index)), scalar(a), scalar(b))

    # what is known in the end

    def metrics(self) -> Metrics:
        """The figures of all that was counted."""
        scale, finite = self.scale, max(self.finite, 1)
        return Metrics(
            size=self.a.size,
            equal=self.equal,
            close=self.close,
            error=self.error,
            max_abs=self.max_abs if scale == 1.0 else self.max_abs / scale,
            mean_abs=self.sum_abs / finite / scale,
            max_rel=self.max_rel,
            mean_rel=self.sum_rel / max(self.count_a.finite - self.count_a.zero, 1),
            rel_l2=ratio_of(math.sqrt(self.squares), math.sqrt(self.count_a.squares)),
            cosine=self.cosine(),
            sign_changes=self.sign_changes,
            nan_both=self.nan_both,
            inf_same=self.inf_same,
            a=self.count_a.side(scale),
            b=self.count_b.side(scale),
            ulp=None if self.ulps is None else self.ulps.quantiles(),
            worst=self.odd or (self.worst and self.worst_at(*self.worst)),
            within=tuple(zip(ERRORS, self.within, strict=False)),
            bounds=tuple(
                (rtol, ratio_of(over, self.rms))
                for rtol, over in zip(RTOLS, self.bounds, strict=False)
            ),
        )

    def cosine(self) -> float:
        """The cosine of both as vectors, without what is finite on one side only.

        2 a b = a a + b b - (a - b)(a - b); of two without length it is 1, of one 0.
        """
        lengths = math.sqrt(self.count_a.squares) * math.sqrt(self.count_b.squares)
        if self.squares == self.alone == 0.0:
            return 1.0
        if lengths == 0.0:
            return 0.0
        both = self.count_a.squares / 2 + self.count_b.squares / 2 - self.alone / 2
        return min(1.0, max(-1.0, (both - self.squares / 2) / lengths))


def fill(wide: Array, block: Array) -> Array:
    """The array `wide` itself, of float64 or complex128, with the numbers of a block."""
    if block.dtype.itemsize == 1 and block.dtype.num >= USER_TYPES and wide.dtype == np.float64:
        np.take(values_of(block.dtype), block.view(np.uint8), out=wide, mode="clip")
    else:
        np.copyto(wide, block, casting="unsafe")
    return wide


@cache
def values_of(dtype: np.dtype[Any]) -> Array:
    """What the 256 bytes stand for in a type of one byte; to look it up is faster than casting."""
    return np.arange(256, dtype=np.uint8).view(dtype).astype(np.float64)


def at_most(values: Array, most: float) -> int:
    """How many of the values are at most this."""
    return int(np.count_nonzero(values <= most))


def zeros_in(block: Array) -> int:
    """How many elements are zero."""
    return int(np.count_nonzero(block == 0))


def ratio_of(part: float, whole: float) -> float:
    """part / whole; of nothing to nothing 0, of something to nothing infinite."""
    if whole == 0.0:
        return math.inf if part > 0.0 else 0.0
    return part / whole
