"""Attention and the transformer."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

PAD = "ms.Tensor([[False, False, True], [False, True, True]])"
CAUSAL = "ms.Tensor(np.triu(np.ones((3, 3), bool), 1))"
SELF = "(x(3, 2, 8), x(3, 2, 8, seed=1), x(3, 2, 8, seed=2))"
rows(
    f"filled(nn.MultiheadAttention(8, 2)){SELF}",
    f"filled(nn.MultiheadAttention(8, 4, has_bias=False)){SELF}[0]",
    f"filled(nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True)){SELF}",
    "filled(nn.MultiheadAttention(8, 2, kdim=5, vdim=6))(x(4, 2, 8), x(3, 2, 5), x(3, 2, 6))",
    "filled(nn.MultiheadAttention(8, 2, batch_first=True))(x(2, 4, 8), x(2, 3, 8), x(2, 3, 8))",
    "filled(nn.MultiheadAttention(8, 2))(x(4, 8), x(3, 8, seed=1), x(3, 8, seed=2))",
    "filled(nn.MultiheadAttention(8, 2, batch_first=True))"
    f"(x(2, 3, 8), x(2, 3, 8, seed=1), x(2, 3, 8, seed=2), key_padding_mask={PAD})",
    f"filled(nn.MultiheadAttention(8, 2)){SELF[:-1]}, attn_mask={CAUSAL})",
    f"filled(nn.MultiheadAttention(8, 2)){SELF[:-1]}, {PAD}, False, {CAUSAL})",
    f"filled(nn.MultiheadAttention(8, 2)){SELF[:-1]}, attn_mask=x(4, 3, 3, seed=3),"
    " average_attn_weights=False)",
)
rows(
    "filled(nn.TransformerEncoderLayer(8, 2, 12, 0.0))(x(3, 2, 8))",
    "filled(nn.TransformerEncoderLayer(8, 2, 12, 0.0, 'gelu', norm_first=True))"
    f"(x(3, 2, 8), {CAUSAL}, {PAD})",
    "filled(nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12, 0.0, batch_first=True), 2,"
    " nn.LayerNorm((8,))))(x(2, 3, 8))",
    "filled(nn.TransformerDecoderLayer(8, 2, 12, 0.0))(x(3, 2, 8), x(4, 2, 8))",
    "filled(nn.TransformerDecoderLayer(8, 2, 12, 0.0, norm_first=True))"
    f"(x(3, 2, 8), x(3, 2, 8, seed=1), {CAUSAL}, {CAUSAL}, {PAD}, {PAD})",
    "filled(nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 12, 0.0), 2))"
    "(x(3, 2, 8), x(4, 2, 8))",
    "filled(nn.Transformer(8, 2, 1, 1, 12, 0.0))(x(3, 2, 8), x(4, 2, 8))",
    tolerance=3e-5,  # MindSpore's softmax and LayerNorm
)
for code in (
    "nn.MultiheadAttention(8, 2)",
    "nn.MultiheadAttention(8, 2, has_bias=False, kdim=4, add_bias_kv=True)",
    "nn.TransformerEncoderLayer(8, 2, 12)",
    "nn.Transformer(8, 2, 2, 1, 12)",
):
    rows(f"[(p.name, p.shape) for p in {code}.get_parameters()]")
refused(
    "nn.MultiheadAttention(8, 3)",
    "nn.MultiheadAttention(8, 2)(x(3, 8), x(3, 2, 8), x(3, 2, 8))",
    "nn.MultiheadAttention(8, 2)(x(3, 2, 6), x(3, 2, 6), x(3, 2, 6))",
    "nn.MultiheadAttention(8, 2)(x(3, 2, 8), x(4, 2, 8), x(3, 2, 8))",
    "nn.MultiheadAttention(8, 2)(x(3, 2, 8), x(3, 2, 8), x(3, 2, 8), x(2, 4))",
    "nn.MultiheadAttention(8, 2)(x(3, 2, 8), x(3, 2, 8), x(3, 2, 8), attn_mask=x(2, 3))",
    "nn.TransformerEncoderLayer(8, 2, activation='tanh')",
    "nn.TransformerEncoderLayer(8, 2, activation=nn.Tanh())",
    "nn.Transformer(8, 2, 1, 1, 12)(x(3, 2, 6), x(4, 2, 6))",
)
