"""Functions that print, check, raise and change things; `test_control_rewritten.py` compiles them.

They stand in a file that pytest leaves as it is: it rewrites assertions in those of tests.
"""

from __future__ import annotations

from typing import Any

import msconvert.runtime as ms
from msconvert.runtime import ops

# what is printed, checked and raised


def print_values(x: Any) -> Any:
    print("before", x, x.sum())
    if x.sum() > 0:
        print("up", sep="-")
    else:
        print("down", x.min(), sep=" ", end="!\n")
    return x * 2


def print_constants(x: Any) -> Any:
    print("one line", 1, [2.0])
    return x + 1


def print_text(x: Any) -> Any:
    if x[0] > 0:
        print(f"first {float(x[0]):.3f} of {len(x)}, {x.max()!s:>6}|{int(x[1]):04d}")
    return x


def print_nested(x: Any) -> Any:
    if x[0] > 0:
        if x[1] > 0:
            print("both", [x[0], 1], {"a": x[1]})
        print("one")
    return x


def print_called(x: Any) -> Any:
    def tell(name: str, value: Any) -> None:
        print(name, value)

    for k in range(3):
        if x[k] > 0:
            tell(f"place {k}", x[k])
    return x.sum()


def asserting(x: Any) -> Any:
    assert x.shape == (3,), "three"
    assert x.max() < 2.5
    return x


def asserting_with_text(x: Any) -> Any:
    if x[1] < 0:
        assert x[1] > -3, f"it is {x[1]}, of {x.shape}"
    return x * 3


def asserting_in_loop(x: Any) -> Any:
    for k in range(3):
        assert x[k] > -1.5, ("at", k)
    return x


def raising(x: Any) -> Any:
    if x.sum() < -2:
        raise ValueError("too small")
    y = x * 2
    return y


def raising_with_values(x: Any) -> Any:
    if x.min() < -3:
        raise KeyError(f"least {x.min()}")
    if x.sum() < 0:
        raise ZeroDivisionError
    return x / 2


def raising_on_both_sides(x: Any) -> Any:
    if x[0] > 0.75:
        if x[1] > 0:
            raise ValueError("first")
        raise ValueError("second")
    return x


SPEAKING = [print_values, print_constants, print_text, print_nested, print_called, asserting]
SPEAKING += [asserting_with_text, asserting_in_loop, raising, raising_with_values]
SPEAKING += [raising_on_both_sides]


# what is changed


def lists(x: Any) -> Any:
    held = [x, [x * 2]]
    if x.sum() > 0:
        held[0] = x + 1
        held[1].append(x)
    else:
        held[1] += [x * 3]
    return held


def dictionaries(x: Any) -> Any:
    held = {"a": {"n": 1, "x": x}, "b": 2}
    while held["a"]["n"] < x.max() * 2:
        held["a"]["n"] += 1
        held["a"]["x"] = held["a"]["x"] * 2
    return held


def in_place(x: Any) -> Any:
    y = ops.zeros((3,), ms.float32)
    for k in range(3):
        if x[k] > 0:
            y[k] = x[k]
        else:
            y[:k] = 7.0
    return y


def in_place_in_loop(x: Any) -> Any:
    y = ops.zeros((6,), ms.float32)
    k = 0
    while k < x.abs().max():
        y[k] = x.sum() + k
        k += 1
    return y, k


def swapped(x: Any) -> Any:
    a, b = x, x * 2
    n = 0
    while n < x[2] * 3:
        a, b = b, a
        n += 1
    return a, b


def numbers(x: Any) -> Any:
    n, f, flag = 0, 1.0, False
    while n < x.abs().sum() * 2:
        n, f, flag = n + 2, f / 3, not flag
    return n, f, flag, n // 3, n % 3, -n, x * n, x + f


def ranges(x: Any) -> Any:
    n = int(x.abs().sum())
    total, last = x * 0, 0
    for k in range(n):
        total += x * k
        last = k
    for k in range(n, 0, -2):
        total -= k
    return total, last


