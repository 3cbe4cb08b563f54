"""What can be changed about a call, one thing at a time."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .model import MODELS
from .reading import Call, shown

NAMES = {
    "axis": "axis",
    "equation": "axis",
    "keepdims": "keepdims",
    "perm": "axis",
    "diagonal": "mask-shifted",
    "shifts": "roll",
    "repeats": "repeat",
    "align_corners": "interpolate",
    "mode": "interpolate",
    "scale_factor": "interpolate",
    "size": "interpolate",
    "negative_slope": "slope",
    "alpha": "slope",
    "reduction": "reduction",
    "ignore_index": "ignore-index",
    "label_smoothing": "label-smoothing",
    "weight": "class-weights",
    "rounding_mode": "division",
    "dtype": "dtype",
    "index": "index",
    "correction": "correction",
    "scale": "scale",
}
"""Which cause it is that an option is another one."""


@dataclass(frozen=True, eq=False)
class Change:
    """A call that is tried in the place of the reference's: what is the reference's, what tried."""

    cause: str
    subject: str
    own: str
    tried: str
    call: Call


def of_options(ours: Call, theirs: Call) -> Iterator[Change]:
    """The candidate's options, each alone, where both are the same function."""
    if ours.kind != theirs.kind:
        return
    model = MODELS.get(ours.kind)
    defaults = {
        name: p.default
        for name, p in (inspect.signature(model).parameters if model else {}).items()
        if p.default is not inspect.Parameter.empty
    }
    for name in dict.fromkeys((*ours.options, *theirs.options)):
        own, other = (c.options.get(name, defaults.get(name)) for c in (ours, theirs))
        if not equal(own, other):
            options = {**ours.options, name: other}
            cause = f"function-{NAMES.get(name, 'option')}"
            call = replace(ours, options=options)
            yield Change(cause, f"{name} is", *told(own, other), call)


def of_operands(ours: Call, theirs: Call) -> Iterator[Change]:
    """Numbers of the candidate's, operands in another order, an operand that only one has."""
    yield from numbers(ours, theirs)
    flat = ours.operands[0] if len(ours.operands) == 1 else ours.operands
    if {ours.kind, theirs.kind} in MIRRORED:
        return
    if ours.kind not in ONE_WAY and isinstance(flat, tuple) and 1 < len(flat) <= 4:
        for order in itertools.islice(itertools.permutations(range(len(flat))), 1, None):
            parts = tuple(flat[i] for i in order)
            operands = (parts,) if flat is ours.operands[0] else parts
            own = " ".join(str(i + 1) for i in range(len(flat)))
            tried = " ".join(str(i + 1) for i in order)
            call = replace(ours, operands=operands)
            yield Change("function-order", "the order of what it takes is", own, tried, call)


def numbers(ours: Call, theirs: Call) -> Iterator[Change]:
    if ours.kind != theirs.kind or len(ours.operands) != len(theirs.operands):
        return
    for i, (own, other) in enumerate(zip(ours.operands, theirs.operands, strict=True)):
        is_one = is_number(own) or is_number(other)
        if is_one and not isinstance(own, tuple) and not equal(own, other):
            operands = (*ours.operands[:i], other, *ours.operands[i + 1 :])
            call = replace(ours, operands=operands)
            yield Change(
                "function-constant",
                f"{ROLES.get(ours.kind, 'the number')} is",
                *told(own, other),
                call,
            )


def of_shapes(ours: Call, theirs: Call) -> Iterator[Change]:
    """Operands of which the candidate has the same elements in another shape, or other axes."""
    if len(ours.operands) != len(theirs.operands):
        return
    for i, (own, other) in enumerate(zip(ours.operands, theirs.operands, strict=True)):
        are_arrays = isinstance(own, np.ndarray) and isinstance(other, np.ndarray)
        if not are_arrays or own.shape == other.shape or own.size != other.size:
            continue
        operands = (*ours.operands[:i], other, *ours.operands[i + 1 :])
        subject = "the shape of what it takes is"
        call = replace(ours, operands=operands)
        yield Change("function-shape", subject, str(own.shape), str(other.shape), call)


