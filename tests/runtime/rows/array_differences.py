"""What MindSpore's CPU build does unlike its documentation, or cannot run, of arrays."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import differs, only_here

differs(
    "ops.xlogy(ms.Tensor([0.0, 2.0]), ms.Tensor([0.0, 1.0]))",
    "np.array([0, 0], np.float32)",
    because="0 * log(0) is NaN in MindSpore's CPU build; its documentation says 0",
)
for _call in ("add_(1.0)", "sub_(-1.0)", "mul_(2.0)"):
    differs(
        f"a = x(3) * 0 + 1\na.{_call}\nresult = a",
        "np.full(3, 2, np.float32)",
        because="in-place methods change nothing in MindSpore's CPU build",
    )
only_here(
    "(x(3, 4) * 1).fill_(2.0)",
    "(x(3, 4) * 1).zero_()",
    "(x(3, 4) * 1).clamp_(0.0, 1.0)",
    "(x(3, 4) * 1).masked_fill_(x(3, 4) > 0, 2.0)",
    "(x(3, 4) * 1).index_fill_(0, ms.Tensor([0]), 1.0)",
    "(x(3, 4) * 1).scatter_(0, ms.Tensor([[0, 1]]), x(1, 2))",
    "(x(3, 4) * 1).scatter_add(0, ms.Tensor([[0, 1]]), x(1, 2))",
    "ops.searchsorted(ms.Tensor([5, 3, 1]), ms.Tensor([2]), sorter=ms.Tensor([2, 1, 0]))",
    "ops.type_as(x(3), x(3, dtype='int32'))",
    "x(3, 4).new_full((2, 2), 3.0)",
    "x(3, 4).nonzero(as_tuple=True)",
    "x(3, 4).floor_divide(2)",
    "x(3, 4).div(2.0, rounding_mode='floor')",
    "x(3, 4).round(decimals=1)",
    "ops.hypot(x(3, dtype='int32'), x(3, dtype='int32'))",
    "ops.cummax(x(3, 4, dtype='bfloat16'), 0)",
    because="MindSpore's CPU build has no kernel",
)
