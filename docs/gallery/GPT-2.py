"""GPT2LMHeadModel, converted from model.onnx (opset 20, made by pytorch 2.13.0+cpu).

Inputs:  input_ids, attention_mask  int64 (batch, length)
Outputs: linear  float32 (batch, length, 60)
Weights: model.ckpt, named as in weight_map_of_model.json.
Note:    1 weight is another name of a weight, and one Parameter with it: lm_head.weight
         is transformer.wte.embedding_table
"""

from pathlib import Path

import msconvert.runtime as ms
from msconvert.runtime import nn, ops

CHECKPOINT = Path(__file__).with_name("model.ckpt")


class GPT2Attention(nn.Cell):
    """x (batch, length, 48), y (batch, 1, length, length) -> (batch, length, 48)."""

    def __init__(self):
        super().__init__()
        self.c_attn = nn.Dense(48, 144)
        self.c_proj = nn.Dense(48, 48)

    def construct(self, x, y):
        out = self.c_attn(x.reshape((-1, 48)))
        out = out.reshape((x.shape[0], x.shape[1], 144))
        batch, length = out.shape[:2]
        q, k, v = ops.split(out, 48, axis=2)
        x = v.reshape((batch, length, -1, 12)).swapaxes(1, 2)
        y2 = k.reshape((batch, length, -1, 12)).transpose((0, 2, 3, 1))
        y3 = q.reshape((batch, length, -1, 12)).swapaxes(1, 2) * 0.28867516
        y = ops.matmul(y3, y2) + ops.where(y, 0.0, -3.4028235e38)
        y = ops.nan_to_num(ops.softmax(y, axis=-1), 0.0)
        x = ops.matmul(y, x).swapaxes(1, 2)
        out = self.c_proj(x.reshape((-1, 48)))
        return out.reshape((x.shape[0], x.shape[1], 48))


class GPT2MLP(nn.Cell):
    """x (batch, length, 48) -> (batch, length, 48)."""

    def __init__(self):
        super().__init__()
        self.c_fc = nn.Dense(48, 192)
        self.act = nn.GELU()
        self.c_proj = nn.Dense(192, 48)

    def construct(self, x):
        x = self.c_fc(x.reshape((-1, 48))).reshape((x.shape[0], x.shape[1], 192))
        x = self.act(x)
        out = self.c_proj(x.reshape((-1, 192)))
        return out.reshape((x.shape[0], x.shape[1], 48))


class GPT2Block(nn.Cell):
    """x (batch, length, 48), y (batch, 1, length, length) -> (batch, length, 48)."""

    def __init__(self):
        super().__init__()
        self.ln_1 = nn.LayerNorm((48,), epsilon=1e-05)
        self.attn = GPT2Attention()
        self.ln_2 = nn.LayerNorm((48,), epsilon=1e-05)
        self.mlp = GPT2MLP()

    def construct(self, x, y):
        x = self.attn(self.ln_1(x), y) + x
        return x + self.mlp(self.ln_2(x))


class GPT2Model(nn.Cell):
    """input_ids, attention_mask (batch, length) -> (batch, length, 48)."""

    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(60, 48)
        self.wpe = nn.Embedding(1024, 48)
        self.h = nn.CellList([GPT2Block() for _ in range(12)])
        self.ln_f = nn.LayerNorm((48,), epsilon=1e-05)

    def construct(self, input_ids, attention_mask):
        x = ops.arange(0, input_ids.shape[1], 1, dtype=ms.int64)
        y = self.wte(input_ids) + self.wpe(x.expand_dims(0))
        y2 = ops.arange(
            0,
            attention_mask.shape[0] * attention_mask.shape[1] // input_ids.shape[0],
            1,
            dtype=ms.int64,
        )
        x = y2.reshape((1, 1, 1, -1)) <= x.reshape((1, 1, -1, 1))
        attention_mask = attention_mask.astype(ms.bool_).expand_dims(1).expand_dims(2)
        x = ops.logical_and(x, attention_mask)
        for cell in self.h:
            y = cell(y, x)
        return self.ln_f(y)


class GPT2LMHeadModel(nn.Cell):
    """input_ids, attention_mask (batch, length) -> (batch, length, 60)."""

    def __init__(self):
        super().__init__()
        self.transformer = GPT2Model()
        self.lm_head = nn.Dense(48, 60, has_bias=False)
        self.lm_head.weight = self.transformer.wte.embedding_table

    def construct(self, input_ids, attention_mask):
        x = self.transformer(input_ids, attention_mask)
        return self.lm_head(x)


def load(checkpoint=CHECKPOINT):
    """The network with its converted weights, in inference mode."""
    net = GPT2LMHeadModel()
    weights = ms.load_checkpoint(str(checkpoint))
    missing, unused = ms.load_param_into_net(net, weights, strict_load=True)
    assert not missing and not unused, (missing, unused)
    return net.set_train(False)


if __name__ == "__main__":
    print(load()(ops.zeros((1, 1), ms.int64), ops.zeros((1, 1), ms.int64)).shape)
