"""What goes wrong in a transformer."""

from __future__ import annotations

from ..fault import (
    CODE,
    Row,
    changed,
    copied,
    edit,
    exchanged,
    faults,
    filled,
    first_row_times,
    in_brain_half,
    parts_in_order,
    rolled,
    transposed,
)

WITH_TYPES = (
    "import _ms_compat as compat\n",
    "import _ms_compat as compat\nimport msconvert.runtime as ms\n",
)
END = "return self.norm2(x + self.drop(self.fc2(self.act(self.fc1(x)))))"

LAYERS: tuple[Row, ...] = (
    (
        *("decoder.norm1", "epsilon", "epsilon 1e-7, MindSpore's default, for 1e-5"),
        edit(
            "self.norm1 = nn.LayerNorm((width,), epsilon=1e-05)",
            "self.norm1 = nn.LayerNorm((width,))",
        ),
    ),
    (
        *("layers.0.norm1", "epsilon", "epsilon 1e-3 for 1e-12"),
        edit(
            "norm1 = nn.LayerNorm((width,), epsilon=1e-12)",
            "norm1 = nn.LayerNorm((width,), epsilon=1e-3)",
        ),
    ),
    (
        *("norm", "epsilon", "epsilon 1e-5 for 1e-12"),
        edit(
            "norm = nn.LayerNorm((width,), epsilon=1e-12)",
            "norm = nn.LayerNorm((width,), epsilon=1e-5)",
        ),
    ),
    (
        *("layers.0.act", "gelu", "GELU by tanh, MindSpore's default, for erf"),
        edit("nn.GELU(approximate=False)", "nn.GELU()"),
    ),
    (
        *("decoder.mlp.1", "gelu", "GELU by erf for tanh"),
        edit("nn.GELU(approximate=True)", "nn.GELU(approximate=False)"),
    ),
    (
        *("layers.0.attention.softmax", "softmax-axis", "softmax over the queries"),
        edit("nn.Softmax(axis=-1)", "nn.Softmax(axis=2)"),
    ),
    (
        *("layers.0.fc1", "missing-parameter | parameters:bias", "has_bias=False"),
        edit(
            "self.fc1 = nn.Dense(width, 2 * width)",
            "self.fc1 = nn.Dense(width, 2 * width, has_bias=False)",
        ),
    ),
    (
        *("layers.0.fc2", "half-precision", "one layer in half precision"),
        edit(
            *WITH_TYPES,
            "self.fc2 = nn.Dense(2 * width, width)",
            "self.fc2 = nn.Dense(2 * width, width).to_float(ms.float16)",
        ),
    ),
    (
        *("cross", "heads", "half as many heads"),
        edit("MultiheadAttention(width, heads,", "MultiheadAttention(width, heads // 2,"),
    ),
    (
        *("cross", "attention-layout", "batch_first forgotten"),
        edit("heads, batch_first=True)", "heads)"),
    ),
    (
        *("positions", "missing", "no embedding of positions"),
        edit("self.words(ids) + self.positions(places)", "self.words(ids)"),
    ),
    (
        *("tanh", "missing", "no tanh in the pooler"),
        edit("self.tanh(self.pooler(x[:, 0]))", "self.pooler(x[:, 0])"),
    ),
)

OWN_CODE: tuple[Row, ...] = (
    (
        *("layers.0.attention", CODE, "scores not scaled"),
        edit(" / math.sqrt(q.shape[-1])", ""),
    ),
    (
        *("layers.0.attention", CODE, "scores scaled by the whole width"),
        edit("math.sqrt(q.shape[-1])", "math.sqrt(self.heads * q.shape[-1])"),
    ),
    (*("", CODE, "mask inverted"), edit("(ids == 0)", "(ids != 0)")),
    (
        *("layers.0.attention", CODE, "mask not applied"),
        edit("        scores = scores + mask\n", ""),
    ),
    (
        *("decoder", CODE, "attention not causal"),
        edit("(q, k, v, is_causal=True)", "(q, k, v)"),
    ),
    (
        *("layers.0.attention", CODE, "heads not transposed back"),
        edit("y = y.transpose(1, 2).reshape(x.shape)", "y = y.reshape(x.shape)"),
    ),
    (
        *("layers.0.attention", CODE, "queries and keys exchanged"),
        edit("ops.matmul(q, k.transpose(-2, -1))", "ops.matmul(k, q.transpose(-2, -1))"),
    ),
    (
        *("decoder", CODE, "keys taken for queries"),
        edit("q, k, v = qkv.permute", "k, q, v = qkv.permute"),
    ),
    (
        *("decoder", CODE, "heads interleaved with query, key and value"),
        edit(
            *("3, self.heads, width // self.heads)", "self.heads, 3, width // self.heads)"),
            *("permute(2, 0, 3, 1, 4)", "permute(3, 0, 2, 1, 4)"),
        ),
    ),
    (
        *("layers.0", CODE, "no shortcut around attention"),
        edit(
            "self.norm1(x + self.drop(self.attention(x, mask)))",
            "self.norm1(self.drop(self.attention(x, mask)))",
        ),
    ),
    (
        *("layers.0", CODE, "norm before the sum"),
        edit(END, "return x + self.norm2(self.drop(self.fc2(self.act(self.fc1(x)))))"),
    ),
    (
        *("decoder", f"{CODE} | :another order", "both norms exchanged"),
        edit(
            *("self.attend(self.norm1(x))", "self.attend(self.norm2(x))"),
            *("self.mlp(self.norm2(x))", "self.mlp(self.norm1(x))"),
        ),
    ),
    (
        *("", CODE, "positions counted from 1"),
        edit("ops.arange(ids.shape[1])", "1 + ops.arange(ids.shape[1])"),
    ),
    (
        *("", CODE, "queries of the cross attention are its keys"),
        edit("self.cross(y, x, x,", "self.cross(x, y, y,"),
    ),
    (
        *("", CODE, "the last word for the first"),
        edit("self.pooler(x[:, 0])", "self.pooler(x[:, -1])"),
    ),
    (
        *("", CODE, "softmax for its logarithm"),
        edit("ops.log_softmax", "ops.softmax"),
    ),
    (
        *("", CODE, "embedding times sqrt(d), as in other transformers"),
        edit("self.words(ids) +", "self.words(ids) * math.sqrt(16) +"),
    ),
)

