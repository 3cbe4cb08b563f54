"""Causes in losses: which loss of the network's output and the target each side took."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np
from scipy import special

from ...compare.records import Array
from ...diagnosis.layers.activation import sigmoid
from ...diagnosis.layers.layer import Layer
from ...diagnosis.layers.loss import BinaryCrossEntropy, CrossEntropy, ElementwiseLoss
from ..comparison import Reason
from . import classes

CLOSE = 3e-5
"""How far a loss may be from what a form of it gives, relative to it."""
FEWEST = 2
"""Batches that must agree with a form."""
SMOOTHINGS = (0.0, 0.1, 0.05, 0.2, 0.01, 0.3)
NO_CLASS = -100


@dataclass(frozen=True)
class Seen:
    """One batch: the network's output, the gradient that came back to it, the targets, the loss."""

    output: Array
    pull: Array
    targets: tuple[Array, ...]
    loss: float


@dataclass(frozen=True)
class Form:
    """Which loss it is. `given`: what becomes of the output first. `weights`: of classes."""

    kind: str
    reduction: str = "mean"
    given: str = "as it is"
    logits: bool = True
    label_smoothing: float = 0.0
    ignore_index: int = NO_CLASS
    weights: tuple[float, ...] = ()
    setting: float = 1.0
    factor: float = 1.0
    target: int = field(default=0, compare=False)


NAMES = {
    "kind": ("another-loss", "the loss is {}"),
    "reduction": ("reduction", "the reduction is '{}'"),
    "given": ("softmax-twice", "the output goes into the loss {}"),
    "logits": ("logits", "the loss takes {}"),
    "label_smoothing": ("label-smoothing", "label_smoothing is {:g}"),
    "ignore_index": ("ignore-index", "ignore_index is {}"),
    "weights": ("class-weights", "classes have the weights {}"),
    "setting": ("loss-setting", "beta or delta is {:g}"),
    "factor": ("loss-factor", "the loss is multiplied by {:g}"),
}
"""For each field of a form that differs the cause, and how it is told."""


def of_losses(a: Sequence[Seen], b: Sequence[Seen]) -> list[Reason]:
    """What the losses of both sides are, where these are known, and how they differ."""
    ours = form_of(a)
    theirs = form_of(b, ours)
    if ours is not None and theirs is not None:
        found = list(between(ours, theirs))
        if found:
            return as_reduction(found, theirs.factor / ours.factor, a[0]) or found
    if a and b and a[0].loss:
        ratio = b[0].loss / a[0].loss
        told = ", ".join(
            f"{name} takes {said(form)}"
            for name, form in (("A", ours), ("B", theirs))
            if form is not None
        )
        text = f"B's loss is {ratio:.6g} times A's{': ' + told if told else ''}"
        return [Reason("loss", text, sure=False)]
    return []


def as_reduction(found: list[Reason], factor: float, seen: Seen) -> list[Reason]:
    """Of a loss that is one factor off: whether that is the number of what is summed up."""
    if [reason.cause for reason in found] != ["loss-factor"]:
        return []
    for count in dict.fromkeys((seen.output.size, len(seen.output), seen.targets[0].size)):
        for ratio, ways in ((count, ("mean", "sum")), (1 / count, ("sum", "mean"))):
            if count > 1 and abs(factor / ratio - 1) <= CLOSE:
                text = (
                    f"agrees if the {ways[0]} of {count} numbers is taken (here: their {ways[1]})"
                )
                return [Reason("reduction", text)]
    return []


def between(ours: Form, theirs: Form) -> Iterator[Reason]:
    if ours.weights or theirs.weights:
        yield from of_weights(ours, theirs)
        theirs = replace(theirs, weights=ours.weights, ignore_index=ours.ignore_index)
    for name in differing(ours, theirs):
        wanted, here = getattr(ours, name), getattr(theirs, name)
        cause, text = NAMES[name]
        told = text.format(word(name, wanted))
        yield Reason(cause, f"agrees if {told} (here: {word(name, here)})")


def differing(ours: Form, theirs: Form) -> Iterator[str]:
    for one in fields(Form):
        if one.compare and getattr(ours, one.name) != getattr(theirs, one.name):
            yield one.name


