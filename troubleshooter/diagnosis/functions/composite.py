"""Functions of many steps: norms, attention, losses, resizing, pooling."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from ..layers import loss
from ..layers.layer import Array
from ..layers.pooling import AdaptivePool, AvgPool, MaxPool
from ..layers.resizing import Resize
from .model import model


@model("layer_norm")
def layer_norm(
    x: Array, weight: Any = None, bias: Any = None, /, shape: Any = None, eps: float = 1e-5
) -> Any:
    axes = tuple(range(-len(shape), 0)) if isinstance(shape, tuple) else -1
    y = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


@model("rms_norm")
def rms_norm(x: Array, weight: Any = None, /, shape: Any = None, eps: float | None = None) -> Any:
    axes = tuple(range(-len(shape), 0)) if isinstance(shape, tuple) else -1
    tiny = np.finfo(np.float32).eps if eps is None else eps
    y = x / np.sqrt((x * x).mean(axes, keepdims=True) + tiny)
    return y if weight is None else y * weight


@model("group_norm")
def group_norm(
    x: Array, weight: Any = None, bias: Any = None, /, num_groups: int = 1, eps: float = 1e-5
) -> Any:
    own = (-1, *[1] * (x.ndim - 2))
    y = layer_norm(x.reshape(x.shape[0], num_groups, -1), eps=eps).reshape(x.shape)
    y = y if weight is None else y * weight.reshape(own)
    return y if bias is None else y + bias.reshape(own)


@model("attention")
def attention(
    q: Array,
    k: Array,
    v: Array,
    mask: Any = None,
    /,
    is_causal: bool = False,
    scale: float | None = None,
) -> Any:
    scores = q @ k.swapaxes(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
    if mask is not None:
        mask = np.asarray(mask)
        scores = np.where(mask, scores, -np.inf) if mask.dtype.kind == "b" else scores + mask
    return special.softmax(scores, -1) @ v


@model("cross_entropy")
def cross_entropy(
    x: Array,
    target: Array,
    /,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    return nll(special.log_softmax(x, 1), target, weight, ignore_index, reduction, label_smoothing)


@model("nll_loss")
def nll_loss(
    x: Array,
    target: Array,
    /,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Any:
    return nll(x, target, weight, ignore_index, reduction, 0.0)


def nll(
    logs: Array, target: Array, weight: Any, ignored: int, reduction: str, smoothing: float
) -> Any:
    """Of log-probabilities (n, classes, ...)."""
    count = logs.shape[1]
    own = np.ones(count) if weight is None else np.asarray(weight)
    shaped = own.reshape(1, count, *[1] * (logs.ndim - 2))
    if target.ndim == logs.ndim:
        soft = target * (1 - smoothing) + smoothing / count
        losses = -(soft * logs * shaped).sum(1)
        return losses.mean() if reduction == "mean" else loss.REDUCTIONS[reduction](losses)
    is_counted = target != ignored
    place = np.where(is_counted, target, 0).astype(np.int64)
    picked = np.take_along_axis(logs, place[:, None], 1)[:, 0] * own[place]
    smooth = (logs * shaped).sum(1) / count
    losses = -((1 - smoothing) * picked + smoothing * smooth) * is_counted
    if reduction == "mean":
        return losses.sum() / (own[place] * is_counted).sum()
    return losses.sum() if reduction == "sum" else losses


@model("bce_logits")
def bce_logits(
    x: Array,
    target: Array,
    /,
    weight: Any = None,
    pos_weight: Any = None,
    reduction: str = "mean",
) -> Any:
    positive = 1.0 if pos_weight is None else pos_weight
    softplus = np.logaddexp(0, -x)
    losses = positive * target * softplus + (1 - target) * (softplus + x)
    return loss.REDUCTIONS[reduction](losses if weight is None else losses * weight)


@model("bce")
def bce(x: Array, target: Array, /, weight: Any = None, reduction: str = "mean") -> Any:
    losses = -(target * np.log(x) + (1 - target) * np.log(1 - x))
    return loss.REDUCTIONS[reduction](losses if weight is None else losses * weight)


@model("mse_loss")
def mse_loss(x: Array, target: Array, /, reduction: str = "mean") -> Any:
    return loss.REDUCTIONS[reduction]((x - target) ** 2)


@model("l1_loss")
def l1_loss(x: Array, target: Array, /, reduction: str = "mean") -> Any:
    return loss.REDUCTIONS[reduction](np.abs(x - target))


@model("smooth_l1")
def smooth_l1(x: Array, target: Array, /, beta: float = 1.0, reduction: str = "mean") -> Any:
    return loss.REDUCTIONS[reduction](loss.smooth(x, target, beta))


@model("huber")
def huber(x: Array, target: Array, /, delta: float = 1.0, reduction: str = "mean") -> Any:
    return loss.REDUCTIONS[reduction](loss.huber(x, target, delta))


@model("kl_div")
def kl_div(x: Array, target: Array, /, reduction: str = "mean", log_target: bool = False) -> Any:
    function = loss.log_divergence if log_target else loss.divergence
    return loss.REDUCTIONS[reduction](function(x, target, 0.0))


@model("cosine_similarity")
def cosine_similarity(x: Array, y: Array, /, axis: int = 1, eps: float = 1e-8) -> Any:
    sizes = [np.maximum(np.linalg.norm(a, axis=axis), eps) for a in (x, y)]
    return (x * y).sum(axis) / (sizes[0] * sizes[1])


@model("interpolate")
def interpolate(
    x: Array,
    /,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Any:
    axes = x.ndim - 2
    if size is None:
        factors = scale_factor if isinstance(scale_factor, tuple) else (scale_factor,) * axes
        size = tuple(math.floor(n * f) for n, f in zip(x.shape[2:], factors, strict=True))
    size = size if isinstance(size, tuple) else (size,) * axes
    if mode == "nearest":
        return Resize(size, "nearest", "asymmetric").outputs(x)[0]
    kind = "cubic" if "cubic" in mode else "area" if mode == "area" else "linear"
    places = "align_corners" if align_corners else "half_pixel"
    return Resize(size, kind, places).outputs(x)[0]


@model("glu")
def glu(x: Array, /, axis: int = -1) -> Any:
    value, gate = np.split(x, 2, axis)
    return value * special.expit(gate)


@model("cdist")
def cdist(x: Array, y: Array, /, ord: float = 2.0) -> Any:
    return np.linalg.norm(x[..., :, None, :] - y[..., None, :, :], ord, axis=-1)


@model("unfold")
def unfold(
    x: Array,
    /,
    kernel: Any = 1,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Any:
    """Of an image whose patches do not overlap."""
    (kh, kw), steps = [v if isinstance(v, tuple) else (v, v) for v in (kernel, stride)]
    if x.ndim != 4 or steps != (kh, kw) or padding not in (0, (0, 0)):
        raise ValueError("patches that overlap")
    n, c, h, w = x.shape
    parts = x.reshape(n, c, h // kh, kh, w // kw, kw).transpose(0, 1, 3, 5, 2, 4)
    return parts.reshape(n, c * kh * kw, -1)


def window(x: Array, kernel: Any, stride: Any, padding: Any) -> tuple[Any, ...]:
    axes = x.ndim - 2
    sizes = [v if isinstance(v, tuple) else (v,) * axes for v in (kernel, stride, padding)]
    return sizes[0], sizes[1] or sizes[0], tuple((p, p) for p in sizes[2])


@model("max_pool")
def max_pool(x: Array, /, kernel: Any = 2, stride: Any = None, padding: Any = 0) -> Any:
    stride = kernel if stride in (None, ()) else stride
    return MaxPool(*window(x, kernel, stride, padding)).outputs(x)[0]


@model("avg_pool")
def avg_pool(
    x: Array,
    /,
    kernel: Any = 2,
    stride: Any = None,
    padding: Any = 0,
    count_include_pad: bool = True,
) -> Any:
    stride = kernel if stride in (None, ()) else stride
    sizes, strides, pads = window(x, kernel, stride, padding)
    pool = AvgPool(sizes, strides, pads, count_include_pad=bool(count_include_pad))
    return pool.outputs(x)[0]


@model("adaptive_avg_pool")
def adaptive_avg_pool(x: Array, /, size: Any = 1) -> Any:
    return AdaptivePool(size if isinstance(size, tuple) else (size,) * (x.ndim - 2)).outputs(x)[0]


@model("adaptive_max_pool")
def adaptive_max_pool(x: Array, /, size: Any = 1) -> Any:
    whole = size if isinstance(size, tuple) else (size,) * (x.ndim - 2)
    return AdaptivePool(whole, True).outputs(x)[0]
