"""What code between layers does, found again from the values before and after it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from msconvert.tests.troubleshooter.diagnosis.recorded import numbers, torch
from msconvert.troubleshooter.diagnosis import diagnose_code

F = torch.nn.functional

x, y, z = (
    torch.from_numpy(numbers(*shape, seed=k))
    for k, shape in enumerate([(2, 8, 6, 6), (2, 8, 6, 6), (2, 4, 6, 6)])
)
SOURCES = {"x": x, "y": y, "z": z}

ROWS: list[tuple[Any, Any, str]] = [
    (torch.relu(x), torch.tanh(x), "ReLU(x) (here: Tanh(x))"),
    (x + y, x - y, "x + y (here: x - y)"),
    (x - y, y - x, "x - y (here: y - x)"),
    (torch.relu(x + y), x + y, "ReLU(x + y) (here: x + y)"),
    (x * torch.sigmoid(y), x * y, "Sigmoid(y) * x (here: x * y)"),
    (F.gelu(x) * y, F.gelu(x, approximate="tanh") * y, "GELU(x) * y (here: GELU by tanh(x) * y)"),
    (0.5 * x, x, "0.5 * x (here: x)"),
    (x + 1.5, x, "x + 1.5 (here: x)"),
    (x.clamp(-0.5, 0.5), x, "clip(x, -0.5, 0.5) (here: x)"),
    (F.softmax(x, 1), F.softmax(x, -1), "softmax(x, 1) (here: softmax(x, 3))"),
    (x.mean((2, 3)), x.amax((2, 3)), "mean(x, (2, 3)) (here: max(x, (2, 3)))"),
    (x.sum(1), x.mean(1), "sum(x, 1) (here: mean(x, 1))"),
    (x[:, 0], x[:, -1], "x[:, 0] (here: x[:, -1])"),
    (x[:, :4] + z, x[:, 4:] + z, ""),
    (x[:, :4], x[:, 4:], "x[:, :4] (here: x[:, -4:])"),
    (x.flatten(1), x.permute(0, 2, 3, 1).flatten(1),
     "x.reshape(2, 288) (here: transpose(x, (0, 2, 3, 1)).reshape(2, 288))"),
    (x.transpose(1, 2), x.transpose(1, 3),
     "transpose(x, (0, 2, 1, 3)) (here: transpose(x, (0, 3, 2, 1)))"),
    (torch.cat([x, z], 1), torch.cat([z, x], 1), "concat(x, z, 1) (here: concat(z, x, 1))"),
    (F.interpolate(x, scale_factor=2, mode="bilinear"),
     F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True),
     "interpolate(x, bilinear) (here: interpolate(x, bilinear, align_corners))"),
    (F.max_pool2d(x, 2), F.avg_pool2d(x, 2),
     "max_pool(x, 2, stride 2, padding 0) (here: avg_pool(x, 2, stride 2, padding 0))"),
    (0.5 * (x @ y.transpose(-1, -2)), x @ y.transpose(-1, -2),
     "0.5 * (x @ transposed y) (here: x @ transposed y)"),
]  # fmt: skip


@pytest.mark.parametrize(("ours", "theirs", "text"), ROWS, ids=[row[2] for row in ROWS])
def test_what_the_code_does(ours: Any, theirs: Any, text: str) -> None:
    sources = {name: value.numpy() for name, value in SOURCES.items()}
    told = diagnose_code("what fc gets", ours.numpy(), theirs.numpy(), sources)
    assert [one.text for one in told] == ([f"agrees if what fc gets is {text}"] if text else [])
    assert all(one.agrees and one.error_after < 1e-5 < one.error_before for one in told)


def test_one_side_alone_is_no_explanation() -> None:
    sources = {"x": x.numpy()}
    (only,) = diagnose_code("what fc gets", torch.relu(x).numpy(), y.numpy(), sources)
    assert only.text == "what fc gets is ReLU(x) on the reference, and something else here"
    assert not only.agrees
    (only,) = diagnose_code("what fc gets", y.numpy(), torch.relu(x).numpy(), sources)
    assert only.text == "what fc gets is ReLU(x) here, and something else on the reference"
    assert not only.agrees


def test_nothing_is_told_of_the_same_or_of_too_much() -> None:
    sources = {"x": x.numpy()}
    assert diagnose_code("y", y.numpy(), y.numpy(), sources) == ()
    large = np.zeros((1, 1_000_001), np.float32)
    assert diagnose_code("y", large, large + 1, {"x": large}) == ()


def test_of_large_values_a_sample_is_enough() -> None:
    many = numbers(9, 64, 64)
    (only,) = diagnose_code("y", np.tanh(many), np.maximum(many, 0), {"x": many})
    assert only.text == "agrees if y is Tanh(x) (here: ReLU(x))"
