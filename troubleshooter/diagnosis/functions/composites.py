"""Functions of many steps: norms, attention, losses, distances, as they are written out.

`composite`: nothing else says what they compute. `expansion`: a model of one step does, too."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..layers.layer import Array
from .steps import EXPANSIONS, RANK_OF, Steps, composite, expansion

WHOLE = ("slice", None, None, None)
"""A colon, as indices travel."""


@composite("attention")
def attention(
    do: Steps,
    q: Array,
    k: Array,
    v: Array,
    mask: Any = None,
    /,
    is_causal: bool = False,
    scale: float | None = None,
) -> None:
    scores = do("matmul", q, do.turned(k))
    scores = do("mul", scores, q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        mask = np.tri(*scores.shape[-2:]) > 0
    if mask is not None and mask.dtype.kind == "b":
        scores = do("masked_fill", scores, ~mask, -np.inf)
    elif mask is not None:
        scores = do("add", scores, mask)
    do("matmul", do("softmax", scores, axis=-1), v)


@composite("cross_entropy")
def cross_entropy(
    do: Steps,
    x: Array,
    target: Array,
    /,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> None:
    logs = do("log_softmax", x, axis=1)
    likelihood(do, logs, target, (weight, ignore_index, reduction), label_smoothing)


@composite("nll_loss", 1)
def nll_loss(
    do: Steps,
    logs: Array,
    target: Array,
    /,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> None:
    likelihood(do, logs, target, (weight, ignore_index, reduction), 0.0)


def likelihood(
    do: Steps, logs: Array, target: Array, told: tuple[Any, int, str], smoothing: float
) -> None:
    """Of log-probabilities (n, classes, ...), with class weights, what is ignored, a reduction."""
    weight, ignored, reduction = told
    if target.ndim == logs.ndim:
        of_shares(do, logs, target, told, smoothing)
        return
    is_ignored = bool((target == ignored).any())
    place = target
    if is_ignored and ignored:
        place = do("where", do("ne", target, ignored), target, 0)
    index = do("reshape", place, shape=(place.shape[0], 1, *place.shape[1:]))
    hit = do("take", logs, axis=1, index=index)
    losses = do("neg", do("reshape", hit, shape=place.shape))
    share = None if weight is None else do("take", weight, axis=0, index=place)
    losses = losses if share is None else do("mul", losses, share)
    if smoothing:
        own = do("mul", losses, 1 - smoothing)
        others = do("mul", do("mean", weighted(do, logs, weight), axis=1), smoothing)
        losses = do("sub", own, others)
    counted = do("cast", do("ne", target, ignored), dtype="float32") if is_ignored else None
    losses = losses if counted is None else do("mul", losses, counted)
    parts = [x for x in (counted, share) if x is not None]
    if reduction != "mean" or not parts:
        reduced(do, losses, reduction)
    else:
        whole = parts[0] if len(parts) == 1 else do("mul", share, counted)
        do("div", do("sum", losses), do("sum", whole))


def of_shares(
    do: Steps, logs: Array, target: Array, told: tuple[Any, int, str], smoothing: float
) -> None:
    """Where the target says how much of each class."""
    count = logs.shape[1]
    kept = target * (1 - smoothing) + smoothing / count if smoothing else target
    products = weighted(do, do("mul", logs, kept), told[0])
    reduced(do, do("neg", do("sum", products, axis=1)), told[2])


def weighted(do: Steps, logs: Array, weight: Any) -> Array:
    """Each class by its weight."""
    if weight is None:
        return logs
    return do("mul", logs, weight.reshape(-1, *[1] * (logs.ndim - 2)))


def reduced(do: Steps, x: Array, reduction: str) -> None:
    if reduction == "batchmean":
        do("div", do("sum", x), x.shape[0])
    elif reduction in ("mean", "sum"):
        do(reduction, x)
    elif reduction != "none":
        raise ValueError(reduction)


@composite("bce_logits")
def logits(
    do: Steps,
    x: Array,
    target: Array,
    /,
    weight: Any = None,
    pos_weight: Any = None,
    reduction: str = "mean",
) -> None:
    if "log" in do.others:
        binary(do, do("sigmoid", x), target, weight, pos_weight, reduction)
        return
    missed = do("softplus", x)
    hit = do("mul", target, do("sub", missed, x))
    hit = hit if pos_weight is None else do("mul", hit, pos_weight)
    losses = do("add", hit, do("mul", do("sub", 1.0, target), missed))
    reduced(do, losses if weight is None else do("mul", losses, weight), reduction)


@composite("bce")
def probabilities(
    do: Steps, p: Array, target: Array, /, weight: Any = None, reduction: str = "mean"
) -> None:
    binary(do, p, target, weight, None, reduction)


def binary(do: Steps, p: Array, target: Array, weight: Any, positive: Any, reduction: str) -> None:
    hit = do("mul", target, do("log", p))
    hit = hit if positive is None else do("mul", hit, positive)
    missed = do("mul", do("sub", 1.0, target), do("log", do("sub", 1.0, p)))
    losses = do("neg", do("add", hit, missed))
    reduced(do, losses if weight is None else do("mul", losses, weight), reduction)


@composite("mse_loss")
def squares(do: Steps, x: Array, y: Array, /, reduction: str = "mean") -> None:
    reduced(do, do.square(do("sub", x, y)), reduction)


@composite("l1_loss")
def distances(do: Steps, x: Array, y: Array, /, reduction: str = "mean") -> None:
    reduced(do, do("abs", do("sub", x, y)), reduction)


@composite("smooth_l1")
def smooth(do: Steps, x: Array, y: Array, /, beta: float = 1.0, reduction: str = "mean") -> None:
    if beta:
        bent(do, x, y, beta, 1 / beta, reduction)
    else:
        distances(do, x, y, reduction)


@composite("huber")
def huber(do: Steps, x: Array, y: Array, /, delta: float = 1.0, reduction: str = "mean") -> None:
    bent(do, x, y, delta, 1.0, reduction)


def bent(do: Steps, x: Array, y: Array, bound: float, factor: float, reduction: str) -> None:
    size = do("abs", do("sub", x, y))
    inner = do("mul", do.square(size), 0.5 * factor)
    outer = do("mul", do("sub", size, 0.5 * bound), bound * factor)
    reduced(do, do("where", do("lt", size, bound), inner, outer), reduction)


@composite("kl_div")
def divergence(
    do: Steps, x: Array, target: Array, /, reduction: str = "mean", log_target: bool = False
) -> None:
    logs = target if log_target else do("log", target)
    share = do("exp", target) if log_target else target
    losses = do("mul", share, do("sub", logs, x))
    if not log_target and (target <= 0).any():
        losses = do("where", do("gt", target, 0), losses, 0.0)
    reduced(do, losses, reduction)


@composite("layer_norm")
def layer_norm(
    do: Steps,
    x: Array,
    weight: Any = None,
    bias: Any = None,
    /,
    shape: Any = None,
    eps: float = 1e-5,
) -> None:
    axes = tuple(range(-len(shape), 0)) if isinstance(shape, tuple) else (-1,)
    rest, variance = do.spread(x, axes)
    do.scaled(do.root_of(rest, do("add", variance, eps)), weight, bias)


@composite("rms_norm")
def rms_norm(
    do: Steps, x: Array, weight: Any = None, /, shape: Any = None, eps: float | None = None
) -> None:
    axes = tuple(range(-len(shape), 0)) if isinstance(shape, tuple) else (-1,)
    size = do("mean", do.square(x), axis=axes, keepdims=True)
    tiny = float(np.finfo(np.float32).eps) if eps is None else eps
    do.scaled(do.root_of(x, do("add", size, tiny)), weight, None)


@composite("group_norm")
def group_norm(
    do: Steps,
    x: Array,
    weight: Any = None,
    bias: Any = None,
    /,
    num_groups: int = 1,
    eps: float = 1e-5,
) -> None:
    own = (-1, *[1] * (x.ndim - 2))
    parts = do("reshape", x, shape=(x.shape[0], num_groups, -1))
    rest, variance = do.spread(parts, (-1,))
    y = do("reshape", do.root_of(rest, do("add", variance, eps)), shape=x.shape)
    weights = [None if w is None else do("reshape", w, shape=own) for w in (weight, bias)]
    do.scaled(y, *weights)


@expansion("normalize", 1)
def normalize(do: Steps, x: Array, /, p: float = 2.0, axis: int = 1, eps: float = 1e-12) -> None:
    size = do("norm", x, ord=p, axis=axis, keepdims=True)
    do("div", x, do("clamp", size, min=eps))


@expansion("norm", 2)
def norm(do: Steps, x: Array, /, ord: Any = 2, axis: Any = None, keepdims: bool = False) -> None:
    if ord not in (None, "fro", 2):
        return
    do("sqrt", do("sum", do.square(x), axis=axis, keepdims=keepdims))


@expansion("std", 1)
def deviation(
    do: Steps, x: Array, /, axis: Any = None, correction: Any = 1, keepdims: bool = False
) -> None:
    _, variance = do.spread(x, axis, int(correction))
    found = do("sqrt", variance)
    if not keepdims:
        do("reshape", found, shape=np.std(x, axis=axis).shape)


@expansion("var", 1)
def variance(
    do: Steps, x: Array, /, axis: Any = None, correction: Any = 1, keepdims: bool = False
) -> None:
    _, found = do.spread(x, axis, int(correction))
    if not keepdims:
        do("reshape", found, shape=np.var(x, axis=axis).shape)


@composite("cosine_similarity")
def cosine(do: Steps, x: Array, y: Array, /, axis: int = 1, eps: float = 1e-8) -> None:
    sizes = [do("clamp", do("norm", a, axis=axis), min=eps) for a in (x, y)]
    both = do("sum", do("mul", x, y), axis=axis)
    do("div", both, do("mul", *sizes))


@expansion("logaddexp")
def sum_of_powers(do: Steps, x: Array, y: Array, /) -> None:
    high = do("maximum", x, y)
    rest = do("exp", do("neg", do("abs", do("sub", x, y))))
    do("add", high, do("log1p", rest))


@expansion("logsumexp", 2)
def sums_of_powers(do: Steps, x: Array, /, axis: Any = None, keepdims: bool = False) -> None:
    high = do("amax", x, axis=axis, keepdims=True)
    total = do("sum", do("exp", do("sub", x, high)), axis=axis, keepdims=keepdims)
    do("add", do("log", total), high if keepdims else high.reshape(total.shape))


@expansion("softmax", 1)
def softmax(do: Steps, x: Array, /, axis: int = -1) -> None:
    powers = do("exp", do("sub", x, do("amax", x, axis=axis, keepdims=True)))
    do("div", powers, do("sum", powers, axis=axis, keepdims=True))


@expansion("log_softmax", 1)
def log_softmax(do: Steps, x: Array, /, axis: int = -1) -> None:
    do("sub", x, do("logsumexp", x, axis=axis, keepdims=True))


@composite("cdist")
def pairwise(do: Steps, x: Array, y: Array, /, ord: float = 2.0) -> None:
    if ord != 2 or "matmul" not in do.others:
        one = do("reshape", x, shape=(*x.shape[:-1], 1, x.shape[-1]))
        other = do("reshape", y, shape=(*y.shape[:-2], 1, *y.shape[-2:]))
        do("norm", do("sub", one, other), ord=ord, axis=-1)
        return
    product = do("matmul", x, do.turned(y))
    sums = [do("sum", do.square(a), axis=-1) for a in (x, y)]
    own = do("reshape", sums[0], shape=(*sums[0].shape, 1))
    others = do("reshape", sums[1], shape=(*sums[1].shape[:-1], 1, sums[1].shape[-1]))
    away = do("add", do("sub", own, do("mul", product, 2.0)), others)
    do("sqrt", do("clamp", away, min=0.0))


@composite("glu")
def gated(do: Steps, x: Array, /, axis: int = -1) -> None:
    half, front = x.shape[axis] // 2, (WHOLE,) * (axis % x.ndim)
    value = do("getitem", x, index=(*front, ("slice", None, half, None)))
    gate = do("getitem", x, index=(*front, ("slice", half, None, None)))
    do("mul", value, do("sigmoid", gate))


@expansion("silu", 2)
def swish(do: Steps, x: Array, /) -> None:
    do("mul", x, do("sigmoid", x))


@expansion("prelu", 2)
def prelu(do: Steps, x: Array, weight: Array, /) -> None:
    own = weight if weight.size == 1 else weight.reshape(-1, *[1] * (x.ndim - 2))
    do("add", do("maximum", x, 0.0), do("mul", own, do("minimum", x, 0.0)))


@expansion("leaky_relu", 2)
def leaky(do: Steps, x: Array, /, negative_slope: float = 0.01) -> None:
    do("add", do("maximum", x, 0.0), do("mul", do("minimum", x, 0.0), negative_slope))


@expansion("where", 2)
def chosen(do: Steps, mask: Array, x: Any, y: Any, /) -> None:
    if "where" in do.others or "masked_fill" in do.others:
        return
    share = do("cast", mask, dtype="float32")
    do("add", do("mul", share, x), do("mul", do("sub", 1.0, share), y))


@expansion("lerp", 1)
def between(do: Steps, x: Array, y: Array, weight: Any, /) -> None:
    do("add", x, do("mul", do("sub", y, x), weight))


@composite("unfold")
def patches(
    do: Steps,
    x: Array,
    /,
    kernel: Any = 1,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> None:
    """Of an image whose patches do not overlap."""
    (kh, kw), steps = [v if isinstance(v, tuple) else (v, v) for v in (kernel, stride)]
    if x.ndim != 4 or steps != (kh, kw) or padding not in (0, (0, 0)):
        raise ValueError("patches that overlap")
    n, c, h, w = x.shape
    parts = do("reshape", x, shape=(n, c, h // kh, kh, w // kw, kw))
    moved = do("transpose", parts, perm=(0, 1, 3, 5, 2, 4))
    do("reshape", moved, shape=(n, c * kh * kw, -1))


__all__ = ["EXPANSIONS", "RANK_OF"]
