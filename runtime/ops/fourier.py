"""Fourier transforms: every kind is the complex one, cut, padded or mirrored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_int, check_type
from ..engine.element_types import COMPLEX, check_element_types, check_given
from ..engine.failure import ShapeError
from ..engine.primitive import convert
from ..engine.tensor import Tensor, wrap
from ..primitives import complex as c
from ..primitives import fourier as p
from .registry import op
from .shaping import axis_of, concat, flip, narrow, roll

TRANSFORMED = tuple(d for d in dtypes.DTYPES if d not in (dtypes.bool_, dtypes.int8, dtypes.uint8))
Sizes = Sequence[int] | None
Axes = Sequence[int] | None


def scaling(where: str, norm: str | None) -> str:
    """The name of the scaling. Raises: ValueError (MS304) for an unknown one."""
    found = "backward" if norm is None else norm
    check_choice(where, "norm", found, p.OTHER_NORM)
    return found


def as_complex(where: str, x: Any) -> Tensor:
    check_given(where, x)
    if not x.size:
        raise ShapeError(where, "there is nothing to transform", got=str(x.shape))
    check_element_types(where, TRANSFORMED, x)
    if x.dtype in COMPLEX:
        return x  # type: ignore[no-any-return]  # a Tensor, as was checked
    return convert(x, dtypes.complex128 if x.dtype is dtypes.float64 else dtypes.complex64)


def resized(x: Tensor, size: int | None, axis: int) -> Tensor:
    """`x` cut or padded with zeros to `size` along `axis`."""
    if size is None or size == x.shape[axis]:
        return x
    if size < x.shape[axis]:
        return narrow(x, axis, 0, size)
    rest = [*x.shape[:axis], size - x.shape[axis], *x.shape[axis + 1 :]]
    return concat((x, wrap(np.zeros(rest, x.content.dtype))), axis)


def plan(where: str, x: Tensor, s: Sizes, dim: Axes) -> tuple[list[int], list[int | None]]:
    """The axes, counted from the front, and the size that each is to have (None: its own).

    Raises: TypeError or ValueError (MS304) for sizes or axes that do not go together.
    """
    for name, given in (("s", s), ("dim", dim)):
        if given is not None:
            check_type(where, name, given, tuple, list)
    for size in s or ():
        check_int(where, "s", size, 1)
    if dim is None:
        dim = range(x.ndim if s is None else len(s))
        dim = [k - len(dim) for k in dim]
    axes = [axis_of(k, x.ndim, where) for k in dim]
    if len(set(axes)) != len(axes) or (s is not None and len(s) != len(axes)):
        raise ShapeError(where, "the axes do not fit", got=f"s={s}, dim={dim}")
    return axes, [None] * len(axes) if s is None else [*s]


def complex_transform(
    where: str, input: Any, s: Sizes, dim: Axes, norm: str | None, inverse: bool
) -> tuple[Tensor, list[int]]:
    """The complex transform, and its axes."""
    x = as_complex(where, input)
    axes, sizes = plan(where, x, s, dim)
    for axis, size in zip(axes, sizes, strict=True):
        x = resized(x, size, axis)
    y = p.fftn(x, axes=tuple(axes), norm=scaling(where, norm), inverse=inverse)
    return y, axes


def half_transform(
    where: str, input: Any, s: Sizes, dim: Axes, norm: str | None, inverse: bool
) -> Tensor:
    """The first half of it along the last axis: the rest of a real signal's mirrors it."""
    y, axes = complex_transform(where, input, s, dim, norm, inverse)
    return narrow(y, axes[-1], 0, y.shape[axes[-1]] // 2 + 1)


def real_transform(
    where: str, input: Any, s: Sizes, dim: Axes, norm: str | None, inverse: bool
) -> Tensor:
    """The transform of half a spectrum, real; forwards (`inverse` False) of its conjugate."""
    x = as_complex(where, input)
    axes, sizes = plan(where, x, s, dim)
    *others, last = axes
    for axis, size in zip(others, sizes, strict=False):
        x = resized(x, size, axis)
    n = sizes[-1]
    n = 2 * (x.shape[last] - 1) if n is None else n
    if n < 1:
        raise ShapeError(where, "there is nothing to transform", got=str(x.shape))
    found, scale = resized(x, n // 2 + 1, last), scaling(where, norm)
    if others:
        found = p.fftn(found, axes=tuple(others), norm=scale, inverse=inverse)
    if n > 2:
        mirrored = c.conj(flip(narrow(found, last, 1, (n - 1) // 2), (last,)))
        found = concat((found, mirrored), last)
    return c.real(p.fftn(found, axes=(last,), norm=scale, inverse=inverse))


Transform = Callable[..., Any]


def along_one(where: str, transform: Transform, inverse: bool) -> None:
    def function(
        input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None
    ) -> Tensor:
        if n is not None:
            check_int(where, "n", n, 1)
        check_int(where, "dim", dim)
        sizes = None if n is None else (n,)
        return whole(transform(where, input, sizes, (dim,), norm, inverse))

    public(where, function)


def along_some(where: str, transform: Transform, inverse: bool, axes: Axes) -> None:
    def function(
        input: Tensor, s: Sizes = None, dim: Axes = axes, norm: str | None = None
    ) -> Tensor:
        return whole(transform(where, input, s, dim, norm, inverse))

    public(where, function)


def whole(found: Any) -> Tensor:
    """A transform without its axes."""
    made: Tensor = found[0] if isinstance(found, tuple) else found
    return made


def public(name: str, function: Callable[..., Tensor]) -> None:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As `mindspore.ops.{name}`."
    op(function)


KINDS: dict[str, tuple[Transform, bool]] = {
    "fft": (complex_transform, False),
    "ifft": (complex_transform, True),
    "rfft": (half_transform, False),
    "irfft": (real_transform, True),
    "hfft": (real_transform, False),
    "ihfft": (half_transform, True),
}
for _name, (_transform, _inverse) in KINDS.items():
    along_one(_name, _transform, _inverse)
    along_some(f"{_name}2", _transform, _inverse, (-2, -1))
    along_some(f"{_name}n", _transform, _inverse, None)


def shifted(where: str, input: Tensor, dim: Any, sign: int) -> Tensor:
    check_type(where, "input", input, Tensor)
    if dim is not None:
        check_type(where, "dim", dim, int, tuple, list)
    given = range(input.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
    axes = [axis_of(k, input.ndim, where) for k in given]
    n = [input.shape[k] for k in axes]
    return roll(input, tuple(sign * (m // 2) for m in n), tuple(axes)) if axes else input


@op
def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """The zero frequency moved to the middle of `dim` (of every axis)."""
    return shifted("fftshift", input, dim, 1)


@op
def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """What `fftshift` moved, moved back."""
    return shifted("ifftshift", input, dim, -1)


def frequencies(where: str, make: Any, n: int, d: float, dtype: dtypes.DType | None) -> Tensor:
    check_int(where, "n", n, 1)
    check_type(where, "d", d, float)
    if dtype is not None:
        check_type(where, "dtype", dtype, dtypes.DType)
    return wrap(make(n, d).astype((dtypes.float32 if dtype is None else dtype).numpy))


@op
def fftfreq(n: int, d: float = 1.0, dtype: dtypes.DType | None = None) -> Tensor:
    """The frequencies that the bins of `fft` stand for."""
    return frequencies("fftfreq", np.fft.fftfreq, n, d, dtype)


@op
def rfftfreq(n: int, d: float = 1.0, dtype: dtypes.DType | None = None) -> Tensor:
    return frequencies("rfftfreq", np.fft.rfftfreq, n, d, dtype)


def cosine_matrix(n: int) -> Any:
    """The orthogonal matrix of the cosine transform of the second kind."""
    k, m = np.arange(n)[:, None], np.arange(n)
    scale = np.where(k == 0, np.sqrt(1 / n), np.sqrt(2 / n))
    return scale * np.cos(np.pi * k * (2 * m + 1) / (2 * n))