def of_weights(ours: Form, theirs: Form) -> Iterator[Reason]:
    """Weights of classes, of which that of one that is ignored is 0."""
    count = max(len(ours.weights), len(theirs.weights))
    rows = []
    for form in (ours, theirs):
        row = np.array(form.weights) if form.weights else np.ones(count)
        row[[k for k in range(count) if k == form.ignore_index]] = 0
        rows.append(row)
    without = [tuple(int(k) for k in np.flatnonzero(row == 0)) for row in rows]
    kept = (rows[0] != 0) & (rows[1] != 0)
    ratios = rows[1][kept] / rows[0][kept]
    if len(ratios) and np.ptp(ratios) > 2e-3 * ratios.max():
        told = [row / row.max() for row in rows]
        told = [tuple(float(f"{w:.4g}") for w in row) if np.ptp(row) else () for row in told]
        wanted, here = [word("weights", row) for row in told]
        yield Reason("class-weights", f"agrees if classes have the weights {wanted} (here: {here})")
    if without[0] != without[1]:
        wanted, here = [", ".join(map(str, row)) or "none" for row in without]
        yield Reason("ignore-index", f"agrees if the classes that are ignored are {wanted} "
                     f"(here: {here})")  # fmt: skip


def said(form: Form) -> str:
    return f"{form.kind} with reduction '{form.reduction}'"


def word(name: str, value: object) -> object:
    if name == "logits":
        return "logits" if value else "probabilities"
    if name == "weights":
        several = value if isinstance(value, tuple) else ()
        return "(" + ", ".join(f"{w:.4g}" for w in several) + ")" if several else "none"
    if name == "ignore_index" and value == NO_CLASS:
        return "not set"
    return value


def form_of(seen: Sequence[Seen], near: Form | None = None) -> Form | None:
    """The form that gives the losses of all batches, the simplest first, or that which is nearest
    to another; None if none does."""
    if len(seen) < FEWEST:
        return None
    several = list(forms(seen))
    if near is not None:
        several.sort(key=lambda form: len(list(differing(near, form))))
    with np.errstate(all="ignore"):
        tried = [(form, [value_of(form, one) for one in seen]) for form in several]
        for form, values in tried:
            if all(is_near(v, one.loss) for v, one in zip(values, seen, strict=True)):
                return form
        for form, values in tried:
            factor = factor_between(values, seen)
            if factor is not None:
                return replace(form, factor=factor)
    return None


def is_near(value: float | None, loss: float) -> bool:
    return value is not None and abs(value - loss) <= CLOSE * abs(loss) + 1e-7


def factor_between(values: Sequence[float | None], seen: Sequence[Seen]) -> float | None:
    """One simple factor that makes the losses of what a form gives."""
    if any(v is None or not v for v in values):
        return None
    ratios = np.array([one.loss / float(v or 1) for v, one in zip(values, seen, strict=True)])
    if not np.all(np.isfinite(ratios)) or np.ptp(ratios) > CLOSE * np.abs(ratios).max():
        return None
    ratio = float(np.median(ratios))
    simple = [n for k in range(1, 65) for n in (float(k), 1.0 / k)]
    simple += [2.0**k for k in range(7, 25)] + [1 / np.log(2), 1 / np.log(10)]
    return next((f for f in simple if abs(ratio / f - 1) <= CLOSE), None)


def forms(seen: Sequence[Seen]) -> Iterator[Form]:
    """What a loss of such outputs and targets may be."""
    output = seen[0].output
    for k, target in enumerate(seen[0].targets):
        axis = min(1, output.ndim - 1)
        classes = output.shape[:axis] + output.shape[axis + 1 :]
        if (target.dtype.kind in "iu" and target.shape == classes and output.ndim > 1) or (
            target.dtype.kind in "iu" and target.shape == (*classes, 1)
        ):
            yield from of_classes(seen, k)
        if target.size == output.size:
            yield from of_numbers(seen, k)


def of_classes(seen: Sequence[Seen], k: int) -> Iterator[Form]:
    plain = Form("CrossEntropyLoss", target=k)
    for reduction in ("mean", "sum"):
        for smoothing in SMOOTHINGS:
            yield replace(plain, reduction=reduction, label_smoothing=smoothing)
    for reduction in ("mean", "sum"):
        yield replace(plain, reduction=reduction, given="after softmax")
        yield replace(plain, reduction=reduction, given="after log_softmax", logits=False)
        yield replace(plain, reduction=reduction, logits=False)
        yield replace(plain, reduction=reduction, given="after sigmoid")
    present = sorted({int(c) for one in seen for c in np.unique(one.targets[k])})
    for index in present[:256]:
        for reduction in ("mean", "sum", "mean of all"):
            yield replace(plain, reduction=reduction, ignore_index=index)
    by_gradient = [classes.classes_of(one.output, one.pull, one.targets[k]) for one in seen]
    known = classes.found([rows for rows in by_gradient if rows is not None])
    if known is not None:
        yield from of_known_classes(plain, known)
    yield replace(plain, kind="MSELoss of one-hot classes")
    yield replace(plain, kind="MSELoss of one-hot classes", given="after softmax")
    yield replace(plain, kind="BCEWithLogitsLoss of one-hot classes")


