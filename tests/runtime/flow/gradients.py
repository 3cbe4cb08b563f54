"""Ten forms of control flow of which gradients are taken, by the inputs and by the parameters.

Written down before anything ran them. `CALLS` has, for each function or Cell, the arguments of
its calls; the gradient is that of the sum of its result by the first argument.
"""

from __future__ import annotations

import mindspore as ms
from mindspore import nn, ops

UP, DOWN, MIXED = [0.5, 1.0, 2.0], [-1.0, -2.0, 0.5], [3.0, -1.0, 4.0]


def branch(x):
    if x.sum() > 0:
        y = x * x
    else:
        y = x * 0.1
    return y.sum()


def nested_ternary(x):
    y = x * 2 if x.max() > 1 else (x * x if x.min() > -1 else x * x * x)
    return (y * x).sum()


def unknown_turns(x):
    y = x
    while y.abs().sum() < 50:
        y = y * (x.abs() + 1)
    return y.sum()


def rows(x):
    total = ops.zeros((), ms.float32)
    for row in x:
        if row.sum() > 0:
            total = total + (row * row).sum()
        else:
            total = total - row.sum()
    return total


def broken_off(x):
    y = x
    for i in range(8):
        if y.abs().max() > 10:
            break
        y = y * x + i
    return y.sum()


def skipping(x):
    total = x.sum() * 0
    for i in range(3):
        if x[i] < 0:
            continue
        total = total + x[i] * x[i] * (i + 1)
    return total


def returning(x):
    if x.sum() > 5:
        return (x * x).sum()
    y = ops.sin(x)
    if y.sum() > 0:
        return (y * x).sum()
    return (y * y * y).sum()


class Recurrent(nn.Cell):
    """Turns of a small recurrent network until its state is large enough."""

    def __init__(self):
        super().__init__()
        self.weight = ms.Parameter(
            ms.Tensor([[1.1, 0.2, 0.0], [0.1, 1.2, 0.1], [0.0, 0.3, 0.9]], ms.float32),
            name="weight",
        )
        self.bias = ms.Parameter(ms.Tensor([0.1, -0.1, 0.2], ms.float32), name="bias")

    def construct(self, x):
        turn = ops.zeros((), ms.int32)
        while turn < 6:
            x = ops.matmul(self.weight, x) + self.bias
            if x.max() > 4:
                x = x * 0.5
            turn = turn + 1
        return x.sum()


def newton(x):
    root = x
    step = x * 0 + 1
    while step.abs().max() > 1e-3:
        step = (root * root - x) / (2 * root)
        root = root - step
    return root.sum()


def collected(x):
    parts = {"small": x * 0, "large": x * 0}
    kept = []
    for i in range(3):
        if x[i] > 1:
            parts["large"] = parts["large"] + x * x[i]
            kept.append(parts["large"].sum())
        else:
            parts["small"] = parts["small"] + x
            kept.append(parts["small"].sum() * 2)
    return sum(kept) + (parts["large"] * parts["small"]).sum()


CALLS = {
    branch: [(UP,), (DOWN,)],
    nested_ternary: [(UP,), (DOWN,), ([0.5, -0.5, 0.2],)],
    unknown_turns: [(UP,), (DOWN,), (MIXED,)],
    rows: [([UP, DOWN, MIXED],), ([DOWN, DOWN, UP],)],
    broken_off: [(UP,), (DOWN,), (MIXED,)],
    skipping: [(UP,), (DOWN,), (MIXED,)],
    returning: [(UP,), (DOWN,), (MIXED,)],
    Recurrent: [(UP,), (DOWN,), (MIXED,)],
    newton: [([0.5, 1.0, 2.0],), ([9.0, 16.0, 2.0],)],
    collected: [(UP,), (DOWN,), (MIXED,)],
}
