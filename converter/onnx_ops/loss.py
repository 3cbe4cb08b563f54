"""Losses."""

from __future__ import annotations

from ..code.expr import Expr, helper, ops
from .registry import NodeView, onnx_op


@onnx_op("NegativeLogLikelihoodLoss", 12, 13, 22)
def nll_loss(node: NodeView, x: Expr, target: Expr, weight: Expr | None = None) -> Expr:
    """NegativeLogLikelihoodLoss(input, target, weight; ignore_index, reduction) -> loss."""
    return loss_of(node, x, target, weight)


@onnx_op("SoftmaxCrossEntropyLoss", 12, 13)
def cross_entropy(
    node: NodeView, scores: Expr, labels: Expr, weights: Expr | None = None
) -> tuple[Expr, ...]:
    """SoftmaxCrossEntropyLoss(scores, labels, weights) -> output, log_prob."""
    log_prob = ops.log_softmax(scores, axis=1)
    return loss_of(node, log_prob, labels, weights), log_prob


def loss_of(node: NodeView, log_prob: Expr, target: Expr, weight: Expr | None) -> Expr:
    """The negative log-likelihood, reduced as the node says."""
    options = node.attr("ignore_index"), node.attr("reduction", "mean")
    return helper.onnx_nll_loss(log_prob, target, weight, *options)
