"""Each bad input is told as a problem of its own, and the rest is analysed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from msconvert.api_mapping.analysis import Problem, Project, find_sources

GOOD = "import torch\nx = torch.zeros(3)\n"

PROBLEMS: dict[str, tuple[bytes, str, int]] = {
    "syntax": (b"import torch\nx = (1\ny = 2\n", "syntax", 2),
    "python2 print": (b"import torch\nprint 'a'\n", "python2", 2),
    "python2 except": (b"try:\n    pass\nexcept OSError, e:\n    pass\n", "python2", 3),
    "python2 octal": (b"x = 0777\n", "python2", 1),
    "python2 exec": (b"exec 'x = 1'\n", "python2", 1),
    "python2 raise": (b"raise ValueError, 'x'\n", "python2", 1),
    "python2 backticks": (b"x = `3`\n", "python2", 1),
    "unknown encoding": (b"# -*- coding: nonsense -*-\nx = 1\n", "encoding", 1),
    "wrong encoding": (b"x = '\xff\xfe\xfa'\n", "encoding", 1),
    "binary": (b"\x7fELF\0\0\1\2", "binary", 1),
    "parentheses": (b"x = " + b"(" * 10_000 + b")" * 10_000 + b"\n", "nesting", 1),
    "a long sum": (b"x = " + b"a+" * 100_000 + b"a\n", "nesting", 1),
    "notebook of text": (b"not json", "notebook", 0),
}

FINE: dict[str, bytes] = {
    "empty": b"",
    "only a comment": b"# nothing",
    "byte order mark": b"\xef\xbb\xbf" + GOOD.encode(),
    "CRLF": GOOD.replace("\n", "\r\n").encode(),
    "old line ends": GOOD.replace("\n", "\r").encode(),
    "latin-1": "# coding: latin-1\ns = 'é'\n".encode("latin-1"),
    "escapes that warn": b"s = '\\d'\n",
    "form feed": b"x = 1\n\x0c\ny = 2\n",
    "a sum of thousand": b"x = " + b"a+" * 1_000 + b"a\n",
    "an elif chain": b"if a:\n    pass\n" + b"elif a:\n    pass\n" * 900,
    "a chain of methods": b"x = a" + b".b()" * 300 + b"\n",
}


def analysed_beside(folder: Path, name: str, content: bytes) -> list[Problem]:
    """The problems of a file; a good one beside it must be analysed all the same."""
    (folder / name).write_bytes(content)
    (folder / "good.py").write_text(GOOD)
    sources, found = find_sources([folder])
    project = Project(sources, [folder])
    results = {path.name: project.analyse(path) for path in sources}
    assert [use.api for use in results["good.py"].uses] == ["torch.zeros"]
    return found + results[name].problems


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_bad_file_is_told_once(tmp_path: Path, name: str) -> None:
    content, kind, line = PROBLEMS[name]
    suffix = ".ipynb" if kind == "notebook" else ".py"
    (problem,) = analysed_beside(tmp_path, f"bad{suffix}", content)
    assert (problem.kind, problem.line) == (kind, line)
    assert problem.message


@pytest.mark.parametrize("name", FINE)
def test_an_unusual_file_is_no_problem(tmp_path: Path, name: str) -> None:
    assert analysed_beside(tmp_path, "unusual.py", FINE[name]) == []


def test_a_generated_file_of_two_megabytes_is_analysed(tmp_path: Path) -> None:
    lines = [f"x{i} = torch.zeros({i}, {i + 1})" for i in range(60_000)]
    path = tmp_path / "generated.py"
    path.write_text("import torch\n" + "\n".join(lines) + "\n")
    assert path.stat().st_size > 2_000_000
    assert len(Project([path], [tmp_path]).analyse(path).uses) == 60_000


def test_a_file_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.py").open("wb") as file:
        file.truncate(20 * 2**20)
    (problem,) = Project([], []).analyse(tmp_path / "huge.py").problems
    assert problem.kind == "too-large"


def test_pipes_and_devices_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "endless.py").symlink_to("/dev/zero")
    (tmp_path / "good.py").write_text("def f(x):\n    return x\n")
    sources, problems = find_sources([tmp_path])
    project = Project(sources, [tmp_path])
    found = {path.name: [p.kind for p in project.analyse(path).problems] for path in sources}
    assert found == {"pipe.py": ["unreadable"], "endless.py": ["unreadable"], "good.py": []}
    assert problems == []


def test_symlinks_that_loop_are_told(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.py").write_text(GOOD)
    (tmp_path / "a" / "back").symlink_to(tmp_path)
    (tmp_path / "itself.py").symlink_to(tmp_path / "itself.py")
    sources, problems = find_sources([tmp_path])
    assert [p.kind for p in problems] == ["symlink-loop"]
    analyses = [Project(sources, [tmp_path]).analyse(path) for path in sources]
    kinds = {a.path.name: [p.kind for p in a.problems] for a in analyses}
    assert kinds == {"x.py": [], "itself.py": ["unreadable"]}


def test_what_cannot_be_listed_or_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shut").mkdir()
    (tmp_path / "x.py").write_text(GOOD)
    scandir = os.scandir

    def refused(path: str | Path) -> object:
        if Path(path).name == "shut":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    sources, (problem,) = find_sources([tmp_path])
    assert (problem.kind, problem.path.name, len(sources)) == ("unreadable", "shut", 1)

    def unread(path: Path, most: int) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("msconvert.api_mapping.analysis.files.reading.bytes_of", unread)
    (problem,) = Project(sources, [tmp_path]).analyse(sources[0]).problems
    assert (problem.kind, problem.message) == (
        "unreadable",
        "the file cannot be read: Permission denied",
    )


def test_a_path_that_is_not_there_is_told(tmp_path: Path) -> None:
    sources, (problem,) = find_sources([tmp_path / "nothing"])
    assert (sources, problem.kind) == ([], "missing")


def test_folders_of_others_are_skipped_and_files_are_found_once(tmp_path: Path) -> None:
    names = """a.py b.ipynb c.txt .hidden/d.py venv/e.py x/site-packages/f.py build/g.py
    my/pyvenv.cfg my/h.py pkg/__init__.py pkg/__pycache__/i.py pkg/skipped.py gen/j.py"""
    for name in names.split():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}" if name.endswith("nb") else "")
    (tmp_path / "again.py").symlink_to(tmp_path / "a.py")
    sources, problems = find_sources([tmp_path, tmp_path / "a.py"], ["skipped.py", "gen"])
    found = [path.relative_to(tmp_path).as_posix() for path in sources]
    assert (found, problems) == (["a.py", "b.ipynb", "pkg/__init__.py"], [])


def test_a_folder_that_is_named_is_looked_at_whatever_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "a.py").write_text("")
    assert len(find_sources([tmp_path / "build"])[0]) == 1


def notebook(*cells: str, **other: object) -> bytes:
    content = [{"cell_type": "code", "source": text.splitlines(True)} for text in cells]
    content.insert(0, {"cell_type": "markdown", "source": ["# torch.zeros(3)"]})
    return json.dumps({"cells": content, "nbformat": 4, **other}).encode()


def test_cells_have_their_own_lines(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    path.write_bytes(
        notebook(
            "%matplotlib inline\nimport torch\n",
            "!pip install x\n%time y = 1\nz = %who\nx = torch.zeros(3)\nx?\ny = (3\n  % 2)",
            "%%bash\ntorch.zeros(3)",
            "",
            "%%time\nx.view(-1)",
            "def broken(:\n    torch.zeros(3)",
            "x.item()",
        )
    )
    analysis = Project([path], [tmp_path]).analyse(path)
    assert [(use.cell, use.line, use.api) for use in analysis.uses] == [
        (3, 4, "torch.zeros"),
        (6, 2, "torch.Tensor.view"),
        (8, 1, "torch.Tensor.item"),
    ]
    (problem,) = analysis.problems
    assert problem.kind == "syntax"
    assert problem.message.startswith("cell 7:")
    assert analysis.source.place(problem.line) == (7, 1)


@pytest.mark.parametrize("content", [b"[]", b"{}", b'{"cells": 3}', b"{", b"\xff", b""])
def test_no_notebook(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "n.ipynb"
    path.write_bytes(content)
    (problem,) = Project([path], [tmp_path]).analyse(path).problems
    assert problem.kind == "notebook"


ODD_CELLS = {
    "3": "it is no object",
    '"torch"': "it is no object",
    "null": "it is no object",
    "[]": "it is no object",
    '{"source": "x"}': "its cell_type is none of code, markdown and raw",
    '{"cell_type": [], "source": "x"}': "its cell_type is none of code, markdown and raw",
    '{"cell_type": {}, "source": "x"}': "its cell_type is none of code, markdown and raw",
    '{"cell_type": [["raw"]], "source": 3}': "its cell_type is none of code, markdown and raw",
    '{"cell_type": null, "source": []}': "its cell_type is none of code, markdown and raw",
    '{"cell_type": 1e400, "source": "x"}': "its cell_type is none of code, markdown and raw",
    '{"cell_type": "code", "source": 3}': "its source is neither a text nor a list of texts",
    '{"cell_type": "code", "source": null}': "its source is neither a text nor a list of texts",
    '{"cell_type": "code", "source": ["x", 3]}': "its source is neither a text nor a list of texts",
    '{"cell_type": "code"}': "",
    '{"cell_type": "code", "source": []}': "",
    '{"cell_type": "raw", "source": 3}': "",
}


@pytest.mark.parametrize("cell", ODD_CELLS)
def test_an_odd_cell_is_told_and_the_others_are_scanned(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "n.ipynb"
    good = json.dumps({"cell_type": "code", "source": GOOD})
    path.write_text(f'{{"cells": [{good}, {cell}, {good}]}}')
    analysis = Project([path], [tmp_path]).analyse(path)
    assert [(use.cell, use.api) for use in analysis.uses] == [
        (1, "torch.zeros"),
        (3, "torch.zeros"),
    ]
    told = [(p.kind, p.message, analysis.source.place(p.line)) for p in analysis.problems]
    problem = ODD_CELLS[cell]
    assert told == ([("notebook", f"cell 2: {problem}", (2, 1))] if problem else [])


def test_columns_are_characters(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_text("import torch\ns, x = 'éü', torch.zeros(3); y = '日本', x.view(-1)\n")
    uses = Project([path], [tmp_path]).analyse(path).uses
    assert [(use.column, use.end_column) for use in uses] == [(14, 25), (42, 46)]


def test_nothing_of_the_project_is_run(tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'trap')!r}, 'w')\nraise SystemExit\n"
    (tmp_path / "helper.py").write_text(trap + "y = 3\n")
    (tmp_path / "x.py").write_text("import helper, torch\nfrom helper import y\n" + trap)
    sources, _ = find_sources([tmp_path])
    for path in sources:
        Project(sources, [tmp_path]).analyse(path)
    assert not (tmp_path / "trap").exists()
