"""`reset_parameters` of PyTorch's layers: drawn anew as PyTorch draws, on both sides."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from msconvert.tests.api_mapping.verification import mindspore_python

from .snippets import Fate, Snippet, judged

pytest.importorskip("torch")

UNIFORM = {
    "Linear": "64, 64",
    "Bilinear": "64, 2, 64",
    "Conv1d": "16, 64, 4",
    "Conv2d": "32, 64, 2, groups=2",
    "Conv3d": "8, 64, 2",
    "ConvTranspose1d": "8, 64, 1",
    "ConvTranspose2d": "8, 64, 1",
    "ConvTranspose3d": "8, 64, 1",
    "LSTM": "8, 64, 2",
    "GRU": "8, 64, bidirectional=True",
    "RNN": "8, 64",
    "LSTMCell": "8, 64",
    "GRUCell": "8, 64",
    "RNNCell": "8, 64",
}
"""All parameters are uniform up to an eighth, and have at least 64 elements."""

FIXED = {
    "BatchNorm1d": "3",
    "BatchNorm2d": "3",
    "BatchNorm3d": "3",
    "InstanceNorm1d": "3, affine=True",
    "InstanceNorm2d": "3, affine=True",
    "LayerNorm": "4",
    "GroupNorm": "2, 4",
    "RMSNorm": "4",
    "PReLU": "",
}

NORMAL = {"Embedding": "200, 50, padding_idx=3", "EmbeddingBag": "200, 50"}

USED = """\
import torch
from torch import nn
it = nn.{layer}({given})
with torch.no_grad():
    for p in it.parameters():
        p.fill_(7.0)
it.reset_parameters()
"""
RESULTS = {
    "uniform": "result = [0.8 < 8 * float(p.abs().max()) <= 1 for p in it.parameters()]\n",
    "mean": "result = [abs(float(p.mean())) < 0.06 for p in it.parameters()]\n",
    "fixed": "result = [float(p.min()) for p in it.parameters()]\n",
    "normal": "w = it.weight.detach()\nresult = [0.9 < float(w.std()) < 1.1, float(w.max()) < 6]\n",
    "padding": "w = it.weight.detach()\nresult = [float(row.abs().max()) == 0 for row in w]\n",
}


def snippets() -> Iterator[Snippet]:
    kinds = {"uniform": UNIFORM, "mean": UNIFORM, "fixed": FIXED, "normal": NORMAL}
    kinds["padding"] = NORMAL
    for kind, layers in kinds.items():
        for layer, given in layers.items():
            code = USED.format(layer=layer, given=given) + RESULTS[kind]
            yield Snippet(f"{kind} {layer}", f"torch.nn.{layer}.reset_parameters", code)


def test_layers_are_drawn_anew_as_pytorch_draws() -> None:
    sides = 2 if mindspore_python() is not None else 1
    found = judged(list(snippets()), mindspore_python())
    assert len(found) == 2 * len(UNIFORM) + len(FIXED) + 2 * len(NORMAL)
    wrong = [
        (each.snippet.id, each.fates, each.runtime, each.mindspore)
        for each in found
        if set(each.fates[:sides]) != {Fate.EQUAL}
    ]
    assert not wrong, "\n".join(map(str, wrong))
