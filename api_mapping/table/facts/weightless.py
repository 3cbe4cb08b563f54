"""Layers of PyTorch's that have no weights."""

from __future__ import annotations

NAMED = frozenset(
    """
    CELU ELU Flatten Fold GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh Identity LeakyReLU
    LogSigmoid LogSoftmax Mish PixelShuffle PixelUnshuffle RReLU ReLU ReLU6 SELU SiLU Sigmoid
    Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink Threshold Unflatten
    Unfold Upsample ChannelShuffle CosineSimilarity PairwiseDistance LocalResponseNorm
    """.split()
)
FAMILIES = ("Dropout", "Pool", "Pad", "Loss", "Unpool", "Upsampling")
"""Parts of the names of others."""


def is_weightless(layer: str) -> bool:
    """Whether a layer, by its full name, has no weights for certain."""
    module, _, name = layer.rpartition(".")
    if module != "torch.nn" or name == "AdaptiveLogSoftmaxWithLoss":
        return False
    return name in NAMED or any(part in name for part in FAMILIES)
