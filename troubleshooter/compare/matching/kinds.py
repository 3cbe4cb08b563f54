"""Layers that do the same by different names."""

from __future__ import annotations

import re

SAME = {
    "linear": "dense",
    "gemm": "dense",
    "matmul": "dense",
    "sequential": "sequentialcell",
    "modulelist": "celllist",
    "batchnormalization": "batchnorm",
    "instancenormalization": "instancenorm",
    "layernormalization": "layernorm",
    "groupnormalization": "groupnorm",
    "averagepool": "avgpool",
    "globalaveragepool": "adaptiveavgpool",
    "hardswish": "hswish",
    "hardsigmoid": "hsigmoid",
}
"""Names in lower case, without the number of dimensions."""

RANK = re.compile(r"[1-3]d$")


def family(kind: str) -> str:
    """`conv` of `torch.nn.Conv2d`, `onnx.Conv` and `mindspore.nn.Conv2d`."""
    name = RANK.sub("", kind.rpartition(".")[2].lower().removeprefix("sync"))
    return SAME.get(name, name)


def is_layer(kind: str) -> bool:
    """Whether a framework gives it, not the user."""
    return "." in kind
