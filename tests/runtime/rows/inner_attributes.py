"""Layers derived from MindSpore's that call the operators which these hold inside."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

DERIVED = """
class Own({layer}):
    def construct(self, x):
        return {call}
net = filled(Own({arguments}))
result = net({x})
"""


def derived(layer: str, arguments: str, call: str, x: str = "x(2, 3)") -> str:
    return DERIVED.format(layer=f"nn.{layer}", arguments=arguments, call=call, x=x)


IMAGE, LINE = "x(2, 4, 5, 5)", "x(2, 4, 5)"
rows(
    derived("Conv2d", "4, 2, 3", "self.conv2d(x, self.weight * 2.0)", IMAGE),
    derived("Conv2d", "4, 2, 3, has_bias=True, pad_mode='pad', padding=1",
            "self.bias_add(self.conv2d(x, self.weight), self.bias)", IMAGE),
    derived("Conv2d", "4, 2, 3, 2, pad_mode='valid', group=2, dilation=2",
            "self.conv2d(x, self.weight)", IMAGE),
    derived("Conv1d", "4, 2, 3", "self.conv2d(self.expand_dims(x, 2), self.weight)", LINE),
    derived("Conv1d", "4, 2, 3, pad_mode='pad', padding=2, stride=2",
            "self.squeeze(self.conv2d(self.expand_dims(x, 2), self.weight))", LINE),
    derived("Conv3d", "2, 2, 2", "self.conv3d(x, self.weight)", "x(1, 2, 3, 3, 3)"),
    derived("Dense", "3, 4", "self.bias_add(self.matmul(x, self.weight * 2.0), self.bias)"),
    derived("Embedding", "4, 3",
            "self.gather(self.embedding_table, self.reshape_flat(x, (-1,)), 0)",
            "ms.Tensor([[0, 3]])"),
    derived("Embedding", "4, 3", "self.array_mul(self.one_hot(x, 4, self.on_value, "
            "self.off_value), self.embedding_table)", "ms.Tensor([0, 3])"),
    derived("MaxPool2d", "2, 2", "self.max_pool(x) * 2.0", IMAGE),
    derived("AvgPool2d", "3, 2, 'same'", "self.avg_pool(x)", IMAGE),
    derived("MaxPool1d", "2, 2", "self.squeeze(self.max_pool(self.expand(x, 2)))", LINE),
    derived("AdaptiveAvgPool2d", "2", "self.adaptive_avgpool2d(x)", IMAGE),
    derived("LayerNorm", "(3,)", "self.layer_norm(x, self.gamma, self.beta)[0]"),
    derived("Softmax", "0", "self.softmax(x)"),
    derived("LogSoftmax", "", "self.log_softmax(x)"),
    derived("ReLU", "", "self.relu(x)"),
    derived("ELU", "", "self.elu(x)", "x(2, 3, low=0.5)"),
    derived("HSwish", "", "self.hswish(x)"),
    derived("SoftShrink", "0.3", "self.softshrink(x)"),
    derived("HShrink", "0.3", "self.hshrink(x)"),
    derived("LogSigmoid", "", "self.log(self.rec(self.add(self.exp(self.mul(x, -1.0)), 1.0)))"),
    derived("ChannelShuffle", "2", "self.transpose(self.reshape(x, (3, 2)), (1, 0))"),
    derived("loss.LossBase", "", "self.reduce_mean(self.mul(x, x)) + self.reduce_sum(x)"),
    derived("L1Loss", "reduction='none'", "self.reduce_mean(x, self.get_axis(x))"),
    derived("SoftmaxCrossEntropyWithLogits", "",
            "self.softmax_cross_entropy(x, self.one_hot(ms.Tensor([0, 2]), 3, self.on_value, "
            "self.off_value))[0]"),
)  # fmt: skip
rows(
    derived("BatchNorm2d", "4", "self.bn_infer(x, self.gamma, self.beta, self.moving_mean, "
            "self.moving_variance)[0]", IMAGE),
    derived("Dropout", "p=0.0", "self.dropout(x)[0]"),
    gradient=False,
    because="MindSpore's CPU build has no gradient of it, or a wrong one",
)  # fmt: skip
rows(
    "l = nn.LSTM(2, 3, 2, bidirectional=True)\n"
    "result = [[[p.name for p in each] for each in (l.w_ih_list, l.w_hh_list, l.b_ih_list)], "
    "l.is_lstm, nn.GRU(2, 3).is_lstm]",
    "c = nn.Conv2dTranspose(2, 4, 3)\n"
    "result = [c.is_valid, c.is_same, c.is_pad, c.data_format, nn.Conv3d(2, 4, 3).data_format]",
    "[hasattr(nn.Conv2d(2, 4, 1), name) for name in ('conv2d', 'matmul', 'max_pool')]",
    "class Own(nn.Conv2d):\n"
    "    def __init__(self):\n"
    "        super().__init__(2, 4, 1)\n"
    "        self.conv2d = nn.ReLU()\n"
    "result = repr(Own().conv2d)",
)
refused("nn.Conv2d(2, 4, 1).matmul", "nn.Dense(2, 4).conv2d", "nn.ReLU().sigmoid")
