"""LlamaForCausalLM, converted from model.onnx (opset 20, made by pytorch 2.13.0+cpu).

Inputs:  input_ids  int64 (batch, length)
         attention_mask  int64 (batch, length)
Outputs: linear_84  float32 (batch, length, 60)
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
        out = ops.cos(x)
        x = ops.sin(x)
        return out, x


class LlamaAttention(nn.Cell):
    """x (batch, length, 32), input_ids (batch, length), attention_mask (batch, length),
    y (1, length, 8), y2 (1, length, 8), y3 (batch, 1, length, length) -> (batch, length, 32).
    """

    def __init__(self):
        super().__init__()
        self.q_proj = nn.Dense(32, 32, has_bias=False)
        self.k_proj = nn.Dense(32, 32, has_bias=False)
        self.v_proj = nn.Dense(32, 32, has_bias=False)
        self.o_proj = nn.Dense(32, 32, has_bias=False)

    def construct(self, x, input_ids, attention_mask, y, y2, y3):
        q_proj = self.q_proj(x).reshape(
            (input_ids.shape[0], attention_mask.shape[1], -1, 8),
        )
        q_proj = q_proj.swapaxes(1, 2)
        k_proj = self.k_proj(x).reshape(
            (input_ids.shape[0], attention_mask.shape[1], -1, 8),
        )
        k_proj = k_proj.swapaxes(1, 2)
        x = self.v_proj(x).reshape((input_ids.shape[0], attention_mask.shape[1], -1, 8))
        x = x.swapaxes(1, 2)
        y = ops.expand_dims(y, 1)
        y2 = ops.expand_dims(y2, 1)
        y4 = q_proj * y
        y4 = y4 + ops.concat((-q_proj[:, :, :, 4:], q_proj[:, :, :, :4]), axis=3) * y2
        y = k_proj * y
        y = y + ops.concat((-k_proj[:, :, :, 4:], k_proj[:, :, :, :4]), axis=3) * y2
        out = y.reshape((-1, y.shape[2], 8)).swapaxes(1, 2)
        out = out.reshape((y.shape[0], 4, 8, y.shape[2]))
        out = ops.matmul(y4 * 0.35355338, out) + ops.where(y3, 0.0, -3.4028235e38)
        out = ops.softmax(out, axis=-1)
        y = ops.isnan(out)
        out = ops.matmul(ops.where(y, 0.0, out), x).swapaxes(1, 2)
        out = out.reshape((input_ids.shape[0], attention_mask.shape[1], -1))
        return self.o_proj(out)


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
    """x (batch, length, 32), input_ids (batch, length), attention_mask (batch, length),
    y (1, length, 8), y2 (1, length, 8), y3 (batch, 1, length, length) -> (batch, length, 32).
    """

    def __init__(self):
        super().__init__()
        self.input_layernorm = RMSNorm((32,), epsilon=1e-06)
        self.self_attn = LlamaAttention()
        self.post_attention_layernorm = RMSNorm((32,), epsilon=1e-06)
        self.mlp = LlamaMLP()

    def construct(self, x, input_ids, attention_mask, y, y2, y3):
        x = x + self.self_attn(
            self.input_layernorm(x),
            input_ids,
            attention_mask,
            y,
            y2,
            y3,
        )
        return x + self.mlp(self.post_attention_layernorm(x))


class LlamaModel(nn.Cell):
    """input_ids (batch, length), attention_mask (batch, length) -> (batch, length, 32)."""

    def __init__(self):
        super().__init__()
        self.embed_tokens = nn.Embedding(60, 32)
        self.rotary_emb = LlamaRotaryEmbedding()
        self.layers = nn.CellList([LlamaDecoderLayer() for _ in range(12)])
        self.norm = RMSNorm((32,), epsilon=1e-06)

    def construct(self, input_ids, attention_mask):
        x = self.embed_tokens(input_ids)
        out = ops.arange(0, attention_mask.shape[1], 1, dtype=ms.int64)
        y = attention_mask.astype(ms.bool_)
        y2 = ops.arange(0, input_ids.shape[0], 1, dtype=ms.int64).reshape((-1, 1, 1, 1))
        y3 = out.reshape((1, 1, -1))
        y4 = ops.expand_dims(y3, 3)
        y3 = ops.expand_dims(y3, 2)
        y4 = y3 <= y4
        y5 = ops.maximum(y2, y3)
        y2 = ops.broadcast_to(y2, (y5.shape[0], 1, 1, y5.shape[3]))
        y2 = ops.expand_dims(y2, 4)
        y3 = ops.broadcast_to(y3, (y5.shape[0], 1, 1, y5.shape[3]))
        y3 = ops.expand_dims(y3, 4)
        merged = ops.concat((y2, y3), axis=4)
        y = ops.gather_nd(y, onnx_positive(merged, y.shape[:]))
        y = ops.logical_and(y4, y)
        a, b = self.rotary_emb(out)
        for layer in self.layers:
            x = layer(x, input_ids, attention_mask, a, b, y)
        return self.norm(x)


class LlamaForCausalLM(nn.Cell):
    """input_ids (batch, length), attention_mask (batch, length) -> (batch, length, 60)."""

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
