"""What goes wrong in a convolutional network."""

from __future__ import annotations

import numpy as np

from ..fault import (
    CODE,
    Row,
    changed,
    edit,
    every,
    exchanged,
    faults,
    filled,
    first_row_times,
    forgotten,
    in_half,
    mirrored,
    rolled,
)

WITH_TYPES = (
    "import _ms_compat as compat\n",
    "import _ms_compat as compat\nimport msconvert.runtime as ms\n",
)
POOL = 'nn.MaxPool2d(3, stride=2, pad_mode="pad", ceil_mode=True)'
DOWN = 'nn.AvgPool2d(3, stride=2, pad_mode="pad", padding=1)'

SCRIPT: tuple[Row, ...] = (
    (
        *("norm", "epsilon", "epsilon 1e-3 for 1e-5"),
        edit("self.norm = nn.BatchNorm2d(8)", "self.norm = nn.BatchNorm2d(8, eps=1e-3)"),
    ),
    (
        *("layer1.bn2", "epsilon", "epsilon 1e-3 forgotten"),
        edit("nn.BatchNorm2d(channels, eps=1e-3)", "nn.BatchNorm2d(channels)"),
    ),
    (
        *("norm", "train-eval", "statistics of the batch in evaluation"),
        edit("BatchNorm2d(8)", "BatchNorm2d(8, use_batch_statistics=True)"),
    ),
    (
        *("stem", "padding", "pad_mode='same', MindSpore's default, at stride 2"),
        edit('8, 3, stride=2, pad_mode="pad", padding=1', '8, 3, stride=2, pad_mode="same"'),
    ),
    (
        *("layer1.conv2", "padding", "padding forgotten"),
        edit(
            'channels, 3, pad_mode="pad", padding=1, has_bias=False)',
            'channels, 3, pad_mode="valid", has_bias=False)',
        ),
    ),
    (
        *("layer2.conv1", "dilation | options:dilation", "dilation forgotten, padding as for none"),
        edit("padding=compat.sides(dilation),\n            dilation=dilation,", "padding=1,"),
    ),
    (
        *("pool", "ceil-mode", "ceil_mode forgotten"),
        edit(', pad_mode="pad", ceil_mode=True', ""),
    ),
    (
        *("pool", "pool-stride", "stride forgotten: MindSpore's default is 1"),
        edit(POOL, "nn.MaxPool2d(3)"),
    ),
    (
        *("down", "count-include-pad", "count_include_pad=False"),
        edit(DOWN, DOWN.replace("padding=1", "padding=1, count_include_pad=False")),
    ),
    (
        *("down", "pool-padding | count-include-pad", "pad_mode='same' for padding of one pixel"),
        edit(DOWN, 'nn.AvgPool2d(3, 2, pad_mode="same")'),
    ),
    (
        *("down", "another-pool", "maximum for mean"),
        edit(DOWN, DOWN.replace("Avg", "Max")),
    ),
    (
        *("act", "slope", "slope 0.2, MindSpore's default, for 0.1"),
        edit("nn.LeakyReLU(alpha=0.1)", "nn.LeakyReLU()"),
    ),
    (
        *("layer3.se.gate", "another-activation", "sigmoid for hard sigmoid"),
        edit("nn.HSigmoid()", "nn.Sigmoid()"),
    ),
    (
        *("layer3.act", "another-activation", "SiLU for hard swish"),
        edit("nn.HSwish()", "nn.SiLU()"),
    ),
    (
        *("head", "half-precision", "one convolution in half precision"),
        edit(
            *WITH_TYPES,
            'nn.Conv2d(24, 32, 1, pad_mode="valid", has_bias=True)',
            'nn.Conv2d(24, 32, 1, pad_mode="valid", has_bias=True).to_float(ms.float16)',
        ),
    ),
    (
        *("layer1.relu", "missing", "no ReLU behind the sum"),
        edit("return self.relu(y + x)", "return y + x"),
    ),
    (
        *("layer1", CODE, "no shortcut"),
        edit("return self.relu(y + x)", "return self.relu(y)"),
    ),
    (
        *("layer1", CODE, "ReLU before the sum"),
        edit("return self.relu(y + x)", "return self.relu(y) + x"),
    ),
    (
        *("layer1", f"{CODE} | :another order", "both norms exchanged"),
        edit(
            *("self.bn1(self.conv1(x))", "self.bn2(self.conv1(x))"),
            *("self.bn2(self.conv2(y))", "self.bn1(self.conv2(y))"),
        ),
    ),
    (
        *("", CODE, "sum for mean over the pixels"),
        edit("x.mean((2, 3))", "x.sum((2, 3))"),
    ),
    (
        *("layer3.se", CODE, "maximum for mean in squeeze and excitation"),
        edit("ops.adaptive_avg_pool2d", "ops.adaptive_max_pool2d"),
    ),
    (
        *("layer3.se", CODE, "excitation not multiplied"),
        edit("return x * self.gate(", "return self.gate("),
    ),
    (
        *("", "dropout", "dropout by the function, active in evaluation"),
        edit("self.fc(self.drop(x))", "self.fc(ops.dropout(x, 0.2))"),
    ),
)