def long_range(x: Any) -> Any:
    total = x * 0
    for k in range(200):
        total = total + x * k
        if total.abs().max() > 1000:
            break
    return total, k


def rows(x: Any) -> Any:
    table = x.reshape((3, 1)) * ops.ones((1, 40), ms.float32)
    total = x[0] * 0
    for row in table.T:
        if row.sum() > 1:
            total = total + row.sum()
        if total > 100:
            return total * 0
    return total


def nested_functions(x: Any) -> Any:
    scale = 2

    def clipped(v: Any) -> Any:
        if v > scale:
            return v * 0 + scale
        return v

    total = ops.zeros((), ms.float32)
    for k in range(3):
        scale = k
        total = total + clipped(x[k])
    return total


def lambdas(x: Any) -> Any:
    pick = lambda v: v * 2 if v > 0 else -v  # noqa: E731
    return [pick(v) for v in x]


def recursion(x: Any, depth: int = 0) -> Any:
    if depth == 3:
        return x
    return recursion(x * 2 if x.sum() > 0 else x - 1, depth + 1)


def annotated(x: Any) -> Any:
    y: Any = x
    z: Any
    if x.sum() > 0:
        y: Any = x * 2
    z = y
    return z


def largest(x: Any) -> Any:
    return max(x), min(x[0], x[1]), x * max(x[0], 0.25), sum(v for v in x), any(v > 2 for v in x)


def chained(x: Any) -> Any:
    return -1 < x[0] < 1, x[0] in x, 0.5 in x, not x[0] > 0, (x[0] > 0 and x[1] > 0) or x[2] > 1


def zipped(x: Any) -> Any:
    for k, (a, b) in enumerate(zip(x, x * 2, strict=True)):
        if a > 1:
            x = x + b * k
    return x


def items_of_dictionary(x: Any) -> Any:
    held = {"a": x, "b": x * 2}
    for key, value in held.items():
        if value.sum() > 4:
            held[key] = value * 0
    return held


def while_else(x: Any) -> Any:
    n = 0
    while x.abs().sum() < 30:
        x = x * 2
        n += 1
    else:
        x = x + 100
    return x, n


def keywords(x: Any, *rest: Any, scale: int = 2, **more: Any) -> Any:
    if x.sum() > 0:
        return x * scale + sum(rest)
    return x - more.get("b", 1)


def half_precision(x: Any) -> Any:
    y, factor = x.astype(ms.float16), 0.1
    while factor < x.max():
        factor = factor * 3
        y = y * factor
    return y, factor


def best_of(x: Any) -> Any:
    best, at = x[0], 0
    for k in range(3):
        if x[k] > best:
            best, at = x[k], k
    return best, at


def mixed_jumps(x: Any) -> Any:
    k = 0
    while True:
        k += 1
        if k >= 3:
            break
        if x[k] < 0:
            continue
        x = x * (k + 1)
    return x, k


def unpacking(x: Any) -> Any:
    (c, d), e = (x, x * 2), 3
    if x.sum() > 0:
        (c, d), e = (d, c), 4
    return c - d + e


def return_in_inner_loop(x: Any) -> Any:
    count = 0
    for i in range(3):
        for j in range(3):
            if x[j] > x[i]:
                count += 1
                if count == 2:
                    return x * count, i, j
    return x, 0, 0


def fixed_point(x: Any) -> Any:
    p = x
    for _ in range(50):
        q = p * 0.5 + 1
        if (q - p).abs().max() < 1e-3:
            break
        p = q
    return p


CHANGING = [lists, dictionaries, in_place, in_place_in_loop, swapped, numbers, ranges, long_range]
CHANGING += [rows, nested_functions, lambdas, recursion, annotated, largest, chained]
CHANGING += [zipped, items_of_dictionary, while_else, keywords, half_precision, best_of]
CHANGING += [mixed_jumps, unpacking, return_in_inner_loop, fixed_point]
