"""What a comparison says of the first layer that differs: the planted cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.troubleshooter.compare import NetworkComparer, NetworkSettings
from msconvert.troubleshooter.sides.inputs import shape_of

pytestmark = pytest.mark.usefixtures("warm")

pytest.importorskip("torch")

ORIGINAL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.bn = nn.BatchNorm2d(8)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = nn.LayerNorm(8)
        self.fc = nn.Linear(8, 5)

    def forward(self, x):
        x = torch.relu(self.bn(self.conv(x))).flatten(2).transpose(1, 2)
        x = self.norm(x + self.attention(x, x, x)[0])
        return self.fc(x.mean(1))
"""

CONVERTED = """
from msconvert.runtime import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.bn = nn.BatchNorm2d(8)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = nn.LayerNorm((8,), epsilon=1e-5)
        self.fc = nn.Dense(8, 5)

    def construct(self, x):
        x = ops.relu(self.bn(self.conv(x))).flatten(start_dim=2).swapaxes(1, 2)
        x = self.norm(x + self.attention(x, x, x)[0])
        return self.fc(x.mean(1))
"""

SETTINGS = NetworkSettings(call="Net()", shapes=(shape_of("2,3,8,8"),))

FAULTS = [
    ('pad_mode="pad", padding=1,', 'pad_mode="same",',
     "agrees if the padding is 1 (here: 0 before and 1 after, pad_mode 'same')"),
    ("BatchNorm2d(8)", "BatchNorm2d(8, momentum=0.1)",
     "agrees if the weight of the new statistics is 0.1 (here: 0.9, which is 1 - momentum: "
     "MindSpore's is the weight of the old ones)"),
    ("Attention(8, 2", "Attention(8, 4", "agrees if the number of heads is 2 (here: 4)"),
    (", epsilon=1e-5", "", "agrees if epsilon is 1e-05 (here: 1e-07)"),
    ("ops.relu(", "ops.tanh(",
     "agrees if what attention gets is transpose(ReLU(bn), (0, 2, 3, 1)).reshape(2, 16, 8) "
     "(here: transpose(Tanh(bn), (0, 2, 3, 1)).reshape(2, 16, 8))"),
    ("x + self.attention", "x - self.attention",
     "agrees if what norm gets is attention's input + attention[0] "
     "(here: attention's input - attention[0])"),
    ("x.mean(1)", "x.max(1)", "agrees if what fc gets is mean(norm, 1) (here: max(norm, 1))"),
    ("self.fc(", "self.fc(2 * ",
     "agrees if what fc gets is mean(norm, 1) (here: 2 * mean(norm, 1))"),
    ("(x.mean(1))", "(ops.stop_gradient(x).mean(1))",
     "agrees if the gradient of what norm gives is as computed (here: zero: cut off by "
     "stop_gradient or detach, or never reached)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "fault", "cause"), FAULTS, ids=[row[1] for row in FAULTS])
def test_the_cause_is_told(
    text: str, fault: str, cause: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    for side in "ab":
        (tmp_path / side).mkdir()
    (tmp_path / "a" / "net.py").write_text(ORIGINAL)
    (tmp_path / "b" / "net.py").write_text(CONVERTED.replace(text, fault))
    found = comparer.compare(tmp_path / "a" / "net.py", tmp_path / "b" / "net.py", SETTINGS)
    first = found.first_difference
    assert first is not None
    assert [one.text for one in first.hypotheses][:1] == [cause]
