"""What PyTorch's layers are called with: the arguments that have other names in MindSpore."""

from __future__ import annotations

IN_ORDER = {
    "Bilinear": "input1 input2",
    "CTCLoss": "log_probs targets input_lengths target_lengths",
    "CosineEmbeddingLoss": "input1 input2 target",
    "MarginRankingLoss": "input1 input2 target",
    "CosineSimilarity": "x1 x2",
    "PairwiseDistance": "x1 x2",
    "EmbeddingBag": "input offsets per_sample_weights",
    **dict.fromkeys("RNN LSTM GRU RNNCell LSTMCell GRUCell".split(), "input hx"),
    **dict.fromkeys("MaxUnpool1d MaxUnpool2d MaxUnpool3d".split(), "input indices"),
    "GaussianNLLLoss": "input target var",
    "PoissonNLLLoss": "log_input target",
    "RMSNorm": "x",
    "TripletMarginLoss": "anchor positive negative",
    "TripletMarginWithDistanceLoss": "anchor positive negative",
    "AdaptiveLogSoftmaxWithLoss": "input_ target_",
}
"""The arguments of layers that have not just an input, and a target for losses."""

SAME = frozenset("DataParallel Identity MultiheadAttention Module ModuleDict ModuleList".split())
"""Layers whose arguments have their names in MindSpore, or any; what may be any layer."""


def arguments_of(layer: str) -> tuple[str, ...]:
    """The arguments of a layer, by its full name, that may be given by their places alone."""
    module, _, name = layer.rpartition(".")
    if module != "torch.nn" or name in SAME or name.startswith("Transformer"):
        return ()
    usual = "input target" if name.endswith("Loss") else "input"
    return tuple(IN_ORDER.get(name, usual).split())
