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
