"""Normalisation layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..code.expr import Constant, Expr, Weight, helper, ops
from ..code.layers import nn
from .registry import NodeView, onnx_op


@onnx_op("BatchNormalization", 1, 6, 7, 9, 14, 15)
def batch_norm(
    node: NodeView, x: Expr, scale: Expr, b: Expr, mean: Expr, var: Expr
) -> Expr | tuple[Expr, ...]:
    """BatchNormalization(X, scale, B, mean, var) -> Y with the running statistics."""
    if node.attr("training_mode", 0) and (node.is_read(1) or node.is_read(2)):
        settings = node.attr("epsilon", 1e-5), node.attr("momentum", 0.9)
        found = helper.onnx_train_batch_norm(x, scale, b, mean, var, *settings)
        return found[0], found[1], found[2]
    held = [e for e in (scale, b, mean, var) if isinstance(e, Constant)]
    if len(held) < 4:
        return (computed_batch_norm(node, x, scale, b, mean, var),)
    return (fixed_batch_norm(node, x, held),)


def computed_batch_norm(
    node: NodeView, x: Expr, scale: Expr, b: Expr, mean: Expr, var: Expr
) -> Expr:
    """Written out, for scale, bias or statistics that are computed, as where they are quantised."""
    each = (-1,) + (1,) * (node.rank() - 2)
    factor = scale / ops.sqrt(var + node.attr("epsilon", 1e-5))
    y = (x - mean.method("reshape", each)) * factor.method("reshape", each)
    return y + b.method("reshape", each)


def fixed_batch_norm(node: NodeView, x: Expr, weights: list[Constant]) -> Expr:
    """The layer with scale, bias, mean and variance."""
    channels = node.constant(1, "scale").shape[0]
    layer = {2: nn.BatchNorm1d, 3: nn.BatchNorm1d, 4: nn.BatchNorm2d, 5: nn.BatchNorm3d}[
        node.rank()
    ]
    names = ("gamma", "beta", "moving_mean", "moving_variance")
    prefix = "bn2d." if node.rank() == 5 else ""
    held = dict(zip((prefix + n for n in names), weights, strict=True))
    return layer(
        channels,
        eps=node.attr("epsilon", 1e-5),
        momentum=node.attr("momentum", 0.9),
        weights={name: node.weight(w) for name, w in held.items()},
    )(x)


@onnx_op("LayerNormalization", 17)
def layer_norm(
    node: NodeView, x: Expr, scale: Expr, b: Expr | None = None
) -> Expr | tuple[Expr, ...]:
    """LayerNormalization(X, Scale, B; axis=-1, epsilon=1e-5) -> Y over the axes from `axis` on."""
    constant = isinstance(scale, Constant) and (b is None or isinstance(b, Constant))
    axis = node.axis(-1)
    if constant and not node.wants(1) and not node.wants(2) and axis > 0 and fits(node, axis):
        return fixed_layer_norm(node, x, scale, b)
    found = helper.onnx_layer_norm(x, scale, b, axis, node.attr("epsilon", 1e-5))
    return found[0], found[1], found[2]


def fits(node: NodeView, axis: int) -> bool:
    """Whether scale and bias have the shape of the normalised axes."""
    shapes = [node.shape(i) for i in (1, 2) if node.has(i)]
    return all(shape == node.shape()[axis:] for shape in shapes)


def fixed_layer_norm(node: NodeView, x: Expr, scale: Expr, b: Expr | None) -> Expr:
    """The layer with scale and bias."""
    assert isinstance(scale, Constant)
    assert b is None or isinstance(b, Constant)
    shape = node.constant(1, "scale").shape
    axis = node.axis(-1)
    begin = -1 if axis == node.rank() - 1 else axis
    beta = zeros_like(scale) if b is None else node.weight(b)
    return nn.LayerNorm(
        tuple(shape),
        begin_norm_axis=begin,
        begin_params_axis=begin,
        epsilon=node.attr("epsilon", 1e-5),
        weights={"gamma": node.weight(scale), "beta": beta},
    )(x)


def zeros_like(scale: Constant) -> Weight:
    """The bias that a layer of MindSpore has and the source lacks."""
    array = scale.weight.array
    zeros = np.broadcast_to(np.zeros((), array.dtype), array.shape)
    return Weight(zeros, scale.weight.sources, "zeros: the source has no bias")


@onnx_op("RMSNormalization", 23)
def rms_norm(node: NodeView, x: Expr, scale: Expr) -> Expr:
    """RMSNormalization(X, scale; axis=-1, epsilon=1e-5) -> Y over the axes from `axis` on."""
    axis, epsilon = node.axis(-1), node.attr("epsilon", 1e-5)
    if not isinstance(scale, Constant) or not fits(node, axis):
        return helper.onnx_rms_norm(x, scale, axis - node.rank(), epsilon)
    shape = tuple(node.constant(1, "scale").shape)
    return nn.RMSNorm(shape, epsilon=epsilon, weights={"weight": node.weight(scale)})(x)


@onnx_op("GroupNormalization", 18, 21)
def group_norm(node: NodeView, x: Expr, scale: Constant, b: Constant) -> Expr:
    """GroupNormalization(X, scale, bias; num_groups) -> Y, at version 18 scaled per group."""
    arrays = [node.constant(i, "scale or bias") for i in (1, 2)]
    channels, groups = _channels(node, arrays[0]), node.attr("num_groups")
    if node.version == 18:
        arrays = [np.repeat(array, channels // groups) for array in arrays]
    eps = node.attr("epsilon", 1e-5)
    change = "repeated for each channel" if node.version == 18 else "none"
    gamma, beta = (
        Weight(array, w.weight.sources, change) for w, array in zip((scale, b), arrays, strict=True)
    )
    weights = {"gamma": gamma, "beta": beta}
    return nn.GroupNorm(groups, channels, eps=eps, weights=weights)(x)


def _channels(node: NodeView, scale: np.ndarray[Any, Any]) -> int:
    """How many channels there are, however large the image. Raises: MS101 if nothing says it"""
    if node.version > 18:
        return int(scale.size)
    return node.static_size(1)


@onnx_op("InstanceNormalization", 1, 6, 22)
def instance_norm(node: NodeView, x: Expr, scale: Expr, b: Expr) -> Expr:
    """InstanceNormalization(input, scale, B) -> output: a GroupNorm of one channel a group.

    MindSpore's InstanceNorm has no CPU kernel; its GroupNorm runs everywhere. Scale and bias may be
    computed, as where they are quantised: then it is written out.
    """
    eps = node.attr("epsilon", 1e-5)
    if not isinstance(scale, Constant) or not isinstance(b, Constant):
        each = (-1,) + (1,) * (node.rank() - 2)
        parts = [part.method("reshape", each) for part in (scale, b)]
        return helper.onnx_layer_norm(x, *parts, 2, eps)[0]
    channels = node.constant(1, "scale").shape[0]
    weights = {"gamma": node.weight(scale), "beta": node.weight(b)}
    return nn.GroupNorm(channels, channels, eps=eps, weights=weights)(x)


@onnx_op("LpNormalization", 1, 22)
def lp_normalization(node: NodeView, x: Expr) -> Expr:
    """LpNormalization(input; axis=-1, p=2) -> output: x / ||x||, 0 where x is 0."""
    axis, squared = node.attr("axis", -1), node.attr("p", 2) == 2
    total = ops.sum(x * x if squared else ops.abs(x), axis, keepdim=True)
    return x / ops.clamp(ops.sqrt(total) if squared else total, min=1e-12)


@onnx_op("MeanVarianceNormalization", 9, 13)
def mean_variance_normalization(node: NodeView, x: Expr) -> Expr:
    """MeanVarianceNormalization(X; axes=(0, 2, 3)) -> Y."""
    return helper.onnx_mean_variance_normalize(x, tuple(node.axes() or (0, 2, 3)))
