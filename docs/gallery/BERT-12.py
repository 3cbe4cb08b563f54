"""BertModel, converted from model.onnx (opset 20, made by pytorch 2.13.0+cpu).

Inputs:  input_ids  int64 (batch, length)
         attention_mask  int64 (batch, length)
Outputs: layer_norm_24  float32 (batch, length, 32)
         tanh  float32 (batch, 32)
Weights: model.ckpt, named as in weight_map_of_model.json.
"""

from pathlib import Path

import msconvert.runtime as ms
from msconvert.runtime import nn, ops

CHECKPOINT = Path(__file__).with_name("model.ckpt")


def onnx_positive(indices, shape):
    """Index tuples (..., k) with negative numbers counted from the end, as in ONNX."""
    sizes = ms.Tensor(shape[: indices.shape[-1]], ms.int64)
    return ops.where(indices < 0, indices + sizes, indices)


class BertEmbeddings(nn.Cell):
    """attention_mask (batch, length), input_ids (batch, length) -> (batch, length, 32)."""

    def __init__(self):
        super().__init__()
        self.position_ids = ms.Parameter(
            ops.zeros((1, 40), ms.int64),
            requires_grad=False,
        )
        self.constant = ms.Parameter(ops.zeros((1, 40), ms.int64), requires_grad=False)
        self.word_embeddings = nn.Embedding(60, 32)
        self.token_type_embeddings = nn.Embedding(2, 32)
        self.position_embeddings = nn.Embedding(40, 32)
        self.LayerNorm = nn.LayerNorm((32,), epsilon=1e-12)

    def construct(self, attention_mask, input_ids):
        x = self.position_ids[:, : attention_mask.shape[1]]
        out = ops.gather_elements(self.constant, 1, x)
        out = ops.broadcast_to(out, (input_ids.shape[0], attention_mask.shape[1]))
        out = self.word_embeddings(input_ids) + self.token_type_embeddings(out)
        return self.LayerNorm(out + self.position_embeddings(x))


class BertSelfAttention(nn.Cell):
    """x (batch, length, 32), input_ids (batch, length), attention_mask (batch, length),
    y (batch, 1, length, length) -> (batch, length, 32).
    """

    def __init__(self):
        super().__init__()
        self.query = nn.Dense(32, 32)
        self.key = nn.Dense(32, 32)
        self.value = nn.Dense(32, 32)

    def construct(self, x, input_ids, attention_mask, y):
        query = self.query(x).reshape(
            (input_ids.shape[0], attention_mask.shape[1], -1, 8),
        )
        query = query.swapaxes(1, 2)
        key = self.key(x).reshape((input_ids.shape[0], attention_mask.shape[1], -1, 8))
        key = key.swapaxes(1, 2)
        x = self.value(x).reshape((input_ids.shape[0], attention_mask.shape[1], -1, 8))
        x = x.swapaxes(1, 2)
        out = key.reshape((-1, key.shape[2], 8)).swapaxes(1, 2)
        out = out.reshape((key.shape[0], 4, 8, key.shape[2]))
        out = ops.matmul(query * 0.35355338, out) + ops.where(y, 0.0, -3.4028235e38)
        out = ops.softmax(out, axis=-1)
        y = ops.isnan(out)
        out = ops.matmul(ops.where(y, 0.0, out), x).swapaxes(1, 2)
        return out.reshape((input_ids.shape[0], attention_mask.shape[1], -1))


class BertSelfOutput(nn.Cell):
    """x (batch, length, 32), y (batch, length, 32) -> (batch, length, 32)."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(32, 32)
        self.LayerNorm = nn.LayerNorm((32,), epsilon=1e-12)

    def construct(self, x, y):
        return self.LayerNorm(self.dense(x) + y)


class BertIntermediate(nn.Cell):
    """x (batch, length, 32) -> (batch, length, 64)."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(32, 64)
        self.intermediate_act_fn = nn.GELU(approximate=False)

    def construct(self, x):
        return self.intermediate_act_fn(self.dense(x))


