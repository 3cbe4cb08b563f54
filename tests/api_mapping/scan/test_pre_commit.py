"""The pre-commit hook that ships, run by pre-commit on a repository made for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"

CLEAN = "import torch\n\nx = torch.zeros(3)\n"
STOPS = "import torch\n\ntorch.fx.symbolic_trace(print)\n"


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command with this environment's programs, and caches of its own."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    names = {
        f"GIT_{who}_{what}": "test" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    environment = os.environ | names | {"PATH": path, "PRE_COMMIT_HOME": str(cwd / "cache")}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository that uses the hook; it is taken as installed, so that nothing is fetched."""
    (hook,) = yaml.safe_load(MANIFEST.read_text())
    local = {
        "repo": "local",
        "hooks": [hook | {"language": "system", "additional_dependencies": []}],
    }
    config = tmp_path / ".pre-commit-config.yaml"
    config.write_text(yaml.safe_dump({"repos": [local]}))
    (tmp_path / ".gitignore").write_text("cache/\n")
    (tmp_path / "clean.py").write_text(CLEAN)
    (tmp_path / "notes.txt").write_text("torch.fx.symbolic_trace")
    for command in ("git init -q", "git add .", "git commit -q -m first"):
        assert run(*command.split(), cwd=tmp_path).returncode == 0
    assert run("pre-commit", "install", cwd=tmp_path).returncode == 0
    return tmp_path


def test_the_manifest_is_valid(tmp_path: Path) -> None:
    done = run("pre-commit", "validate-manifest", str(MANIFEST), cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_clean_repository_passes(repository: Path) -> None:
    done = run("pre-commit", "run", "--all-files", cwd=repository)
    assert done.returncode == 0, done.stdout
    assert "Passed" in done.stdout


def test_a_commit_of_an_api_without_counterpart_is_stopped(repository: Path) -> None:
    (repository / "graph.py").write_text(STOPS)
    run("git", "add", "graph.py", cwd=repository)
    done = run("git", "commit", "-m", "second", cwd=repository)
    assert done.returncode == 1
    assert "graph.py:3:1: MS201 torch.fx.symbolic_trace" in done.stderr
    assert "there is 1 finding of missing" in done.stderr
    (repository / "graph.py").write_text(STOPS.replace("print)", "print)  # msconvert: ignore"))
    run("git", "add", "graph.py", cwd=repository)
    assert run("git", "commit", "-m", "second", cwd=repository).returncode == 0


def test_files_without_python_are_not_looked_at(repository: Path) -> None:
    (repository / "more.txt").write_text("torch.fx.symbolic_trace")
    run("git", "add", "more.txt", cwd=repository)
    assert "Skipped" in run("git", "commit", "-m", "text", cwd=repository).stderr


def test_what_the_project_excludes_stops_no_commit(repository: Path) -> None:
    """The hook hands on the names of files, those of excluded folders too."""
    (repository / "pyproject.toml").write_text("[tool.msconvert]\nexclude = ['third_party']\n")
    (repository / "third_party").mkdir()
    (repository / "third_party" / "graph.py").write_text(STOPS)
    run("git", "add", ".", cwd=repository)
    done = run("git", "commit", "-m", "second", cwd=repository)
    assert done.returncode == 0, done.stderr