CHECKPOINT: tuple[Row, ...] = (
    (
        *("layers.0.attention.query", "parameters:transposed", "square weight transposed"),
        changed(transposed, "layers.0.attention.query.weight"),
    ),
    (
        *(
            "layers.0.attention.query",
            "parameters:attention.key",
            "weights of query and key exchanged",
        ),
        exchanged(
            *("layers.0.attention.query.weight", "layers.0.attention.key.weight"),
            *("layers.0.attention.query.bias", "layers.0.attention.key.bias"),
        ),
    ),
    (
        *("layers.1.fc1", "parameters:layers.0.fc1", "weights of the layer before"),
        copied(
            *("layers.1.fc1.weight", "layers.0.fc1.weight"),
            *("layers.1.fc1.bias", "layers.0.fc1.bias"),
        ),
    ),
    (
        *("layers.1.norm2", "parameters:weight: the reference's bias", "gamma and beta exchanged"),
        exchanged("layers.1.norm2.gamma", "layers.1.norm2.beta"),
    ),
    (
        *("classifier", "parameters:bias", "bias never loaded"),
        changed(filled(0), "classifier.bias"),
    ),
    (
        *("cross", "projections | parameters:order (1, 0, 2)", "projections as key, query, value"),
        changed(parts_in_order(1, 0, 2), "cross.in_proj_weight", "cross.in_proj_bias"),
    ),
    (
        *("words", "indices | parameters:rows in another order", "a vocabulary shifted by one"),
        changed(rolled(1), "words.embedding_table"),
    ),
    (
        *("decoder.qkv", "parameters:bfloat16", "weight saved in bfloat16"),
        changed(in_brain_half, "decoder.qkv.weight"),
    ),
    (
        *("decoder.norm2", "parameters:never loaded", "gamma never loaded"),
        changed(filled(1), "decoder.norm2.gamma"),
    ),
    (
        *("classifier", "parameters:row 0", "one row off by 0.1 %"),
        changed(first_row_times(1.001), "classifier.weight"),
    ),
)

TRAINING: tuple[Row, ...] = (
    (
        *("layers.1", "gradient-missing", "gradient of the shortcut cut off"),
        edit("self.norm1(x + self.drop(", "self.norm1(ops.stop_gradient(x) + self.drop("),
    ),
)

FROM_ONNX: tuple[Row, ...] = (
    (
        *("decoder.norm1", "epsilon", "epsilon 1e-7, MindSpore's default, for 1e-5"),
        edit("self.norm1 = nn.LayerNorm((16,), epsilon=1e-05)", "self.norm1 = nn.LayerNorm((16,))"),
    ),
    (
        *("norm", "epsilon", "epsilon 1e-3 for 1e-12"),
        edit(
            "self.norm = nn.LayerNorm((16,), epsilon=1e-12)",
            "self.norm = nn.LayerNorm((16,), epsilon=1e-3)",
        ),
    ),
    (
        *("layers.0.act", "gelu", "GELU by tanh, MindSpore's default, for erf"),
        edit("nn.GELU(approximate=False)", "nn.GELU()"),
    ),
    (
        *("decoder.mlp.1", "gelu | another-activation", "GELU by erf for tanh"),
        edit("nn.GELU()", "nn.GELU(approximate=False)"),
    ),
    (
        *("layers.0.attention.softmax", "softmax-axis", "softmax over the queries"),
        edit("nn.Softmax()", "nn.Softmax(axis=2)"),
    ),
    (*("layers.0.attention", CODE, "scores not scaled"), edit(" / 2.0 + y", " + y")),
    (*("layers.0.attention", CODE, "mask not applied"), edit(" / 2.0 + y", " / 2.0")),
    (
        *("decoder", CODE, "attention not causal"),
        edit(" + self.bias\n        product", "\n        product"),
    ),
    (*("", CODE, "mask inverted"), edit("ops.equal(", "ops.not_equal(")),
    (
        *("layers.0", CODE, "no shortcut around attention"),
        edit("self.norm1(x + self.attention(x, y))", "self.norm1(self.attention(x, y))"),
    ),
    (*("", CODE, "the last word for the first"), edit("[:, 0]\n", "[:, -1]\n")),
    (
        *("layers.0.attention.query", "parameters:transposed", "square weight transposed"),
        changed(transposed, "layers.0.attention.query.weight"),
    ),
    (
        *(
            "layers.1.norm2",
            "parameters:weight: the reference's bias | exchanged-parameters",
            "gamma and beta exchanged",
        ),
        exchanged("layers.1.norm2.gamma", "layers.1.norm2.beta"),
    ),
    (
        *("words", "indices | parameters:rows in another order", "a vocabulary shifted by one"),
        changed(rolled(1), "words.embedding_table"),
    ),
    (*("pooler", "parameters:bias", "bias never loaded"), changed(filled(0), "pooler.bias")),
)

FAULTS = (
    *faults("encoder", (*LAYERS, *OWN_CODE, *CHECKPOINT)),
    *faults("encoder", TRAINING, mode="both"),
    *faults("encoder", FROM_ONNX, "onnx"),
)
