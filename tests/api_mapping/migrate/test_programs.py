"""Whole programs, each with the forms of one family: converted they print what PyTorch prints.

What they print are numbers, names and shapes, by `print` and nothing else.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from msconvert.api_mapping.source.compat_module import NAME, compat_module
from msconvert.api_mapping.table.target import Target

from ..two_sides import declare_operators
from .running import loaded, migrated

FILES = sorted((Path(__file__).parent / "programs").glob("*.py"))
ids = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


@ids
def test_both_sides_print_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    declare_operators(pytest.importorskip("torch"))
    original, converted = tmp_path / "torch", tmp_path / "converted"
    original.mkdir()
    program = original / "net.py"
    program.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    write(tmp_path, path, Target.BUNDLED, converted)
    monkeypatch.chdir(original)
    wanted = printed(program)
    assert wanted.count("\n") >= 6
    monkeypatch.chdir(converted)
    assert printed(converted / "net.py") == wanted


@pytest.mark.sweep(each=(), one_in=3)
@ids
def test_mindspore_prints_the_same(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run_mindspore: Callable[..., str],
    path: Path,
) -> None:
    declare_operators(pytest.importorskip("torch"))
    program = tmp_path / "net.py"
    program.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    wanted = printed(program)
    converted = tmp_path / "converted"
    write(tmp_path, path, Target.MINDSPORE, converted)
    assert run_mindspore(converted, "net.py") == wanted


def write(folder: Path, path: Path, target: Target, converted: Path) -> None:
    """Writes what the program is converted to, of which nothing stays PyTorch's."""
    found = migrated(folder, path.read_text(encoding="utf-8"), target)
    assert not found.left, [(use.api, use.refusal) for use in found.left]
    converted.mkdir()
    (converted / "net.py").write_text(found.text, encoding="utf-8")
    (converted / NAME).write_text(compat_module(found.needed, target), encoding="utf-8")


def printed(path: Path) -> str:
    with redirect_stdout(io.StringIO()) as stream:
        loaded(path)
    return stream.getvalue()
