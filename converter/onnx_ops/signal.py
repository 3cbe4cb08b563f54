"""Fourier transforms."""

from __future__ import annotations

import numpy as np

from ..code.expr import Expr, helper
from .registry import NodeView, onnx_op


@onnx_op("DFT", 17, 20)
def dft(node: NodeView, x: Expr, *_: Expr) -> Expr:
    """DFT(input, dft_length, axis; inverse=0, onesided=0) -> output (..., 1 or 2)."""
    if node.version == 17:
        axis = int(node.attr("axis", 1))
    else:
        axis = int(node.constant(2, "the axis").reshape(-1)[0]) if node.has(2) else -2
    axis += node.rank() if axis < 0 else 0
    length = int(node.constant(1, "the length").reshape(-1)[0]) if node.has(1) else None
    inverse, onesided = node.attr("inverse", 0) == 1, node.attr("onesided", 0) == 1
    size = node.static_size(axis) if length is None else length
    if inverse and onesided:
        size = 2 * (size - 1) if length is None else size
        return helper.onnx_inverse_real_dft(x, axis, size)
    return helper.onnx_dft(x, axis, size, inverse, onesided)


@onnx_op("STFT", 17)
def stft(
    node: NodeView, x: Expr, step: Expr, window: Expr | None = None, length: Expr | None = None
) -> Expr:
    """STFT(signal, frame_step, window, frame_length; onesided=1) -> output."""
    hop = int(np.asarray(node.constant(1, "the step")).reshape(-1)[0])
    size = (
        int(np.asarray(node.constant(3, "the frame's length")).reshape(-1)[0])
        if node.has(3)
        else node.static_size(0, 2)
    )
    return helper.onnx_stft(x, hop, window, size, node.attr("onesided", 1) == 1)
