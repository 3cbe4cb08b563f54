"""Attributes of layers, classes that derive from layers, and what must be left alone."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from msconvert.api_mapping.source.marks import MARK
from msconvert.tests.api_mapping.migrate.running import migrated, outputs

HEAD = """\
import torch
from torch import nn
import torch.nn.functional as F
"""

LINES = {
    "a norm's weight": ("nn.BatchNorm2d(4)", "it.weight", "it.gamma"),
    "a norm's bias": ("nn.GroupNorm(2, 4)", "it.bias", "it.beta"),
    "statistics": ("nn.BatchNorm1d(4)", "it.running_mean", "it.moving_mean"),
    "in three dimensions": ("nn.BatchNorm3d(4)", "it.running_var", "it.bn2d.moving_variance"),
    "an embedding's table": ("nn.Embedding(4, 2)", "it.weight", "it.embedding_table"),
    "a linear layer's weight": ("nn.Linear(4, 2)", "it.weight", "it.weight"),
    "a linear layer's size": ("nn.Linear(4, 2)", "it.in_features", "it.in_channels"),
    "a norm's epsilon": ("nn.LayerNorm(4)", "it.eps", "it.epsilon"),
    "groups": ("nn.Conv2d(4, 4, 3)", "it.groups", "it.group"),
    "padding": ("nn.Conv2d(4, 4, 3)", "it.padding", "compat.padding(it)"),
    "a share": ("nn.Dropout2d(0.1)", "it.p", "1 - it.keep_prob"),
    "a question": ("nn.LayerNorm(4)", 'hasattr(it, "weight")', 'hasattr(it, "gamma")'),
    "a name": ("nn.LayerNorm(4)", 'getattr(it, "bias", None)', 'getattr(it, "beta", None)'),
    "a layer that is not known": (
        "nn.Sequential(nn.Linear(1, 1))[0:1]",
        "[m.weight for m in it.children() if m.weight is not None]",
        "[compat.weight(m) for m in it.cells() if compat.weight(m) is not None]",
    ),
    "the name of its class": (
        "nn.Linear(4, 2)",
        "it.__class__.__name__",
        "compat.class_name(it.__class__)",
    ),
    "a value that is filled": (
        "nn.BatchNorm2d(4)",
        "it.weight.data.fill_(1)",
        "ops.assign(it.gamma, ops.full_like(it.gamma, 1))",
    ),
    "an initialiser": (
        "nn.LayerNorm(4)",
        "nn.init.ones_(it.weight.data)",
        "it.gamma.set_data(initializer(One(), it.gamma.shape, it.gamma.dtype))",
    ),
    "a convolution with other weights": (
        "nn.Conv2d(4, 4, 3)",
        "it._conv_forward(torch.ones(1, 4, 3, 3), it.weight * 2, None)",
        "compat.conv_forward(it, ops.ones((1, 4, 3, 3)), it.weight * 2, None)",
    ),
    "a convolution by its class": (
        "nn.Conv1d(4, 4, 3)",
        "nn.Conv1d._conv_forward(it, torch.ones(1, 4, 3), it.weight, it.bias)",
        "compat.conv_forward(it, ops.ones((1, 4, 3)), it.weight.squeeze(2), it.bias)",
    ),
    "a tensor that is no Parameter": (
        "torch.zeros(3, 2)",
        "nn.init.xavier_uniform_(it, gain=2.0)",
        "compat.filled(XavierUniform(gain=2.0), it)",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_a_line_is_written_with_mindspores_names(tmp_path: Path, name: str) -> None:
    built, before, after = LINES[name]
    begin = "" if before.endswith("_()") or "fill" in before or "init" in before else "y = "
    text = migrated(tmp_path, f"{HEAD}it = {built}\n{begin}{before}\n").text
    assert text.splitlines()[-1] == f"{begin}{after}"


ALONE = {
    "a class of one's own": "class A:\n    weight = 1\n    def f(self): return self.weight\n",
    "one's own attribute": (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.eps, self.weight = 1e-6, 2\n        print(self.eps * self.weight)\n"
    ),
    "an unknown object": "def f(m):\n    return m.weight, m.eps, m.num_features\n",
    "a layer's own name": "def f(m: nn.Linear):\n    return m.weight, m.bias\n",
    "one's own class name": "class A: pass\nprint(A().__class__.__name__)\n",
}


@pytest.mark.parametrize("name", ALONE)
def test_other_attributes_stay(tmp_path: Path, name: str) -> None:
    code = ALONE[name]
    text = migrated(tmp_path, f"{HEAD}{code}").text
    kept = [line for line in code.splitlines() if "nn." not in line]
    assert [line for line in text.splitlines() if line in kept] == kept


def test_names_of_what_is_not_known_are_asked_for_when_it_runs(tmp_path: Path) -> None:
    code = "def f(m):\n    return hasattr(m, 'weight'), getattr(m, 'bias', None)\n"
    text = migrated(tmp_path, f"{HEAD}{code}").text
    assert 'hasattr(m, compat.own_name(m, "weight"))' in text
    assert 'getattr(m, compat.own_name(m, "bias"), None)' in text


def test_what_a_built_layer_does_not_read_again_is_marked(tmp_path: Path) -> None:
    found = migrated(tmp_path, f"{HEAD}it = nn.BatchNorm2d(3)\nit.eps = 1e-3\nprint(it.eps)\n")
    assert "it.eps = 1e-3" in found.text
    assert "cannot be set: MindSpore reads it" in found.text
    assert len(found.left) == 1


SET_TOO_LATE = {
    "a stride": ("nn.Conv2d(2, 4, 3, stride=2)", "it.stride = (1, 1)"),
    "a dilation": ("nn.Conv1d(2, 4, 3)", "it.dilation = (2,)"),
    "padding": ("nn.ConvTranspose2d(2, 4, 3)", "it.padding = (1, 1)"),
    "a window": ("nn.MaxPool2d(2)", "it.kernel_size = 3"),
    "a loss": ("nn.MSELoss()", 'it.reduction = "sum"'),
    "a part of a network": ("nn.Sequential(nn.Conv2d(2, 4, 3))", "it[0].stride = 2"),
    "one of several": (
        "nn.ModuleList([nn.Conv2d(2, 4, 3), nn.AvgPool2d(2)])",
        "[m for m in it if isinstance(m, (nn.Conv2d, nn.AvgPool2d))][0].stride = 1",
    ),
}


@pytest.mark.parametrize("name", SET_TOO_LATE)
def test_a_setting_that_a_built_layer_has_read_already_is_marked(tmp_path: Path, name: str) -> None:
    built, line = SET_TOO_LATE[name]
    found = migrated(tmp_path, f"{HEAD}it = {built}\n{line}\n")
    assert len(found.left) == 1
    assert MARK.search(found.text)


SUPER = ("super()._conv_forward(x, self.weight, None)", "super(A, self)._conv_forward(x, x, x)")


@pytest.mark.parametrize("call", SUPER)
def test_a_private_method_of_a_base_is_marked(tmp_path: Path, call: str) -> None:
    code = f"class A(nn.Conv2d):\n    def forward(self, x):\n        return {call}\n"
    found = migrated(tmp_path, f"{HEAD}{code}")
    assert f"        return {call}" in found.text
    assert "# MS205 line: " in found.text


NETS = {
    "a norm over channels": (
        """
        class LayerNorm2d(nn.LayerNorm):
            def forward(self, x):
                x = x.permute(0, 2, 3, 1)
                x = F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
                return x.permute(0, 3, 1, 2)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm = LayerNorm2d(6, eps=1e-3)

            def forward(self, x):
                return self.norm(x) * self.norm.weight.sum()
        """,
        [(2, 6, 4, 5)],
    ),
    "padding as TensorFlow has it": (
        """
        class Conv2dSame(nn.Conv2d):
            def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0,
                         dilation=1, groups=1, bias=True):
                super().__init__(in_channels, out_channels, kernel_size, stride, 0, dilation,
                                 groups, bias)

            def forward(self, x):
                h, w = x.size()[-2:]
                kh, kw = self.weight.size()[-2:]
                sh, sw = self.stride
                dh, dw = self.dilation
                ph = max((-(h // -sh) - 1) * sh + (kh - 1) * dh + 1 - h, 0)
                pw = max((-(w // -sw) - 1) * sw + (kw - 1) * dw + 1 - w, 0)
                if ph > 0 or pw > 0:
                    x = F.pad(x, [pw // 2, pw - pw // 2, ph // 2, ph - ph // 2])
                return F.conv2d(x, self.weight, self.bias, self.stride, self.padding,
                                self.dilation, self.groups)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = Conv2dSame(4, 6, 3, stride=2, groups=2, bias=False)

            def forward(self, x):
                return self.conv(x)
        """,
        [(2, 4, 7, 6)],
    ),
    "layers in a row": (
        """
        class ConvBNReLU(nn.Sequential):
            def __init__(self, cin, cout, kernel_size=3, stride=1, groups=1):
                padding = (kernel_size - 1) // 2
                super().__init__(
                    nn.Conv2d(cin, cout, kernel_size, stride, padding, groups=groups, bias=False),
                    nn.BatchNorm2d(cout),
                    nn.ReLU6(inplace=True),
                )
                self.out_channels = cout

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = ConvBNReLU(3, 4)
                self.head = ConvBNReLU(self.body.out_channels, 4, groups=4)
                for m in self.modules():
                    if isinstance(m, nn.Conv2d):
                        nn.init.kaiming_normal_(m.weight, mode="fan_out")
                    elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                        nn.init.constant_(m.weight, 1)
                        nn.init.zeros_(m.bias)

            def forward(self, x):
                return self.head(self.body(x))
        """,
        [(2, 3, 5, 5)],
    ),
    "a frozen norm": (
        """
        class FrozenBatchNorm2d(nn.BatchNorm2d):
            def forward(self, x):
                scale = self.weight * (self.running_var + self.eps).rsqrt()
                bias = self.bias - self.running_mean * scale
                return x * scale.reshape(1, -1, 1, 1) + bias.reshape(1, -1, 1, 1)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.bn = FrozenBatchNorm2d(4)
                self.bn.weight.requires_grad = False
                self.bn.running_mean.fill_(0.5)

            def forward(self, x):
                return self.bn(x)
        """,
        [(2, 4, 3, 3)],
    ),
    "weights that depend on others": (
        """
        class MyLinear(nn.Linear):
            def __init__(self, in_features, out_features, bias=True, scale=1.0):
                super().__init__(in_features, out_features, bias)
                self.scale = scale

            def forward(self, x):
                return F.linear(x, self.weight * self.scale, self.bias) / self.in_features

        class CausalConv1d(nn.Conv1d):
            def __init__(self, cin, cout, k, dilation=1):
                super().__init__(cin, cout, k, padding=0, dilation=dilation)
                self.left = (k - 1) * dilation

            def forward(self, x):
                return super().forward(F.pad(x, (self.left, 0)))

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = MyLinear(6, 4, scale=2.0)
                self.conv = CausalConv1d(3, 3, 2, dilation=2)
                self.emb = nn.Embedding(4, 6)
                self.out = nn.Linear(6, 4, bias=False)
                self.out.weight = self.emb.weight

            def forward(self, x):
                x = self.conv(x)
                return self.fc(x) + self.out(x) + F.conv1d(x, self.conv.weight).mean()
        """,
        [(2, 3, 6)],
    ),
}


@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("name", NETS)
def test_a_net_gives_what_pytorchs_gives(tmp_path: Path, name: str, train: bool) -> None:
    pytest.importorskip("torch")
    code, shapes = NETS[name]
    wanted, found = outputs(tmp_path, HEAD + dedent(code), *shapes, train=train)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
