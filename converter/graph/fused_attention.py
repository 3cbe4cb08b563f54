"""What attention of com.microsoft is made of: as networks write it out, or ONNX's own operator."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from .expansion import Body, expansion

FLOAT32 = np.float32

LOWEST = -1e30
"""Scores to which less is added may become -inf."""


@expansion("Attention")
def attention(body: Body) -> str | None:
    """Attention(input, weights, bias, mask_index, past, attention_bias; num_heads) -> output.

    The weights of queries, keys and values stand side by side.
    """
    x, _, bias, _, past, added = body.inputs(6)
    weights, offset = body.array(1), body.array(2)
    if weights is None or weights.ndim != 2 or past or body.wants(1) or body.attr("do_rotary", 0):
        return None
    each = weights.shape[1] // 3
    sizes = [int(size) for size in body.attr("qkv_hidden_sizes", [each] * 3)]
    if sum(sizes) != weights.shape[1] or (bias and offset is None):
        return None
    hidden = masked(body, 3)
    if hidden is None:
        return None
    mask, before = together(body, hidden, added), len(body.nodes)
    parts = []
    for start, end in pairwise(np.cumsum([0, *sizes]).tolist()):
        part = body.op("MatMul", x, body.constant(weights[:, start:end], source=(1,)))
        if offset is not None:
            part = body.op("Add", part, body.constant(offset[start:end], source=(2,)))
        parts.append(part)
    y = attended(body, parts, mask, None if added else (sizes[0], sizes[2]))
    body.stay_together(before)
    return y


def attended(body: Body, parts: list[str], mask: str, widths: tuple[int, int] | None) -> str:
    """Attention over queries, keys and values of three axes.

    Written out where the widths of queries and values are given; else ONNX's own operator, which
    knows what becomes of a row that a mask of -inf hides whole.
    """
    heads, causal = body.attr("num_heads"), int(body.attr("unidirectional", 0))
    if widths is None or causal or body.attr("mask_filter_value", 0.0) < LOWEST:
        return body.op(
            *("Attention", *parts, mask),
            q_num_heads=heads,
            kv_num_heads=heads,
            scale=body.attr("scale") or None,
            is_causal=causal or None,
        )
    q, k, v = (
        apart(body, x, w // heads) for x, w in zip(parts, (*widths[:1] * 2, widths[1]), strict=True)
    )
    scale = body.attr("scale") or float(FLOAT32((widths[0] // heads) ** -0.5))
    q = body.op("Transpose", q, perm=[0, 2, 1, 3])
    k = body.op("Transpose", k, perm=[0, 2, 3, 1])
    v = body.op("Transpose", v, perm=[0, 2, 1, 3])
    scores = body.op("Mul", body.op("MatMul", q, k), body.constant(scale, FLOAT32))
    scores = body.op("Add", scores, mask) if mask else scores
    y = body.op("MatMul", body.op("Softmax", scores, axis=-1), v)
    y = body.op("Transpose", y, perm=[0, 2, 1, 3])
    return body.op("Reshape", y, body.constant([0, 0, widths[1]], np.int64))


def apart(body: Body, x: str, size: int) -> str:
    """The last axis as heads, each of so many features."""
    return body.op("Reshape", x, body.constant([0, 0, body.attr("num_heads"), size], np.int64))


def together(body: Body, hidden: str, added: str) -> str:
    """Two masks that are added; either may be absent."""
    return body.op("Add", hidden, added) if hidden and added else hidden or added


def masked(body: Body, index: int) -> str | None:
    """What is added to the scores for a mask of 0 and 1; "" without one, None if it is another.

    It is made once for all nodes that read the mask, so the caller must write its node then.
    """
    if not body.input(index):
        return ""
    rank = body.type(index).rank
    if rank not in (1, 2, 3):
        return None
    lowest = float(body.attr("mask_filter_value", -10000.0))
    places = (body.type(0).shape or (None,))[:2] if rank == 1 else ()
    key = (body.input(index), lowest, places)
    if None in places or key not in body.shared:
        body.shared[key] = added_for(body, index, lowest)
    return body.shared[key]


def added_for(body: Body, index: int, lowest: float) -> str:
    """`lowest` where the mask says that nothing is seen, else 0, for scores of four axes."""
    rank = body.type(index).rank
    mask = valid(body, body.input(index)) if rank == 1 else body.input(index)
    mask = body.op("Cast", mask, to=1)
    one, low = body.constant(1.0, FLOAT32), body.constant(lowest, FLOAT32)
    mask = body.op("Mul", body.op("Sub", one, mask), low)
    return unsqueezed(body, mask, [1] if rank == 3 else [1, 2])


def valid(body: Body, lengths: str) -> str:
    """Which places of each row are before its length, for an input of three axes."""
    size = body.op("Gather", body.op("Shape", body.input(0)), body.constant(1, np.int64))
    first, step = body.constant(0, np.int64), body.constant(1, np.int64)
    places = body.op("Range", first, size, step)
    return body.op("Less", places, unsqueezed(body, body.op("Cast", lengths, to=7), [1]))


def unsqueezed(body: Body, x: str, axes: list[int]) -> str:
    if body.graph.opsets.get("", 1) < 13:
        return body.op("Unsqueeze", x, axes=axes)
    return body.op("Unsqueeze", x, body.constant(axes, np.int64))


@expansion("MultiHeadAttention")
def multi_head_attention(body: Body) -> tuple[str, ...] | str | None:
    """MultiHeadAttention(query, key, value, bias, key_padding_mask, attention_bias, past_key,
    past_value; num_heads) -> output, present_key, present_value.
    """
    query, key, value, bias, _, added, past_key, past_value = body.inputs(8)
    if not key or not value or any(body.type(i).rank != 3 for i in range(3)):
        return None
    offset, widths = body.array(3), _widths(body)
    causal = body.attr("unidirectional", 0) and past_key
    if causal or (bias and (offset is None or widths is None)):
        return None
    hidden = masked(body, 4)
    if hidden is None:
        return None
    mask, before, parts = together(body, hidden, added), len(body.nodes), [query, key, value]
    if offset is not None and widths is not None:
        cuts = np.split(offset, [widths[0], 2 * widths[0]])
        pairs = zip(parts, cuts, strict=True)
        parts = [body.op("Add", x, body.constant(b, source=(3,))) for x, b in pairs]
    if past_key or body.wants(1):
        heads = body.attr("num_heads")
        options: dict[str, Any] = {"q_num_heads": heads, "kv_num_heads": heads}
        options |= {"scale": body.attr("scale") or None}
        return body.ops("Attention", *parts, mask, past_key, past_value, outputs=3, **options)
    y = attended(body, parts, mask, None if added else widths)
    body.stay_together(before)
    return y


def _widths(body: Body) -> tuple[int, int] | None:
    """The last sizes of queries and values; None if the file does not say them."""
    last = [(body.type(i).shape or (None,))[-1] for i in (0, 2)]
    known = [size for size in last if isinstance(size, int)]
    return (known[0], known[1]) if len(known) == 2 else None
