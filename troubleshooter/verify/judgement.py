"""Whether two results are the same but for rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...numerics.distance import finite_of, rms_of
from ...numerics.limits import KERNEL_FACTOR
from ...numerics.rounding import STEP, Allowance, step_of
from ...numerics.verdict import Difference
from ..sides.child.messages import Array, Leaf, Tensor


def differences(
    originals: Sequence[Leaf],
    converted: Sequence[Leaf],
    allowance: Allowance,
    *,
    together: bool = False,
) -> list[Difference]:
    """Each of the original's values against the converted one of the same place.

    Where the places have other names, as in a tuple for a dict, their order counts. `together`:
    a value may be off by what is rounding for the largest of them all, as gradients that are
    zero but for rounding.
    """
    names = [leaf.label for leaf in originals]
    theirs = {leaf.label: leaf for leaf in converted}
    if set(names) != set(theirs):
        if len(converted) != len(originals):
            problem = f"{counted(converted)}, the original gives {counted(originals)}"
            return [Difference("the result", 0.0, 0.0, 0.0, problem)]
        theirs = dict(zip(names, converted, strict=True))
    scale = max((largest(leaf) for leaf in originals), default=0.0) if together else 0.0
    return [difference(leaf, theirs[leaf.label], allowance, scale) for leaf in originals]


def counted(leaves: Sequence[Leaf]) -> str:
    places = ", ".join(leaf.label for leaf in leaves[:5] if leaf.label)
    number = f"{len(leaves)} value{'s' if len(leaves) != 1 else ''}"
    return f"{number} ({places}{', ...' if len(leaves) > 5 else ''})" if places else number


def difference(ours: Leaf, theirs: Leaf, allowance: Allowance, scale: float) -> Difference:
    """One value against its counterpart; `scale` is the largest number of all values."""
    a, b = ours.value, theirs.value
    name = ours.label
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return of_plain(name, a, b, allowance)
    if a.array.shape != b.array.shape:
        return wrong(name, f"shape {b.array.shape}, the original's {a.array.shape}")
    if a.dtype != b.dtype:
        return wrong(name, f"element type {b.dtype}, the original's {a.dtype}")
    if a.array.dtype.kind not in "fc":
        return of_whole_numbers(ours, b.array)
    return of_numbers(ours, b.array, allowance, scale)


def wrong(name: str, problem: str) -> Difference:
    return Difference(name, math.inf, 0.0, 0.0, problem)


def of_plain(name: str, a: object, b: object, allowance: Allowance) -> Difference:
    """Values of Python's, one of which may be a tensor of one element."""
    numbers = [float(v) if isinstance(v, bool | int | float) else scalar(v) for v in (a, b)]
    if numbers[0] is None or numbers[1] is None:
        same = type(a) is type(b) and not isinstance(a, Tensor) and a == b
        problem = "" if same else f"{kind_of(b)}, the original's is {kind_of(a)}"
        return Difference(name, 0.0, 0.0, 0.0, problem)
    size, away = abs(numbers[0]), abs(numbers[0] - numbers[1])
    return Difference(name, away, size, max(allowance.rtol, allowance.atol) * size)


def scalar(value: object) -> float | None:
    is_one = isinstance(value, Tensor) and value.array.ndim == 0
    return float(value.array) if is_one else None  # type: ignore[attr-defined]  # it is a Tensor


def kind_of(value: object) -> str:
    if isinstance(value, Tensor):
        return f"a tensor {value.dtype} {value.array.shape}"
    return "None" if value is None else f"{type(value).__name__} {str(value)[:60]!r}"


def of_whole_numbers(ours: Leaf, b: Array) -> Difference:
    """Integers and booleans: equal wherever PyTorch's rounding does not decide."""
    a = ours.value.array
    off = a != b
    if ours.unsure is not None:
        off &= ~ours.unsure
    count = int(off.sum())
    problem = f"{count} of {a.size} elements are not equal" if count else ""
    return Difference(ours.label, 0.0, largest(ours), 0.0, problem)


def of_numbers(ours: Leaf, b: Array, allowance: Allowance, scale: float) -> Difference:
    a = ours.value.array
    if a.size and np.isnan(a).all():  # whatever the converted one computes would be the same
        return wrong(ours.label, "every element of the original's is NaN: there is no comparing it")
    both = finite_of(b, a)
    if both is None:
        count = int((np.isfinite(a) != np.isfinite(b)).sum())
        return wrong(ours.label, f"{count} of {a.size} elements are NaN or infinite on one side")
    away = np.abs(both[0] - both[1])
    size = largest(ours)
    held = ours.value.dtype  # as float32, if it is bfloat16
    coarser = max(1.0, step_of(held if held == "bfloat16" else a.dtype) / STEP)
    allowed = max(
        allowance.rtol * coarser * size,
        allowance.of_all * coarser * scale,
        allowance.noise_factor * ours.noise,
        KERNEL_FACTOR * ours.approximated,
        allowance.atol * rms_of(a),
    )
    return Difference(ours.label, float(away.max(initial=0.0)), size, allowed)


def largest(leaf: Leaf) -> float:
    """The largest finite number of a value, 0 if there is none."""
    if not isinstance(leaf.value, Tensor):
        return 0.0
    sizes = np.abs(
        leaf.value.array.astype(np.complex128 if leaf.value.array.dtype.kind == "c" else np.float64)
    )
    return float(sizes[np.isfinite(sizes)].max(initial=0.0))