class BertOutput(nn.Cell):
    """x (batch, length, 64), y (batch, length, 32) -> (batch, length, 32)."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(64, 32)
        self.LayerNorm = nn.LayerNorm((32,), epsilon=1e-12)

    def construct(self, x, y):
        return self.LayerNorm(self.dense(x) + y)


class BertPooler(nn.Cell):
    """x (batch, length, 32) -> (batch, 32)."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(32, 32)
        self.activation = nn.Tanh()

    def construct(self, x):
        return self.activation(self.dense(x[:, 0]))


class BertAttention(nn.Cell):
    """x (batch, length, 32), input_ids (batch, length), attention_mask (batch, length),
    y (batch, 1, length, length) -> (batch, length, 32).
    """

    def __init__(self):
        super().__init__()
        self.self = BertSelfAttention()
        self.output = BertSelfOutput()

    def construct(self, x, input_ids, attention_mask, y):
        y = self.self(x, input_ids, attention_mask, y)
        return self.output(y, x)


class BertLayer(nn.Cell):
    """x (batch, length, 32), input_ids (batch, length), attention_mask (batch, length),
    y (batch, 1, length, length) -> (batch, length, 32).
    """

    def __init__(self):
        super().__init__()
        self.attention = BertAttention()
        self.intermediate = BertIntermediate()
        self.output = BertOutput()

    def construct(self, x, input_ids, attention_mask, y):
        x = self.attention(x, input_ids, attention_mask, y)
        out = self.intermediate(x)
        return self.output(out, x)


class BertEncoder(nn.Cell):
    """x (batch, length, 32), input_ids (batch, length), attention_mask (batch, length),
    y (batch, 1, length, length) -> (batch, length, 32).
    """

    def __init__(self):
        super().__init__()
        self.layer = nn.CellList([BertLayer() for _ in range(12)])

    def construct(self, x, input_ids, attention_mask, y):
        for cell in self.layer:
            x = cell(x, input_ids, attention_mask, y)
        return x


class BertModel(nn.Cell):
    """input_ids (batch, length), attention_mask (batch, length) -> (batch, length, 32),
    (batch, 32).
    """

    def __init__(self):
        super().__init__()
        self.embeddings = BertEmbeddings()
        self.encoder = BertEncoder()
        self.pooler = BertPooler()

    def construct(self, input_ids, attention_mask):
        x = self.embeddings(attention_mask, input_ids)
        out = attention_mask.astype(ms.bool_)
        y = ops.arange(0, input_ids.shape[0], 1, dtype=ms.int64)
        y2 = ops.arange(0, attention_mask.shape[1], 1, dtype=ms.int64)
        y = y.reshape((-1, 1, 1, 1))
        y2 = y2.reshape((1, 1, -1))
        y3 = ops.expand_dims(y2, 3)
        y2 = ops.expand_dims(y2, 2)
        y3 = y3 >= 0
        y4 = ops.maximum(y, y2)
        y = ops.broadcast_to(y, (y4.shape[0], 1, 1, y4.shape[3]))
        y = ops.expand_dims(y, 4)
        y2 = ops.broadcast_to(y2, (y4.shape[0], 1, 1, y4.shape[3]))
        y2 = ops.expand_dims(y2, 4)
        merged = ops.concat((y, y2), axis=4)
        out = ops.gather_nd(out, onnx_positive(merged, out.shape[:]))
        out = ops.logical_and(y3, out)
        x = self.encoder(x, input_ids, attention_mask, out)
        out = self.pooler(x)
        return x, out


def load(checkpoint=CHECKPOINT):
    """The network with its converted weights, in inference mode."""
    net = BertModel()
    weights = ms.load_checkpoint(str(checkpoint))
    missing, unused = ms.load_param_into_net(net, weights, strict_load=True)
    assert not missing and not unused, (missing, unused)
    return net.set_train(False)


if __name__ == "__main__":
    print(
        [
            y.shape
            for y in load()(ops.zeros((1, 1), ms.int64), ops.zeros((1, 1), ms.int64))
        ]
    )
