"""Pairs written by hand: equal as they stand, and told where a mistake is planted."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from msconvert.troubleshooter.verify import (
    CaseResult,
    Settings,
    Verification,
    Verifier,
    shape_of,
)

pytestmark = pytest.mark.usefixtures("warm")

pytest.importorskip("torch", reason="PyTorch is one of the two sides")

PAIRS = Path(__file__).parent / "pairs"
OF_PACKAGE = Settings(calls=("small()", "Volume((1, 4))"), shapes=(shape_of("5,4,2,3,3"),))
ARGUMENTS = {"package/net": OF_PACKAGE}
NAMES = [
    *(
        "cnn",
        "language_model",
        "tagger",
        "buffers",
        "signal",
        "autoencoder",
        "gates",
        "package/net",
    ),
]


@pytest.fixture(scope="module")
def verifier() -> Iterator[Verifier]:
    """One pair of processes for all tests, as for all files of a corpus."""
    with Verifier() as made:
        yield made


def compared(verifier: Verifier, name: str, folder: Path = PAIRS, **more: object) -> Verification:
    settings = replace(ARGUMENTS.get(name, Settings()), **more)
    files = folder / "original" / f"{name}.py", folder / "converted" / f"{name}.py"
    return verifier.verify(*files, settings)


@pytest.mark.parametrize("name", NAMES)
def test_pairs_are_equal_on_the_runtime(name: str, verifier: Verifier) -> None:
    assert_equal(compared(verifier, name))


@pytest.mark.parametrize("name", NAMES)
def test_pairs_are_equal_on_mindspore(
    name: str, verifier: Verifier, mindspore_python: Path
) -> None:
    more = {"target": "mindspore", "python_mindspore": str(mindspore_python)}
    assert_equal(compared(verifier, name, **more))


def assert_equal(found: Verification) -> None:
    assert found.cases
    for case in found.cases:
        assert [stage.status for stage in case.stages] == ["passed"] * 7, case.stages
        assert case.is_equal
        assert max(case.stage("step").differences, key=lambda d: d.excess).excess < 1
    assert found.left_out == ()


@dataclass(frozen=True)
class Mistake:
    """What is written instead in a converted file, and what must be said of it."""

    pair: str
    old: str
    new: str
    stage: str
    told: str


MISTAKES = {
    "eps": Mistake("cnn", "eps=1e-3, momentum=0.7", "momentum=0.7", "equal", "equal in evaluation"),
    "eps of one norm": Mistake(
        "language_model", "self.norm = nn.LayerNorm((width,), epsilon=1e-5)",
        "self.norm = nn.LayerNorm((width,), epsilon=1e-7)", "equal", "['logits'] differs",
    ),
    "momentum": Mistake("cnn", "momentum=0.7", "momentum=0.3", "step", "layer1.bn2.running_"),
    "no bias": Mistake(
        "cnn", "padding=1, has_bias=True", "padding=1, has_bias=False", "constructs",
        "missing: stem.bias float32 (8,)",
    ),
    "a bias too many": Mistake(
        "language_model", "words, has_bias=False", "words", "constructs",
        "not in the original: head.bias",
    ),
    "pad_mode": Mistake(
        "cnn", 'inputs, outputs, 3, stride, pad_mode="pad", padding=1',
        'inputs, outputs, 3, stride, pad_mode="same"', "equal", "layers",
    ),
    "gelu": Mistake(
        "language_model", "approximate=False", "approximate=True", "equal", "['logits'] differs"
    ),
    "untied": Mistake(
        "language_model", "        self.head.weight = self.embedding.embedding_table\n", "",
        "gradients", "weight differs",
    ),
    "gradient cut": Mistake(
        "signal", "self.up(self.down(x))", "self.up(ops.stop_gradient(self.down(x)))",
        "gradients", "down.",
    ),
    "shape": Mistake(
        "cnn", "nn.Dense(16, classes)", "nn.Dense(16, classes + 1)", "constructs",
        "fc.weight: shape (6, 16), the original's (5, 16)",
    ),
    "element type": Mistake(
        "buffers", "return Output(y, ", "return Output(y.astype(ms.float16), ", "equal",
        ".value: element type float16, the original's float32",
    ),
    "integer type": Mistake(
        "buffers", '"steps": self.steps', '"steps": self.steps.astype(ms.int32)', "equal",
        "element type int32, the original's int64",
    ),
    "one output less": Mistake(
        "tagger", "float(last.mean()), None", "None", "equal", "the original gives 6 values"
    ),
    "other numbers": Mistake(
        "tagger", "scores.argmax(-1)", "(-scores).argmax(-1)", "equal",
        "of 21 elements are not equal",
    ),
    "other table": Mistake(
        "buffers", "arange(size).astype(ms.float32)[:, None] / 10",
        "arange(size).astype(ms.float32)[:, None] / 9", "equal", ".kept['table'] differs",
    ),
    "not trained": Mistake(
        "buffers", "ops.ones((size,), ms.float32))",
        "ops.ones((size,), ms.float32), requires_grad=False)", "gradients",
        "scale: not trained, the original's is",
    ),
    "trained": Mistake(
        "buffers", "ms.float32), requires_grad=False)", "ms.float32))", "gradients",
        "frozen: trained, the original's is not",
    ),
    "statistics that stay": Mistake(
        "buffers", "if self.training:", "if False:", "step", "after one training step",
    ),
    "PyTorch": Mistake(
        "signal", "from collections", "import torch.no_such_module\nfrom collections", "imports",
        "signal.py:1: signal.py cannot be imported: ModuleNotFoundError",
    ),
    "syntax": Mistake("signal", "class Wave(", "class Wave((", "parses", "cannot be parsed"),
    "a constant": Mistake(
        "gates", "ops.log(x.abs() + 1)", "ops.log(x.abs() + 1.0001)", "equal", "[0] differs",
    ),
    "no such class": Mistake(
        "signal", "class Wave(", "class Tide(", "constructs", "NameError: name 'Wave'"
    ),
    "crash in the constructor": Mistake(
        "signal", "layers = OrderedDict()", "layers = OrderedDict(1)", "constructs",
        "signal.py:11: Wave() cannot be constructed: TypeError: 'int' object is not iterable",
    ),
    "crash in construct": Mistake(
        "package/parts/layers", "for layer in self.layers.values()", "for layer in self.stages",
        "runs", "layers.py:10: small() cannot be run: AttributeError",
    ),
    "exit": Mistake(
        "signal", "return ops.leaky_relu", "raise SystemExit(ops.relu)\n        return ops.relu",
        "runs", "SystemExit",
    ),
    "death": Mistake(
        "signal", "return ops.leaky_relu", "import os; os.abort()\n        return ops.leaky_relu",
        "runs", "signal.py:24: Wave() cannot be run: Crash: the process has ended",
    ),
    "a loop without end": Mistake(
        "signal", "return ops.leaky_relu",
        "while True: __import__('time').sleep(1)\n        return ops.leaky_relu",
        "runs", "signal.py:24: Wave() cannot be run: Timeout: not done after 60 s",
    ),
}  # fmt: skip


def planted(mistake: Mistake, folder: Path) -> str:
    """Copies the pair with the mistake into the folder; the file to compare."""
    shutil.copytree(PAIRS, folder, dirs_exist_ok=True)
    file = folder / "converted" / f"{mistake.pair}.py"
    text = file.read_text()
    assert text.count(mistake.old) >= 1
    file.write_text(text.replace(mistake.old, mistake.new))
    return "package/net" if mistake.pair.startswith("package") else mistake.pair


def assert_told(mistake: Mistake, case: CaseResult) -> None:
    failed = case.first_failure
    assert failed is not None, case
    assert failed.stage == mistake.stage
    assert failed.explanation is not None
    assert mistake.told in failed.explanation.text
    assert not case.is_equal


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_told(mistake: Mistake, verifier: Verifier, tmp_path: Path) -> None:
    name = planted(mistake, tmp_path)
    is_endless = "Timeout" in mistake.told
    found = compared(verifier, name, tmp_path, timeout_s=60.0 if is_endless else 900.0)
    assert_told(mistake, found.cases[0])
    assert not found.is_equal


ON_MINDSPORE = [
    *("eps", "momentum", "no bias", "pad_mode", "untied", "gradient cut", "syntax", "PyTorch"),
    "eps of one norm",
    *("crash in the constructor", "crash in construct", "death"),
]


@pytest.mark.sweep(each=(), one_in=3)
@pytest.mark.parametrize("name", ON_MINDSPORE)
def test_mistakes_are_told_on_mindspore(
    name: str, verifier: Verifier, mindspore_python: Path, tmp_path: Path
) -> None:
    pair = planted(MISTAKES[name], tmp_path)
    more = {"target": "mindspore", "python_mindspore": str(mindspore_python)}
    assert_told(MISTAKES[name], compared(verifier, pair, tmp_path, **more).cases[0])


TORCH = """
from torch import nn
from parts import size

