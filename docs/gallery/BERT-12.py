"""BertModel, converted from model.onnx (opset 20, made by pytorch 2.13.0+cpu).

Inputs:  input_ids, attention_mask  int64 (batch, length)
Outputs: layer_norm_24  float32 (batch, length, 32)
         tanh  float32 (batch, 32)
Weights: model.ckpt, named as in weight_map_of_model.json.
"""

from pathlib import Path

import msconvert.runtime as ms
from msconvert.runtime import nn, ops

CHECKPOINT = Path(__file__).with_name("model.ckpt")


class BertEmbeddings(nn.Cell):
    """input_ids (batch, length) -> (batch, length, 32)."""

    def __init__(self):
        super().__init__()
        self.position_ids = ops.arange(40).reshape((1, 40))
        self.word_embeddings = nn.Embedding(60, 32)
        self.token_type_embeddings = nn.Embedding(2, 32)
        self.position_embeddings = nn.Embedding(40, 32)
        self.LayerNorm = nn.LayerNorm((32,), epsilon=1e-12)

    def construct(self, input_ids):
        batch, length = input_ids.shape
        x = ops.zeros((batch, length), ms.int64)
        x = self.word_embeddings(input_ids) + self.token_type_embeddings(x)
        x = x + self.position_embeddings(self.position_ids[:, :length])
        return self.LayerNorm(x)


class BertSelfAttention(nn.Cell):
    """x (batch, length, 32), y (batch, 1, 1, length) -> (batch, length, 32)."""

    def __init__(self):
        super().__init__()
        self.query = nn.Dense(32, 32)
        self.key = nn.Dense(32, 32)
        self.value = nn.Dense(32, 32)

    def construct(self, x, y):
        batch, length = x.shape[:2]
        query = self.query(x).reshape((batch, length, -1, 8)).swapaxes(1, 2)
        key = self.key(x).reshape((batch, length, -1, 8)).transpose((0, 2, 3, 1))
        x = self.value(x).reshape((batch, length, -1, 8)).swapaxes(1, 2)
        y = ops.matmul(query * 0.35355338, key) + ops.where(y, 0.0, -3.4028235e38)
        y = ops.nan_to_num(ops.softmax(y, axis=-1), 0.0)
        return ops.matmul(y, x).swapaxes(1, 2).reshape((batch, length, -1))


class BertSelfOutput(nn.Cell):
    """x, y (batch, length, 32) -> (batch, length, 32)."""

    def __init__(self, in_channels):
        super().__init__()
        self.dense = nn.Dense(in_channels, 32)
        self.LayerNorm = nn.LayerNorm((32,), epsilon=1e-12)

    def construct(self, x, y):
        return self.LayerNorm(self.dense(x) + y)


class BertOutput(BertSelfOutput):
    """x (batch, length, 64), y (batch, length, 32) -> (batch, length, 32)."""


class BertIntermediate(nn.Cell):
    """x (batch, length, 32) -> (batch, length, 64)."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(32, 64)
        self.intermediate_act_fn = nn.GELU(approximate=False)

    def construct(self, x):
        return self.intermediate_act_fn(self.dense(x))


class BertPooler(nn.Cell):
    """x (batch, length, 32) -> (batch, 32)."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(32, 32)
        self.activation = nn.Tanh()

    def construct(self, x):
        return self.activation(self.dense(x[:, 0]))


class BertAttention(nn.Cell):
    """x (batch, length, 32), y (batch, 1, 1, length) -> (batch, length, 32)."""

    def __init__(self):
        super().__init__()
        self.self = BertSelfAttention()
        self.output = BertSelfOutput(32)

    def construct(self, x, y):
        return self.output(self.self(x, y), x)


class BertLayer(nn.Cell):
    """x (batch, length, 32), y (batch, 1, 1, length) -> (batch, length, 32)."""

    def __init__(self):
        super().__init__()
        self.attention = BertAttention()
        self.intermediate = BertIntermediate()
        self.output = BertOutput(64)

    def construct(self, x, y):
        x = self.attention(x, y)
        return self.output(self.intermediate(x), x)


class BertEncoder(nn.Cell):
    """x (batch, length, 32), y (batch, 1, 1, length) -> (batch, length, 32)."""

    def __init__(self):
        super().__init__()
        self.layer = nn.CellList([BertLayer() for _ in range(12)])

    def construct(self, x, y):
        for cell in self.layer:
            x = cell(x, y)
        return x


class BertModel(nn.Cell):
    """input_ids, attention_mask (batch, length) -> (batch, length, 32), (batch, 32)."""

    def __init__(self):
        super().__init__()
        self.embeddings = BertEmbeddings()
        self.encoder = BertEncoder()
        self.pooler = BertPooler()

    def construct(self, input_ids, attention_mask):
        x = attention_mask.astype(ms.bool_).expand_dims(1).expand_dims(2)
        x = self.encoder(self.embeddings(input_ids), x)
        return x, self.pooler(x)


def load(checkpoint=CHECKPOINT):
    """The network with its converted weights, in inference mode."""
    net = BertModel()
    weights = ms.load_checkpoint(str(checkpoint))
    missing, unused = ms.load_param_into_net(net, weights, strict_load=True)
    assert not missing and not unused, (missing, unused)
    return net.set_train(False)


if __name__ == "__main__":
    outputs = load()(ops.zeros((1, 1), ms.int64), ops.zeros((1, 1), ms.int64))
    print([y.shape for y in outputs])
