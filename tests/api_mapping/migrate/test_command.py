"""The command `msconvert source`: what it prints and writes, what it refuses, how it ends."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from msconvert.commands.source import source
from msconvert.tests.api_mapping.migrate.test_tree import NEEDS_COMPAT, NET, project, tree_of

pytestmark = pytest.mark.usefixtures("warm")

PAGE = Path(__file__).parents[3] / "docs" / "source.md"
LEFT = "import torch\ny = torch.fx.symbolic_trace(1)\n"


def run(*arguments: str | Path, cwd: Path, text: bool = True) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "msconvert", "source", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=text, check=False)


def test_a_diff_that_git_applies(tmp_path: Path) -> None:
    files = {
        "net.py": NET,
        "sort.py": NEEDS_COMPAT.replace("\n", "\r\n"),
        "latin.py": "# -*- coding: latin-1 -*-\nimport torch\nx = torch.neg('\u00e9')".encode(
            "latin-1"
        ),
    }
    root = project(tmp_path, files)
    before = tree_of(root)
    done = subprocess.run(
        [sys.executable, "-m", "msconvert", "source", "."], cwd=root, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert tree_of(root) == before
    run("project", "--output", "output", cwd=tmp_path)
    subprocess.run(["git", "apply", "-"], cwd=root, input=done.stdout, check=True)
    output = tree_of(tmp_path / "output")
    assert tree_of(root) == {name: data for name, data in output.items() if MAP not in name}


MAP = "weight_map_of_"
"""Is no code: it is not in a diff."""


def test_in_place(tmp_path: Path) -> None:
    root = project(tmp_path, {"net.py": NET, "sort.py": NEEDS_COMPAT, "plain.py": "x = 1\n"})
    (root / "net.py").chmod(0o750)
    times = (root / "plain.py").stat().st_mtime_ns
    assert run("project", "--output", "output", cwd=tmp_path).returncode == 0
    done = run("project", "--write", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Files: 2 changed, 1 unchanged, 0 failed" in done.stdout
    assert tree_of(root) == tree_of(tmp_path / "output")
    assert (root / "net.py").stat().st_mode & 0o777 == 0o750
    assert (root / "plain.py").stat().st_mtime_ns == times
    again = run("project", "--write", cwd=tmp_path)
    assert "Files: 0 changed, 4 unchanged, 0 failed" in again.stdout


def test_check_writes_nothing_and_tells(tmp_path: Path) -> None:
    root = project(tmp_path, {"net.py": NET})
    before = tree_of(root)
    assert run("project", "--check", cwd=tmp_path).returncode == 1
    assert tree_of(root) == before
    run("project", "--write", cwd=tmp_path)
    assert run("project", "--check", cwd=tmp_path).returncode == 0


def test_what_stays_makes_the_status_1_also_the_next_time(tmp_path: Path) -> None:
    root = project(tmp_path, {"left.py": LEFT})
    done = run("project", "--write", cwd=tmp_path)
    assert done.returncode == 1
    assert "left.py:2: MS201 torch.fx.symbolic_trace has no counterpart" in done.stderr
    assert "1 comment `# MS2xx line: ...`" in done.stdout
    before = tree_of(root)
    assert run("project", "--write", cwd=tmp_path).returncode == 1
    assert tree_of(root) == before


def test_a_failure_stops_nothing_else(tmp_path: Path) -> None:
    root = project(tmp_path, {"bad.py": "def (:\n", "net.py": NET})
    done = run(root, "--output", "output", cwd=tmp_path)
    assert done.returncode == 1
    assert "bad.py:1: MS209 syntax" in done.stderr
    after = tree_of(tmp_path / "output")
    assert after["bad.py"] == b"def (:\n"
    assert b"nn.Cell" in after["net.py"]


def test_json_and_nothing_else(tmp_path: Path) -> None:
    project(tmp_path, {"left.py": LEFT})
    done = run("--in_file", "project", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert found["counts"]["left"] == 1
    assert found["files"][0]["findings"][0]["code"] == "MS201"


@pytest.mark.parametrize(
    ("target", "api", "first"),
    [
        ("bundled", "classic", "from msconvert.runtime import nn, ops"),
        ("mindspore", "classic", "from mindspore import nn, ops"),
        ("mindspore", "mint", "from mindspore import mint, nn"),
    ],
)
def test_target_and_api(tmp_path: Path, target: str, api: str, first: str) -> None:
    project(tmp_path, {"net.py": NET})
    run("project/net.py", "--output", "out", "--target", target, "--api", api, cwd=tmp_path)
    assert (tmp_path / "out" / "net.py").read_text().startswith(first)


def test_settings_of_the_project(tmp_path: Path) -> None:
    files = {"net.py": NET, "old/net.py": NET, "pyproject.toml": PROJECT}
    root = project(tmp_path, files)
    assert run("project", "--write", "--exclude", "*/x.py", cwd=tmp_path).returncode == 0
    assert (root / "old" / "net.py").read_text() == NET
    assert (root / "net.py").read_text() != NET
    assert run("project", "--check", "--no-config", cwd=tmp_path).returncode == 1


PROJECT = "[tool.msconvert]\nexclude = ['old']\n"


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        ([], 2, "PATH is missing"),
        (["project", "--write", "--check"], 2, "--write and --check do not go together"),
        (["project", "--output", "o", "--write"], 2, "--output and --write do not go together"),
        (["project", "--report", "r.txt"], 2, "--report takes FILE.md, FILE.json or FILE.html"),
        (["project", "--report", "there.md"], 1, "there.md: it exists already"),
        (["project", "--output", "project"], 2, "it holds the sources"),
        (["project", "--output", "."], 2, "it holds the sources"),
        (["project", "--output", "project/inner"], 2, "it is inside of what is converted"),
        (["project/net.py", "--output", "project"], 2, "it holds the sources"),
        (["project", "--output", "there.md"], 1, "it exists already"),
        (["project", "--output", "there.md", "--force"], 1, "it exists already"),
        (["project", "copy/project", "--output", "o"], 2, "would both become project"),
        (["gone", "--output", "o"], 1, "there is no such file"),
    ],
)
def test_what_is_refused(tmp_path: Path, arguments: list[str], status: int, told: str) -> None:
    project(tmp_path, {"net.py": NET})
    project(tmp_path / "copy", {"net.py": NET})
    (tmp_path / "there.md").write_text("mine")
    before = tree_of(tmp_path)
    done = run(*arguments, cwd=tmp_path)
    assert (done.returncode, told in done.stderr) == (status, True), done.stderr
    assert {**before, **tree_of(tmp_path)} == before == tree_of(tmp_path)


def test_inside_of_the_project_by_force(tmp_path: Path) -> None:
    root = project(tmp_path, {"net.py": NET})
    for _ in range(2):
        done = run(".", "--output", "out", "--force", cwd=root)
        assert done.returncode == 0, done.stderr
    assert [name for name in sorted(tree_of(root)) if MAP not in name] == ["net.py", "out/net.py"]


def test_a_module_of_others_stays(tmp_path: Path) -> None:
    root = project(tmp_path, {"sort.py": NEEDS_COMPAT, "_ms_compat.py": "mine = 1\n"})
    done = run("project", "--write", cwd=tmp_path)
    assert done.returncode == 1
    assert "MS107 it is not msconvert's" in done.stderr
    assert "Next: Rename _ms_compat.py" in done.stdout
    assert "Next: Keep _ms_compat.py" not in done.stdout
    assert (root / "_ms_compat.py").read_text() == "mine = 1\n"
    assert run("project", "--write", "--force", cwd=tmp_path).returncode == 0


def test_a_module_grows_with_what_is_needed(tmp_path: Path) -> None:
    root = project(tmp_path, {"sort.py": NEEDS_COMPAT})
    run("project", "--write", cwd=tmp_path)
    (root / "more.py").write_text(NEEDS_COMPAT.replace("sort", "topk").replace("dim=0", "2"))
    run("project", "--write", cwd=tmp_path)
    module = (root / "_ms_compat.py").read_text()
    assert module.count("def sort(") == module.count("def topk(") == 1


def test_every_flag_is_told_of_and_no_other() -> None:
    offered = {option for parameter in source.params for option in parameter.opts}
    told = set(re.findall(r"`(--[a-z][a-z_-]*)", PAGE.read_text(encoding="utf-8")))
    assert told == {option for option in offered if option.startswith("--")}


def test_a_terminal_gets_colours_and_nothing_that_it_obeys(tmp_path: Path) -> None:
    project(tmp_path, {"net.py": NET + "# \x1b[31m\n"})
    pty = pytest.importorskip("pty")
    parts: list[bytes] = []

    def read(descriptor: int) -> bytes:
        parts.append(os.read(descriptor, 1024))
        return parts[-1]

    command = [sys.executable, "-m", "msconvert", "source", str(tmp_path / "project" / "net.py")]
    pty.spawn(command, read)
    text = b"".join(parts)
    assert b"\x1b[32m+class Net(nn.Cell):\x1b[0m" in text
    assert b"\\x1b[31m" in text
