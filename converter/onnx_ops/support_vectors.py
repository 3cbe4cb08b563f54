"""Support vector machines of ai.onnx.ml: kernels of the features and the vectors kept."""

from __future__ import annotations

import numpy as np

from ..code.expr import Expr, helper, ops
from .machine_learning import check_width, floats, machine_learning, of_attribute
from .registry import NodeView, shortest

KERNELS = {"LINEAR": "linear", "POLY": "poly", "RBF": "rbf", "SIGMOID": "sigmoid"}


@machine_learning("SVMRegressor", 1)
def svm_regressor(node: NodeView, x: Expr) -> Expr:
    """SVMRegressor(X; support_vectors, coefficients, rho, kernel_*) -> (rows, 1)."""
    node.choice("post_transform", "NONE", {"NONE": ""})
    if node.attr("one_class", 0):
        raise node.refuse("the sign of one class", expected="one_class=0")
    coefficients = np.array(node.attr("coefficients") or (), np.float32).reshape(-1, 1)
    rho = np.array(node.attr("rho") or (0.0,), np.float32)
    kept = int(node.attr("n_supports", 0))
    if not coefficients.size or (kept and kept != len(coefficients)):
        raise node.malformed(f"{len(coefficients)} coefficients for {kept} vectors")
    if not kept:
        check_width(node, len(coefficients))
    x = kernel(node, floats(node, x), kept) if kept else floats(node, x)
    y: Expr = ops.matmul(x, of_attribute(node, "coefficients", coefficients))
    return y + shortest(rho[0])


def kernel(node: NodeView, x: Expr, kept: int) -> Expr:
    """The kernel of each row and each support vector."""
    how = node.choice("kernel_type", "LINEAR", KERNELS)
    numbers = np.array(node.attr("kernel_params") or [0.0] * 3, np.float32)
    gamma, offset, degree = (shortest(number) for number in numbers)
    vectors = np.array(node.attr("support_vectors") or (), np.float32)
    if not vectors.size or vectors.size % kept:
        raise node.malformed(f"{vectors.size} numbers for {kept} vectors")
    check_width(node, vectors.size // kept)
    held = of_attribute(node, "support_vectors", vectors.reshape(kept, -1))
    if how == "rbf":
        return helper.onnx_rbf(x, held, gamma)
    product = ops.matmul(x, held.method("swapaxes", 0, 1))
    if how == "linear":
        return product
    moved = product * gamma + offset
    return ops.tanh(moved) if how == "sigmoid" else ops.pow(moved, degree)