CHECKPOINT: tuple[Row, ...] = (
    (
        *("layer1.bn1", "parameters:weight: the reference's bias", "gamma and beta exchanged"),
        exchanged("layer1.bn1.gamma", "layer1.bn1.beta"),
    ),
    (
        *("norm", "parameters:never loaded", "running statistics never loaded"),
        forgotten("norm"),
    ),
    (
        *("layer2.bn2", "parameters:its root", "deviation for variance"),
        changed(np.sqrt, "layer2.bn2.moving_variance"),
    ),
    (
        *("layer1.conv1", "parameters:layer1.conv2", "weights of two convolutions exchanged"),
        exchanged("layer1.conv1.weight", "layer1.conv2.weight"),
    ),
    (
        *("head", "parameters:bias", "bias never loaded"),
        changed(filled(0), "head.bias"),
    ),
    (
        *("stem", "parameters:axis 1", "channels blue, green, red"),
        changed(mirrored(1), "stem.weight"),
    ),
    (
        *("mix", "parameters:axes 2, 3", "kernel mirrored, as of a true convolution"),
        changed(mirrored(2, 3), "mix.weight"),
    ),
    (
        *("layer3.pointwise", "parameters:row 0", "one filter off by 1 %"),
        changed(first_row_times(1.01), "layer3.pointwise.weight"),
    ),
    (
        *("stem", "parameters:float16", "all weights saved in half precision"),
        every(in_half, "."),
    ),
    (
        *("prelu", "parameters:0.25 all over", "slopes of PReLU never loaded"),
        changed(filled(0.25), "prelu.w"),
    ),
    (
        *("fc", "parameters:rows in another order", "classes counted from 1"),
        changed(rolled(1), "fc.weight", "fc.bias"),
    ),
)

TRAINING: tuple[Row, ...] = (
    (
        *("norm", "momentum", "momentum 0.1, PyTorch's, in the place of 0.9"),
        edit("self.norm = nn.BatchNorm2d(8)", "self.norm = nn.BatchNorm2d(8, momentum=0.1)"),
    ),
    (
        *("layer1.bn1", "not-updated | train-eval", "running statistics in training"),
        edit(
            "nn.BatchNorm2d(channels)\n", "nn.BatchNorm2d(channels, use_batch_statistics=False)\n"
        ),
    ),
    (
        *("layer2", "gradient-missing", "gradient of the shortcut cut off"),
        edit("return self.relu(y + x)", "return self.relu(y + ops.stop_gradient(x))"),
    ),
)

FROM_ONNX: tuple[Row, ...] = (
    (
        *("layer1.bn2", "epsilon", "epsilon 1e-3 forgotten"),
        edit("BatchNorm2d(8, eps=0.001)", "BatchNorm2d(8)"),
    ),
    (
        *("norm", "epsilon", "epsilon 1e-3 for 1e-5"),
        edit("self.norm = nn.BatchNorm2d(8)", "self.norm = nn.BatchNorm2d(8, eps=1e-3)"),
    ),
    (
        *("stem", "padding", "pad_mode='same', MindSpore's default, at stride 2"),
        edit('8, 3, 2, pad_mode="pad", padding=1', '8, 3, 2, pad_mode="same"'),
    ),
    (
        *("pool", "ceil-mode", "ceil_mode forgotten"),
        edit(', pad_mode="pad", ceil_mode=True', ""),
    ),
    (
        *("down", "count-include-pad", "count_include_pad=False"),
        edit(
            'AvgPool2d(3, 2, pad_mode="pad", padding=1)',
            'AvgPool2d(3, 2, pad_mode="pad", padding=1, count_include_pad=False)',
        ),
    ),
    (*("act", "slope", "slope 0.2, MindSpore's default, for 0.1"), edit("(alpha=0.1)", "()")),
    (
        *("layer3.se.gate", "another-activation", "sigmoid for hard sigmoid"),
        edit("nn.HSigmoid()", "nn.Sigmoid()"),
    ),
    (*("layer1", CODE, "no shortcut"), edit("(self.conv2(out)) + x", "(self.conv2(out))")),
    (
        *("layer3.se", CODE, "maximum for mean in squeeze and excitation"),
        edit("ops.mean(x, (2, 3), keep_dims=True)", "ops.amax(x, (2, 3), keepdims=True)"),
    ),
    (
        *("norm", "parameters:never loaded", "running statistics never loaded"),
        forgotten("norm"),
    ),
    (
        *("layer1.conv1", "parameters:layer1.conv2", "weights of two convolutions exchanged"),
        exchanged("layer1.conv1.weight", "layer1.conv2.weight"),
    ),
    (
        *("layer3.depthwise", "parameters:axes 2, 3", "kernel mirrored, as of a true convolution"),
        changed(mirrored(2, 3), "layer3.depthwise.weight"),
    ),
    (*("fc", "parameters:bias", "bias never loaded"), changed(filled(0), "fc.bias")),
)

FAULTS = (
    *faults("classifier", (*SCRIPT, *CHECKPOINT)),
    *faults("classifier", TRAINING, mode="both"),
    *faults("classifier", FROM_ONNX, "onnx"),
)
