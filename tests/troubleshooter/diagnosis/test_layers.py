"""The layers in NumPy against PyTorch's, with settings that are not the usual ones."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from msconvert.numerics.distance import distance
from msconvert.tests.troubleshooter.diagnosis.recorded import (
    Array,
    numbers,
    stirred,
    torch,
    torch_record,
)
from msconvert.troubleshooter.diagnosis.reading import describe
from msconvert.troubleshooter.diagnosis.reading.description import widened
from msconvert.troubleshooter.diagnosis.reading.from_torch import LAYERS

nn = torch.nn
X = numbers


def spread(*shape: int, seed: int = 0) -> Array:
    """Far from 0 on both sides, where activations bend."""
    return 3 * X(*shape, seed=seed)


def shares(*shape: int, seed: int = 0) -> Array:
    """Probabilities along axis 1."""
    e = np.exp(X(*shape, seed=seed))
    return e / e.sum(1, keepdims=True)


def logarithms(*shape: int, seed: int = 0) -> Array:
    return np.log(shares(*shape, seed=seed))


def whole(*values: Any) -> Array:
    return np.array(values)


CASES: list[tuple[Any, ...]] = [
    # products
    (nn.Linear(5, 7), X(3, 4, 5)),
    (nn.Linear(5, 7, bias=False), X(5)),
    (nn.Bilinear(3, 4, 5), X(2, 3), X(2, 4)),
    (nn.Embedding(10, 4, padding_idx=2), whole([1, 2, 9])),
    (nn.Embedding(10, 4, max_norm=0.5), whole([1, 2, 9])),
    (nn.EmbeddingBag(10, 4, mode="sum"), whole([1, 2, 9])),
    (nn.EmbeddingBag(10, 4, padding_idx=2), whole([1, 2, 9])),
    (nn.EmbeddingBag(10, 4, mode="max"), whole(1, 2, 9, 3), whole(0, 3)),
    # windows
    (nn.Conv2d(4, 6, (3, 2), (2, 1), (1, 2), (1, 2), groups=2), X(2, 4, 9, 8)),
    (nn.Conv1d(4, 6, 3, padding="same", dilation=2, padding_mode="reflect"), X(2, 4, 9)),
    (nn.Conv1d(4, 6, 3, padding="same", padding_mode="circular", bias=False), X(4, 9)),
    (nn.Conv1d(4, 4, 4, padding="valid", groups=4), X(2, 4, 9)),
    (nn.Conv3d(2, 4, 3, padding=(0, 1, 2), padding_mode="replicate", groups=2), X(1, 2, 5, 6, 7)),
    (nn.ConvTranspose2d(4, 6, (3, 2), (2, 3), (1, 0), (1, 2), 2, True, (2, 1)), X(2, 4, 5, 4)),
    (nn.ConvTranspose1d(4, 6, 5, stride=3, padding=2, output_padding=1), X(4, 5)),
    (nn.ConvTranspose3d(2, 3, 3, stride=2, padding=1), X(1, 2, 3, 4, 5)),
    (nn.MaxPool2d((3, 2), (2, 3), 1, dilation=(2, 1), ceil_mode=True), X(2, 3, 9, 8)),
    (nn.MaxPool1d(3), X(3, 10)),
    (nn.MaxPool3d(2, ceil_mode=True), X(1, 2, 5, 5, 5)),
    (nn.AvgPool2d(3, 2, 1, ceil_mode=True), X(2, 3, 8, 8)),
    (nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False), X(2, 3, 8, 9)),
    (nn.AvgPool2d(3, 2, 1, divisor_override=5), X(2, 3, 8, 9)),
    (nn.AvgPool1d(4, 3, 2, ceil_mode=True), X(2, 3, 9)),
    (nn.AvgPool3d((2, 3, 2), padding=(1, 1, 0)), X(1, 2, 5, 6, 7)),
    (nn.LPPool2d(2, 3, stride=2), X(1, 2, 7, 7)),
    (nn.AdaptiveAvgPool2d((3, 5)), X(2, 3, 7, 8)),
    (nn.AdaptiveMaxPool2d((None, 2)), X(2, 3, 7, 8)),
    (nn.AdaptiveAvgPool1d(4), X(3, 7)),
    (nn.Unfold((2, 3), dilation=2, padding=1, stride=(1, 2)), X(2, 3, 7, 8)),
    # normalisation
    (nn.BatchNorm2d(3, eps=1e-3), X(2, 3, 4, 5)),
    (nn.BatchNorm1d(3, affine=False), X(4, 3)),
    (nn.BatchNorm3d(3, track_running_stats=False), X(2, 3, 2, 2, 2)),
    (nn.InstanceNorm2d(3, affine=True), X(2, 3, 4, 5)),
    (nn.InstanceNorm1d(3, track_running_stats=True), X(2, 3, 4)),
    (nn.InstanceNorm1d(3, affine=True), X(3, 4)),
    (nn.LayerNorm((3, 4), eps=1e-3), X(2, 3, 4)),
    (nn.LayerNorm(4, elementwise_affine=False), X(2, 3, 4)),
    (nn.LayerNorm(4, bias=False), X(2, 3, 4)),
    (nn.RMSNorm(4), X(2, 3, 4)),
    (nn.GroupNorm(2, 6, eps=1e-2), X(2, 6, 3, 3)),
    (nn.GroupNorm(3, 6), X(2, 6)),
    (nn.LocalResponseNorm(4, alpha=0.1, k=2.0), X(2, 6, 3, 3)),
    (nn.LocalResponseNorm(3), X(2, 6, 3)),
    # activations
    *[
        (made, spread(4, 6, 5))
        for made in (
            *(nn.ReLU(), nn.ReLU6(), nn.SiLU(), nn.Mish(), nn.SELU(), nn.Sigmoid(), nn.Tanh()),
            *(nn.LogSigmoid(), nn.Softsign(), nn.Hardswish(), nn.Hardsigmoid(), nn.Tanhshrink()),
            *(nn.GELU(), nn.GELU("tanh"), nn.Hardtanh(-0.5, 2.0), nn.LeakyReLU(0.3), nn.RReLU()),
            *(nn.PReLU(), nn.PReLU(6), nn.ELU(0.7), nn.CELU(0.7), nn.Softplus(2.0, 3.0)),
            *(nn.Threshold(0.1, -3.0), nn.Hardshrink(0.6), nn.Softshrink(0.6), nn.Softmax(1)),
            *(nn.LogSoftmax(-1), nn.Softmin(0), nn.GLU(1), nn.Softmax2d(), nn.Dropout(0.3)),
        )
    ],
    # moving
    *[
        (made, X(4, 6, 5))
        for made in (
            *(nn.Identity(), nn.Flatten(), nn.Flatten(0, 1), nn.Unflatten(1, (2, 3))),
            *(nn.ChannelShuffle(3), nn.Dropout1d(0.3)),
        )
    ],
    (nn.ZeroPad2d((1, 2, 0, -1)), X(2, 3, 4, 5)),
    (nn.ReflectionPad1d((1, 2)), X(3, 5)),
    (nn.ReplicationPad3d(1), X(1, 2, 3, 3, 3)),
    (nn.CircularPad2d((1, 0, 2, 1)), X(1, 2, 3, 3)),
    (nn.ConstantPad1d(2, 7.0), X(1, 2, 3)),
    (nn.PixelShuffle(2), X(2, 8, 3, 4)),
    (nn.PixelUnshuffle(2), X(2, 2, 4, 6)),
    (nn.Upsample(scale_factor=1.7), X(1, 2, 5, 6)),
    (nn.Upsample(size=(3, 9), mode="nearest-exact"), X(1, 2, 5, 6)),
    (nn.Upsample(scale_factor=(2.3, 1.5), mode="bilinear"), X(1, 2, 5, 6)),
    (nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), X(1, 2, 5, 6)),
    (nn.Upsample(scale_factor=1.6, mode="bicubic", recompute_scale_factor=True), X(1, 2, 5, 6)),
    (nn.Upsample(size=(11, 1), mode="bicubic", align_corners=True), X(1, 2, 5, 6)),
    (nn.Upsample(scale_factor=1.5, mode="trilinear"), X(1, 2, 3, 4, 5)),
    (nn.Upsample(size=7, mode="linear"), X(1, 2, 5)),
    (nn.Upsample(size=(3, 9), mode="area"), X(1, 2, 5, 6)),
    (nn.UpsamplingBilinear2d(scale_factor=2), X(1, 2, 5, 6)),
    (nn.UpsamplingNearest2d(size=(4, 9)), X(1, 2, 5, 6)),
    # recurrence and attention
    (nn.LSTM(4, 5, num_layers=2, bidirectional=True, batch_first=True), X(3, 6, 4)),
    (nn.LSTM(4, 5, bias=False), X(6, 4)),
    (nn.GRU(4, 5, bidirectional=True), X(6, 2, 4), X(2, 2, 5)),
    (nn.RNN(4, 5, nonlinearity="relu"), X(6, 2, 4)),
    (nn.LSTMCell(4, 5), X(2, 4)),
    (nn.GRUCell(4, 5), X(2, 4), X(2, 5)),
    (nn.RNNCell(4, 5, nonlinearity="relu"), X(2, 4), X(2, 5)),
    (nn.MultiheadAttention(8, 2, batch_first=True), X(2, 3, 8), X(2, 5, 8), X(2, 5, 8, seed=1)),
    (
        nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True, kdim=3, vdim=4),
        *(X(2, 3, 8), X(5, 3, 3), X(5, 3, 4)),
    ),
    (nn.MultiheadAttention(8, 2, bias=False), X(4, 8), X(5, 8), X(5, 8, seed=1)),
    # losses
    *[
        (kind(reduction=reduction), X(3, 4), X(3, 4, seed=1))
        for kind in (nn.MSELoss, nn.L1Loss, nn.SmoothL1Loss, nn.HuberLoss, nn.SoftMarginLoss)
        for reduction in ("none", "mean", "sum")
    ],
    (nn.SmoothL1Loss(beta=0.3), X(3, 4), X(3, 4, seed=1)),
    (nn.KLDivLoss(reduction="batchmean"), logarithms(3, 4), shares(3, 4, seed=1)),
    (nn.KLDivLoss(log_target=True), logarithms(3, 4), logarithms(3, 4, seed=1)),
    (nn.HingeEmbeddingLoss(0.4), X(3, 4), np.sign(X(3, 4, seed=1))),
    (nn.BCELoss(torch.tensor([1.0, 2.0, 0.5, 3.0])), shares(3, 4), shares(3, 4, seed=1)),
    (nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1.0, 2.0, 0.5, 3.0])), X(3, 4), shares(3, 4)),
    (
        nn.CrossEntropyLoss(torch.tensor([1.0, 2.0, 0.5]), ignore_index=1, label_smoothing=0.2),
        *(X(4, 3), whole(0, 1, 2, 2)),
    ),
    (nn.CrossEntropyLoss(), X(2, 4, 3), whole([0, 1, 2], [3, 3, 0])),
    (nn.CrossEntropyLoss(label_smoothing=0.1), X(5, 4), shares(5, 4)),
    (nn.CrossEntropyLoss(), X(4), np.array(2)),
    (nn.NLLLoss(reduction="sum"), logarithms(5, 4), whole(0, 1, 2, 3, 1)),
]

IN_TRAINING: list[tuple[Any, ...]] = [
    (nn.BatchNorm2d(3), X(2, 3, 4, 5)),
    (nn.InstanceNorm2d(3, track_running_stats=True), X(2, 3, 4, 5)),
    (nn.Dropout(0.3), X(5, 6)),
]

ROWS = [(case, False) for case in CASES] + [(case, True) for case in IN_TRAINING]


@pytest.mark.parametrize(("case", "training"), ROWS, ids=lambda value: str(value)[:60])
def test_a_layer_in_numpy_is_pytorchs(case: tuple[Any, ...], training: bool) -> None:
    module, *inputs = case
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's, of slow paths and of old meanings
        record = torch_record(stirred(module), *inputs, training=training)
    description = describe(record)
    assert description is not None
    layer = description.built()
    assert layer is not None
    found = layer.outputs(*(widened(x) for x in record.inputs))
    assert distance(found, record.outputs) < 3e-6


def test_every_reader_is_used_in_a_case() -> None:
    tried = {type(case[0]).__name__ for case in CASES}
    same = {
        *("NonDynamicallyQuantizableLinear", "SyncBatchNorm", "AdaptiveMaxPool1d", "LPPool1d"),
        *("AdaptiveAvgPool3d", "AdaptiveMaxPool3d", "LPPool3d", "InstanceNorm3d"),
        *("Dropout2d", "Dropout3d", "ConstantPad2d", "ConstantPad3d", "ZeroPad1d", "ZeroPad3d"),
        *("ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d"),
        *("CircularPad1d", "CircularPad3d"),
    }
    """Read as their neighbours of other numbers of axes."""
    assert LAYERS.keys() - tried == same
