"""Two layers of one kind, or nearly, made otherwise: each pair is told, and none is a defect."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from msconvert.tests.troubleshooter.diagnosis.recorded import (
    numbers,
    pair_of,
    stirred,
    torch,
    torch_record,
)
from msconvert.troubleshooter import compare_networks
from msconvert.troubleshooter.compare.as_html import to_html
from msconvert.troubleshooter.diagnosis import compare_options, diagnose

nn = torch.nn

SEQUENCES = numbers(4, 3, 6)
RECURRENT = [
    *(nn.LSTM(6, 5), nn.LSTM(6, 5, num_layers=3), nn.LSTM(6, 5, num_layers=2, bias=False)),
    *(nn.LSTM(6, 7), nn.LSTM(6, 5, bidirectional=True), nn.LSTM(6, 5, proj_size=2)),
    nn.LSTM(6, 5, num_layers=2, bidirectional=True, proj_size=3),
    *(nn.GRU(6, 5), nn.GRU(6, 5, num_layers=2), nn.GRU(6, 5, bidirectional=True)),
    *(nn.RNN(6, 5), nn.RNN(6, 7, num_layers=2, bias=False), nn.RNN(6, 5, nonlinearity="relu")),
    *(nn.LSTM(6, 5, batch_first=True), nn.Linear(6, 5), nn.LayerNorm(6)),
]
IMAGES = numbers(2, 4, 9, 8)
IMAGE_LAYERS = [
    *(nn.Conv2d(4, 4, 3), nn.Conv2d(4, 8, 3, bias=False), nn.Conv2d(4, 4, (1, 3), groups=2)),
    *(nn.Conv2d(4, 4, 3, stride=2, padding=1), nn.Conv2d(4, 4, 3, dilation=2, padding="same")),
    *(nn.ConvTranspose2d(4, 4, 3), nn.ConvTranspose2d(4, 6, 2, groups=2, bias=False)),
    *(nn.BatchNorm2d(4), nn.BatchNorm2d(4, affine=False), nn.GroupNorm(2, 4)),
    *(nn.BatchNorm2d(4, track_running_stats=False), nn.InstanceNorm2d(4, affine=True)),
    *(nn.LayerNorm(8), nn.LayerNorm((9, 8), bias=False), nn.Linear(8, 3), nn.PReLU(4)),
]
STEPS = numbers(3, 6)
CELLS = [
    *(nn.LSTMCell(6, 5), nn.LSTMCell(6, 7), nn.LSTMCell(6, 5, bias=False)),
    *(nn.GRUCell(6, 5), nn.GRUCell(6, 5, bias=False), nn.RNNCell(6, 5)),
    *(nn.BatchNorm1d(6), nn.BatchNorm1d(6, affine=False), nn.Linear(6, 5, bias=False)),
]
ROWS = {
    "recurrent": (SEQUENCES, RECURRENT),
    "images": (IMAGES, IMAGE_LAYERS),
    "steps": (STEPS, CELLS),
}


@pytest.mark.parametrize("training", [False, True], ids=["eval", "train"])
@pytest.mark.parametrize("kind", ROWS)
def test_each_layer_beside_each_other(kind: str, training: bool) -> None:
    x, layers = ROWS[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        records = [
            torch_record(stirred(layer, k), x, training=training, path=str(k))
            for k, layer in enumerate(layers)
        ]
    for one in records:
        for other in records:
            pair = pair_of(one, other)
            hypotheses = diagnose(pair, records[:2])
            assert all(item.text for item in (*hypotheses, *compare_options(pair)))


def test_the_number_of_layers_is_told() -> None:
    one, other = (torch_record(stirred(nn.LSTM(6, 5, n)), SEQUENCES) for n in (2, 1))
    assert "layers: 2 on the reference, 1 here" in {
        item.text for item in compare_options(pair_of(one, other))
    }


class Net(nn.Module):
    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = stirred(layer)

    def forward(self, x: Any) -> Any:
        y = self.layer(x)
        return (y[0] if isinstance(y, tuple) else y).tanh()


WHOLE = [
    ("recurrent", 2, 0),
    ("recurrent", 4, 0),
    ("recurrent", 8, 7),
    ("recurrent", 5, 14),
    ("images", 0, 2),
    ("images", 7, 8),
    ("images", 12, 13),
]


@pytest.mark.parametrize(("kind", "one", "other"), WHOLE)
def test_two_networks_with_such_layers(kind: str, one: int, other: int) -> None:
    x, layers = ROWS[kind]
    found = compare_networks(Net(layers[one]), Net(layers[other]), inputs=x)
    assert "Not the same" in str(found)
    assert "layer" in to_html(found)
    assert "differs" in found.to_json()
