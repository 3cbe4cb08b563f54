"""Fifteen nested forms of control flow on values that are known only when the code runs.

Written down before anything ran them. `CALLS` has, for each function or Cell, the arguments of
its calls.
"""

from __future__ import annotations

import mindspore as ms
from mindspore import nn, ops

UP, DOWN, MIXED = [0.5, 1.0, 2.0], [-1.0, -2.0, 0.5], [3.0, -1.0, 4.0]


def collatz(n):
    count = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        count = count + 1
    return n, count


def while_in_while(x, rows, columns):
    i = ops.zeros((), ms.int32)
    while i < rows:
        j = ops.zeros((), ms.int32)
        while j < columns:
            x = x + i * j
            j = j + 1
        i = i + 1
    return x


def for_in_if_in_for(x):
    total = x * 0
    for i in range(3):
        if x[i] > 0:
            for j in range(2):
                if x[j] > x[i]:
                    total = total + x[j]
                else:
                    total = total - i
    return total


def inner_break(x):
    total = x[0] * 0
    for i in range(3):
        for j in range(3):
            if x[j] > 2:
                break
            total = total + x[j] * (i + 1)
        total = total + 1
    return total


def while_continue(x, n):
    i = ops.zeros((), ms.int32)
    total = ops.zeros((), ms.float32)
    while i < n:
        i = i + 1
        if i % 2 == 0:
            continue
        if total > 4:
            break
        total = total + x.sum()
    return total, i


def return_in_loop(x):
    for i in range(6):
        if x[i] > 1:
            return x * i
    return x


def return_in_nested_loops(x):
    for i in range(3):
        for j in range(3):
            if x[i] + x[j] > 3:
                return x * (10 * i + j)
        x = x + 1
    return -x


def while_true(x):
    while True:
        x = x * 2
        if x.max() > 20:
            break
        if x.min() < -20:
            return x * 0
    return x


def for_else(x):
    for i in range(3):
        if x[i] < -1.5:
            y = x + i
            break
    else:
        y = x * 100
    return y


def list_in_loop(x):
    parts = []
    for i in range(3):
        if x[i] > 0:
            parts.append(x * i)
        else:
            parts.append(x - i)
    return ops.stack(parts)


def dictionary_in_branch(x):
    state = {"value": x, "turns": x[0] * 0}
    while state["value"].sum() < 20 and state["turns"] < 5:
        if state["value"].max() > 4:
            state["value"] = state["value"] + 3
        else:
            state["value"] = state["value"] * 2
        state["turns"] = state["turns"] + 1
    return state["value"], state["turns"]


def sign_of(value):
    if value > 1:
        return value * 2
    if value < 0:
        return value * 0
    return value


def helper_in_loop(x):
    total = ops.zeros((), ms.float32)
    for i in range(3):
        total = total + sign_of(x[i])
        if sign_of(total) > 3:
            total = total - 1
    return total


class Gate(nn.Cell):
    """A Cell that decides."""

    def __init__(self, slope):
        super().__init__()
        self.slope = slope
        self.weight = ms.Parameter(
            ms.Tensor([1.0, 2.0, 3.0], ms.float32), name=f"weight{int(slope)}"
        )

    def construct(self, x):
        if x.sum() < 0:
            return x * self.slope
        return x * self.weight


class Gates(nn.Cell):
    """Cells in a loop, a method with a loop."""

    def __init__(self):
        super().__init__()
        self.gates = nn.CellList([Gate(2.0), Gate(3.0)])
        self.count = ms.Parameter(ms.Tensor(0.0, ms.float32), name="count", requires_grad=False)

    def shrunk(self, x):
        while x.abs().max() > 10:
            x = x / 2
        return x

    def construct(self, x):
        for gate in self.gates:
            x = gate(x) - 1
            if x.max() > 3:
                self.count += 1
        return self.shrunk(x), self.count + 0


def greatest_divisor(a, b):
    while b > 0:
        a, b = b, a % b
    return a


def asserted(x):
    assert x.shape[0] == 3, f"three, not {x.shape}"
    total = x * 0
    for i in range(3):
        if x[i] > 0 and i != 1:
            assert x.max() < 100
            total += x[i]
        elif x[i] < -10:
            raise ValueError("too small")
    return total


SIX = [
    [1.0, -2.0, 3.0, 0.5, -1.0, 2.0],
    [4.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    [-1.0, -1.0, -1.0, -1.0, -1.0, -1.0],
]

CALLS = {
    collatz: [(6,), (7,), (1,)],
    while_in_while: [(UP, 3, 2), (DOWN, 2, 4), (UP, 0, 3)],
    for_in_if_in_for: [(UP,), (DOWN,), (MIXED,)],
    inner_break: [(UP,), (DOWN,), (MIXED,)],
    while_continue: [(UP, 5), (DOWN, 4), (UP, 1)],
    return_in_loop: [(row,) for row in SIX],
    return_in_nested_loops: [(UP,), (DOWN,), (MIXED,)],
    while_true: [(UP,), (DOWN,), ([-1.0, -1.0, 0.1],)],
    for_else: [(UP,), (DOWN,), (MIXED,)],
    list_in_loop: [(UP,), (DOWN,), (MIXED,)],
    dictionary_in_branch: [(UP,), (DOWN,), (MIXED,)],
    helper_in_loop: [(UP,), (DOWN,), (MIXED,)],
    Gates: [(UP,), (DOWN,), ([30.0, 20.0, 10.0],)],
    greatest_divisor: [(48, 36), (7, 5), (9, 0)],
    asserted: [(UP,), (DOWN,), (MIXED,)],
}
