"""Who may import whom: the table of docs/design.md, held against every import there is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

ALLOWED = {
    "errors": set(),
    "reporting": {"errors"},
    "child_process": {"errors"},
    "extensions": {"errors"},
    "surroundings": {"errors"},
    "formats": {"errors"},
    "numerics": {"errors", "formats"},
    "runtime": {"errors", "formats"},
    "converter": {"errors", "reporting", "formats", "numerics", "child_process", "extensions"},
    "api_mapping": {"errors", "reporting", "formats", "extensions"},
    "troubleshooter": {
        *("errors", "reporting", "formats", "numerics", "runtime", "child_process", "extensions"),
    },
    "observation": {"errors", "reporting", "formats", "numerics", "runtime"},
    "live": {"errors", "reporting", "formats", "numerics", "child_process", "runtime", "converter"},
    "migration": {"errors", "reporting", "formats", "api_mapping", "troubleshooter"},
}
"""What each part may import of the other parts; those not listed, all of them."""

API_MAPPING = ("syntax", "table", "analysis", "memory", "training", "rewriting", "findings")
ROOMS = {
    "api_mapping": {
        **{room: {*API_MAPPING[:floor]} for floor, room in enumerate(API_MAPPING)},
        "training": {"syntax", "table", "analysis"},
        "reference": {"syntax", "table", "analysis", "memory", "rewriting"},
        "scan": {*API_MAPPING, "reference"},
        "source": {*API_MAPPING},
    },
    "runtime": {"engine": set()},
    "converter": {
        "graph": {"guard"},
        "source": {"graph", "guard"},
        "recompose": {"graph", "guard"},
        "code": {"graph", "guard"},
        "onnx_ops": {"graph", "guard", "code"},
        "modules": {"graph", "guard", "code", "trace"},
        "text": {"graph", "guard", "code", "modules"},
        "proof": {"graph", "guard", "allowance"},
    },
}
"""What the rooms of a part may import of it; those not listed, all of it."""

WHOLE = {"api_mapping", "converter"}
"""The parts of which every room is in the table."""

RIM = {
    *("__init__", "__main__", "codemod", "commands"),
    *("tests", "benchmarks", "examples", "docs"),
}
"""The parts that hold the others together, and so may import any of them."""

WRITTEN_AS_USERS_WRITE = (
    "tests/troubleshooter/compare/ports/",
    "tests/models/",
    "tests/runtime/dataset/programs/",
    "tests/runtime/dump/network.py",
    "tests/runtime/train/lenet.py",
    "tests/runtime/train/model_zoo/",
    "tests/runtime/train/runner.py",
    "tests/runtime/flow/",
    "tests/runtime/zoo/",
    "benchmarks/jobs/",
    "benchmarks/networks/",
    "benchmarks/source_programs/programs/",
    "benchmarks/source_programs/second/",
    "benchmarks/source_programs/third/",
    "benchmarks/source_programs/fourth/",
    "benchmarks/onnx_networks/looping.py",
    "benchmarks/onnx_networks/making.py",
    "benchmarks/onnx_networks/own.py",
    "examples/training/",
    "examples/tuning/",
    "examples/lenet_mnist/",
    "examples/resnet50_migration/",
    "examples/torch_project/",
    "examples/troubleshooting/",
    "examples/verify/",
    "tests/api_mapping/labelled/",
    "tests/api_mapping/watched/",
    "tests/troubleshooter/verify/pairs/",
    "tests/troubleshooter/compare/recorded/",
    "tests/troubleshooter/planted/networks",
    "tests/troubleshooter/training/scripts/",
    "tests/api_mapping/migrate/idioms/",
    "tests/api_mapping/migrate/lightning/",
    "tests/api_mapping/migrate/programs/",
    "tests/api_mapping/migrate/summaries/",
    "tests/api_mapping/migrate/models/",
    "tests/api_mapping/migrate/projects/",
    "tests/api_mapping/migrate/run_with_torchvision.py",
    "tests/api_mapping/migrate/scripts/",
)
"""Written with PyTorch or MindSpore; tests use these files where they have found it."""

SOURCES = sorted(
    path.relative_to(ROOT)
    for path in ROOT.rglob("*.py")
    if not any(
        part.startswith(".") or part in ("build", "dist", "demo")
        for part in path.relative_to(ROOT).parts
    )
)


@dataclass(frozen=True)
class Import:
    """One imported module by its absolute name, and whether the import runs with its module."""

    module: str
    line: int
    at_module_level: bool


def statements(node: ast.AST, outside: bool = True) -> Iterator[tuple[ast.AST, bool]]:
    """Each node under `node`, and whether it stands outside of every function."""
    for child in ast.iter_child_nodes(node):
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield child, outside
        yield from statements(child, outside and not is_function)


def imports(tree: ast.Module, path: Path) -> list[Import]:
    """All imports of a module; `from a import b` counts as a.b, which may be a module."""
    package = ("msconvert", *path.parts[:-1])
    found = []
    for node, outside in statements(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            prefix = ".".join([*start, *([node.module] if node.module else [])])
            names = [f"{prefix}.{alias.name}" for alias in node.names]
        else:
            continue
        found += [Import(name, node.lineno, outside) for name in names]
    return found


def part_of(path: Path) -> str:
    """The folder or top-level module that a file belongs to: its row in the table."""
    return path.parts[0].removesuffix(".py")


def room_breaches(path: Path, source: str) -> list[str]:
    """The imports in a file that go up, or sideways, inside its part."""
    part, room = part_of(path), path.parts[1] if len(path.parts) > 2 else ""
    rooms = ROOMS.get(part, {})
    if room not in rooms:
        assert not room or part not in WHOLE, "a new room needs a row in the table"
        return []
    names = [(entry.module.split("."), entry.line) for entry in imports(ast.parse(source), path)]
    inner = [(n[2], line) for n, line in names if n[:2] == ["msconvert", part] and len(n) > 2]
    return [
        f"{path}:{line} {room} imports {other}"
        for other, line in inner
        if other != room and other not in rooms[room]
    ]


def breaches(path: Path, source: str) -> list[str]:
    """The imports in a file that the table does not allow."""
    part = part_of(path)
    found = []
    users = path.as_posix().startswith(WRITTEN_AS_USERS_WRITE)
    for entry in imports(ast.parse(source), path):
        top, *rest = entry.module.split(".")
        foreign = top in ("torch", "mindspore") and not users
        if foreign and entry.at_module_level:
            found.append(f"{path}:{entry.line} needs {top} to be imported at all")
        if top != "msconvert" or not rest or part in RIM:
            continue
        if rest[0] != part and rest[0] not in ALLOWED[part]:
            found.append(f"{path}:{entry.line} {part} imports {rest[0]}")
    return found


@pytest.mark.parametrize("path", SOURCES, ids=str)
def test_imports_point_the_allowed_way(path: Path) -> None:
    assert part_of(path) in ALLOWED.keys() | RIM, "a new part needs a row in the table"
    source = (ROOT / path).read_text(encoding="utf-8")
    assert breaches(path, source) == []
    assert room_breaches(path, source) == []


@pytest.mark.parametrize(
    ("path", "source", "count"),
    [
        ("runtime/nn/conv.py", "from ...converter import graph", 1),
        ("runtime/nn/conv.py", "from ... import converter, errors", 1),
        ("runtime/nn/conv.py", "def f():\n    import msconvert.commands.main", 1),
        ("runtime/nn/conv.py", "from ..tensor import Tensor\nfrom ...formats import ckpt", 0),
        ("converter/source/load.py", "from msconvert.runtime import nn", 1),
        ("converter/source/load.py", "from .graph import Graph\nfrom ..errors import printable", 0),
        ("formats/ckpt.py", "from ..reporting.report import Finding", 1),
        ("reporting/report.py", "from ..errors import CODES", 0),
        ("errors.py", "from .reporting.report import Finding", 1),
        ("numerics/tolerance.py", "from ..troubleshooter.measure import metrics", 1),
        ("formats/pytorch/pth.py", "import torch", 1),
        ("formats/pytorch/pth.py", "try:\n    from torch import nn\nexcept ImportError: pass", 1),
        ("formats/pytorch/pth.py", "def read():\n    import torch", 0),
        ("commands/main.py", "import mindspore.nn", 1),
        ("commands/main.py", "from ..converter import convert", 0),
    ],
)
def test_the_check_sees_breaches_and_nothing_else(path: str, source: str, count: int) -> None:
    assert len(breaches(Path(path), source)) == count


@pytest.mark.parametrize(
    ("path", "source", "count"),
    [
        ("api_mapping/syntax/nodes.py", "from ..table.rule import Rule", 1),
        ("api_mapping/syntax/nodes.py", "from .. import table, syntax", 1),
        ("api_mapping/memory/flow.py", "from ..training import blocks", 1),
        ("api_mapping/scan/as_html.py", "def f():\n    from ..source.file import Conversion", 1),
        ("api_mapping/findings/limits/rule.py", "from ...scan.settings import Settings", 1),
        ("api_mapping/findings/limits/rule.py", "from ..model import Finding", 0),
        ("api_mapping/source/file.py", "from ..syntax.edits import Edit", 0),
        ("converter/code/expr.py", "from ..trace import trace", 1),
        ("converter/graph/fold.py", "from ..source import tensors", 1),
        ("runtime/engine/tape.py", "def f():\n    from ..ops.registry import operation", 1),
        ("runtime/engine/tape.py", "from .tensor import Tensor\nfrom ...formats import ckpt", 0),
    ],
)
def test_the_check_of_rooms_sees_breaches_and_nothing_else(
    path: str, source: str, count: int
) -> None:
    assert len(room_breaches(Path(path), source)) == count
