"""Whole projects converted: where files go, what stays as it is, what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from msconvert.api_mapping.source.outcome import Outcome, migrate_tree
from msconvert.api_mapping.source.output import write_in_place
from msconvert.api_mapping.source.tree import convert_paths
from msconvert.api_mapping.table.target import Settings, Target
from msconvert.errors import MsconvertError
from msconvert.formats.names.weight_map import is_weight_map

pytestmark = pytest.mark.usefixtures("warm")

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return torch.cat([x, x], dim=1)
"""
NEEDS_COMPAT = "import torch\n\n\ndef f(x: torch.Tensor):\n    return torch.sort(x, dim=0)\n"


def project(folder: Path, files: dict[str, str | bytes]) -> Path:
    """A folder with these files."""
    root = folder / "project"
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else dedent(content).encode())
    return root


def converted(root: Path, target: Target = Target.MINDSPORE) -> tuple[Outcome, Path]:
    output = root.parent / "output"
    return migrate_tree([root], output, Settings(target)), output


def tree_of(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, by its path from there."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_tree_goes_to_a_folder_of_its_own(tmp_path: Path) -> None:
    files = {"net.py": NET, "read me.txt": "x\r\n", "sub/plain.py": "x = 1\n", "data/a.bin": b"\0"}
    root = project(tmp_path, files)
    (root / "net.py").chmod(0o755)
    before = tree_of(root)
    outcome, output = converted(root)
    after = tree_of(output)
    assert tree_of(root) == before
    changed = {name for name, data in after.items() if data != before.get(name)}
    assert changed == {"net.py", "weight_map_of_net.json"}
    assert is_weight_map(output / "weight_map_of_net.json")
    assert "from mindspore import nn, ops\n" in after["net.py"].decode()
    assert (output / "net.py").stat().st_mode & 0o777 == 0o755
    assert [file.scan.path.rpartition("/")[2] for file in outcome.changed] == ["net.py"]


@pytest.mark.parametrize(
    ("files", "module", "statement"),
    [
        ({"a.py": NEEDS_COMPAT}, "_ms_compat.py", "import _ms_compat as compat"),
        (
            {"p/__init__.py": "", "p/a.py": NEEDS_COMPAT},
            "p/_ms_compat.py",
            "from . import _ms_compat as compat",
        ),
        (
            {"p/__init__.py": "", "p/q/__init__.py": "", "p/q/a.py": NEEDS_COMPAT},
            "p/_ms_compat.py",
            "from .. import _ms_compat as compat",
        ),
        ({"tools/a.py": NEEDS_COMPAT}, "tools/_ms_compat.py", "import _ms_compat as compat"),
        (
            {"run.py": "from tools.a import f\n", "tools/a.py": NEEDS_COMPAT},
            "tools/_ms_compat.py",
            "from . import _ms_compat as compat",
        ),
        (
            {"__init__.py": "", "b.py": "x = 1\n", "a.py": f"import b\n{NEEDS_COMPAT}"},
            "_ms_compat.py",
            "import _ms_compat as compat",
        ),
        (
            {
                "p/__init__.py": "",
                "p/net.py": NEEDS_COMPAT,
                "a.py": f"from p.net import f as g\n{NEEDS_COMPAT}",
            },
            "p/_ms_compat.py",
            "from p import _ms_compat as compat",
        ),
        (
            {"p/__init__.py": "", "p/net.py": "x = 1\n", "a.py": f"import p.net\n{NEEDS_COMPAT}"},
            "p/_ms_compat.py",
            "from p import _ms_compat as compat",
        ),
    ],
    ids=[
        *("script", "package", "inner", "folder", "namespace", "script in a package"),
        *("script beside its package", "whose package needs none"),
    ],
)
def test_the_compat_module_is_where_it_is_imported_from(
    tmp_path: Path, files: dict[str, str | bytes], module: str, statement: str
) -> None:
    root = project(tmp_path, files)
    _, output = converted(root)
    name = next(name for name in files if name.endswith("a.py"))
    assert f"{statement}\n" in (output / name).read_text()
    assert [p.relative_to(output).as_posix() for p in output.rglob("_ms_compat.py")] == [module]
    assert "def sort(" in (output / module).read_text()


def test_a_second_conversion_changes_nothing(tmp_path: Path) -> None:
    root = project(tmp_path, {"net.py": NET, "sort.py": NEEDS_COMPAT})
    _, output = converted(root)
    once = tree_of(output)
    again = migrate_tree([output], tmp_path / "again", Settings(Target.MINDSPORE))
    assert tree_of(tmp_path / "again") == once
    assert not again.tree.changes


def test_an_output_that_exists_is_refused(tmp_path: Path) -> None:
    root = project(tmp_path, {"net.py": NET})
    (tmp_path / "output").mkdir()
    with pytest.raises(MsconvertError, match="MS107"):
        converted(root)
    migrate_tree([root], tmp_path / "output", force=True)
    assert sorted(os.listdir(tmp_path / "output")) == ["net.py", "weight_map_of_net.json"]


def test_a_weight_map_goes_over_an_older_one_and_over_nothing_else(tmp_path: Path) -> None:
    root = project(tmp_path, {"net.py": NET, "weight_map_of_net.json": "[]"})
    write_in_place(convert_paths([root], Settings()))
    assert "layers of classes" in (root / "weight_map_of_net.json").read_text()
    (root / "net.py").write_text(NET)
    (root / "weight_map_of_net.json").write_text("mine")
    refused = write_in_place(convert_paths([root], Settings()))
    assert [Path(each.path).name for each in refused] == ["weight_map_of_net.json"]
    assert (root / "weight_map_of_net.json").read_text() == "mine"


RUN = NEEDS_COMPAT + 'if __name__ == "__main__":\n    print(f(torch.arange(3.0))[1].tolist())\n'
LAID_OUT: dict[str, tuple[dict[str, str], list[str]]] = {
    "scripts in a package": ({"p/__init__.py": "", "p/a.py": RUN}, ["p/a.py"]),
    "scripts below a package": ({"p/__init__.py": "", "p/q/a.py": RUN}, ["p/q/a.py"]),
    "two of them": ({"p/__init__.py": "", "p/a.py": RUN, "p/b.py": RUN}, ["p/b.py"]),
    "tools beside a package": (
        {"p/__init__.py": "", "p/net.py": NEEDS_COMPAT, "tools/__init__.py": "", "tools/a.py": RUN},
        ["tools/a.py"],
    ),
    "a script of a package's own modules": (
        {
            "p/__init__.py": "",
            "p/net.py": NEEDS_COMPAT,
            "p/a.py": f"from p.net import f as g\n{RUN}",
        },
        ["p/a.py"],
    ),
    "a script by neighbours' names": (
        {"p/__init__.py": "", "p/net.py": NEEDS_COMPAT, "p/a.py": f"from net import f as g\n{RUN}"},
        ["p/a.py"],
    ),
    "run as a module": (
        {
            "p/__init__.py": "",
            "p/net.py": NEEDS_COMPAT,
            "p/a.py": f"from .net import f as g\n{RUN}",
        },
        ["-m", "p.a"],
    ),
    "run and imported": (
        {"p/__init__.py": "", "p/b.py": "from .a import f\n", "p/a.py": RUN},
        ["-m", "p.a"],
    ),
    "a folder without a name": ({"a.py": RUN, "sub/b.py": RUN}, ["sub/b.py"]),
}


@pytest.mark.parametrize("case", LAID_OUT)
def test_converted_files_run_as_the_original_did(tmp_path: Path, case: str) -> None:
    pytest.importorskip("torch")
    files, arguments = LAID_OUT[case]
    root = project(tmp_path, dict(files))
    outcome, output = converted(root, Target.BUNDLED)
    assert outcome.ok
    printed = [run_in(folder, arguments) for folder in (root, output)]
    assert printed == ["[0, 1, 2]\n"] * 2


def run_in(folder: Path, arguments: list[str]) -> str:
    """What Python prints with these arguments in a folder, which is where it looks for modules."""
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
