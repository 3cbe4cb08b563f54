"""Normalisation layers."""

from __future__ import annotations

import numpy as np

from ..expr import Constant, Expr, Weight, ops
from ..layers import nn
from .registry import NodeView, onnx_op


@onnx_op("BatchNormalization", 1, 6, 7, 9, 14, 15)
def batch_norm(
    node: NodeView, x: Expr, scale: Constant, b: Constant, mean: Constant, var: Constant
) -> Expr:
    """BatchNormalization(X, scale, B, mean, var) -> Y with the running statistics."""
    channels = node.constant(1, "scale").shape[0]
    layer = {2: nn.BatchNorm1d, 3: nn.BatchNorm1d, 4: nn.BatchNorm2d, 5: nn.BatchNorm3d}[
        node.rank()
    ]
    names = ("gamma", "beta", "moving_mean", "moving_variance")
    prefix = "bn2d." if node.rank() == 5 else ""
    held = dict(zip((prefix + n for n in names), (scale, b, mean, var), strict=True))
    return layer(
        channels,
        eps=node.attr("epsilon", 1e-5),
        momentum=node.attr("momentum", 0.9),
        weights={name: node.weight(w) for name, w in held.items()},
    )(x)


@onnx_op("LayerNormalization", 17)
def layer_norm(node: NodeView, x: Expr, scale: Constant, b: Constant | None = None) -> Expr:
    """LayerNormalization(X, Scale, B; axis=-1, epsilon=1e-5) -> Y over the axes from `axis` on."""
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


@onnx_op("GroupNormalization", 21)
def group_norm(node: NodeView, x: Expr, scale: Constant, b: Constant) -> Expr:
    """GroupNormalization(X, scale, bias; num_groups) -> Y, scale and bias per channel."""
    channels = node.constant(1, "scale").shape[0]
    eps = node.attr("epsilon", 1e-5)
    weights = {"gamma": node.weight(scale), "beta": node.weight(b)}
    return nn.GroupNorm(node.attr("num_groups"), channels, eps=eps, weights=weights)(x)


@onnx_op("InstanceNormalization", 1, 6, 22)
def instance_norm(node: NodeView, x: Expr, scale: Constant, b: Constant) -> Expr:
    """InstanceNormalization(input, scale, B) -> output: a GroupNorm of one channel a group.

    MindSpore's InstanceNorm has no CPU kernel; its GroupNorm runs everywhere.
    """
    channels = node.constant(1, "scale").shape[0]
    eps = node.attr("epsilon", 1e-5)
    weights = {"gamma": node.weight(scale), "beta": node.weight(b)}
    return nn.GroupNorm(channels, channels, eps=eps, weights=weights)(x)


@onnx_op("LpNormalization", 1, 22)
def lp_normalization(node: NodeView, x: Expr) -> Expr:
    """LpNormalization(input; axis=-1, p=2) -> output: x / ||x||, without an epsilon."""
    axis = node.attr("axis", -1)
    norm = ops.sqrt(ops.sum(x * x, axis, keepdim=True))
    return x / (norm if node.attr("p", 2) == 2 else ops.sum(ops.abs(x), axis, keepdim=True))
