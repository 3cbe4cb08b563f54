"""One function for each ONNX operator that the runtime computes with; see `primitive.py`.

Gradients stand beside their primitives; those of layers, which are longer, in `*_vjp.py`.
"""

from . import (
    convolution_vjp,
    normalization_vjp,
    pooling_vjp,
    recurrent_vjp,
    resize_vjp,
    sampling_vjp,
    window_sizes,
)

__all__ = [
    "convolution_vjp",
    "normalization_vjp",
    "pooling_vjp",
    "recurrent_vjp",
    "resize_vjp",
    "sampling_vjp",
    "window_sizes",
]
