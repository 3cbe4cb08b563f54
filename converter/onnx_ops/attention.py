"""Attention and what goes with it."""

from __future__ import annotations

from ..code.expr import Expr, helper, ops
from .registry import NodeView, onnx_op


@onnx_op("Attention", 23, 24, 25)
def attention(
    node: NodeView,
    q: Expr,
    k: Expr,
    v: Expr,
    mask: Expr | None = None,
    past_k: Expr | None = None,
    past_v: Expr | None = None,
    valid: Expr | None = None,
) -> tuple[Expr, ...]:
    """Attention(Q, K, V, attn_mask, past_key, past_value, nonpad_kv_seqlen) -> Y, ..."""
    heads, kv_heads = node.attr("q_num_heads", 0), node.attr("kv_num_heads", 0)
    merged, mode = node.rank() == 3, int(node.attr("qk_matmul_output_mode", 0))
    if merged:
        q = helper.onnx_split_heads(q, heads)
        k, v = helper.onnx_split_heads(k, kv_heads), helper.onnx_split_heads(v, kv_heads)
    given = {"mask": mask, "past_k": past_k, "past_v": past_v, "valid": valid}
    options = {"scale": node.attr("scale"), "softcap": node.attr("softcap"), "mode": mode or None}
    left, right = window_of(node)
    found = helper.onnx_attention(q, k, v, **given, **options, left=left, right=right)
    y = helper.onnx_merge_heads(found[0]) if merged else found[0]
    return y, found[1], found[2], found[3]


def window_of(node: NodeView) -> tuple[int | None, int | None]:
    """How many keys before and after its own place a query sees; None: all of them."""
    left, right = node.attr("left_window_size", -1), node.attr("right_window_size", -1)
    causal = node.attr("is_causal", 0) == 1
    after = right if right >= 0 else None
    if causal:
        after = 0
    return (left if left >= 0 else None), after


@onnx_op("RotaryEmbedding", 23)
def rotary_embedding(
    node: NodeView, x: Expr, cos: Expr, sin: Expr, positions: Expr | None = None
) -> Expr:
    """RotaryEmbedding(X, cos_cache, sin_cache, position_ids) -> Y."""
    merged, heads = node.rank() == 3, node.attr("num_heads", 0)
    width = node.static_size(-1) // (heads if merged else 1)
    size = node.attr("rotary_embedding_dim", 0) or width
    x = helper.onnx_split_heads(x, heads) if merged else x
    turned = node.attr("interleaved", 0) == 1
    y = helper.onnx_rotary_embedding(x, cos, sin, positions, size, turned)
    return helper.onnx_merge_heads(y) if merged else y


@onnx_op("SwiGLU", 28)
def swiglu(node: NodeView, a: Expr, b: Expr) -> Expr:
    """SwiGLU(A, B; alpha=1) -> a sigmoid(alpha a) b."""
    alpha = node.attr("alpha", 1.0)
    return (ops.silu(a) if alpha == 1.0 else a * ops.sigmoid(alpha * a)) * b
