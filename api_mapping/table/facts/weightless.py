"""Layers of PyTorch's that have no weights."""

from __future__ import annotations

import re

PLAIN_LOSS = re.compile(r"torch\.nn\.\w+(?<!With)Loss")
"""PyTorch's losses have no weights, but for AdaptiveLogSoftmaxWithLoss."""

NAMED = frozenset(
    """
    CELU ELU Flatten Fold GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh Identity LeakyReLU
    LogSigmoid LogSoftmax Mish PixelShuffle PixelUnshuffle RReLU ReLU ReLU6 SELU SiLU Sigmoid
    Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink Threshold Unflatten
    Unfold Upsample ChannelShuffle CosineSimilarity PairwiseDistance LocalResponseNorm
    """.split()
)
FAMILIES = ("Dropout", "Pool", "Pad", "Unpool", "Upsampling")
"""Parts of the names of others."""


def is_weightless(layer: str) -> bool:
    """Whether a layer, by its full name, has no weights for certain."""
    module, _, name = layer.rpartition(".")
    is_named = name in NAMED or any(part in name for part in FAMILIES)
    return bool(PLAIN_LOSS.fullmatch(layer)) or (module == "torch.nn" and is_named)
