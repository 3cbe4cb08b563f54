"""Fourier transforms and windows.

Each function is one ONNX operator; see `primitive.py`.
"""

from __future__ import annotations

from typing import Any

from ..engine.primitive import primitive
from ..engine.tensor import Tensor


@primitive("BlackmanWindow")
def blackman_window(size: Tensor, *, output_datatype: int = 1, periodic: int = 1) -> Any: ...


@primitive("DFT")
def dft(
    input: Tensor,
    dft_length: Tensor | None = None,
    axis: Tensor | None = None,
    *,
    inverse: int = 0,
    onesided: int = 0,
) -> Any: ...


@primitive("HammingWindow")
def hamming_window(size: Tensor, *, output_datatype: int = 1, periodic: int = 1) -> Any: ...


@primitive("HannWindow")
def hann_window(size: Tensor, *, output_datatype: int = 1, periodic: int = 1) -> Any: ...


@primitive("MelWeightMatrix")
def mel_weight_matrix(
    num_mel_bins: Tensor,
    dft_length: Tensor,
    sample_rate: Tensor,
    lower_edge_hertz: Tensor,
    upper_edge_hertz: Tensor,
    *,
    output_datatype: int = 1,
) -> Any: ...


@primitive("STFT")
def stft(
    signal: Tensor,
    frame_step: Tensor,
    window: Tensor | None = None,
    frame_length: Tensor | None = None,
    *,
    onesided: int = 1,
) -> Any: ...
