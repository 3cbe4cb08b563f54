"""Notebooks: code cells are converted, everything else stays byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from msconvert.api_mapping.source.outcome import Outcome, migrate_tree
from msconvert.api_mapping.table.target import Settings, Target

CODE = [
    "# A first cell\n%matplotlib inline\n",
    "import torch\nfrom torch import nn  # layers\n!pip install x\nfiles = !ls\nimport os\n",
    "%%bash\nimport torch\n",
    "def broken(:\n  torch.cat(",
    "net = nn.Sequential(nn.Linear(1, 2), nn.ReLU())\n\nnet?",
    "%%time\nx = torch.zeros(2)  # \u00e9\n%time y = torch.cat([x, x], dim=0)\ntorch.ones(1)",
    "",
]
CONVERTED = {
    2: "from mindspore import nn, ops\n# layers\n!pip install x\nfiles = !ls\nimport os\n",
    5: "net = nn.SequentialCell(nn.Dense(1, 2), nn.ReLU())\n\nnet?",
    6: "%%time\nx = ops.zeros(2)  # \u00e9\n%time y = torch.cat([x, x], dim=0)\nops.ones(1)",
}


def cell(source: Any, kind: str = "code") -> dict[str, Any]:
    own = (
        {"execution_count": 1, "outputs": [{"text": ["import torch\n"]}]} if kind == "code" else {}
    )
    return {"cell_type": kind, "metadata": {"source": ["torch"]}, **own, "source": source}


def notebook(cells: list[dict[str, Any]], **layout: Any) -> str:
    whole = {"metadata": {"cells": [1], "kernel": "p"}, "cells": cells, "nbformat": 4}
    return json.dumps(whole, **layout)


def converted(folder: Path, text: str) -> tuple[str, Outcome]:
    (folder / "in").mkdir()
    (folder / "in" / "a.ipynb").write_bytes(text.encode())
    outcome = migrate_tree([folder / "in"], folder / "out", Settings(Target.MINDSPORE))
    return (folder / "out" / "a.ipynb").read_bytes().decode(), outcome


@pytest.mark.parametrize(
    "layout",
    [{"indent": 1}, {"indent": 4}, {}, {"separators": (",", ":")}, {"indent": "\t"}],
    ids=str,
)
@pytest.mark.parametrize("ascii", [True, False])
@pytest.mark.parametrize("lists", [True, False])
@pytest.mark.parametrize("end", ["", "\n"])
def test_only_the_sources_of_changed_cells_change(
    tmp_path: Path, layout: dict[str, Any], ascii: bool, lists: bool, end: str
) -> None:
    layout = {**layout, "ensure_ascii": ascii}

    def whole(sources: list[str]) -> str:
        shown = [source.splitlines(keepends=True) if lists else source for source in sources]
        return notebook([*map(cell, shown), cell("torch.cat", "markdown")], **layout) + end

    after, outcome = converted(tmp_path, whole(CODE))
    new = [CONVERTED.get(number, source) for number, source in enumerate(CODE, 1)]
    assert after == whole(new)
    assert [file.scan.remarks[0].message[:14] for file in outcome.failed] == ["syntax: cell 4"]


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    once, _ = converted(tmp_path, notebook([cell(source) for source in CODE]))
    (tmp_path / "again").mkdir()
    twice, outcome = converted(tmp_path / "again", once)
    assert twice == once
    assert not outcome.tree.changes


def test_imports_that_only_a_function_had(tmp_path: Path) -> None:
    sources = ["x = 1", "def f():\n    import torch\n    return torch.ones(1)"]
    after, _ = converted(tmp_path, notebook([cell(source) for source in sources]))
    texts = [c["source"] for c in json.loads(after)["cells"]]
    assert texts[1] == "def f():\n    return ops.ones(1)"
    assert texts[0] == "from mindspore import ops\nx = 1"


def test_what_stays_is_marked_in_its_cell(tmp_path: Path) -> None:
    sources = ["import torch", "y = 1\nx = torch.fx.symbolic_trace(y)"]
    after, outcome = converted(tmp_path, notebook([cell(source) for source in sources]))
    texts = [c["source"] for c in json.loads(after)["cells"]]
    assert texts[0].startswith("# import torch")
    first, mark, *_, last = texts[1].split("\n")
    assert (first, mark[:12], last) == ("y = 1", "# MS201 line", "x = torch.fx.symbolic_trace(y)")
    assert outcome.counts.left == 1


@pytest.mark.parametrize("odd", [3, "x", None, [], {}, {"cell_type": "code", "source": 3}])
def test_odd_cells_stay_as_they_are(tmp_path: Path, odd: Any) -> None:
    code = cell("import torch\nx = torch.zeros(2)")
    result, outcome = converted(tmp_path, notebook([odd, code, odd]))
    first, second, third = json.loads(result)["cells"]
    assert (first, third) == (odd, odd)
    assert second["source"] == "from mindspore import ops\nx = ops.zeros(2)"
    (file,) = outcome.failed
    assert [remark.place.cell for remark in file.scan.remarks] == [1, 3]
