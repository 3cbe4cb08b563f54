"""The rows of the parity table: one expression each, with the same meaning in both frameworks.

`x(*shape, dtype=...)` is a Tensor of reproducible numbers, `filled(cell)` a cell whose
parameters are.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """`code` is evaluated by both; they agree within `tolerance` of the largest element.

    `refused`: both raise, and errors of the same class.
    """

    code: str
    tolerance: float = 1e-5
    refused: bool = False


UNARY = (
    "abs neg sign exp log sqrt erf sin cos tan asin acos atan sinh cosh asinh atanh floor "
    "ceil round trunc reciprocal rsqrt square log2 log10 log1p expm1 relu relu6 sigmoid tanh "
    "softsign mish selu hardswish silu hardsigmoid softmax log_softmax logsigmoid gelu elu "
    "celu leaky_relu softplus hardtanh softshrink hardshrink isnan isinf isfinite "
).split()

BINARY = (
    "add sub mul div maximum minimum equal not_equal less greater less_equal greater_equal "
    "floor_divide pow remainder fmod atan2 "
).split()

REDUCTIONS = ["mean", "sum", "prod", "amax", "amin", "any", "all", "argmax", "argmin", "std", "var"]

ROWS: list[Row] = []


def rows(*codes: str, tolerance: float = 1e-5) -> None:
    ROWS.extend(Row(code, tolerance) for code in codes)


def refused(*codes: str) -> None:
    ROWS.extend(Row(code, refused=True) for code in codes)


refused("ops.softmax(x())", "ops.broadcast_to(x(3, 2), (3, 4))", "x(2, 3, 4)[7]")
refused("filled(nn.Dense(5, 3))(x(3, 4))", "ops.add(x(3), x(4))")
refused("ops.concat((x(2, 3), x(3, 2)), 1)", "ops.reshape(x(2, 3), (4, 2))", "ops.sum(x(2), 2)")
refused("nn.Conv2d(3, 4, 3, padding=1)", "nn.Conv2d(3, 4, 3, group=2)", "nn.LayerNorm(4)")
refused("nn.SequentialCell(3)", "nn.CellList((nn.ReLU(),))", "nn.Dense(3, 4).forward(x(3))")
refused("ops.transpose(x(2, 3), (0, 0))", "ops.expand_dims(x(2), 4)", "x(2, 3)[0, 0, 0]")
refused("bool(x(2) > 0)", "ops.split(x(5), [2, 2])", "len(x())")
for name in UNARY:
    if name not in ("softmax", "log_softmax"):
        rows(f"ops.{name}(x())")
    rows(f"ops.{name}(x(3, 4, low=-1.0) / 3)")
    rows(f"ops.{name}(x(2, 0, 3))")
for name in BINARY:
    rows(f"ops.{name}(x(3, 4, low=0.5), x(4, seed=5, low=0.5))")
    rows(f"ops.{name}(x(3, dtype='int32'), x(3, dtype='int32', seed=2))")
    rows(f"ops.{name}(x(3, low=0.5), 2)", f"ops.{name}(x(3, dtype='int64'), 2)")
for name in REDUCTIONS:
    rows(f"ops.{name}(x(3, 4))", f"ops.{name}(x(3, 4), 1)", f"ops.{name}(x(2, 3, 4), -1, True)")
for a in (
    "bool_",
    "int8",
    "uint8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
):
    for b in ("int8", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"):
        rows(f"ops.add(x(3, dtype={a!r}), x(3, dtype={b!r}, seed=1))")
    rows(f"x(3, dtype={a!r}) * 2", f"x(3, dtype={a!r}) * 2.5", f"2 - x(3, dtype={a!r})")
    rows(f"x(3, dtype={a!r}) / 2", f"x(3, dtype={a!r}) < 2", f"x(3, dtype={a!r}).sum()")
    rows(f"x(3, dtype={a!r}).astype(ms.float32)", f"x(3, dtype={a!r}).astype(ms.int32)")

rows(
    "ops.where(x(3, 4) > 0, x(3, 4), 0.0)",
    "ops.select(x(3, 4) > 0, x(3, 4), x(3, 4, seed=2))",
    "ops.clamp(x(3, 4), -1, 1)",
    "ops.clamp(x(3, 4), min=0.5)",
    "ops.clip(x(3, 4), None, 0.5)",
    "ops.masked_fill(x(3, 4), x(3, 4) > 0, 7.0)",
    "ops.cast(x(3, 4), ms.int32)",
    "ops.lerp(x(3), x(3, seed=1), 0.25)",
    "ops.logical_and(x(4, dtype='bool_'), x(4, dtype='bool_', seed=3))",
    "ops.logical_or(x(4, dtype='bool_'), x(4, dtype='bool_', seed=3))",
    "ops.logical_xor(x(4, dtype='bool_'), x(4, dtype='bool_', seed=3))",
    "ops.logical_not(x(4, dtype='bool_'))",
    "ops.div(x(5), 0.7, rounding_mode='floor')",
    "ops.div(x(5), 0.7, rounding_mode='trunc')",
)
rows(
    "ops.max(x(3, 4), 1)",
    "ops.max(x(3, 4))",
    "ops.min(x(3, 4), 0, True)",
    "ops.sum(x(2, 3, 4), (0, 2))",
    "ops.mean(x(2, 3, 4), (1, 2), True)",
    "ops.mean(x(2, 3, 4), ())",
    "ops.logsumexp(x(3, 4), 1)",
    "ops.norm(x(3, 4))",
    "ops.norm(x(3, 4), dim=1)",
    "ops.cumsum(x(3, 4), 1)",
    "ops.count_nonzero(x(3, 4))",
    "ops.topk(x(3, 5), 2)",
    "ops.topk(x(3, 5), 2, largest=False)",
    "ops.sort(x(3, 5))",
    "ops.argsort(x(3, 5), descending=True)",
    "ops.matmul(x(3, 4), x(4, 5))",
    "ops.matmul(x(2, 3, 4), x(4))",
    "ops.matmul(x(4), x(4, seed=2))",
    "ops.matmul(x(2, 1, 3, 4), x(5, 4, 2))",
    "ops.bmm(x(2, 3, 4), x(2, 4, 5))",
    "ops.mm(x(3, 4), x(4, 5))",
    "ops.mv(x(3, 4), x(4))",
    "ops.outer(x(3), x(4))",
    "ops.addmm(x(3, 5), x(3, 4), x(4, 5), beta=0.5, alpha=2.0)",
    "ops.baddbmm(x(2, 3, 5), x(2, 3, 4), x(2, 4, 5), beta=0.5, alpha=2.0)",
    "ops.dense(x(3, 4), x(5, 4), x(5))",
    "ops.dense(x(2, 3, 4), x(5, 4))",
    "ops.std(x(3, 4), 1, 1)",
    "ops.var(x(3, 4), ddof=1, keepdims=True)",
)
rows(
    "ops.reshape(x(2, 3, 4), (-1, 6))",
    "ops.reshape(x(2, 0, 3), (0, 5))",
    "ops.transpose(x(2, 3, 4), (2, 0, 1))",
    "ops.permute(x(2, 3, 4), (-1, 0, 1))",
    "ops.swapaxes(x(2, 3, 4), 0, 2)",
    "ops.movedim(x(2, 3, 4), 0, 2)",
    "ops.squeeze(x(1, 3, 1))",
    "ops.squeeze(x(1, 3, 1), 2)",
    "ops.squeeze(x(1, 3, 1), 1)",
    "ops.expand_dims(x(2, 3), -1)",
    "ops.unsqueeze(x(2, 3), 0)",
    "ops.flatten(x(2, 3, 4))",
    "ops.flatten(x(2, 3, 4), start_dim=0, end_dim=1)",
    "ops.flatten(x(3))",
    "ops.flatten(x())",
    "ops.broadcast_to(x(3, 1), (2, 3, 4))",
    "ops.broadcast_to(x(3, 1), (-1, 4))",
    "ops.tile(x(2, 3), (2, 1, 2))",
    "ops.repeat_interleave(x(2, 3), 2, 1)",
    "ops.concat((x(2, 3), x(2, 4)), 1)",
    "ops.cat((x(2, 3), x(2, 3, dtype='int32')))",
    "ops.stack((x(2, 3), x(2, 3, seed=1)), -1)",
    "ops.hstack((x(3), x(2)))",
    "ops.vstack((x(3), x(3, seed=1)))",
    "ops.split(x(7, 2), 3)",
    "ops.split(x(7, 2), [2, 5])",
    "ops.chunk(x(7, 2), 3)",
    "ops.chunk(x(2, 6), 4, 1)",
    "ops.unstack(x(3, 2))",
    "ops.unbind(x(3, 2), 1)",
    "ops.narrow(x(5, 2), 0, 1, 3)",
    "ops.flip(x(3, 4), (0,))",
    "ops.roll(x(3, 4), 1, 0)",
    "ops.roll(x(5), 2)",
    "ops.gather(x(4, 3), ms.Tensor([[0, 2], [1, -1]]), 0)",
    "ops.gather(x(4, 3), ms.Tensor(1), 1)",
    "ops.gather_elements(x(2, 3), 1, ms.Tensor([[0, 2], [1, 0]]))",
    "ops.gather_nd(x(4, 3), ms.Tensor([[0, 2], [1, 0]]))",
    "ops.index_select(x(4, 3), 0, ms.Tensor([2, 0]))",
    "ops.scatter_nd(ms.Tensor([[0], [2], [0]]), x(3, 2), (4, 2))",
    "ops.tensor_scatter_elements(x(3, 3), ms.Tensor([[1, 0, 2]]), x(1, 3), 0)",
    "ops.masked_select(x(3, 4), x(3, 4) > 0)",
    "ops.nonzero(x(3, 4) > 0)",
    "ops.tril(x(3, 4))",
    "ops.triu(x(3, 4), 1)",
    "ops.pad(x(2, 3), (1, 2))",
    "ops.pad(x(1, 2, 3, 4), (1, 2, 0, 1), value=3.0)",
    "ops.pad(x(1, 2, 3, 4), (1, 2, 1, 1), mode='reflect')",
    "ops.pad(x(1, 2, 3, 4), (1, 2, 1, 1), mode='replicate')",
    "ops.pixel_shuffle(x(1, 8, 2, 3), 2)",
    "ops.pixel_unshuffle(x(1, 2, 4, 6), 2)",
    "ops.meshgrid(ms.Tensor([1, 2, 3]), ms.Tensor([4, 5]))",
    "ops.meshgrid(ms.Tensor([1, 2, 3]), ms.Tensor([4, 5]), indexing='ij')",
    "ops.slice(x(4, 5), (1, 2), (2, -1))",
    "ops.strided_slice(x(4, 5), (0, 1), (4, 5), (2, 2))",
)
rows(
    "ops.zeros((2, 3))",
    "ops.zeros(3, ms.int32)",
    "ops.ones((2, 3), ms.float16)",
    "ops.full((2, 3), 1.5, dtype=ms.float32)",
    "ops.full((2,), 3)",
    "ops.zeros_like(x(2, 3))",
    "ops.ones_like(x(2, 3), dtype=ms.int32)",
    "ops.full_like(x(2), 2.5)",
    "ops.arange(5)",
    "ops.arange(1, 7, 2)",
    "ops.arange(0, 1, 0.25)",
    "ops.arange(3, dtype=ms.float32)",
    "ops.linspace(0, 1, 5)",
    "ops.eye(3)",
    "ops.eye(2, 3, ms.int32)",
    "ops.one_hot(ms.Tensor([0, 2, 1]), 4, ms.Tensor(1.0), ms.Tensor(0.0))",
)
for item in (
    "0", "-1", "(0, 1)", "(slice(None), -1)", "slice(1, 3)", "slice(None, None, 2)", "...",
    "None", "(None, 0, None)", "(..., None)", "(..., 1)", "(slice(None), [0, 2])",
    "([0, 1], [1, 2])", "(0, slice(None), [1, 2])", "(slice(None), ms.Tensor([[0, 1], [1, 2]]))",
    "(ms.Tensor([0, 1]), slice(None), ms.Tensor([1, 3]))",
):  # fmt: skip
    rows(f"x(2, 3, 4)[{item}]")
rows("x(3, 4)[x(3, 4) > 0]", "x(3, 4)[x(3, dtype='bool_')]")
rows(
    "x(2, 3).transpose()",
    "x(2, 3, 4).transpose(0, 2, 1)",
    "x(2, 3, 4).transpose((2, 1, 0))",
    "x(2, 3, 4).swapaxes(1, 2)",
    "x(2, 3, 4).permute(2, 0, 1)",
    "x(2, 3, 4).reshape(6, 4)",
    "x(2, 3, 4).reshape((6, -1))",
    "x(2, 3, 4).view(6, 4)",
    "x(2, 3, 4).flatten()",
    "x(2, 3, 4).max()",
    "x(2, 3, 4).max(axis=1)",
    "x(2, 3, 4).min(axis=1, keepdims=True)",
    "x(2, 3, 4).max(axis=1, return_indices=True)",
    "x(2, 3, 4).min(axis=-1, keepdims=True, return_indices=True)",
    "x(2, 3, 4).mean((2,))",
    "x(2, 3, 4, 5).mean((2, 3))",
    "x(2, 3, 4, 5).mean((2, 3), keep_dims=True)",
    "x(2, 3, 4).argmax()",
    "x(2, 3, 4).argmax(axis=1)",
    "x(2, 3, 4).mean((1, 2))",
    "x(2, 3, 4).mean(1, True)",
    "x(2, 3, 4).sum(axis=1)",
    "x(2, 3, 4).sum(1, keepdims=True)",
    "x(1, 3).squeeze(0)",
    "x(3).expand_dims(0)",
    "x(3).unsqueeze(0)",
    "x(3, 1).broadcast_to((3, 4))",
    "x(3, 1).expand(3, 4)",
    "x(4, 2).chunk(2)",
    "x(4, 2).split(3)",
    "x(2, 3).unbind()",
    "x(3, 4).masked_fill(x(3, 4) > 0, 0.0)",
    "x(3, 4).T",
    "x(3, 4).to(ms.float16)",
    "x(3, 4).float()",
    "x(3, 4).int()",
    "x(3, 4).long()",
    "x(3, 4).bool()",
    "x(3, 4).tile((1, 2))",
    "x(3, 4).size",
    "x(3, 4).ndim",
    "x(3, 4).shape",
    "str(x(3, 4).dtype)",
    "repr(x(3, 4).dtype)",
    "x(3, 4).std()",
    "x(3, 4).var(1)",
    "-x(3)",
    "abs(x(3))",
    "~x(4, dtype='bool_')",
    "x(4, dtype='bool_') & x(4, dtype='bool_', seed=3)",
    "x(3, dtype='int32') | 8",
    "x(3) == x(3)",
    "x(3) != 1",
    "x(3) @ x(3)",
    "x(3, low=0.1) ** 2",
    "2 ** x(3)",
    "x(3, dtype='int32') // 2",
    "x(3, dtype='int32') % 3",
    "ms.Tensor(1)",
    "ms.Tensor(1.5)",
    "ms.Tensor(True)",
    "ms.Tensor([1, 2])",
    "ms.Tensor([1.0, 2.0])",
    "ms.Tensor([[1, 2.5]], ms.float16)",
    "ms.Tensor(np.ones(3))",
    "ms.Tensor(np.ones(3, np.float16))",
    "ms.tensor([1, 2], ms.float32)",
    "x(3).item(1)",
    "x(2, 2).tolist() == x(2, 2).asnumpy().tolist()",
)
for code in (
    "nn.Conv2d(3, 4, 3)",
    "nn.Conv2d(3, 4, 3, has_bias=True)",
    "nn.Conv2d(3, 4, 3, 2)",
    "nn.Conv2d(3, 4, 2, 2, pad_mode='valid')",
    "nn.Conv2d(3, 4, 3, pad_mode='pad', padding=1)",
    "nn.Conv2d(3, 4, (3, 2), (2, 1), pad_mode='pad', padding=(1, 0, 2, 1), has_bias=True)",
    "nn.Conv2d(3, 4, 3, dilation=2)",
    "nn.Conv2d(3, 6, 3, group=3, has_bias=True)",
    "nn.Conv2dTranspose(3, 4, 3)",
    "nn.Conv2dTranspose(3, 4, 3, stride=2)",
    "nn.Conv2dTranspose(3, 4, 2, stride=3)",
    "nn.Conv2dTranspose(3, 4, 3, stride=2, pad_mode='valid', has_bias=True)",
    "nn.Conv2dTranspose(3, 4, 2, stride=3, pad_mode='valid')",
    "nn.Conv2dTranspose(3, 4, 3, stride=2, pad_mode='pad', padding=1)",
    "nn.Conv2dTranspose(3, 4, 3, stride=2, pad_mode='pad', padding=1, output_padding=1)",
    "nn.Conv2dTranspose(3, 6, 3, stride=2, group=3)",
    "nn.BatchNorm2d(3)",
    "nn.GroupNorm(1, 3)",
    "nn.MaxPool2d(2)",
    "nn.MaxPool2d(3, 2)",
    "nn.MaxPool2d(3, 2, pad_mode='same')",
    "nn.MaxPool2d(3, 2, pad_mode='pad', padding=1)",
    "nn.MaxPool2d(3, 2, pad_mode='pad', padding=1, ceil_mode=True)",
    "nn.AvgPool2d(2)",
    "nn.AvgPool2d(3, 2)",
    "nn.AvgPool2d(3, 2, pad_mode='same')",
    "nn.AvgPool2d(3, 2, pad_mode='pad', padding=1)",
    "nn.AvgPool2d(3, 2, pad_mode='pad', padding=1, count_include_pad=False)",
    "nn.AvgPool2d(3, 2, pad_mode='pad', padding=1, ceil_mode=True)",
    "nn.AdaptiveAvgPool2d(1)",
    "nn.AdaptiveAvgPool2d((2, 3))",
    "nn.AdaptiveAvgPool2d((None, 4))",
    "nn.LRN(2)",
    "nn.LRN(3, 2.0, 1e-4, 0.75)",
    "nn.Upsample((10, 9))",
    "nn.Upsample((10, 9), mode='bilinear')",
    "nn.Upsample((10, 9), mode='bilinear', align_corners=True)",
    "nn.Upsample(scale_factor=2.0, mode='nearest', recompute_scale_factor=True)",
    "nn.ZeroPad2d((1, 2, 0, 1))",
    "nn.ConstantPad2d((1, 2, 0, 1), 2.0)",
    "nn.ReflectionPad2d((1, 2, 0, 1))",
    "nn.ReplicationPad2d((1, 2, 0, 1))",
    "nn.Pad(((0, 0), (0, 0), (1, 2), (0, 1)))",
    "nn.Softmax2d()",
    "nn.PReLU(3)",
    "nn.Flatten()",
    "nn.ChannelShuffle(3)",
):
    rows(f"filled({code})(x(2, 3, 6, 6))")
for code in (
    "ReLU()", "ReLU6()", "LeakyReLU()", "ELU()", "CELU()", "SeLU()", "GELU()", "GELU(False)",
    "FastGelu()", "SiLU()", "Mish()", "HSwish()", "HSigmoid()", "Sigmoid()", "Tanh()", "Softmax()",
    "Softmax(0)", "LogSoftmax()", "Softmin()", "Softsign()", "SoftShrink()", "Hardtanh()",
    "HShrink()", "LogSigmoid()", "Tanhshrink()", "Threshold(0.1, 20.0)", "GLU()", "PReLU()",
    "Dense(4, 3)", "Dense(4, 3, has_bias=False)", "Dense(4, 3, activation='relu')", "Identity()",
    "LayerNorm((4,))", "LayerNorm((4,), epsilon=1e-5)", "BatchNorm1d(4)", "Dropout(p=0.3)",
    "Flatten(0)",
):  # fmt: skip
    rows(f"filled(nn.{code})(x(3, 4))")
rows(
    "filled(nn.Conv1d(3, 4, 3, has_bias=True))(x(2, 3, 7))",
    "filled(nn.Conv1d(3, 4, 3, 2, pad_mode='pad', padding=1))(x(2, 3, 7))",
    "filled(nn.Conv1dTranspose(3, 4, 3, 2, has_bias=True))(x(2, 3, 7))",
    "filled(nn.Conv3d(2, 3, 2, has_bias=True))(x(1, 2, 3, 4, 4))",
    "filled(nn.Conv3dTranspose(2, 3, 2, 2))(x(1, 2, 3, 4, 4))",
    "filled(nn.BatchNorm1d(3))(x(2, 3, 5))",
    "filled(nn.BatchNorm3d(2))(x(1, 2, 3, 4, 4))",
    "filled(nn.LayerNorm((3, 4), 1, 1))(x(2, 3, 4))",
    "filled(nn.MaxPool1d(2, 2))(x(2, 3, 7))",
    "filled(nn.AvgPool1d(2, 2))(x(2, 3, 7))",
    "filled(nn.AvgPool1d(3, 2, pad_mode='same'))(x(2, 3, 7))",
    "filled(nn.MaxPool3d(2, 2))(x(1, 2, 4, 4, 4))",
    "filled(nn.AvgPool3d(2, 2))(x(1, 2, 4, 4, 4))",
    "filled(nn.AdaptiveAvgPool1d(3))(x(2, 3, 7))",
    "filled(nn.Embedding(6, 3))(ms.Tensor([[0, 5], [2, 1]]))",
    "filled(nn.LSTM(3, 4, has_bias=True))(x(5, 2, 3), (x(1, 2, 4), x(1, 2, 4, seed=1)))",
    "filled(nn.LSTM(3, 4, 2, bidirectional=True, batch_first=True))(x(2, 5, 3))",
    "filled(nn.LSTM(3, 4, has_bias=False))(x(5, 2, 3))",
    "filled(nn.GRU(3, 4))(x(5, 2, 3), x(1, 2, 4))",
    "filled(nn.GRU(3, 4, 2, bidirectional=True, batch_first=True))(x(2, 5, 3))",
    "filled(nn.RNN(3, 4))(x(5, 2, 3), x(1, 2, 4))",
    "filled(nn.RNN(3, 4, nonlinearity='relu', bidirectional=True))(x(5, 2, 3))",
    "filled(nn.LSTMCell(3, 4))(x(2, 3), (x(2, 4), x(2, 4, seed=1)))",
    "filled(nn.GRUCell(3, 4))(x(2, 3), x(2, 4))",
    "filled(nn.RNNCell(3, 4))(x(2, 3), x(2, 4))",
    "filled(nn.BatchNorm2d(3)).set_train()(x(2, 3, 4, 4))",
    "ops.interpolate(x(1, 2, 5), 8, mode='linear')",
    "ops.interpolate(x(1, 2, 4, 4), (2, 2), mode='area')",
    "ops.max_pool2d(x(1, 2, 6, 6), 2)",
    "ops.max_pool2d(x(1, 2, 6, 6), 3, 2, 1)",
    "ops.avg_pool2d(x(1, 2, 6, 6), 2)",
    "ops.avg_pool2d(x(1, 2, 6, 6), 2, 2, divisor_override=3)",
    "ops.adaptive_avg_pool2d(x(1, 2, 6, 6), (4, 5))",
    "ops.adaptive_max_pool2d(x(1, 2, 6, 6), (3, 2))",
    "ops.conv2d(x(1, 3, 5, 5), x(2, 3, 3, 3))",
    "ops.conv2d(x(1, 3, 5, 5), x(2, 3, 3, 3), x(2), 2, 'pad', 1)",
    "ops.lrn(x(1, 3, 4, 4))",
    "ops.batch_norm(x(2, 3, 4, 4), x(3), x(3, low=0.5), x(3), x(3))",
    "ops.layer_norm(x(2, 3, 4), (4,), x(4), x(4))",
    "ops.group_norm(x(2, 4, 3, 3), 2, x(4), x(4))",
    "ops.grid_sample(x(1, 2, 4, 4), x(1, 3, 3, 2) / 2, align_corners=True)",
    "ops.prelu(x(2, 3, 4), x(3))",
    "ops.glu(x(2, 4))",
    "ops.dropout(x(2, 4), 0.5, training=False)",
)
for code in (
    "nn.Dense(3, 4)", "nn.Conv2d(3, 4, 3, has_bias=True)", "nn.Dropout(p=0.3)",
    "nn.SequentialCell(nn.Dense(3, 4), nn.ReLU())", "nn.CellList([nn.ReLU(), nn.Tanh()])",
):  # fmt: skip
    rows(f"repr({code}).split('weight_init')[0].rstrip(', )')")
for code in (
    "nn.SequentialCell([nn.Dense(3, 4), nn.SequentialCell(nn.BatchNorm2d(3), nn.PReLU())])",
    "nn.BatchNorm2d(3)", "nn.BatchNorm3d(3)", "nn.PReLU()",
    "nn.CellDict({'a': nn.Dense(3, 4), 'b': nn.Embedding(3, 4)})", "nn.GRUCell(3, 4)",
    "nn.SequentialCell(nn.Dense(3, 4), nn.CellList([nn.LayerNorm((3,)), nn.Dense(2, 2)]))",
):  # fmt: skip
    rows(
        f"[(p.name, p.shape, p.requires_grad) for p in {code}.get_parameters()]",
        f"[name for name, p in {code}.parameters_and_names()]",
        f"[name for name, cell in {code}.cells_and_names()]",
        f"list({code}.name_cells())",
    )
rows(
    "[(p.name, p.shape) for p in nn.LSTM(3, 4, 2, bidirectional=True).get_parameters()]",
    "[(p.name, p.shape) for p in nn.GRU(3, 4, has_bias=False).get_parameters()]",
    "[(p.name, p.shape) for p in nn.RNN(3, 4, 2).get_parameters()]",
)
# MindSpore's weights come from a table of 1,024 steps
rows("ops.interpolate(x(1, 2, 4, 5), (7, 8), mode='bicubic')", tolerance=2e-3)
rows("ops.interpolate(x(1, 2, 4, 5), (7, 8), None, 'bicubic', True)", tolerance=2e-3)

LABELS = "ms.Tensor([0, 2, 1], ms.int32)"
for loss in ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "BCEWithLogitsLoss"):
    for options in ("", "reduction='none'", "reduction='sum'"):
        rows(f"ms.value_and_grad(nn.{loss}({options}), (0, 1))(x(3, 4), x(3, 4, seed=1) / 9)")
for options in ("", "reduction='sum'", "label_smoothing=0.1", "ignore_index=2"):
    rows(f"ms.value_and_grad(nn.CrossEntropyLoss({options}))(x(3, 4), {LABELS})")
    rows(f"ms.grad(nn.CrossEntropyLoss(x(4, low=0.5), {options}))(x(3, 4), {LABELS})")
rows(
    "nn.CrossEntropyLoss(reduction='none')(x(3, 4, 2), x(3, 2, dtype='int32') % 4)",
    "ms.grad(nn.CrossEntropyLoss())(x(3, 4), ops.softmax(x(3, 4, seed=1)))",
    "ms.grad(nn.CrossEntropyLoss(label_smoothing=0.2))(x(3, 4), ops.softmax(x(3, 4, seed=1)))",
    f"ms.grad(nn.NLLLoss())(ops.log_softmax(x(3, 4)), {LABELS})",
    f"nn.SoftmaxCrossEntropyWithLogits(sparse=True)(x(3, 4), {LABELS})",
    "ms.grad(nn.SoftmaxCrossEntropyWithLogits())(x(3, 4), ops.softmax(x(3, 4, seed=1)))",
    "ms.grad(nn.BCELoss())(x(3, 4, low=0.0) / 5, x(3, 4, dtype='bool_').astype(ms.float32))",
    "nn.SmoothL1Loss(beta=0.5)(x(3, 4), x(3, 4, seed=1))",
    "ops.kl_div(x(3, 4), ops.softmax(x(3, 4, seed=1)), 'sum')",
    "ops.kl_div(x(3, 4), ops.softmax(x(3, 4, seed=1)), 'batchmean')",
    "ops.clip_by_global_norm((x(3), x(4)), 0.5)",
    "ops.clip_by_global_norm((x(3), x(4)), 50.0)",
    "ops.clip_by_value(x(3), ms.Tensor(-1.0), ms.Tensor(1.0))",
)
for step in (0, 3, 7, 12):
    for schedule in (
        "CosineDecayLR(0.01, 0.1, 10)", "ExponentialDecayLR(0.1, 0.9, 4, True)",
        "NaturalExpDecayLR(0.1, 0.9, 4, True)", "InverseDecayLR(0.1, 0.5, 4, True)",
        "PolynomialDecayLR(0.1, 0.01, 10, 0.5)", "WarmUpLR(0.1, 5)",
    ):  # fmt: skip
        rows(f"nn.{schedule}(ms.Tensor({step}, ms.int32))")
rows(
    "nn.cosine_decay_lr(0.01, 0.1, 6, 2, 2)",
    "nn.exponential_decay_lr(0.1, 0.9, 6, 2, 1)",
    "nn.piecewise_constant_lr([2, 5], [0.1, 0.05])",
    "nn.warmup_lr(0.1, 6, 2, 2)",
)
for name in "exp log sqrt sin cos sigmoid erf gelu elu silu softplus abs relu".split():
    rows(f"ms.grad(ops.{name})(x(3, 4, low=0.5))")
for name in ("softmax", "log_softmax", "tanh", "mish"):
    rows(f"ms.grad(lambda v: ops.{name}(v) * v)(x(3, 4) / 2)")
rows(
    "ms.grad(ops.maximum, (0, 1))(x(3), x(3))",
    "ms.grad(ops.minimum, (0, 1))(x(3, 4), x(4, seed=1))",
    "ms.grad(ops.pow, (0, 1))(x(3, low=0.5), x(3, low=0.5, seed=1))",
    "ms.grad(lambda v: ops.amax(v, 1))(x(3, 4))",
    "ms.grad(lambda v: v[1:, 0] * 2)(x(3, 4))",
    "ms.grad(lambda a, b: ops.matmul(a, b), (0, 1))(x(2, 3, 4), x(4, 5))",
    "ms.grad(lambda v: ops.max_pool2d(v, 2, 2))(x(1, 2, 4, 4))",
    "ms.grad(lambda v: ops.clamp(v, -1.0, 1.0))(x(3, 4))",
    "ms.grad(ms.grad(ops.tanh))(x(3))",
    "(lambda f: ms.grad(lambda v: f(v) * v)(x(3, 4)))(filled(nn.LayerNorm((4,))))",
    "(lambda f: ms.grad(lambda v: f(v) * v)(x(2, 3, 2, 2)))(filled(nn.BatchNorm2d(3).set_train()))",
)
refused(f"nn.CrossEntropyLoss()(x(3, 4), {LABELS}.astype(ms.int64))")
