"""Real projects converted, where benchmarks/source.py has downloaded them: nothing is broken.

Every file that changes parses, keeps its comments and its line ends; converting what was
converted changes nothing. Files without torch, of Python's own library, stay as they are.
"""

from __future__ import annotations

import ast
import io
import os
import sysconfig
import tokenize
import warnings
from collections import Counter
from pathlib import Path

import pytest

from msconvert.api_mapping.analysis import Project, find_sources
from msconvert.api_mapping.source.homes import homes_of
from msconvert.api_mapping.source.outcome import Outcome
from msconvert.api_mapping.source.output import write_tree
from msconvert.api_mapping.source.tree import convert_one, convert_paths
from msconvert.api_mapping.table.target import Settings

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "msconvert" / "corpora"
PROJECTS = {"torchvision": 180, "timm": 300}
"""The projects, and how many files each has at least."""


@pytest.fixture(scope="module", params=PROJECTS)
def converted(request: pytest.FixtureRequest) -> Outcome:
    folder = CACHE / request.param / request.param
    if not folder.exists():
        pytest.skip(f"no {folder}: python benchmarks/source.py downloads it")
    found = Outcome(convert_paths([folder], Settings()))
    assert len(found.tree.files) > PROJECTS[request.param]
    return found


def comments(data: bytes) -> Counter[str]:
    tokens = tokenize.tokenize(io.BytesIO(data).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


def test_every_file_parses(converted: Outcome) -> None:
    assert converted.failed == []
    assert len(converted.changed) > len(converted.tree.files) / 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for file in converted.changed:
            ast.parse(file.data or b"")


def test_no_comment_is_lost(converted: Outcome) -> None:
    lost = {
        file.scan.path: gone
        for file in converted.changed
        if (gone := comments(file.before) - comments(file.data or b""))
    }
    assert lost == {}


def test_line_ends_stay(converted: Outcome) -> None:
    mixed = [file.scan.path for file in converted.changed if b"\r" in (file.data or b"")]
    assert mixed == []


def test_a_second_time_changes_nothing(converted: Outcome, tmp_path: Path) -> None:
    (root,) = converted.tree.roots
    write_tree(converted.tree, tmp_path / root.name)
    again = convert_paths([tmp_path / root.name], Settings())
    assert [file.scan.path for file in again.files if file.data is not None] == []


def test_the_order_of_files_changes_nothing(converted: Outcome) -> None:
    """One process, the last file first, against several that share the files."""
    (root,) = converted.tree.roots
    sources, _ = find_sources([root])
    statements = {p: h.statement for p, h in zip(sources, homes_of(sources, [root]), strict=True)}
    project, ours = Project(sources, [root]), {f.path: f.data for f in converted.tree.files}
    chosen = [path for path in sources if path.parent.name in ("models", "ops", "layers")]
    assert len(chosen) > 30
    again = {p: convert_one(Settings(), statements, project, p, p.name) for p in chosen[::-1]}
    assert [p for p, file in again.items() if file.data != ours[p]] == []


def test_files_without_torch_stay(tmp_path: Path) -> None:
    library = Path(sysconfig.get_path("stdlib"))
    files = sorted(path for path in library.rglob("*.py") if b"torch" not in path.read_bytes())
    found = convert_paths(files[:200], Settings())
    assert len(found.files) == min(200, len(files)) > 150
    assert [file.scan.path for file in found.files if file.data is not None] == []
    assert found.modules == ()
