"""LlamaForCausalLM, converted from model.onnx (opset 20, made by pytorch 2.13.0+cpu).

Inputs:  input_ids, attention_mask  int64 (batch, length)
Outputs: linear_84  float32 (batch, length, 60)
Weights: model.ckpt, named as in weight_map_of_model.json.
"""

from pathlib import Path

import msconvert.runtime as ms
from msconvert.runtime import nn, ops

CHECKPOINT = Path(__file__).with_name("model.ckpt")


def onnx_rms_norm(x, scale, axis, epsilon):
    """ONNX RMSNormalization over the axes from `axis` on, computed in float32."""
    wide = x.astype(ms.float32)
    square = ops.mean(wide * wide, tuple(range(axis, 0)), keep_dims=True)
    return (wide / ops.sqrt(square + epsilon)).astype(x.dtype) * scale


class RMSNorm(nn.Cell):
    """x / sqrt(mean(x^2) + epsilon) * weight over the last axes, computed in float32."""

    def __init__(self, normalized_shape, epsilon=1e-05, dtype=ms.float32):
        super().__init__()
        self.axis = -len(normalized_shape)
        self.epsilon = epsilon
        self.weight = ms.Parameter(ops.ones(normalized_shape, dtype))

    def construct(self, x):
        return onnx_rms_norm(x, self.weight, self.axis, self.epsilon)


class LlamaRotaryEmbedding(nn.Cell):
    """x (length) -> (1, length, 8), (1, length, 8)."""

    def __init__(self):
        super().__init__()
        self.inv_freq = ms.Parameter(ops.zeros((4,), ms.float32))

    def construct(self, x):
        x = x.reshape((1, -1, 1)).astype(ms.float32) * self.inv_freq
        x = ops.concat((x, x), axis=2)
        return ops.cos(x), ops.sin(x)


class LlamaAttention(nn.Cell):
    """x (batch, length, 32), y, z (1, length, 8), y2 (batch, 1, length, length)
    -> (batch, length, 32).
    """

    def __init__(self):
        super().__init__()
        self.q_proj = nn.Dense(32, 32, has_bias=False)
        self.k_proj = nn.Dense(32, 32, has_bias=False)
        self.v_proj = nn.Dense(32, 32, has_bias=False)
        self.o_proj = nn.Dense(32, 32, has_bias=False)

    def construct(self, x, y, z, y2):
        batch, length = x.shape[:2]
        q_proj = self.q_proj(x).reshape((batch, length, -1, 8)).swapaxes(1, 2)
        k_proj = self.k_proj(x).reshape((batch, length, -1, 8)).swapaxes(1, 2)
        x = self.v_proj(x).reshape((batch, length, -1, 8)).swapaxes(1, 2)
        y = y.expand_dims(1)
        z = z.expand_dims(1)
        y3 = ops.concat((-q_proj[:, :, :, 4:], q_proj[:, :, :, :4]), axis=3) * z
        y4 = ops.concat((-k_proj[:, :, :, 4:], k_proj[:, :, :, :4]), axis=3) * z
        y4 = (k_proj * y + y4).swapaxes(2, 3)
        y2 = ops.where(y2, 0.0, -3.4028235e38)
        y = ops.matmul((q_proj * y + y3) * 0.35355338, y4) + y2
        y = ops.nan_to_num(ops.softmax(y, axis=-1), 0.0)
        x = ops.matmul(y, x).swapaxes(1, 2).reshape((batch, length, -1))
        return self.o_proj(x)


class LlamaMLP(nn.Cell):
    """x (batch, length, 32) -> (batch, length, 32)."""

    def __init__(self):
        super().__init__()
        self.gate_proj = nn.Dense(32, 64, has_bias=False)
        self.act_fn = nn.SiLU()
        self.up_proj = nn.Dense(32, 64, has_bias=False)
        self.down_proj = nn.Dense(64, 32, has_bias=False)

    def construct(self, x):
        x = self.act_fn(self.gate_proj(x)) * self.up_proj(x)
        return self.down_proj(x)


class LlamaDecoderLayer(nn.Cell):
    """x (batch, length, 32), y, z (1, length, 8), y2 (batch, 1, length, length)
    -> (batch, length, 32).
    """

    def __init__(self):
        super().__init__()
        self.input_layernorm = RMSNorm((32,), epsilon=1e-06)
        self.self_attn = LlamaAttention()
        self.post_attention_layernorm = RMSNorm((32,), epsilon=1e-06)
        self.mlp = LlamaMLP()

    def construct(self, x, y, z, y2):
        x = x + self.self_attn(self.input_layernorm(x), y, z, y2)
        return x + self.mlp(self.post_attention_layernorm(x))


class LlamaModel(nn.Cell):
    """input_ids, attention_mask (batch, length) -> (batch, length, 32)."""

    def __init__(self):
        super().__init__()
        self.embed_tokens = nn.Embedding(60, 32)
        self.rotary_emb = LlamaRotaryEmbedding()
        self.layers = nn.CellList([LlamaDecoderLayer() for _ in range(12)])
        self.norm = RMSNorm((32,), epsilon=1e-06)

    def construct(self, input_ids, attention_mask):
        x = self.embed_tokens(input_ids)
        out = ops.arange(0, attention_mask.shape[1], 1, dtype=ms.int64)
        y = out.reshape((1, 1, -1))
        y = y.expand_dims(2) <= y.expand_dims(3)
        attention_mask = attention_mask.astype(ms.bool_).expand_dims(1).expand_dims(2)
        y = ops.logical_and(y, attention_mask)
        a, b = self.rotary_emb(out)
        for layer in self.layers:
            x = layer(x, a, b, y)
        return self.norm(x)


class LlamaForCausalLM(nn.Cell):
    """input_ids, attention_mask (batch, length) -> (batch, length, 60)."""

    def __init__(self):
        super().__init__()
        self.model = LlamaModel()
        self.lm_head = nn.Dense(32, 60, has_bias=False)

    def construct(self, input_ids, attention_mask):
        x = self.model(input_ids, attention_mask)
        return self.lm_head(x)


def load(checkpoint=CHECKPOINT):
    """The network with its converted weights, in inference mode."""
    net = LlamaForCausalLM()
    weights = ms.load_checkpoint(str(checkpoint))
    missing, unused = ms.load_param_into_net(net, weights, strict_load=True)
    assert not missing and not unused, (missing, unused)
    return net.set_train(False)


if __name__ == "__main__":
    print(load()(ops.zeros((1, 1), ms.int64), ops.zeros((1, 1), ms.int64)).shape)
