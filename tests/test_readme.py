"""The commands of "README.md", typed in their order in a bare copy of what git has."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("warm")

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
TESTS = next(number for number, text in enumerate(BLOCKS) if "pytest" in text)
"""The block that runs the tests: this one would run itself."""

UNTRACKED = (".*cache*", "__pycache__", ".venv", ".check", ".git", "*.egg-info", "demo", "build")

LEFT = {
    *("demo/demo.py", "converted/demo.py", "migrated/evaluate.py", "migrated/MIGRATION.md"),
    *("scan.html", "converted_source/network.py", "classifier.ckpt", "diff.html"),
}
"""What the commands leave, each of it new."""

SHIMS = {
    "python3": """
        if [ "$1 $2" = "-m venv" ]; then mkdir -p "$3" && cp -R {tools} "$3/bin"; exit; fi
        exec {python} "$@"
        """,
    "python": 'exec {python} "$@"',
    "msconvert": 'exec {python} -m msconvert "$@"',
    "pip": "exit 0",
}
"""Programs that do without a network what they do in a fresh environment: this one is taken."""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that git has, as they are here, and nothing else."""
    folder = tmp_path_factory.mktemp("readme") / "msconvert"
    if not (ROOT / ".git").exists():  # a copy of a checkout
        return Path(shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*UNTRACKED)))
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, os.fsdecode(names.stdout).split("\0")):
        if (ROOT / name).exists():  # else it is removed, and that is not committed yet
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def tools(checkout: Path) -> Path:
    """A folder with the programs that a reader types."""
    folder = checkout.parent / "tools"
    folder.mkdir()
    for name, text in SHIMS.items():
        body = text.format(python=sys.executable, tools=folder)
        (folder / name).write_text(f"#!/bin/bash\n{body}\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def variables(checkout: Path, tools: Path) -> dict[str, str]:
    """Those of a reader's shell, in which `import msconvert` is the copy."""
    path = os.pathsep.join([str(checkout / ".venv" / "bin"), str(tools), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(checkout.parent)}


def typed(text: str, folder: Path, variables: dict[str, str]) -> None:
    command = ["bash", "-euo", "pipefail", "-c", text]
    done = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"


def before_and_after(checkout: Path) -> Iterator[str]:
    return (str(path.relative_to(checkout)) for path in checkout.rglob("*") if path.is_file())


def test_every_command_works_in_its_order(checkout: Path, variables: dict[str, str]) -> None:
    before = set(before_and_after(checkout))
    assert LEFT & before == set()
    for number, text in enumerate(BLOCKS):
        if number != TESTS:
            typed(text, checkout, variables)
    assert set(before_and_after(checkout)) >= LEFT | before


def test_the_first_command_makes_the_environment() -> None:
    assert TESTS == 1
    assert "python3 -m venv .venv && .venv/bin/pip install -e ." in BLOCKS[0]


def test_no_command_names_what_is_not_there() -> None:
    """Neither a file that nobody has, nor an output that another command has made."""
    words = [word for text in BLOCKS for word in text.split()]
    read = [word for word in words if re.fullmatch(r"[\w/]+\.(pth|onnx|py)", word)]
    assert [word for word in read if not (ROOT / word).exists() and word != "evaluate.py"] == []
    outputs = re.findall(r"(?:--output|--html|-o) (\S+)", "\n".join(BLOCKS))
    assert len(outputs) == len(set(outputs)) >= 6


def test_migration_stands_first_among_the_commands_on_source() -> None:
    every = "\n".join(BLOCKS)
    places = [every.index(f"msconvert {name} ") for name in ("migrate", "scan", "source")]
    assert places == sorted(places)