def of_known_classes(plain: Form, known: classes.Classes) -> Iterator[Form]:
    """With what is in the gradient. One class that is ignored may also have the weight 0."""
    index = known.ignored[0] if len(known.ignored) == 1 else NO_CLASS
    weights = () if known.are_even else known.weights
    if len(known.ignored) > 1:
        weights = tuple(0.0 if k in known.ignored else w for k, w in enumerate(known.weights))
    form = replace(plain, label_smoothing=known.smoothing, ignore_index=index, weights=weights)
    for reduction in ("mean", "sum", "mean of all"):
        yield replace(form, reduction=reduction)


def of_numbers(seen: Sequence[Seen], k: int) -> Iterator[Form]:
    settings = [1.0, 0.5, 1 / 9, 0.1, 2.0]
    for reduction in ("mean", "sum", "batchmean"):
        for kind in ("MSELoss", "L1Loss", "SoftMarginLoss", "KLDivLoss", "PoissonNLLLoss"):
            yield Form(kind, reduction, target=k)
        for given in ("after sigmoid", "after softmax", "after tanh"):
            yield from (Form(kind, reduction, given, target=k) for kind in ("MSELoss", "L1Loss"))
        yield Form("BCEWithLogitsLoss", reduction, target=k)
        yield Form("BCEWithLogitsLoss", reduction, "after sigmoid", target=k)
        yield Form("BCEWithLogitsLoss", reduction, logits=False, target=k)
        yield Form("CrossEntropyLoss", reduction, target=k)
        for setting in [*settings, *settings_of(seen, k)]:
            yield Form("SmoothL1Loss", reduction, setting=setting, target=k)
            yield Form("HuberLoss", reduction, setting=setting, target=k)


def settings_of(seen: Sequence[Seen], k: int) -> Iterator[float]:
    """Where the gradient ceases to grow with what is off: beta or delta, if any is that far."""
    for one in seen:
        if one.pull.shape != one.output.shape:
            return
        away = one.output - one.targets[k].reshape(one.output.shape)
        largest = np.abs(one.pull).max(initial=0.0)
        at_most = np.abs(one.pull) >= largest * (1 - 1e-4)
        if largest and at_most.sum() > 1:
            slope = (one.pull[away != 0] / away[away != 0]).max(initial=0.0)
            if slope > 0:
                yield float(f"{largest / slope:.4g}")


def value_of(form: Form, seen: Seen) -> float | None:
    """What a form gives for a batch; None where it does not fit."""
    x, target = given_to(form, seen.output), seen.targets[form.target]
    if form.kind.endswith("one-hot classes"):
        target = np.eye(x.shape[1])[target.reshape(-1)]
    elif target.size == x.size and target.dtype.kind != "f":
        target = target.astype(float)
    if target.size == x.size:
        target = target.reshape(x.shape)
    elif form.kind == "CrossEntropyLoss" and target.ndim == x.ndim:
        target = target[..., 0]
    try:
        found = layer_of(form).outputs(x, target)[0]
    except (ValueError, IndexError):
        return None
    return float(found) if found.size == 1 else None


def given_to(form: Form, x: Array) -> Array:
    axis = min(1, x.ndim - 1)
    if form.given == "after softmax":
        return np.asarray(special.softmax(x, axis=axis))
    if form.given == "after log_softmax":
        return np.asarray(special.log_softmax(x, axis=axis))
    if form.given == "after tanh":
        return np.asarray(np.tanh(x))
    return np.asarray(sigmoid(x)) if form.given == "after sigmoid" else x


def layer_of(form: Form) -> Layer:
    kind = form.kind.partition(" ")[0]
    if kind == "CrossEntropyLoss":
        weight = np.array(form.weights) if form.weights else None
        return CrossEntropy(
            form.logits,
            form.reduction.removesuffix(" of all"),
            weight,
            form.ignore_index,
            form.label_smoothing,
            not form.reduction.endswith(" of all"),
        )
    if kind == "BCEWithLogitsLoss":
        return BinaryCrossEntropy(form.logits, form.reduction)
    return ElementwiseLoss(kind, form.reduction, form.setting)