with open("size.txt") as file:
    text = file.read()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(size, int(text))

    def forward(self, x):
        return self.fc(x)


def inputs():
    import torch

    return torch.ones(2, size)
"""
EXCHANGED = {"torch import nn": "msconvert.runtime import nn", "Module": "Cell", "Linear": "Dense"}
CONVERTED = TORCH.replace("forward", "construct")
for old, new in EXCHANGED.items():
    CONVERTED = CONVERTED.replace(old, new)


def test_projects_do_not_meet(verifier: Verifier, tmp_path: Path) -> None:
    """Files of equal names, in one pair of processes: each has its own, and its own folder."""
    for size in (3, 5):
        for side, text in (("torch", TORCH), ("converted", CONVERTED)):
            folder = tmp_path / str(size) / side
            folder.mkdir(parents=True)
            (folder / "net.py").write_text(text)
            (folder / "parts.py").write_text(f"size = {size}\n")
            (folder / "size.txt").write_text(str(size + 1))
    for size in (3, 5):
        folder = tmp_path / str(size)
        found = verifier.verify(folder / "torch" / "net.py", folder / "converted" / "net.py")
        assert_equal(found)
        (output,) = found.cases[0].stage("equal").differences
        assert output.size > 0
    wrong = verifier.verify(
        tmp_path / "3" / "torch" / "net.py", tmp_path / "5" / "converted" / "net.py"
    )
    assert wrong.cases[0].first_failure.stage == "constructs"


def test_what_msconvert_converts_is_equal(verifier: Verifier, tmp_path: Path) -> None:
    converted = tmp_path / "converted"
    done = subprocess.run(
        [sys.executable, "-m", "msconvert", "source", PAIRS / "original", "--output", converted],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for name in (name for name in NAMES if name != "buffers"):  # writes to a buffer with +=
        settings = ARGUMENTS.get(name, Settings())
        file = PAIRS / "original" / f"{name}.py"
        assert_equal(verifier.verify(file, converted / f"{name}.py", settings))
