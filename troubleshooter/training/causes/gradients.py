"""Causes between the backward pass and the optimiser: joining, scaling, clipping."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..comparison import Reason
from ..handling import SAME, Handling

CLIPS = {
    "none": "not clipped",
    "norm": "clipped to a norm of all together of {:g}",
    "each": "clipped to a norm of each parameter's own of {:g}",
    "value": "clipped to values up to {:g}",
    "unknown": "changed in a way that is not known here",
}
JOINS = {
    "sum": "the sum of all passes since the last step",
    "last": "that of the last pass alone",
    "all": "the sum of all passes since the beginning: it is never set to zero",
    "unknown": "not made of the passes in a way that is known here",
}


def of_handling(a: Handling, b: Handling, raw: float, used: float) -> list[Reason]:
    """What is done otherwise; `raw`: how many times as large as A's the gradients of B's backward
    passes are, `used`: what its optimiser is given."""
    return list(found(a, b, raw, used))[:1]


def found(a: Handling, b: Handling, raw: float, used: float) -> Iterator[Reason]:
    if a.join != b.join:
        is_known = "unknown" not in (a.join, b.join)
        name = "not-zeroed" if "all" in (a.join, b.join) else "accumulation-lost"
        name = name if is_known else "gradients"
        text = f"agrees if the gradient is {JOINS[a.join]} (here: {JOINS[b.join]})"
        yield Reason(name, text, is_known)
        return
    if a.clip != b.clip:
        yield Reason("clipping", f"agrees if gradients are {told(a)} (here: {told(b)})",
                     "unknown" not in (a.clip, b.clip))  # fmt: skip
        return
    is_scaled = abs(raw - 1) > 10 * SAME
    if a.clip != "none" and abs(a.limit - b.limit) > 10 * SAME * a.limit:
        ratio = a.limit / b.limit
        if (is_scaled and abs(ratio / raw - 1) < 0.01) or is_loss_scale(ratio):
            limit = float(f"{b.limit * ratio:.4g}")
            yield Reason(
                "clipped-scaled",
                f"agrees if gradients are unscaled before they are clipped (here: clipped to "
                f"{limit:g} while they are {ratio:.6g} times as large)",
            )
        else:
            yield Reason("clipping", f"agrees if gradients are {told(a)} (here: {told(b)})")
        return
    yield from of_scale(a, b, raw, used)


def is_loss_scale(ratio: float) -> bool:
    """Whether a factor is a power of two, as loss scales are, of 8 or more."""
    power = float(np.log2(ratio)) if ratio > 0 else 0.0
    return power > 2.9 and abs(power - round(power)) < 2e-3


def told(handling: Handling) -> str:
    return CLIPS[handling.clip].format(float(f"{handling.limit:.4g}"))


def of_scale(a: Handling, b: Handling, raw: float, used: float) -> Iterator[Reason]:
    """Where what is used is another by one factor. What is clipped hides it: before that is what
    counts."""
    passes = max(a.passes, b.passes)
    is_scaled = abs(raw - 1) > 10 * SAME
    if a.clip != "none" and a.scale:
        used = raw * b.scale / a.scale
    if used < 0:
        text = "agrees if steps go down the gradient (here: up; the optimiser is given"
        yield Reason("direction", f"{text} {used:.4g} times the gradient)")
    elif passes > 1 and any(abs(used / f - 1) < 0.01 for f in (passes, 1 / passes)):
        ways = ("mean", "sum") if used > 1 else ("sum", "mean")
        text = f"agrees if the gradient of {passes} passes is their {ways[0]} (here: {ways[1]})"
        yield Reason("accumulation-mean", text)
    elif is_scaled and abs(used / raw - 1) < 0.01:
        yield Reason(
            "not-unscaled",
            f"agrees if gradients are divided by the loss scale of {raw:g} (here: they are not)",
        )
    else:
        name = "not-unscaled" if abs(used) > 0 else "no-gradient"
        yield Reason(name, f"agrees if gradients are {1 / used:.6g} times as large"
                     if used else "agrees if there are gradients (here: zeros)")  # fmt: skip
