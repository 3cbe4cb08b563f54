"""Functions of one's own behind ToTensor: they get tensors, as PyTorch gives them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from msconvert.tests.api_mapping.two_sides import declare_operators

from .running import both, migrated

HEAD = """\
import numpy as np
import torch
from PIL import Image
from torchvision import transforms as T
from torchvision.transforms import functional as TF
image = Image.fromarray((np.arange(48) * 5 % 255).astype(np.uint8).reshape(4, 4, 3))

class Border:
    def __init__(self, value):
        self.value = value
    def __call__(self, img):
        img = img.clone()
        img[:, 0, :] = self.value
        return img

class Noise(object):
    def __call__(self, tensor):
        return tensor + torch.ones(tensor.size()) * 0.5

def doubled(t):
    return torch.cat([t, t], dim=0)

"""
STEPS = {
    "repetition": "lambda t: t.repeat(2, 1, 1)",
    "arithmetic": "lambda t: t * 0.9 + 0.05",
    "lambda of torchvision's": "T.Lambda(lambda t: t.clamp(0.1, 0.6).permute(1, 2, 0))",
    "object": "Border(0.1)",
    "noise": "Noise(), T.Normalize((0.5, 0.5, 0.5), (0.2, 0.3, 0.4))",
    "function": "doubled, doubled",
    "lambda of a function": "T.Lambda(doubled), T.Lambda(lambda x: x.view(-1))",
    "mixed": "T.CenterCrop(2), lambda t: t.flatten(1).mean(dim=1, keepdim=True), lambda t: t - 1",
}


@pytest.mark.parametrize("case", STEPS)
def test_functions_get_tensors(tmp_path: Path, case: str) -> None:
    declare_operators(pytest.importorskip("torch"))
    pytest.importorskip("torchvision")
    code = f"steps = T.Compose([T.ToTensor(), {STEPS[case]}])\nresult = steps(image)\n"
    left, right = both(tmp_path, HEAD + code)
    np.testing.assert_allclose(np.asarray(right.result), left.result.numpy(), rtol=1e-5)


REFUSED = ("resize(t, [2, 2])", "pad(t, 2)", "adjust_brightness(t, 1.5)", "center_crop(t, 2)")


@pytest.mark.parametrize("call", REFUSED)
def test_functions_of_images_refuse_tensors(tmp_path: Path, call: str) -> None:
    code = f"{HEAD}t = TF.to_tensor(image)\ny = TF.{call}\n"
    text = " ".join(migrated(tmp_path, code).text.replace("#", " ").split())
    assert f"{call.partition('(')[0]} takes images" in text
    assert f"y = TF.{call}" in text
