"""Lightning's modules in canonical use: a Cell and the compat module's loop; others stay whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from msconvert.api_mapping.source.as_text import findings, next_steps
from msconvert.api_mapping.table.target import Target
from msconvert.benchmarks.jobs import difference

from .test_file import migrated
from .test_programs import printed, write
from .test_report import converted_file

FILES = sorted((Path(__file__).parent / "lightning").glob("*.py"))
"""Programs; beside each what it prints with pytorch_lightning 2.6 and PyTorch."""
ids = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


@ids
def test_the_runtime_prints_what_lightning_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    write(tmp_path, path, Target.BUNDLED, tmp_path / "converted")
    monkeypatch.chdir(tmp_path / "converted")
    assert difference(printed(Path("net.py").absolute()), wanted(path)) == ""


@ids
def test_mindspore_prints_what_lightning_does(
    tmp_path: Path, run_mindspore: Callable[..., str], path: Path
) -> None:
    write(tmp_path, path, Target.MINDSPORE, tmp_path / "converted")
    assert difference(run_mindspore(tmp_path / "converted", "net.py"), wanted(path)) == ""


def wanted(path: Path) -> str:
    return path.with_suffix(".txt").read_text(encoding="utf-8")


HEAD = "import torch\nfrom torch import nn\nimport pytorch_lightning as pl\n"
CLASS = (
    "class Own(pl.LightningModule):\n"
    "    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(3, 4)\n"
)
CONFIGURED = "    def configure_optimizers(self):\n"
MORE = (
    "    def go(self):\n        self.automatic_optimization = False\n",
    "    def go(self, loss):\n        self.manual_backward(loss)\n",
    "    def optimizer_step(self, *args):\n        pass\n",
    "    def on_after_backward(self):\n        pass\n",
    "    def go(self, x):\n        self.log('a', x, reduce_fx='max')\n",
    "    def go(self):\n        self.fc.eval()\n",
    "    def validation_step(self, batch, batch_idx, dataloader_idx=0):\n        pass\n",
    "    def go(self):\n        self.logger.experiment.add_scalar('a', 1)\n",
    f"{CONFIGURED}        return [torch.optim.SGD(self.parameters(), 1.0)] * 1, [], 3\n",
    f"{CONFIGURED}        a = b = torch.optim.SGD(self.parameters(), 1.0)\n        return a, b\n",
    f"{CONFIGURED}        return torch.optim.LBFGS(self.parameters())\n",
)


@pytest.mark.parametrize("more", MORE)
def test_a_class_that_asks_for_more_stays_whole(tmp_path: Path, more: str) -> None:
    found = migrated(tmp_path, f"{HEAD}{CLASS}{more}")
    assert f"{CLASS}{more}" in found.text
    assert "import pytorch_lightning as pl" in found.text
    assert found.text.count("# MS239 line:") == 1


TRAINERS = (
    "devices=2",
    "precision=16",
    "logger=True",
    "enable_checkpointing=True",
    "strategy='ddp'",
    "fast_dev_run=True",
    "max_steps=4",
    "val_check_interval=0.5",
)


@pytest.mark.parametrize("given", TRAINERS)
def test_a_trainer_with_other_settings_is_marked(tmp_path: Path, given: str) -> None:
    code = f"trainer = pl.Trainer(max_epochs=2, {given})\n"
    found = migrated(tmp_path, f"{HEAD}{code}")
    assert code in found.text
    assert "line: pytorch_lightning.Trainer" in found.text


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("", "no logs and no checkpoints"),
        ("logger=False", "no checkpoints"),
        ("enable_checkpointing=False", "no logs"),
        ("logger=False, enable_checkpointing=False", ""),
    ],
)
def test_files_that_are_no_longer_written_are_told(tmp_path: Path, given: str, told: str) -> None:
    code = f"import pytorch_lightning as pl\ntrainer = pl.Trainer({given})\n"
    outcome = converted_file(tmp_path, code, Target.BUNDLED)
    assert [("MS244" in line, told in line) for line in findings(outcome)] == [(True, True)] * bool(
        told
    )
    assert any("writes no files" in step for step in next_steps(outcome)) == bool(told)


OTHERS = (
    "trainer.save_checkpoint('a')",
    "trainer.logger.save()",
    "trainer.fit(net, ckpt_path='last')",
    "trainer.checkpoint_callback.best_model_path",
    "trainer.strategy.barrier()",
)


@pytest.mark.parametrize("code", OTHERS)
def test_what_else_a_trainer_has_is_marked(tmp_path: Path, code: str) -> None:
    found = migrated(tmp_path, f"{HEAD}net = None\ntrainer = pl.Trainer(max_epochs=2)\n{code}\n")
    assert f"\n{code}\n" in found.text
    assert "# MS2" in found.text


@pytest.mark.parametrize(
    "line",
    [
        "from lightning import LightningModule as Base",
        "from lightning.pytorch import LightningModule as Base",
        "from lightning.pytorch.core import LightningModule as Base",
        "from pytorch_lightning.core.module import LightningModule as Base",
        "from pytorch_lightning import LightningModule as Base",
    ],
)
def test_all_homes_are_one(tmp_path: Path, line: str) -> None:
    found = migrated(tmp_path, f"{line}\nclass Own(Base):\n    pass\n")
    assert "class Own(compat.LightningModule):" in found.text
    assert line not in found.text
    assert not found.left
