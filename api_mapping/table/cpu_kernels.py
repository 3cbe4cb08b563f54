"""Where MindSpore's CPU kernels depart from what its documentation promises: by values, in silence.

A row's verdict stays: NaN, infinities and tensors without elements are no numbers to train with,
and on Ascend other kernels run. tests/api_mapping/test_cpu_kernels.py holds each fact against the
real MindSpore.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Fact:
    """What the CPU kernels of some functions do otherwise.

    example     where PyTorch and MindSpore part; "" if one raises an error or gives what was in
                memory.
    names       of PyTorch; one without a module stands for torch's, Tensor's and functional's.
    """

    text: str
    example: str
    names: str


FACTS = (
    Fact(
        "On the CPU NaN comes out as a number.",
        "F.relu(nans)",
        "relu relu6 hardtanh threshold hardshrink softshrink torch.nn.ReLU torch.nn.ReLU6 "
        "torch.nn.Hardtanh torch.nn.Threshold torch.nn.Hardshrink torch.nn.Softshrink "
        "lp_pool1d lp_pool2d torch.nn.LPPool1d torch.nn.LPPool2d torch.nn.MarginRankingLoss "
        "logcumsumexp",
    ),
    Fact(
        "On the CPU a float32 row that is all -inf, as of a query that may see nothing, gets other "
        "rows wrong, too (PyTorch: NaN in that row): mask with a large negative number instead.",
        "torch.softmax(torch.log(b * 0.0), -1)",
        "softmax softmin torch.special.softmax torch.nn.Softmax torch.nn.Softmin "
        "torch.nn.Softmax2d scaled_dot_product_attention torch.nn.MultiheadAttention",
    ),
    Fact(
        "On the CPU a tensor without elements gives what was in memory, not 0 or NaN: ask for "
        "x.size before.",
        "",
        "sum nansum prod mean nanmean torch.linalg.matrix_norm mse_loss l1_loss "
        "binary_cross_entropy torch.nn.MSELoss torch.nn.L1Loss torch.nn.HuberLoss "
        "torch.nn.PoissonNLLLoss torch.nn.BCELoss",
    ),
    Fact(
        "A tensor without axes counts when MindSpore chooses the element type: float16 with a "
        "float32 number in a tensor is float32, to PyTorch float16.",
        "torch.add(h, s)",
        "add sub rsub remainder pow hypot fmax fmin atan2",
    ),
    Fact(
        "On the CPU a float32 number below 1.2e-7 counts as zero: hand over x != 0.",
        "torch.nonzero(x * 1e-8)",
        "nonzero argwhere",
    ),
    Fact(
        "On the CPU infinite operands give NaN, or another limit than PyTorch's.",
        "torch.fmod(v, nans[1])",
        "remainder fmod floor_divide lerp gelu hardswish torch.nn.Hardswish",
    ),
    Fact(
        "On the CPU a shift by less than 0, or by more than there are bits, wraps around.",
        "torch.bitwise_left_shift(i, j + 100)",
        "bitwise_left_shift torch.Tensor.__rlshift__ torch.Tensor.__lshift__",
    ),
    Fact(
        "On the CPU the inverse of a matrix with NaN is 0.",
        "torch.inverse(m * nans[0, 1])",
        "inverse torch.linalg.inv",
    ),
    Fact(
        "On the CPU integers are pooled wrongly: .astype(ms.float32) before.",
        "nn.MaxPool2d(3, 2, 1)(-image.int().abs() - 1)",
        "torch.nn.MaxPool2d torch.nn.MaxPool3d max_pool3d max_pool3d_with_indices",
    ),
    Fact(
        "On the CPU it changes nothing in a tensor that is not contiguous, as x.t() and x[:, 1]: "
        "assign to all of it, x[:, 1] = y.",
        "y = x.clone().t()\ny.copy_(y + 1)\ny",
        "torch.Tensor.copy_",
    ),
    Fact(
        "A place beyond the end is left out on the CPU, where PyTorch raises an error.",
        "",
        "scatter torch.nn.functional.one_hot",
    ),
    Fact(
        "Where the input is overwritten, its NaN and infinities stay, as NaN.",
        "torch.diagonal_scatter(m * nans[0, 1], v)",
        "diagonal_scatter",
    ),
)


def of(name: str) -> str:
    """What is to be known of a PyTorch name, "" if nothing is."""
    found = facts()
    return " ".join(found.get(name, found.get(name.removesuffix("_"), [])))


@cache
def facts() -> Mapping[str, list[str]]:
    """The texts by full names."""
    found: dict[str, list[str]] = {}
    for fact in FACTS:
        for name in full_names(fact):
            found.setdefault(name, []).append(fact.text)
    return found


def full_names(fact: Fact) -> Iterator[str]:
    for name in fact.names.split():
        owners = ("",) if "." in name else ("torch.", "torch.Tensor.", "torch.nn.functional.")
        yield from (f"{owner}{name}" for owner in owners)
