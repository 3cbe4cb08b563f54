"""`autograd.grad` in functions that are handed what they differentiate: what stays PyTorch's."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_file import migrated

HEAD = """\
import torch
from torch import autograd, nn
net = nn.Linear(2, 1)
x = torch.ones(3, 2, requires_grad=True)
def penalty(pred, image):
    (g,) = autograd.grad(pred.sum(), image, create_graph=True)
    return g.pow(2).sum()
"""
CALLED = "pred = net(x)\nloss = penalty(pred, x)\n"
REFUSED = {
    "nobody calls it": "",
    "it is handed on": f"{CALLED}run = penalty\n",
    "what is handed over has no name": "loss = penalty(net(x), x)\n",
    "the input has no name": "pred = net(x * 2)\nloss = penalty(pred, x * 2)\n",
    "it was kept elsewhere": "kept = {'pred': net(x)}\ndef run(key):\n    pred = kept[key]\n"
    "    return penalty(pred, x)\nrun('pred')\n",
    "one of two callers computes it elsewhere": f"{CALLED}def again(pred, x):\n"
    "    return penalty(pred, x)\n",
    "it is computed with random numbers": "pred = net(x) + torch.randn(3, 1)\n"
    "loss = penalty(pred, x)\n",
    "a second forward pass would be another one": "net = nn.Sequential(net, nn.BatchNorm1d(1))\n"
    f"{CALLED}",
}


def test_a_caller_says_how_it_is_computed(tmp_path: Path) -> None:
    found = migrated(tmp_path, HEAD + CALLED)
    assert not found.left
    assert "compat.computed_by(pred, pred_of_x)\nloss = penalty(pred, x)\n" in found.text
    assert migrated(tmp_path, found.text).text == found.text


@pytest.mark.parametrize("code", REFUSED.values(), ids=REFUSED)
def test_what_is_not_to_be_seen_stays(tmp_path: Path, code: str) -> None:
    (left,) = migrated(tmp_path, HEAD + code).left
    assert left.api == "torch.autograd.grad"
    reason, _, advice = left.refusal.partition("; by hand: ")
    assert reason
    assert advice.startswith("grads = ms.grad(")


def test_a_wrapped_function_stays(tmp_path: Path) -> None:
    code = HEAD.replace("def penalty", "@torch.jit.ignore\ndef penalty") + CALLED
    assert "torch.autograd.grad" in [use.api for use in migrated(tmp_path, code).left]
