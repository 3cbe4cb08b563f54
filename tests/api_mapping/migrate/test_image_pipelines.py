"""Pipelines that begin with ToImage: MindSpore's image is one of PIL until ToDtype."""

from __future__ import annotations

from pathlib import Path

import pytest

from .running import migrated

START = "import torch\nfrom torchvision.transforms import v2\n"
END = "v2.ToDtype(torch.float32, scale=True)"


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        (f"v2.ToImage(), v2.Lambda(lambda image: image[:, :4]), {END}", "behind ToDtype"),
        (f"v2.ToImage(), lambda image: image[:, :4], {END}", "behind ToDtype"),
        ("v2.ToImage(), v2.CenterCrop(4)", "without ToDtype"),
        (f"{END}, v2.ToImage()", "without ToDtype"),
    ],
)
def test_what_would_see_other_axes_is_refused(steps: str, reason: str, tmp_path: Path) -> None:
    found = migrated(tmp_path, f"{START}steps = v2.Compose([{steps}])\n")
    assert [reason in use.refusal for use in found.left] == [True]


IMAGES_ALONE = ("Resize(4)", "ColorJitter(0.4)", "Grayscale()", "GaussianBlur(3)", "FiveCrop(4)")


@pytest.mark.parametrize("form", ["transforms", "transforms.v2"])
@pytest.mark.parametrize("step", [*IMAGES_ALONE, "RandomApply([T.RandomRotation(10)], 0.5)"])
@pytest.mark.parametrize("place", ["T.Compose([{}])", "steps = [{}]"])
def test_what_takes_images_is_refused_behind_a_tensor(
    place: str, step: str, form: str, tmp_path: Path
) -> None:
    code = place.format(f"T.ToTensor(), T.{step}, T.Normalize([0.5] * 3, [0.5] * 3)")
    found = migrated(tmp_path, f"import torchvision.{form} as T\n{code}\n")
    assert any("put it before that" in use.refusal for use in found.left)
    assert f"T.{step}" in found.text


def test_borders_between_two_levels_are_refused(tmp_path: Path) -> None:
    code = "from torchvision import transforms as T\nsteps = [T.ToTensor(), T.Pad(1, fill=0.5)]\n"
    found = migrated(tmp_path, code)
    assert ["whole numbers" in use.refusal for use in found.left] == [True]


@pytest.mark.parametrize("call", ["T.Resize(4)(x)", "blur(x)", "T.Grayscale()(x.clamp(0, 1))"])
def test_what_takes_images_is_refused_for_a_tensor(call: str, tmp_path: Path) -> None:
    code = "import torch\nfrom torchvision import transforms as T\nblur = T.GaussianBlur(3)\n"
    found = migrated(tmp_path, f"{code}x = torch.rand(3, 8, 8)\ny = {call}\n")
    assert any("takes images, not tensors" in use.refusal for use in found.left)


def test_what_is_not_known_to_be_a_tensor_may_be_an_image(tmp_path: Path) -> None:
    code = "from torchvision import transforms as T\nsmall = T.Resize(4)\n"
    found = migrated(tmp_path, f"{code}def f(image):\n    return small(image)\n")
    assert not found.left
    assert "return small(image)" in found.text


def test_what_is_an_image_again_is_one(tmp_path: Path) -> None:
    steps = "T.ToTensor(), T.ToPILImage(), T.Resize(4), T.RandomHorizontalFlip()"
    code = f"from torchvision import transforms as T\nT.Compose([{steps}])\n"
    found = migrated(tmp_path, code)
    assert not found.left
    assert "OfTensors" not in found.text


def test_the_pipeline_of_the_documentation_is_converted(tmp_path: Path) -> None:
    steps = f"v2.ToImage(), v2.RandomHorizontalFlip(0.5), {END}, v2.Normalize([0.5], [0.5])"
    found = migrated(tmp_path, f"{START}steps = v2.Compose([{steps}])\n")
    assert not found.left


def test_in_a_data_set_arrays_stay_arrays_for_the_workers(tmp_path: Path) -> None:
    source = (
        "from torch.utils.data import Dataset\nfrom torchvision import transforms\n"
        "steps = transforms.Compose([transforms.ToTensor()])\n"
        "class Own(Dataset):\n    def __getitem__(self, index):\n"
        "        return steps(self.images[index])\n"
        "def shown(image):\n    return steps(image).unsqueeze(0)\n"
    )
    text = migrated(tmp_path, source).text
    assert "return steps(self.images[index])" in text
    assert "return compat.transformed(steps, image).unsqueeze(0)" in text
