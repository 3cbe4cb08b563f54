"""Operators that draw random numbers: of the same distribution, never the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..code.expr import Expr, Tuple, ops
from .registry import NodeView, dtype_code, onnx_op, shortest

FLOAT32 = np.dtype("float32")


@onnx_op("RandomUniform", 1, 22)
def random_uniform(node: NodeView) -> Expr:
    """RandomUniform(; shape, low=0, high=1, dtype, seed) -> output."""
    return _between(node, _of_shape(node, ops.rand))


@onnx_op("RandomUniformLike", 1, 22)
def random_uniform_like(node: NodeView, x: Expr) -> Expr:
    """RandomUniformLike(input; low=0, high=1, dtype, seed) -> output."""
    return _between(node, ops.rand_like(x, **_dtype(node, node.type(0).dtype)))


@onnx_op("RandomNormal", 1, 22)
def random_normal(node: NodeView) -> Expr:
    """RandomNormal(; shape, mean=0, scale=1, dtype, seed) -> output."""
    return _around(node, _of_shape(node, ops.randn))


@onnx_op("RandomNormalLike", 1, 22)
def random_normal_like(node: NodeView, x: Expr) -> Expr:
    """RandomNormalLike(input; mean=0, scale=1, dtype, seed) -> output."""
    return _around(node, ops.randn_like(x, **_dtype(node, FLOAT32)))


@onnx_op("Bernoulli", 15, 22)
def bernoulli(node: NodeView, x: Expr) -> Expr:
    """Bernoulli(input; dtype, seed) -> 1 with the probability that the input says, else 0."""
    _say(node)
    return (ops.rand_like(x) < x).method("astype", dtype_code(_out(node)))


@onnx_op("Multinomial", 7, 22)
def multinomial(node: NodeView, x: Expr) -> Expr:
    """Multinomial(input; sample_size=1, dtype=int32, seed) -> places, by logarithms of weights."""
    _say(node)
    places = ops.multinomial(ops.softmax(x, axis=-1), node.attr("sample_size", 1))
    out = _out(node)
    return places if out == np.dtype("int32") else places.method("astype", dtype_code(out))


def _of_shape(node: NodeView, draw: Callable[..., Expr]) -> Expr:
    """MindSpore's functions give one element for no size: a scalar is made of that."""
    sizes = [int(size) for size in node.attr("shape", [])]
    y = draw(*sizes or [1], **_dtype(node, FLOAT32))
    return y if sizes else y.method("reshape", Tuple(()))


def _between(node: NodeView, y: Expr) -> Expr:
    _say(node)
    low, high = (float(node.attr(*pair)) for pair in (("low", 0.0), ("high", 1.0)))
    return _moved(y, low, high - low)


def _around(node: NodeView, y: Expr) -> Expr:
    _say(node)
    return _moved(y, float(node.attr("mean", 0.0)), float(node.attr("scale", 1.0)))


def _moved(y: Expr, by: float, factor: float) -> Expr:
    scaled = y if factor == 1 else y * shortest(np.float32(factor))
    return scaled if by == 0 else scaled + shortest(np.float32(by))


def _out(node: NodeView) -> np.dtype[Any]:
    return node.out().dtype or FLOAT32


def _dtype(node: NodeView, usual: np.dtype[Any] | None) -> dict[str, Expr]:
    """The element type, where it is not what the function gives by itself."""
    return {} if _out(node) == usual else {"dtype": dtype_code(_out(node))}


def _say(node: NodeView) -> None:
    seeded = ", and no seed is kept" if node.attr("seed") is not None else ""
    node.remarks.append(f"{node.node.op} draws other numbers than ONNX Runtime{seeded}")
