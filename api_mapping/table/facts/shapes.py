"""Functions whose output has a shape that follows from values, or from an argument."""

from __future__ import annotations

SHAPED_BY_VALUES = {"torch.where", "torchvision.ops.nms", "torchvision.ops.batched_nms"} | {
    name
    for last in "nonzero argwhere masked_select unique unique_consecutive bincount".split()
    for name in (f"torch.{last}", f"torch.Tensor.{last}")
}
"""torch.where without values alone."""


ONE_HOT = "torch.nn.functional.one_hot"
"""Without num_classes its output is as wide as the largest value says."""


SIZES = {
    "torch.topk": ("k", 1),
    "torch.Tensor.topk": ("k", 0),
    "torch.arange": ("end", 0),
    "torch.zeros": ("size", 0),
    "torch.ones": ("size", 0),
    "torch.full": ("size", 0),
    **dict.fromkeys(("torch.empty", "torch.rand", "torch.randn"), ("size", 0)),
    **dict.fromkeys(("torch.eye", "torch.randperm"), ("n", 0)),
    **{f"torch.Tensor.new_{name}": ("size", 0) for name in ("zeros", "ones", "empty", "full")},
    "torch.nn.functional.interpolate": ("size", 1),
    ONE_HOT: ("num_classes", 1),
    "torch.split": ("split_size_or_sections", 1),
    "torch.Tensor.split": ("split_size", 0),
    "torch.split_with_sizes": ("split_sizes", 1),
    "torch.Tensor.split_with_sizes": ("split_sizes", 0),
    "torch.Tensor.narrow": ("length", 2),
    "torch.repeat_interleave": ("repeats", 1),
    "torch.Tensor.repeat_interleave": ("repeats", 0),
}
"""The argument that sizes the output, by name and place."""


MAKERS = frozenset(
    f"torch.{name}"
    for name in """
    empty zeros ones rand randn tensor as_tensor Tensor FloatTensor DoubleTensor HalfTensor
    LongTensor IntTensor BoolTensor ByteTensor Tensor.new_empty Tensor.new_zeros Tensor.new_tensor
    """.split()
)
"""What makes a tensor of one axis without elements of `0`, `(0,)`, `[]` or, if a class, nothing."""

SIZED = frozenset("empty zeros ones rand randn full new_empty new_zeros new_ones new_full".split())
"""What makes a tensor of the sizes that are its first arguments, or their tuple."""

OF_SAME_SHAPE = frozenset(
    """
    clone detach to float double half cpu cuda contiguous tanh relu sigmoid exp log abs neg clamp
    softmax log_softmax dropout
    """.split()
)
"""Methods and functions whose result has the shape of their first operand."""
