"""The documentation: links lead somewhere, every fenced command is run or says why not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from msconvert.formats.pytorch.pth_writer import write_pth

pytestmark = pytest.mark.usefixtures("warm")

ROOT = Path(__file__).parents[1]
PAGES = [
    path for folder in (".", "docs", "examples") for path in sorted((ROOT / folder).glob("*.md"))
]
STORIES = sorted((ROOT / "examples").glob("*/README.md"))
"""Their commands need each other: tests/examples/test_walkthroughs.py runs them."""
COMMANDS = ("bash", "console", "sh", "shell")

FENCE = re.compile(
    r"(?:<!-- not run: (?P<reason>[^\n]+) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Fence:
    """A fenced block of a page; `reason` is why it is not run, empty if it is."""

    page: str
    language: str
    text: str
    reason: str


FENCES = [
    Fence(page.name, found["language"], found["text"], found["reason"] or "")
    for page in PAGES
    for found in FENCE.finditer(page.read_text(encoding="utf-8"))
]
FIRST_TWO = [fence for fence in FENCES if fence.page == "README.md"][:2]
"""They install: .ci/run runs them as they stand."""

OWN_TESTS = {
    "README.md": "tests/test_readme.py",
    "troubleshooting.md": "tests/troubleshooter/test_walkthrough.py",
    "tuning.md": "tests/observation/test_tuning_page.py",
}
"""Pages whose commands need each other, and the test that runs all of them in their order."""

RUN = [
    fence
    for fence in FENCES
    if fence.language in COMMANDS
    and not fence.reason
    and fence not in FIRST_TWO
    and fence.page not in OWN_TESTS
]


NET = {
    "conv.weight": np.ones((8, 3, 3, 3), np.float32),
    **{f"{layer}.bias": np.zeros(8, np.float32) for layer in ("conv", "norm")},
    **{
        f"norm.{name}": np.ones(8, np.float32) for name in ("weight", "running_mean", "running_var")
    },
    "norm.num_batches_tracked": np.array(3),
}
"""The state dict of examples/verify/net.py."""


@pytest.fixture
def model_folder(tmp_path: Path) -> Path:
    """A folder with the files that the pages speak of."""
    weight = np.random.default_rng(0).standard_normal((4, 3, 3, 3)).astype(np.float32)
    nodes = [
        helper.make_node("Conv", ["data", "conv.weight"], ["features"], strides=[8, 8]),
        helper.make_node("GlobalAveragePool", ["features"], ["pooled"]),
        helper.make_node("Flatten", ["pooled"], ["flat"]),
        helper.make_node("Softmax", ["flat"], ["prob"]),
    ]
    graph = helper.make_graph(
        nodes,
        "resnet50",
        [helper.make_tensor_value_info("data", TensorProto.FLOAT, ["n", 3, 224, 224])],
        [helper.make_tensor_value_info("prob", TensorProto.FLOAT, ["n", 4])],
        [numpy_helper.from_array(weight, "conv.weight")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "resnet50.onnx")
    for name in ("training", "torch_project", "verify"):
        shutil.copytree(ROOT / "examples" / name, tmp_path / "examples" / name)
    write_pth(tmp_path / "net.pth", NET.items())
    for side in ("torch", "mindspore"):
        (tmp_path / "outputs" / side).mkdir(parents=True)
        np.save(tmp_path / "outputs" / side / "conv1.npy", weight)
    return tmp_path


def test_the_readme_begins_with_the_two_commands() -> None:
    assert [fence.language for fence in FIRST_TWO] == ["bash", "bash"]
    assert [fence.text.count("\n") for fence in FIRST_TWO] == [1, 1]
    demo, tests = (fence.text for fence in FIRST_TWO)
    assert demo.endswith(".venv/bin/msconvert demo\n")
    assert tests.endswith(".venv/bin/python -m pytest -n logical --dist loadfile\n")


def test_pages_with_a_test_of_their_own_name_it() -> None:
    for page, test in OWN_TESTS.items():
        folder = ROOT if page == "README.md" else ROOT / "docs"
        assert test in (folder / page).read_text(encoding="utf-8")
        assert f'"{page}"' in (ROOT / test).read_text(encoding="utf-8")


@pytest.mark.parametrize("fence", RUN, ids=lambda fence: f"{fence.page}: {fence.text[:50]!r}")
def test_fenced_commands_run(fence: Fence, model_folder: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    lines = fence.text
    if fence.language == "console":
        lines = "\n".join(line[2:] for line in lines.splitlines() if line.startswith("$ "))
    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", lines],
        cwd=model_folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_readme_lists_the_flags_of_the_command() -> None:
    run = subprocess.run(
        [Path(sys.executable).with_name("msconvert"), "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    offered = set(re.findall(r"(?<!\S)--[a-z][\w-]*", run.stdout)) - {"--help", "--version"}
    table = re.findall(r"^\| `(--[a-z][\w-]*)", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert offered == set(table)


def test_quoted_code_is_the_code() -> None:
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    quoted = re.findall(r"<!-- from (\S+) -->\n```python\n(.*?)```\n", contributing, re.DOTALL)
    assert len(quoted) == contributing.count("```python")
    for path, code in quoted:
        assert code in (ROOT / path).read_text(encoding="utf-8"), path


@pytest.mark.parametrize("page", PAGES + STORIES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", page.read_text(encoding="utf-8"))  # code holds no links
    targets = re.findall(r"\]\(([^)#\s]+)", text)
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (page.parent / target).exists()] == []


def test_every_story_is_run() -> None:
    walkthroughs = (ROOT / "tests" / "examples" / "test_walkthroughs.py").read_text()
    assert STORIES
    assert [page for page in STORIES if f'"{page.parent.name}"' not in walkthroughs] == []
    assert "not run" not in "".join(page.read_text(encoding="utf-8") for page in STORIES)


@pytest.mark.parametrize("page", PAGES + STORIES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_named_in_the_text_exist(page: Path) -> None:
    named = re.findall(r"`((?:tests|docs|converter|runtime|formats)/[\w/.]+)`", page.read_text())
    assert [name for name in named if not (ROOT / name).exists()] == []
