"""What operators of com.microsoft are made of: those that ONNX Runtime's optimiser fuses."""

from __future__ import annotations

import numpy as np

from .expansion import Body, expansion

FLOAT32 = np.float32


@expansion("Gelu")
def gelu(body: Body) -> str:
    """Gelu(X) -> Y, exact."""
    return body.op("Gelu", body.input(0))


@expansion("BiasGelu")
def bias_gelu(body: Body) -> str:
    """BiasGelu(A, B) -> gelu(A + B)."""
    return body.op("Gelu", body.op("Add", *body.inputs(2)))


@expansion("FastGelu")
def fast_gelu(body: Body) -> str:
    """FastGelu(X, bias) -> gelu(X + bias), by tanh."""
    x, bias = body.inputs(2)
    return body.op("Gelu", body.op("Add", x, bias) if bias else x, approximate="tanh")


@expansion("FusedMatMul")
def fused_matmul(body: Body) -> str | None:
    """FusedMatMul(A, B; alpha=1) -> alpha A B; one of transposed matrices has code of its own."""
    if any(body.attr(f"trans{which}", 0) for which in ("A", "B", "BatchA", "BatchB")):
        return None
    y, alpha = body.op("MatMul", *body.inputs(2)), body.attr("alpha", 1.0)
    dtype = body.type(0).dtype
    if alpha == 1.0 or dtype is None:
        return y if alpha == 1.0 else None
    y = body.op("Mul", y, body.constant(alpha, dtype))
    body.stay_together()
    return y


@expansion("FusedGemm")
def fused_gemm(body: Body) -> str | None:
    """FusedGemm(A, B, C; activation) -> activation(alpha A B + beta C)."""
    known = ("alpha", "beta", "transA", "transB")
    options = {name: body.attr(name) for name in known}
    settings = [body.attr(f"activation_{name}") for name in ("alpha", "beta")]
    y = body.op("Gemm", *body.inputs(3), **options)
    return activated(body, y, [s for s in settings if s is not None])


@expansion("FusedConv")
def fused_conv(body: Body) -> str | None:
    """FusedConv(X, W, B, Z; activation, activation_params) -> activation(conv + Z)."""
    known = ("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides")
    y = body.op("Conv", *body.inputs(3), **{name: body.attr(name) for name in known})
    if body.input(3):
        y = body.op("Add", y, body.input(3))
    return activated(body, y, list(body.attr("activation_params", [])))


def activated(body: Body, x: str, settings: list[float]) -> str | None:
    """`x` through the activation that the node names; None for one that is not known."""
    name = body.attr("activation", "")
    if name == "":
        return x
    if name in ("Relu", "Sigmoid", "Tanh"):
        return body.op(name, x)
    if name == "LeakyRelu":
        return body.op(name, x, alpha=settings[0] if settings else None)
    if name == "HardSigmoid":
        alpha, beta = settings if len(settings) == 2 else (0.2, 0.5)
        return body.op(name, x, alpha=alpha, beta=beta)
    if name == "Clip" and len(settings) == 2:
        return body.op(name, x, *(body.constant(number, FLOAT32) for number in settings))
    return None


@expansion("SkipLayerNormalization")
def skip_layer_norm(body: Body) -> tuple[str, ...]:
    """SkipLayerNormalization(input, skip, gamma, beta, bias) -> output, mean, inverse, sum."""
    gamma, beta = body.input(2), body.input(3)
    total = summed(body)
    epsilon = body.attr("epsilon", 1e-12)
    count = 3 if body.wants(1) or body.wants(2) else 1
    beta = beta or zeros_of(body, 2)
    made = body.ops(
        "LayerNormalization", total, gamma, beta, outputs=count, axis=-1, epsilon=epsilon
    )
    return (*made, *[""] * (3 - count), total)


def summed(body: Body) -> str:
    """input + bias + skip, the bias being the last of the inputs: mostly that of a layer before."""
    last = 3 if "Simplified" in body.node.op else 4
    x = body.input(0)
    x = body.op("Add", x, body.input(last)) if body.input(last) else x
    total = body.op("Add", x, body.input(1))
    body.stand_outside()
    return total


def zeros_of(body: Body, index: int) -> str:
    """A constant of zeros like a constant input; "" if that is none."""
    array = body.array(index)
    return "" if array is None else body.constant(np.zeros_like(array))


@expansion("SimplifiedLayerNormalization", domain="")
def simplified_layer_norm(body: Body) -> str | None:
    """SimplifiedLayerNormalization(X, scale; axis=-1, epsilon) -> RMS normalisation."""
    if body.wants(1):
        return None
    options = {"axis": body.attr("axis", -1), "epsilon": body.attr("epsilon", 1e-5)}
    return body.op("RMSNormalization", *body.inputs(2), **options)


@expansion("SkipSimplifiedLayerNormalization")
def skip_simplified_layer_norm(body: Body) -> tuple[str, ...] | None:
    """SkipSimplifiedLayerNormalization(input, skip, gamma, bias) -> output, _, _, sum."""
    if body.wants(1) or body.wants(2):
        return None
    total, epsilon = summed(body), body.attr("epsilon", 1e-12)
    y = body.op("RMSNormalization", total, body.input(2), axis=-1, epsilon=epsilon)
    return y, "", "", total


@expansion("EmbedLayerNormalization")
def embed_layer_norm(body: Body) -> tuple[str, ...] | None:
    """EmbedLayerNormalization(ids, segments, word, position, segment, gamma, beta, mask, places)
    -> output, mask index, sum.
    """
    ids, segments, word, position, segment, gamma, beta, mask, places = body.inputs(9)
    y = body.op("Gather", word, ids)
    if not places:
        length = body.op("Shape", ids)
        length = body.op("Gather", length, body.constant([1], np.int64))
        found = body.op("Slice", position, body.constant([0], np.int64), length)
    else:
        found = body.op("Gather", position, places)
    y = body.op("Add", y, found)
    if segments:
        y = body.op("Add", y, body.op("Gather", segment, segments))
    epsilon = body.attr("epsilon", 1e-12)
    normed = body.op("LayerNormalization", y, gamma, beta, axis=-1, epsilon=epsilon)
    if not body.wants(1):
        return normed, "", y
    return normed, counted(body, mask or body.op("Sub", ids, ids)), y


def counted(body: Body, mask: str) -> str:
    """How many elements of each row are valid, int32."""
    opset = body.graph.opsets.get("", 1)
    if opset < 13:
        return body.op("ReduceSum", mask, axes=[1], keepdims=0)
    return body.op("ReduceSum", mask, body.constant([1], np.int64), keepdims=0)


@expansion("RotaryEmbedding")
def rotary_embedding(body: Body) -> str | None:
    """RotaryEmbedding(input, position_ids, cos_cache, sin_cache) -> output."""
    x, places, cos, sin = body.inputs(4)
    if body.type(1).rank != 2 or body.attr("scale", 1.0) != 1.0:
        return None
    known = ("interleaved", "num_heads", "rotary_embedding_dim")
    options = {name: body.attr(name) or None for name in known}
    if body.type(0).rank == 4:
        options["num_heads"] = None
    return body.op("RotaryEmbedding", x, cos, sin, places, **options)
