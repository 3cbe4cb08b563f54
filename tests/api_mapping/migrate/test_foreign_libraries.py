"""Libraries that are made on PyTorch: told with MindSpore's counterpart, never turned halfway."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.api_mapping.analysis import Project
from msconvert.api_mapping.findings.model import Standing
from msconvert.api_mapping.findings.totals import Totals
from msconvert.api_mapping.source.file import migrate_file
from msconvert.api_mapping.table.facts import foreign
from msconvert.api_mapping.table.target import Settings
from msconvert.commands.main import main

from .test_file import migrated

BASES = {
    "import pytorch_lightning as pl": "pl.LightningModule",
    "from lightning import LightningModule": "LightningModule",
    "import lightning.pytorch as pl": "pl.LightningDataModule",
    "from transformers import PreTrainedModel": "PreTrainedModel",
    "from torch_geometric.nn import MessagePassing": "MessagePassing",
    "import torchmetrics": "torchmetrics.Metric",
    "from diffusers.models.modeling_utils import ModelMixin": "ModelMixin",
    "import timm.models.resnet": "timm.models.resnet.ResNet",
    "import gpytorch": "gpytorch.models.ExactGP",
}
BODY = (
    "    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(3, 4)\n"
    "    def forward(self, x):\n        y = torch.cat([x, x], dim=1)\n"
    "        return F.relu(self.fc(y))\n"
    "    def configure_optimizers(self):\n"
    "        opt = torch.optim.SGD(self.parameters(), lr=0.1)\n        opt.zero_grad()\n"
    "        self.freeze()\n"
    "        return opt\n"
)
HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
NET = (
    "class Plain(nn.Module):\n    def forward(self, x):\n        return torch.cat([x, x], dim=1)\n"
)


@pytest.mark.parametrize("line", BASES)
def test_a_class_below_a_foreign_base_stays_whole(tmp_path: Path, line: str) -> None:
    code = f"{HEAD}{line}\nclass Own({BASES[line]}):\n{BODY}\n{NET}"
    found = migrated(tmp_path, code)
    assert BODY in found.text
    assert "class Plain(nn.Cell)" in found.text
    assert found.text.count("# MS239 line:") == 1
    assert {use.standing for use in found.left} == {Standing.FOREIGN}
    assert len(found.left) >= 5


@pytest.mark.parametrize("line", BASES)
def test_so_does_what_derives_from_it(tmp_path: Path, line: str) -> None:
    code = f"{HEAD}{line}\nclass Own({BASES[line]}):\n    pass\nclass More(Own):\n{BODY}"
    found = migrated(tmp_path, code)
    assert f"class More(Own):\n{BODY}" in found.text
    assert found.text.count("# MS239 line:") == 2


USES = {
    "import timm": "net = timm.create_model('resnet18')",
    "from timm.layers import DropPath": "layer = DropPath(0.1)",
    "from transformers import AutoModel": "net = AutoModel.from_pretrained('x')",
    "from accelerate import Accelerator": "accelerator = Accelerator()",
    "import kornia.augmentation as K": "flip = K.RandomHorizontalFlip()",
    "from peft import get_peft_model as wrap": "net = wrap(None, None)",
    "from ultralytics import YOLO": "net = YOLO('x.pt')",
    "import segmentation_models_pytorch as smp": "net = smp.Unet('resnet34')",
    "from diffusers import DDPMScheduler": "steps = DDPMScheduler(10)",
    "from torchmetrics.classification import F1Score": "score = F1Score(task='binary')",
    "from monai.networks.nets import UNet": "net = UNet(2, 1, 1)",
}


@pytest.mark.parametrize("line", USES)
def test_a_use_is_marked_and_its_import_stays(tmp_path: Path, line: str) -> None:
    found = migrated(tmp_path, f"{line}\nimport torch\ny = torch.zeros(2)\n{USES[line]}\n")
    assert line in found.text.splitlines()
    assert f"\n{USES[line]}\n" in found.text
    assert "# MS239 line:" in found.text
    assert "ops.zeros" in found.text
    assert [use.standing for use in found.left] == [Standing.FOREIGN]
    assert found.left[0].level == "error"


@pytest.mark.parametrize("line", list(USES)[:5])
def test_a_file_that_names_no_pytorch_is_read_too(tmp_path: Path, line: str) -> None:
    file = tmp_path / "net.py"
    file.write_text(f"{line}\n{USES[line]}\n")
    assert main(["source", str(file), "--check"]) == 1
    assert [u.code for u in migrated(tmp_path, file.read_text()).left] == ["MS239"]


@pytest.mark.parametrize(
    ("library", "counterpart"),
    [
        ("timm", "mindcv"),
        ("transformers", "mindnlp"),
        ("diffusers", "mindone"),
        ("ultralytics", "mindyolo"),
        ("torch_geometric", "mindspore_gl"),
        ("peft", "mindpet"),
        ("fastai", "no counterpart"),
    ],
)
def test_the_counterpart_is_named(tmp_path: Path, library: str, counterpart: str) -> None:
    (use,) = migrated(tmp_path, f"import {library}\nx = {library}.thing()\n").left
    assert counterpart in use.advice


PLAIN = (
    "import torchvision\nnet = torchvision.models.resnet18()",
    "import numpy as np\nx = np.zeros(3)",
    "from tqdm import tqdm\nfor i in tqdm(range(3)):\n    pass",
    "import einops\ny = einops.rearrange",
    "from PIL import Image\nx = Image.new('L', (2, 2))",
    "import my_lightning_tools as t\nx = t.thing()",
)


@pytest.mark.parametrize("code", PLAIN)
def test_others_are_none(tmp_path: Path, code: str) -> None:
    found = migrated(tmp_path, f"import torch\ny = torch.zeros(2)\n{code}\n")
    assert not [use for use in found.scan.uses if use.standing is Standing.FOREIGN]


@pytest.mark.parametrize(
    ("requirement", "is_made_on_it"),
    [
        ("torch>=1.8", True),
        ("torch (>=1.8)", True),
        ("torch", True),
        ("torch<3,>=2; python_version > '3.8'", True),
        ("torch>=2; extra == 'all'", False),
        ("torchvision", False),
        ("pytorch-thing", False),
    ],
)
def test_installed_distributions_tell_by_what_they_require(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, requirement: str, is_made_on_it: bool
) -> None:
    folder = tmp_path / "some_layers_of_ours-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: some-layers-of-ours\nVersion: 1.0\n"
        f"Requires-Dist: {requirement}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert foreign.requires_torch("some_layers_of_ours") is is_made_on_it


def test_it_is_counted_in_percent_and_effort(tmp_path: Path) -> None:
    code = f"{HEAD}import pytorch_lightning as pl\nclass Own(pl.LightningModule):\n{BODY}\n{NET}"
    totals = Totals((migrated(tmp_path, code).scan,))
    uses = {share.standing: share.uses for share in totals.shares}
    assert uses[Standing.FOREIGN] >= 6
    assert totals.effort.by_hand >= 5
    assert totals.effort.converted >= 1


@pytest.mark.parametrize("relative", ["from . import Base", "from .base import Base"])
def test_a_base_of_another_file_is_followed(tmp_path: Path, relative: str) -> None:
    folder = tmp_path / "nets"
    folder.mkdir()
    (folder / "__init__.py").write_text("from .base import Base\n")
    head = f"{HEAD}from transformers import PreTrainedModel\n"
    (folder / "base.py").write_text(f"{head}class Base(PreTrainedModel):\n    pass\n")
    own = folder / "own.py"
    own.write_text(f"{HEAD}{relative}\nclass Own(Base):\n{BODY}")
    project = Project([folder / "base.py", own], [tmp_path])
    found = migrate_file(project, own, "own.py", Settings())
    assert f"class Own(Base):\n{BODY}" in found.text
    assert found.text.count("# MS239 line:") == 1
