"""`msconvert migrate`: one command, then PyTorch's accuracy to the digit; never a wrong yes."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the projects are run before they are migrated")

from msconvert.formats.ckpt import read_ckpt  # noqa: E402
from msconvert.migration.as_markdown import REPORT  # noqa: E402
from msconvert.tests.migration.projects import LANGUAGE, four_files, write  # noqa: E402
from msconvert.tests.privileges import without_privileges  # noqa: E402

pytestmark = pytest.mark.usefixtures("warm")
REAL = sys.executable
"""For what is about a process itself."""

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "examples" / "torch_project"

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.conv = nn.Conv2d(3, width, 3)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))
"""

CHOICE = """

class Other(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.line = nn.Linear(size, size)

    def forward(self, x):
        return self.line(x)


class Whole(nn.Module):
    def __init__(self, other=False):
        super().__init__()
        self.inner = Other(len("other")) if other else Net()

    def forward(self, x):
        return self.inner(x)
"""


def msconvert(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "msconvert", *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert "MS901" not in done.stderr + done.stdout, done.stderr
    assert "Traceback" not in done.stderr
    return done


def migrated(project: Path, *flags: object) -> tuple[subprocess.CompletedProcess[str], Path]:
    output = project.parent / "new"
    return msconvert("migrate", project, "--output", output, *flags, cwd=project.parent), output


def report(project: Path, *flags: object) -> tuple[int, dict[str, object]]:
    done, _ = migrated(project, "--json", *flags)
    return done.returncode, json.loads(done.stdout)


def printed(folder: Path, python: str = sys.executable) -> str:
    """What evaluate.py prints."""
    command = [python, "evaluate.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project of four files; tests that change it copy it."""
    folder = tmp_path_factory.mktemp("four") / "project"
    folder.mkdir()
    return four_files(folder)


def network(folder: Path, more: dict[str, str] | None = None) -> Path:
    """A project of one network, and what else is in it."""
    return write(folder / "project", {"net.py": NET, **(more or {})})


def test_one_command_and_the_sample_evaluates_to_the_digit(tmp_path: Path) -> None:
    project = shutil.copytree(SAMPLE, tmp_path / "project")
    done, output = migrated(project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "classifier.pth: 26 tensors, weights of Classifier" in done.stdout
    assert printed(output) == printed(project)
    assert "accuracy 82.70 %" in printed(output)


def test_four_files_with_data_and_a_checkpoint_evaluate_to_the_digit(
    four: Path, tmp_path: Path
) -> None:
    project = shutil.copytree(four, tmp_path / "project")
    done, output = migrated(project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert printed(output) == printed(project)
    assert (output / "requirements.txt").read_text() == "numpy>=1.24\nmsconvert  # the framework\n"
    assert 'dependencies = ["numpy", "msconvert"]' in (output / "pyproject.toml").read_text()
    assert f"cd {output} && python evaluate.py" in (output / REPORT).read_text()
    assert sorted(p.name for p in output.rglob("*.pyc")) == []


def test_for_mindspore(four: Path, tmp_path: Path, mindspore_python: Path) -> None:
    project = shutil.copytree(four, tmp_path / "project")
    flags = ("--target", "mindspore", "--python-mindspore", mindspore_python)
    done, output = migrated(project, *flags)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "mindspore" in (output / "requirements.txt").read_text()
    assert "numpy>=1.24,<2\n" in (output / "requirements.txt").read_text()
    run = [mindspore_python, "evaluate.py"]
    told = subprocess.run(run, cwd=output, capture_output=True, text=True, check=True).stdout
    assert told.splitlines()[-1] == printed(project).strip()


@pytest.mark.parametrize("target", ["bundled", "mindspore"])
def test_tied_weights_of_a_language_model_are_loaded(
    target: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    project = write(tmp_path / "project", LANGUAGE)
    subprocess.run([sys.executable, "make.py"], cwd=project, check=True)
    python, flags = sys.executable, ["--target", target]
    if target == "mindspore":
        python = str(request.getfixturevalue("mindspore_python"))
        flags += ["--python-mindspore", python]
    done, output = migrated(project, *flags)
    assert "model.pt: 15 tensors, weights of Model, loaded by Model()" in done.stdout, done.stdout
    assert "Model() on 2,8:int64<31: equal" in done.stdout
    assert printed(output, python) == printed(project)

    once = ("weights", project / "model.pt", "--map", project / "model.py", "--root", "Model")
    assert msconvert(*once, "-o", "once.ckpt", cwd=tmp_path).returncode == 0
    (tmp_path / "once.ckpt").replace(output / "model.pt")
    assert printed(output, python) == printed(project)


# never a wrong yes

OPEN = {
    "a differing network": (
        {"net.py": NET.replace("relu(", "relu(torch.randperm(9)[0] + ")},
        (),
        ("differs", "not compared"),
    ),
    "no way to make it": (
        {"net.py": NET.replace("width=4", "width")},
        (),
        ("not compared",),
    ),
    "nothing to call it with": (
        {"net.py": NET.replace("forward(self, x)", "forward(self, x, y)")},
        (),
        ("not compared",),
    ),
    "an original that raises": (
        {"net.py": NET + "\n\nraise RuntimeError('not today')\n"},
        (),
        ("not compared",),
    ),
    "an original that ends its process": (
        {"net.py": "import os\n" + NET.replace("return", "os._exit(0)\n        return")},
        (),
        ("not compared",),
    ),
    "a choice that the default does not take": (
        {"net.py": NET + CHOICE},
        (),
        ("equal", "part", "not compared"),
    ),
    "--no-verify": ({"net.py": NET}, ("--no-verify",), ("not compared",)),
}


@pytest.mark.parametrize("name", OPEN)
def test_what_was_not_compared_equal_is_no_success(name: str, tmp_path: Path) -> None:
    files, flags, verdicts = OPEN[name]
    status, found = report(network(tmp_path, files), "--timeout", "60", *flags)
    assert status == 1
    assert found["ok"] is False
    seen = {entry["verdict"] for entry in found["networks"]}
    assert seen <= set(verdicts)
    assert seen & {"not compared", "differs"}


TWO_INPUTS = """\
import torch
from torch import nn


class TwoTower(nn.Module):
    def __init__(self, users=11, items=7):
        super().__init__()
        self.user = nn.EmbeddingBag(users, 6, mode="mean")
        self.item = nn.EmbeddingBag(items, 6, mode="sum")
        self.score = nn.Linear(12, 1)

    def forward(self, users, items):
        u, i = self.user(users), self.item(items)
        return self.score(torch.cat([u, i], dim=1)) + (u * i).sum(1, keepdim=True)


class ImageText(nn.Module):
    def __init__(self):
        super().__init__()
        self.image = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
        self.embed = nn.Embedding(13, 5)
        self.rnn = nn.GRU(5, 6, batch_first=True)
        self.head = nn.Linear(10, 3)

    def forward(self, image, text):
        _, state = self.rnn(self.embed(text))
        return self.head(torch.cat([self.image(image).flatten(1), state[-1]], 1))
"""


def test_networks_of_several_inputs_are_compared(tmp_path: Path) -> None:
    status, found = report(network(tmp_path, {"net.py": TWO_INPUTS}), "--timeout", "60")
    assert {entry["verdict"] for entry in found["networks"]} == {"equal"}
    assert (status, len(found["networks"])) == (0, 2)


LEFT = {
    "a line that stays": {"use.py": "import torch\n\ny = torch.fx.symbolic_trace(print)\n"},
    "a file that does not parse": {"use.py": "import torch\n\ny = (\n"},
    "dependencies of another form": {"setup.py": 'setup(install_requires=["torch>=2"])\n'},
    "a wheel by its address": {"requirements.txt": "https://example.org/torch-2.0-cp311.whl\n"},
    "an own table of Poetry's": {
        "pyproject.toml": "[tool.poetry.dependencies.torch]\nversion = '2'\n"
    },
    "a configuration with its names": {"conf/a.yaml": "opt:\n  _target_: torch.optim.Adam\n"},
    "a script of the shell": {"run.sh": "torchrun --nproc 2 net.py\n"},
    "tensors of another format": {"net.safetensors": "{}"},
    "broken TOML": {"pyproject.toml": "[project\ndependencies = ['torch']\n"},
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_is_no_success(name: str, tmp_path: Path) -> None:
    flags = ("--no-config",) if "TOML" in name else ()
    status, found = report(network(tmp_path, LEFT[name]), *flags)
    assert status == 1
    assert found["ok"] is False
    assert [entry["verdict"] for entry in found["networks"]] == ["equal"]
    assert found["next"]


def test_what_is_excluded_is_no_success(tmp_path: Path) -> None:
    project = network(tmp_path, {"old/use.py": "import torch\n\ntorch.ones(2)\n"})
    status, found = report(project, "--exclude", "old")
    assert status == 1
    assert any("exclude" in text for text in found["not_compared"])


@pytest.mark.parametrize("named", ["project/", "./project/../project", "link", "../here/project"])
def test_ways_to_name_a_project(named: str, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    project = network(folder, {"sub/read.py": "import torch\n\nx = torch.load('net.pth')\n"})
    torch.save(state(), project / "net.pth")
    (folder / "link").symlink_to("project")
    done = msconvert("migrate", named, "--output", "new", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "new" / "net.pth").exists()
    assert "loaded by Net()" in done.stdout


def test_data_and_checkpoints_are_left_or_linked(four: Path, tmp_path: Path) -> None:
    project = shutil.copytree(four, tmp_path / "project")
    (project / "data" / "large.bin").write_bytes(bytes(3 << 20))
    status, found = report(project)
    assert (status, found["linked"], found["left"]) == (0, ["data/large.bin"], [])
    assert (tmp_path / "new" / "data" / "large.bin").readlink() == project / "data" / "large.bin"
    shutil.rmtree(tmp_path / "new")
    status, found = report(project, "--code-only")
    assert status == 1
    assert set(found["left"]) == {"data/large.bin", "data/drawings.npz", "checkpoints/best.pth"}
    assert not list((tmp_path / "new").rglob("*.pth"))
    assert any("--code-only" in text for text in found["not_compared"])


# checkpoints


def save(folder: Path, value: object, name: str = "net.pth") -> Path:
    """A project whose checkpoint is this."""
    project = network(folder)
    torch.save(value, project / name)
    return project


def state(width: int = 4, prefix: str = "") -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    parts = {"conv": torch.nn.Conv2d(3, width, 3), "norm": torch.nn.BatchNorm2d(width)}
    net = torch.nn.ModuleDict(parts)
    return {f"{prefix}{name}": value for name, value in net.state_dict().items()}


WRAPPED = {
    "bare": lambda: state(),
    "model and epoch": lambda: {"model": state(), "epoch": 3},
    "state_dict, Lightning": lambda: {"state_dict": state(), "hyper_parameters": {"lr": 0.1}},
    "data parallel": lambda: {"net": state(prefix="module."), "args": ["a", 1, None, True]},
    "averaged beside": lambda: {"model": state(), "model_ema": state(), "best": 0.5},
    "older format": lambda: {"network": state(), "step": 7},
}


@pytest.mark.parametrize("name", WRAPPED)
def test_wrappers_stay(name: str, tmp_path: Path) -> None:
    values = WRAPPED[name]()
    project = network(tmp_path)
    torch.save(values, project / "net.pth", _use_new_zipfile_serialization="older" not in name)
    status, found = report(project)
    assert status == 0, found
    assert found["loaded"][0]["call"] == "Net()"
    check = (
        "import sys, _ms_compat as compat\n"
        "from net import Net\n"
        "values = compat.load('net.pth')\n"
        "key = sys.argv[1]\n"
        "net = Net()\n"
        "print(compat.load_state_dict(net, values[key] if key else values))\n"
        "print({k: v for k, v in values.items() if k != key and not isinstance(v, dict)})\n"
    )
    key = next((k for k in ("model", "state_dict", "net", "network") if k in values), "")
    new = tmp_path / "new"
    other = "import torch\nfrom net import Net\nNet().load_state_dict(torch.load('a'))\n"
    assert not (new / "_ms_compat.py").exists()
    write(project, {"load.py": other})
    shutil.rmtree(new)
    assert migrated(project)[0].returncode == 0
    done = subprocess.run(
        [sys.executable, "-c", check, key], cwd=new, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    plain = {k: v for k, v in values.items() if k != key and not isinstance(v, dict)}
    if key:
        assert done.stdout.splitlines()[-1] == str(plain)


def evil() -> bytes:
    return pickle.dumps(Evil())


class Evil:
    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("touch msconvert-was-run",)


def zipped(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("net/data.pkl", evil())
        archive.writestr("net/version", "3")


REFUSED = {
    "a program in a zip": zipped,
    "a damaged zip": lambda path: path.write_bytes(b"PK\x03\x04" + bytes(100)),
    "a whole network": lambda path: torch.save(torch.nn.Linear(2, 2), path),
    "more than the network has": lambda path: torch.save(
        {"conv.weight": torch.ones(4, 3, 3, 3), "conv.bias": torch.ones(4), "x": torch.ones(1)},
        path,
    ),
    "numbers of complex": lambda path: torch.save({"a": torch.ones(2, dtype=torch.cfloat)}, path),
    "no elements": lambda path: torch.save({"a": torch.ones(0)}, path),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_plain_checkpoint_is_told(name: str, tmp_path: Path) -> None:
    project = network(tmp_path)
    REFUSED[name](project / "net.pth")
    flags = () if name == "more than the network has" else ("--no-verify",)
    done, output = migrated(project, *flags)
    assert done.returncode == 1, done.stdout
    assert "net.pth" in done.stderr
    assert "msconvert weights" in (output / REPORT).read_text()
    assert list(tmp_path.rglob("msconvert-was-run")) == []
    assert not list(output.rglob("*.pkl"))


DATA = {
    "a tensor": lambda: torch.arange(6.0),
    "tensors": lambda: {"images": torch.ones(2, 3), "labels": torch.arange(2)},
    "a list": lambda: [torch.ones(2), torch.zeros(3)],
    "nested": lambda: {"train": {"x": torch.ones(2)}, "test": {"x": torch.zeros(2)}, "n": 2},
    "a tuple": lambda: (torch.ones(2), 5, "text"),
}


@pytest.mark.parametrize("name", DATA)
def test_other_tensors_keep_their_names_and_values(name: str, tmp_path: Path) -> None:
    values = DATA[name]()
    project = save(tmp_path, values, "data.pt")
    write(project, {"read.py": "import torch\n\nvalues = torch.load('data.pt')\n"})
    status, found = report(project)
    assert status == 0, found
    check = "import _ms_compat as c\nprint(c.load('data.pt'))"
    done = subprocess.run(
        [sys.executable, "-c", check], cwd=tmp_path / "new", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    count = sum(1 for name in read_ckpt(tmp_path / "new" / "data.pt") if name != "structure")
    assert count == done.stdout.count("Tensor(") or count == done.stdout.count("Parameter")


RESUME = """\
import sys

import numpy as np
import torch
from torch import nn

from net import Net


def made(name, net):
    if name == "sgd":
        return torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    if name == "amsgrad":
        return torch.optim.Adam(net.parameters(), lr=0.01, amsgrad=True)
    if name == "plain":
        return torch.optim.SGD(net.parameters(), lr=0.1)
    if name == "rmsprop":
        return torch.optim.RMSprop(net.parameters(), lr=0.01)
    if name == "radam":
        return torch.optim.RAdam(net.parameters(), lr=0.01)
    if name == "adagrad":
        return torch.optim.Adagrad(net.parameters(), lr=0.01)
    if name == "adadelta":
        return torch.optim.Adadelta(net.parameters(), lr=0.01)
    return (torch.optim.Adam if name == "adam" else torch.optim.AdamW)(net.parameters(), lr=0.01)


def steps(net, optimizer, scheduler, count):
    numbers = np.random.RandomState(0)
    x = torch.from_numpy(numbers.normal(size=(8, 3, 6, 6)).astype(np.float32))
    y = torch.from_numpy(numbers.randint(0, 4, 8))
    loss_fn = nn.CrossEntropyLoss()
    net.train()
    for _ in range(count):
        optimizer.zero_grad()
        loss = loss_fn(net(x).mean((2, 3)), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
    return loss.item()


def resume(name):
    checkpoint = torch.load(name + ".pth")
    net = Net()
    net.load_state_dict(checkpoint["model"])
    optimizer = made(name, net)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)
    optimizer.load_state_dict(checkpoint["optimizer"])
    scheduler.load_state_dict(checkpoint["scheduler"])
    print(f"{name} {checkpoint['epoch']} {steps(net, optimizer, scheduler, 4):.4f}")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        resume(name)
"""
OPTIMIZERS = ("sgd", "plain", "adam", "amsgrad", "adamw", "rmsprop", "radam", "adagrad", "adadelta")


def trained_on(project: Path) -> str:
    """Saves a training after three steps for each optimizer; what PyTorch prints going on."""
    save = (
        "import torch\nfrom resume import *\nfor name in sys.argv[1:]:\n    torch.manual_seed(0)\n"
        "    net = Net()\n    optimizer = made(name, net)\n"
        "    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)\n"
        "    steps(net, optimizer, scheduler, 3)\n"
        "    torch.save({'model': net.state_dict(), 'optimizer': optimizer.state_dict(),"
        " 'scheduler': scheduler.state_dict(), 'epoch': 3}, name + '.pth')\n"
    )
    subprocess.run([sys.executable, "-c", save, *OPTIMIZERS], cwd=project, check=True)
    return resumed(project, sys.executable)


def resumed(folder: Path, python: object) -> str:
    command = [python, "resume.py", *OPTIMIZERS]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    return "\n".join(line for line in lines if line.startswith(OPTIMIZERS))


ONE_DIMENSION = NET.replace("Conv2d", "Conv1d").replace("BatchNorm2d", "BatchNorm1d")
"""Its convolution has another shape in MindSpore, and so have the optimizer's moments."""


@pytest.mark.parametrize("net", [NET, ONE_DIMENSION], ids=["2d", "1d"])
@pytest.mark.parametrize("target", ["bundled", "mindspore"])
def test_a_training_goes_on_as_it_would(
    target: str, net: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    python: object = sys.executable
    if target == "mindspore":
        python = request.getfixturevalue("mindspore_python")
    resume = RESUME
    if net == ONE_DIMENSION:
        resume = RESUME.replace("(8, 3, 6, 6)", "(8, 3, 6)").replace("mean((2, 3))", "mean(2)")
    project = network(tmp_path, {"net.py": net, "resume.py": resume})
    wanted = trained_on(project)
    done, output = migrated(project, "--no-verify", "--target", target)
    assert "MS313" not in done.stderr
    assert resumed(output, python) == wanted
    assert len(wanted.splitlines()) == len(OPTIMIZERS)


# bad folders, and what a command leaves behind


def contents(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


FOLDERS = {
    "missing": ("nowhere", "new", 2, "there is no such folder"),
    "a file": ("project/net.py", "new", 2, "it is a file"),
    "inside": ("project", "project/new", 2, "inside of what is converted"),
    "the project itself": ("project", "project", 2, "it holds the sources"),
    "above": ("project", ".", 2, "it holds the sources"),
    "by a link": ("project", "link/new", 2, "inside of what is converted"),
    "there already": ("project", "there", 1, "exists already"),
    "a link that leads nowhere": ("project", "dangling", 1, "exists already"),
    "in a file": ("project", "project/net.py/new", 1, "MS1"),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_bad_folders(name: str, tmp_path: Path) -> None:
    project, output, status, told = FOLDERS[name]
    network(tmp_path)
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("project")
    (tmp_path / "dangling").symlink_to("absent")
    before = contents(tmp_path)
    done = msconvert("migrate", project, "--output", output, cwd=tmp_path)
    if name != "in a file":
        assert done.returncode == status
    assert done.returncode in (1, 2)
    assert told in done.stderr
    assert contents(tmp_path) == before


def test_loops_fifos_sockets_and_what_may_not_be_read(tmp_path: Path) -> None:
    project = network(tmp_path)
    (project / "loop").symlink_to(".")
    (project / "self").symlink_to("self")
    (project / "up").symlink_to("..")
    os.mkfifo(project / "pipe.pth")
    (project / "secret.pth").write_bytes(b"PK\x03\x04")
    (project / "secret.pth").chmod(0)
    (project / "closed").mkdir(0o000)
    with without_privileges():
        done, output = migrated(project, "--no-verify")
    (project / "closed").chmod(0o700)
    assert done.returncode == 1
    assert (output / "net.py").exists()
    assert "secret.pth" in done.stderr
    assert "pipe.pth" in done.stderr


@pytest.mark.parametrize(
    "name", ["a b", "it's", 'q"q', "-x", "$HOME", "a\nb", "\x1b[31mred", "\u202eright", "ü模"]
)
def test_names_can_be_pasted(name: str, tmp_path: Path) -> None:
    project = write(tmp_path / name, {"net.py": NET})
    output = tmp_path / f"new {name}"
    flags = ("--output", output, "--json", "--no-verify")
    done = msconvert("migrate", *flags, "--", project, cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert json.loads(done.stdout)["source"]["ok"] is True
    assert all(step["command"].isprintable() for step in json.loads(done.stdout)["next"])
    page = (output / REPORT).read_text()
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_the_command_to_run_it_runs(tmp_path: Path) -> None:
    guarded = "import torch\n\nif __name__ == '__main__':\n    print(torch.ones(2).sum().item())\n"
    project = write(tmp_path / "a\nb 'c'", {"net.py": NET, "run it.py": guarded})
    output = tmp_path / "new\x1b[31m 'x'"
    done = msconvert("migrate", project, "--output", output, "--json", cwd=tmp_path)
    (step,) = [s for s in json.loads(done.stdout)["next"] if s["why"] == "run run it.py"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = subprocess.run(
        ["bash", "-c", step["command"]],
        env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.stdout == "2.0\n", ran.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_is_ended_leaves_nothing(number: int, tmp_path: Path) -> None:
    """The signal comes while the original is being imported."""
    sleeping = "import pathlib, time\npathlib.Path('/SEEN').touch()\ntime.sleep(60)\n"
    sleeping = sleeping.replace("/SEEN", str(tmp_path / "seen"))
    project = write(tmp_path / "project", {"net.py": NET})
    text = (project / "net.py").read_text()
    (project / "net.py").write_text(f"{sleeping}{text}")
    before = contents(project)
    command = [REAL, "-m", "msconvert", "migrate", "project", "--output", "new"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored in background
    )  # fmt: skip
    while not (tmp_path / "seen").exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(number)
    _, told = process.communicate(timeout=900)
    assert process.returncode in (130, 128 + number)
    assert "Traceback" not in told
    assert contents(project) == before
    assert contents(tmp_path) - {"seen", "project"} == {f"project/{name}" for name in before}


def test_a_full_output_is_told(tmp_path: Path) -> None:
    network(tmp_path)
    line = f"{REAL} -m msconvert migrate project --output new --no-verify > /dev/full"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "MS107" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_the_code_writes_while_it_runs_does_not_stay(tmp_path: Path) -> None:
    writing = "import os\n\nos.makedirs('runs/1', exist_ok=True)\nopen('runs/1/log', 'w').close()\n"
    text = writing + NET
    done, output = migrated(write(tmp_path / "project", {"net.py": text}))
    assert done.returncode == 0, done.stderr
    assert not (output / "runs").exists()


def test_nothing_is_run_without_verify(tmp_path: Path) -> None:
    touching = "import pathlib\n\npathlib.Path('RAN').touch()\n" + NET
    project = write(tmp_path / "project", {"net.py": touching})
    done, _ = migrated(project, "--no-verify")
    assert done.returncode == 1
    assert list(tmp_path.rglob("RAN")) == []


@pytest.fixture(autouse=True)
def no_leftovers(tmp_path: Path) -> Iterator[None]:
    yield
    assert list(tmp_path.rglob(".msconvert-*")) == []