ONE_WAY = ("masked_fill", "cross_entropy", "embedding", "layer_norm", "attention")
"""Whose operands nobody exchanges: a mask that is inverted gives the same."""

MIRRORED = ({"lt", "gt"}, {"le", "ge"})
"""What gives the same of exchanged operands, and was not meant so."""

ROLES = {
    "mul": "the factor",
    "div": "the divisor",
    "add": "what is added",
    "sub": "what is subtracted",
    "pow": "the exponent",
    "masked_fill": "what is filled in",
}


def of_masks(ours: Call) -> Iterator[Change]:
    """Boolean operands inverted, shifted by one, without effect."""
    for i, mask in enumerate(ours.operands):
        if not isinstance(mask, np.ndarray) or mask.dtype.kind != "b":
            continue
        tried = [("function-mask-inverted", "as it is", "inverted", ~mask)]
        for axis in range(mask.ndim):
            for by in (1, -1):
                moved = np.roll(mask, by, axis)
                tried.append(("function-mask-shifted", "as it is", f"shifted by {by}", moved))
        tried.append(("function-mask-missing", "there", "missing", np.zeros_like(mask)))
        tried.append(("function-mask-missing", "there", "missing", np.ones_like(mask)))
        for cause, own, text, new in tried:
            operands = (*ours.operands[:i], new, *ours.operands[i + 1 :])
            yield Change(cause, "the mask is", own, text, replace(ours, operands=operands))


def of_settings(ours: Call) -> Iterator[Change]:
    """Options with other values that they can have."""
    model = MODELS[ours.kind]
    ndim = max((getattr(x, "ndim", 0) for x in ours.operands), default=0)
    for name, parameter in inspect.signature(model).parameters.items():
        if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
            continue
        own = ours.options.get(name, parameter.default)
        for other in alternatives(name, own, ndim):
            if not equal(own, other):
                call = replace(ours, options={**ours.options, name: other})
                cause = f"function-{NAMES.get(name, 'option')}"
                yield Change(cause, f"{name} is", *told(own, other), call)


VALUES: dict[str, tuple[Any, ...]] = {
    "reduction": ("mean", "sum", "none", "batchmean"),
    "mode": ("nearest", "bilinear", "bicubic", "area", "constant", "reflect", "replicate"),
    "approximate": ("none", "tanh"),
    "negative_slope": (0.01, 0.1, 0.2, 0.3, 0.05),
    "eps": (1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-12),
    "label_smoothing": (0.0, 0.1, 0.2),
    "ignore_index": (-100, -1, 0, 255),
    "diagonal": (-1, 0, 1),
    "correction": (0, 1),
    "rounding_mode": (None, "floor", "trunc"),
    "weight": (None,),
    "pos_weight": (None,),
    "scale": (None, 1.0),
    "beta": (1.0, 0.5, 0.1),
}


def alternatives(name: str, own: Any, ndim: int) -> tuple[Any, ...]:
    if name in VALUES:
        return VALUES[name]
    if name == "axis":
        return (*range(ndim), *itertools.combinations(range(ndim), 2), None)
    if name == "perm":
        return tuple(itertools.permutations(range(ndim))) if ndim <= 5 else ()
    if isinstance(own, bool) or own is None:
        return (True, False)
    if name == "shifts":
        parts = own if isinstance(own, tuple) else (own,)
        return (tuple(-x for x in parts) if isinstance(own, tuple) else -own,)
    return ()


def is_number(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.size == 1
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        a, b = np.asarray(one), np.asarray(other)
        return a.shape == b.shape and a.dtype != object != b.dtype and bool(np.allclose(a, b))
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(equal(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, float) or isinstance(other, float):
        return is_number(one) and is_number(other) and bool(np.isclose(one, other, rtol=1e-6))
    return bool(one == other)


def told(own: Any, other: Any) -> tuple[str, str]:
    return shown(own), shown(other)
