"""Windows, and the Fourier transform of what is seen through them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_int, check_type
from ..engine.dtype import Array, DType
from ..engine.element_types import COMPLEX, SINGLE_DOUBLE, check_element_types, check_ranks
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.promotion import constant
from ..engine.tensor import Tensor, wrap
from .arithmetic import div, mul
from .complex import view_as_real
from .fourier import complex_transform, half_transform
from .registry import op
from .shaping import gather, pad, swapaxes

LONGEST = 1_000_000
"""The longest window of those whose length is a Tensor."""


def shape_of_window(make: Callable[[Array, int], Array], n: int, periodic: bool) -> Array:
    """A window of `n`; a periodic one is the one longer by one, without its end."""
    if n <= 1:
        return np.ones(n)
    last = n if periodic else n - 1
    return make(np.arange(n, dtype=np.float64), last)


def bartlett(k: Array, last: int) -> Array:
    found: Array = 1 - np.abs(2 * k / last - 1)
    return found


def blackman(k: Array, last: int) -> Array:
    angle = 2 * np.pi * k / last
    found: Array = 0.42 - 0.5 * np.cos(angle) + 0.08 * np.cos(2 * angle)
    return found


def hann(k: Array, last: int) -> Array:
    found: Array = 0.5 - 0.5 * np.cos(2 * np.pi * k / last)
    return found


def of_tensor(
    where: str, make: Callable[..., Array], length: Tensor, periodic: bool, dtype: DType | None
) -> Tensor:
    """A window whose length is a Tensor of one whole number."""
    check_element_types(where, (dtypes.int32, dtypes.int64), length)
    check_type(where, "periodic", periodic, bool)
    target = dtypes.float32 if dtype is None else dtype
    if target not in (dtypes.float16, *SINGLE_DOUBLE):
        raise ElementTypeError(where, "dtype must be of floats", got=str(dtype))
    check_ranks(where, 0, 0, length)
    n = int(length.item())
    if not 0 <= n <= LONGEST:
        raise ShapeError(where, "no such length", got=str(n), expected=f"0 to {LONGEST}")
    return wrap(shape_of_window(make, n, periodic).astype(target.numpy))


def of_number(
    where: str, make: Callable[..., Array], n: int, periodic: bool, dtype: DType | None
) -> Tensor:
    """A window whose length is a number; of float64 unless `dtype` is given."""
    check_int(where, "window_length", n, 0)
    check_type(where, "periodic", periodic, bool)
    if dtype is not None and dtype not in dtypes.FLOATS:
        raise ElementTypeError(where, "dtype must be of floats", got=str(dtype))
    found = shape_of_window(make, n, periodic)
    return wrap(found if dtype is None or n <= 1 else found.astype(dtype.numpy))


@op
def bartlett_window(
    window_length: Tensor, periodic: bool = True, *, dtype: DType | None = None
) -> Tensor:
    """A triangle."""
    return of_tensor("bartlett_window", bartlett, window_length, periodic, dtype)


@op
def blackman_window(
    window_length: Tensor, periodic: bool = True, *, dtype: DType | None = None
) -> Tensor:
    return of_tensor("blackman_window", blackman, window_length, periodic, dtype)


@op
def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """alpha - beta cos(...)."""
    check_type("hamming_window", "alpha", alpha, float)
    check_type("hamming_window", "beta", beta, float)
    target = dtypes.float32 if dtype is None else dtype
    make = hamming(alpha, beta)
    return of_number("hamming_window", make, window_length, periodic, target)


def hamming(alpha: float, beta: float) -> Callable[[Array, int], Array]:
    return lambda k, last: np.asarray(alpha - beta * np.cos(2 * np.pi * k / last))


@op
def hann_window(window_length: int, periodic: bool = True, *, dtype: DType | None = None) -> Tensor:
    return of_number("hann_window", hann, window_length, periodic, dtype)


@op
def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: DType | None = None
) -> Tensor:
    def make(k: Array, last: int) -> Array:
        inside = np.sqrt(np.maximum(1 - (2 * k / last - 1) ** 2, 0))
        return np.asarray(np.i0(beta * inside) / np.i0(float(beta)))

    return of_number("kaiser_window", make, window_length, periodic, dtype)


PAD_MODES = {"REFLECT": "reflect", "CONSTANT": "constant", "SYMMETRIC": "symmetric"}


@op
def stft(
    x: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "REFLECT",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
) -> Tensor:
    """The transforms of the windows that slide over (b?, t): (b?, frequencies, windows, 2?)."""
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    seen = wrap(np.ones(length, np.float32)) if window is None else window
    is_complex = x.dtype in COMPLEX or seen.dtype in COMPLEX
    if check_type("stft", "center", center, bool):
        x = padded(x, n_fft // 2, pad_mode)
    one = not is_complex if onesided is None else onesided
    as_complex = is_complex if return_complex is None else return_complex
    return sliding_transform(x, seen, n_fft, hop, length, normalized, one, as_complex)


def padded(x: Tensor, width: int, mode: str) -> Tensor:
    check_ranks("stft", 1, 2, x)
    check_choice("stft", "pad_mode", mode, PAD_MODES)
    n = x.shape[-1]
    if mode == "CONSTANT":
        return pad(x, (width, width))
    if width >= n + (mode == "SYMMETRIC"):
        raise ShapeError("stft", "the signal is too short to be padded", got=str(n))
    places = np.pad(np.arange(n), width, mode="reflect" if mode == "REFLECT" else "symmetric")
    return gather(x, constant(places), x.ndim - 1)


def sliding_transform(
    x: Tensor, window: Tensor, n_fft: int, hop: int, length: int, normalized: bool,
    onesided: bool, return_complex: bool,
) -> Tensor:  # fmt: skip
    """Behind `P.STFT`."""
    check_element_types("stft", (*SINGLE_DOUBLE, *COMPLEX), x, window, equal=False)
    check_int("stft", "hop_length", hop, 1)
    check_ranks("stft", 1, 2, x)
    if not 0 < length <= n_fft <= x.shape[-1] or window.shape != (length,):
        got = f"n_fft {n_fft}, win_length {length}, window {window.shape}, x {x.shape}"
        raise ShapeError("stft", "the sizes do not fit", got=got)
    starts = np.arange(0, x.shape[-1] - n_fft + 1, hop)
    frames = gather(x, constant(starts[:, None] + np.arange(n_fft)), x.ndim - 1)
    left = (n_fft - length) // 2
    frames = mul(frames, pad(window, (left, n_fft - length - left)))
    transform: Any = half_transform if onesided else complex_transform
    found = transform("stft", frames, None, (-1,), None, False)
    y = swapaxes(found if onesided else found[0], -1, -2)
    y = div(y, math.sqrt(n_fft)) if normalized else y
    return y if return_complex else view_as_real(y)
