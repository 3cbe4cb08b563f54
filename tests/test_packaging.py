"""What is installed: the list of packages, and guards against being imported by bare names."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import msconvert

ROOT = Path(__file__).parents[1]
CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text())

PACKAGES = sorted(
    path.parent.relative_to(ROOT).as_posix().replace("/", ".")
    for folder in ROOT.iterdir()
    if folder.is_dir() and not folder.name.startswith((".", "build", "dist", "tests"))
    for path in folder.rglob("__init__.py")
)
"""The folders with an `__init__.py`, as they would be named if imported from the checkout."""


def run_python(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_every_package_is_listed() -> None:
    listed = CONFIGURATION["tool"]["setuptools"]["packages"]
    assert listed == ["msconvert", *(f"msconvert.{name}" for name in PACKAGES)]


def test_every_folder_with_code_is_a_package() -> None:
    tops = [name for name in PACKAGES if "." not in name]
    folders = {path.parent for top in tops for path in (ROOT / top).rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_the_version_is_stated_once_more_only_in_the_package() -> None:
    assert CONFIGURATION["project"]["version"] == msconvert.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", msconvert.__version__)


def test_files_that_ship_exist() -> None:
    for pattern in CONFIGURATION["tool"]["setuptools"]["package-data"]["msconvert"]:
        assert list(ROOT.glob(pattern)), pattern


def test_data_beside_code_is_installed() -> None:
    data = CONFIGURATION["tool"]["setuptools"]["package-data"]
    for name in PACKAGES:
        folder = ROOT / name.replace(".", "/")
        files = {p.name for p in folder.iterdir() if p.suffix in (".json", ".txt", ".csv")}
        installed = {
            p.name for pattern in data.get(f"msconvert.{name}", ()) for p in folder.glob(pattern)
        }
        assert files <= installed, f"package-data lacks {sorted(files - installed)} of {name}"


def test_typed_and_licensed() -> None:
    assert (ROOT / "py.typed").exists()
    assert "Apache License" in (ROOT / "LICENSE").read_text()


@pytest.mark.parametrize("name", PACKAGES)
def test_a_bare_import_is_refused(name: str) -> None:
    run = run_python("-c", f"import {name}")
    assert run.returncode == 1
    top = name.split(".")[0]
    assert f"ImportError: import it as msconvert.{top}" in run.stderr


def test_packages_import_under_their_own_name() -> None:
    run = run_python("-c", "".join(f"import msconvert.{name}\n" for name in PACKAGES))
    assert (run.returncode, run.stderr) == (0, "")


def test_the_command_line_starts_without_the_heavy_libraries() -> None:
    """`msconvert --help` must come at once: each command imports what it needs."""
    heavy = {"numpy", "onnx", "onnxruntime", "rich", "libcst", "jinja2", "torch", "mindspore"}
    run = run_python("-c", "import sys, msconvert.commands.main; print(*sys.modules)")
    assert run.returncode == 0, run.stderr
    assert heavy & set(run.stdout.split()) == set()


def test_torch_and_mindspore_are_not_needed() -> None:
    assert [
        requirement
        for requirement in CONFIGURATION["project"]["dependencies"]
        if re.match(r"torch|mindspore", requirement)
    ] == []
