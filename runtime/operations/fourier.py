"""Fourier transforms and windows."""

from __future__ import annotations

from typing import Any, Literal

from .. import ops
from ..engine import dtype as dtypes
from ..engine.argument import check_range
from ..engine.element_types import check_element_types, check_ranks
from ..engine.failure import ShapeError
from ..ops import spectral
from ..ops.fourier import complex_transform, half_transform, real_transform
from .limits import FLOATS, WHOLE, limits
from .operation import operation


@operation("FFTWithSize")
def fft_with_size(
    x: Any,
    *,
    signal_ndim: int,
    inverse: bool,
    real: bool,
    norm: Literal["backward", "forward", "ortho"] = "backward",
    onesided: bool = True,
    signal_sizes: tuple[int, ...] = (),
) -> Any:
    """The transform of the last axes; `signal_sizes` are those of a real result."""
    check_range("FFTWithSize", "signal_ndim", signal_ndim, 1, 3)
    axes = tuple(range(-signal_ndim, 0))
    if not real:
        return complex_transform("FFTWithSize", x, None, axes, norm, inverse)[0]
    if not inverse:
        transform: Any = half_transform if onesided else complex_transform
        found = transform("FFTWithSize", x, None, axes, norm, False)
        return found if onesided else found[0]
    if not onesided:
        return ops.real(complex_transform("FFTWithSize", x, None, axes, norm, True)[0])
    sizes = checked_sizes(tuple(signal_sizes), tuple(x.shape[a] for a in axes))
    return real_transform("FFTWithSize", x, sizes, axes, norm, True)


def checked_sizes(sizes: tuple[int, ...], found: tuple[int, ...]) -> tuple[int, ...] | None:
    """`sizes`, None if there are none. Raises: ValueError (MS304) if no signal has both."""
    if not sizes:
        return None
    if sizes[:-1] != found[:-1] or sizes[-1] // 2 + 1 != found[-1]:
        raise ShapeError("FFTWithSize", "signal_sizes do not fit", got=f"{sizes}, {found}")
    return sizes


@operation("STFT")
def stft(
    x: Any,
    window: Any,
    *,
    n_fft: int,
    hop_length: int,
    win_length: int,
    normalized: bool,
    onesided: bool,
    return_complex: bool,
) -> Any:
    return spectral.sliding_transform(
        x, window, n_fft, hop_length, win_length, normalized, onesided, return_complex
    )


@operation("BartlettWindow", check=limits("BartlettWindow", FLOATS))
def bartlett_window(
    window_length: Any, *, periodic: bool = True, dtype: Any = dtypes.float32
) -> Any:
    return ops.bartlett_window(window_length, periodic, dtype=dtype)


@operation("BlackmanWindow", check=limits("BlackmanWindow", FLOATS))
def blackman_window(
    window_length: Any, *, periodic: bool = True, dtype: Any = dtypes.float32
) -> Any:
    return ops.blackman_window(window_length, periodic, dtype=dtype)


@operation("HammingWindow", check=limits("HammingWindow", FLOATS))
def hamming_window(
    length: Any,
    *,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    dtype: Any = dtypes.float32,
) -> Any:
    check_element_types("HammingWindow", WHOLE, length)
    check_ranks("HammingWindow", 1, 1, length)
    return ops.hamming_window(int(length.item()), periodic, alpha, beta, dtype=dtype)
