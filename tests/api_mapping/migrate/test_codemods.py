"""Codemods of users run on what was converted; ours runs in LibCST's own tool."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from msconvert.api_mapping.source import codemods
from msconvert.api_mapping.source.tree import Tree, convert_paths
from msconvert.api_mapping.table.target import Settings
from msconvert.extensions import installed

pytestmark = pytest.mark.usefixtures("warm")

SOURCE = """\
import torch


def loss(x):  # of the team
    return our_sum(torch.relu(x))
"""

CODEMODS = """\
import libcst as cst
from libcst.codemod import CodemodCommand, SkipFile, VisitorBasedCodemodCommand


class Rename(VisitorBasedCodemodCommand):
    def leave_Name(self, original_node, updated_node):
        if updated_node.value != "our_sum":
            return updated_node
        self.warn("our_sum is renamed\\nhere")
        return updated_node.with_changes(value="their_sum")


class Seeing(CodemodCommand):
    def transform_module_impl(self, tree):
        assert "ops.relu" in tree.code, "it runs before msconvert"
        return tree


class Raising(CodemodCommand):
    def transform_module_impl(self, tree):
        raise ValueError("no such\\x1b[31m thing")


class Unmade(Seeing):
    def __init__(self, context):
        raise KeyError("no context")


class Skipping(CodemodCommand):
    def transform_module_impl(self, tree):
        raise SkipFile("not mine")


number = 3
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """Makes a package whose metadata name these codemods, as `pip install` would."""

    def written(**entries: str) -> None:
        place = tmp_path / "site"
        info = place / "our_codemods-1.dist-info"
        info.mkdir(parents=True)
        (place / "our_codemods.py").write_text(CODEMODS)
        lines = [f"{name} = {value}" for name, value in entries.items()]
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: our-codemods\nVersion: 1\n")
        (info / "entry_points.txt").write_text("\n".join([f"[{codemods.GROUP}]", *lines, ""]))
        monkeypatch.syspath_prepend(str(place))

    installed.cache_clear()
    yield written
    installed.cache_clear()
    sys.modules.pop("our_codemods", None)


def converted(folder: Path, source: str = SOURCE) -> Tree:
    path = folder / "loss.py"
    path.write_text(source)
    return convert_paths([path], Settings())


def text(tree: Tree) -> str:
    (file,) = tree.files
    return (file.data or b"").decode()


def remarks(tree: Tree) -> list[tuple[str, str]]:
    return [(remark.code, remark.message) for remark in tree.files[0].scan.remarks]


def test_a_codemod_runs_on_what_is_converted(tmp_path: Path, install) -> None:
    plain = text(converted(tmp_path))
    install(rename="our_codemods:Rename", seeing="our_codemods:Seeing")
    installed.cache_clear()
    tree = converted(tmp_path)
    assert text(tree) == plain.replace("our_sum", "their_sum")
    assert "# of the team" in text(tree)
    assert remarks(tree) == [("MS234", "codemod rename: our_sum is renamed here")]
    assert tree.ok


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("our_codemods:Raising", "ValueError: no such\x1b[31m thing"),
        ("our_codemods:Unmade", "KeyError: 'no context'"),
        ("our_codemods:missing", "AttributeError: module 'our_codemods' has no attribute"),
        ("no_such_module:Rename", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("our_codemods:number", "TypeError: it is no class derived from libcst's"),
    ],
)
def test_one_that_fails_leaves_the_file_to_us_and_to_others(
    entry: str, message: str, tmp_path: Path, install
) -> None:
    install(bad=entry, rename="our_codemods:Rename")
    tree = converted(tmp_path)
    assert "their_sum(ops.relu(x))" in text(tree)
    assert not tree.ok
    ((code, told), _) = remarks(tree)
    assert code == "MS235"
    assert told.startswith(f"codemod bad: {message}")


def test_one_that_skips_a_file_is_no_failure(tmp_path: Path, install) -> None:
    install(skipping="our_codemods:Skipping")
    tree = converted(tmp_path)
    assert "our_sum(ops.relu(x))" in text(tree)
    assert tree.ok


def test_the_command_says_it_and_prints_nothing_that_a_terminal_obeys(
    tmp_path: Path, install
) -> None:
    install(bad="our_codemods:Raising")
    (tmp_path / "loss.py").write_text(SOURCE)
    done = subprocess.run(
        [sys.executable, "-m", "msconvert", "source", "loss.py", "--output", "new"],
        cwd=tmp_path,
        env={"PYTHONPATH": ":".join([str(tmp_path / "site"), *filter(None, sys.path)])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "MS235" in done.stderr
    assert "\x1b" not in done.stderr + done.stdout
    assert "ops.relu" in (tmp_path / "new" / "loss.py").read_text()


def run_ours(path: Path) -> subprocess.CompletedProcess[str]:
    """LibCST's own tool with our codemod, as docs/source.md has it."""
    command = "-m libcst.tool codemod --no-format -x msconvert.codemod.Convert".split()
    return subprocess.run(
        [sys.executable, *command, path],
        cwd=path.parent,
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
    )


def test_ours_runs_in_the_tool_of_libcst(tmp_path: Path) -> None:
    path = tmp_path / "loss.py"
    path.write_text(SOURCE)
    expected = text(converted(tmp_path))
    done = run_ours(path)
    assert done.returncode == 0, done.stderr
    assert path.read_text() == expected


def test_the_tool_tells_what_stays(tmp_path: Path) -> None:
    path = tmp_path / "loss.py"
    path.write_text("import torch\nx = torch.hub.load('a', 'b')\n")
    done = run_ours(path)
    assert "MS201" in done.stderr
    assert "# MS201 line" in path.read_text()


def test_a_notebook_that_they_have_not_seen_is_told(tmp_path: Path, install) -> None:
    install(rename="our_codemods:Rename")
    cell = {"cell_type": "code", "source": SOURCE, "metadata": {}, "outputs": []}
    book = {"cells": [cell | {"execution_count": None}], "metadata": {}, "nbformat": 4}
    path = tmp_path / "loss.ipynb"
    path.write_text(json.dumps(book | {"nbformat_minor": 5}))
    tree = convert_paths([path], Settings())
    assert "our_sum(ops.relu(x))" in text(tree)
    assert remarks(tree) == [codemods.NOTEBOOK]


def test_what_cannot_be_read_is_told_once(tmp_path: Path, install) -> None:
    install(rename="our_codemods:Rename")
    tree = converted(tmp_path, "import torch\ndef f(:\n")
    assert [code for code, _ in remarks(tree)] == ["MS209"]
