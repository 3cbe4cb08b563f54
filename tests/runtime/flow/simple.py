"""Fifteen simple forms of control flow on values that are known only when the code runs.

Written down before anything ran them. `CALLS` has, for each function, the arguments of its calls.
"""

from __future__ import annotations

import mindspore as ms
from mindspore import ops

UP, DOWN, MIXED = [0.5, 1.0, 2.0], [-1.0, -2.0, 0.5], [3.0, -1.0, 4.0]


def if_else(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x - 1
    return y


def if_without_else(x):
    y = x * 3
    if x.max() > 1.5:
        y = y + x
        x = x * 0
    return y + x


def elif_chain(x):
    total = x.sum()
    if total > 5:
        return_value = x * 2
    elif total > 0:
        return_value = x + 10
    elif total > -2:
        return_value = -x
    else:
        return_value = x * x
    return return_value


def ternary(x):
    scale = x.max() if x.sum() > 0 else x.min()
    return x * scale


def while_doubling(x, limit):
    while x.sum() < limit:
        x = x * 2
    return x


def for_range(x, n):
    total = x * 0
    for i in range(5):
        if i < n:
            total = total + x * i
    return total


def for_rows(x):
    total = x[0] * 0
    for row in x:
        if row.sum() > 0:
            total = total + row
    return total


def for_list(x):
    total = x * 0
    for part in [x, x * 2, x + 1]:
        if part.max() > 2:
            total = total + part
    return total


def for_break(x):
    total = ops.zeros((), ms.float32)
    for i in range(6):
        if total > 3:
            break
        total = total + x[i]
    return total


def for_continue(x):
    total = ops.zeros((), ms.float32)
    for i in range(6):
        if x[i] < 0:
            continue
        total = total + x[i]
    return total


def early_return(x):
    if x.sum() > 3:
        return x
    y = x * 2
    if y.sum() > 3:
        return y + 1
    return y - 1


def and_or_not(x):
    if (x.sum() > 0 and not x.max() > 3) or x.min() < -1.5:
        return x + 1
    return x - 1


def comparison_chain(x):
    if 0 < x.mean() < 1:
        return x * 10
    if -1 <= x.mean() <= 0 != x[0]:
        return x * 100
    return x


def membership(x, n):
    if n in (1, 3, 5):
        return x + n
    if n not in (2, 4):
        return x - n
    return x * n


def numbers(x):
    whole = int(x.sum())
    part = float(x.max())
    flag = bool(x.min() < 0)
    if flag:
        whole = whole + 1
    return (
        x * whole
        + part
        + len(x)
        + abs(x[0])
        + max(x[0], x[1])
        - min(x[1], x[2])
        + sum([x[0], x[2]])
    )


SIX = [
    [1.0, -2.0, 3.0, 0.5, -1.0, 2.0],
    [4.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    [-1.0, -1.0, -1.0, -1.0, -1.0, -1.0],
]

CALLS = {
    if_else: [(UP,), (DOWN,), (MIXED,)],
    if_without_else: [(UP,), (DOWN,)],
    elif_chain: [(UP,), (DOWN,), (MIXED,), ([-1.0, 0.0, 0.5],)],
    ternary: [(UP,), (DOWN,)],
    while_doubling: [(UP, 10.0), (UP, 100.0), (UP, 1.0)],
    for_range: [(UP, 2), (UP, 4), (UP, 0)],
    for_rows: [([UP, DOWN, MIXED],), ([DOWN, DOWN, UP],)],
    for_list: [(UP,), (DOWN,), (MIXED,)],
    for_break: [(row,) for row in SIX],
    for_continue: [(row,) for row in SIX],
    early_return: [(UP,), (DOWN,), ([0.5, 0.5, 0.6],)],
    and_or_not: [(UP,), (DOWN,), (MIXED,)],
    comparison_chain: [(UP,), (DOWN,), ([0.1, 0.2, 0.3],)],
    membership: [(UP, 1), (UP, 2), (UP, 6), (DOWN, 5)],
    numbers: [(UP,), (DOWN,), (MIXED,)],
}
