"""What is known of PyTorch's names stands in the table, and nowhere else."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from msconvert.api_mapping.table.facts import element_types, forwards, results, views, writes
from msconvert.api_mapping.table.facts.names import TENSOR_METHODS, TENSOR_PROPERTIES

from .test_coverage import NAMES

ROOT = Path(__file__).parents[2] / "api_mapping"
LAST = {name.rpartition(".")[2] for name in NAMES}
WORD = re.compile(r"[A-Za-z_][\w.]*")

OF_PYTHON = {
    "analysis/foreign.py": "NAMED",  # what Python's own functions give
    "reference/lookup.py": "SHORT",  # what people import modules as
    "reference/examples.py": "MODULES",  # and the examples of the table
}
"""Lists of other things, some of which have names that PyTorch has, too."""


def lists(source: str) -> Iterator[tuple[str, set[str]]]:
    """The collections of a module that hold names of PyTorch's, with these names."""
    for node in ast.parse(source).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        texts = [
            n.value
            for n in ast.walk(node.value)
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
        ]
        words = {word for text in texts if is_list(text) for word in text.split()}
        yield ast.unparse(target), {w for w in words if w in NAMES or w in LAST}


def is_list(text: str) -> bool:
    """Whether a text is made of names, as no sentence is."""
    return bool(text.strip()) and all(map(WORD.fullmatch, text.split()))


@pytest.mark.parametrize(
    "path",
    [
        path.relative_to(ROOT).as_posix()
        for path in sorted(ROOT.rglob("*.py"))
        if path.relative_to(ROOT).parts[0] not in ("table", "syntax")
    ],
)
def test_no_module_keeps_a_list_of_names_of_its_own(path: str) -> None:
    source = (ROOT / path).read_text(encoding="utf-8")
    long = {name for name, words in lists(source) if len(words) >= 8}
    assert long <= {OF_PYTHON.get(path, "")}, "it belongs in api_mapping/table/facts"


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('VIEWS = frozenset("view reshape t permute transpose narrow select chunk".split())', 8),
        ('A = {"torch.abs": 1, "torch.add": 2}', 2),
        ('A = "a sentence that says: view, reshape, permute."', 0),
        ('A: dict[str, int] = {**dict.fromkeys(["abs", "add"], 1)}', 2),
    ],
)
def test_the_check_sees_lists_and_no_sentences(source: str, count: int) -> None:
    assert sum(len(words) for _, words in lists(source)) == count


def test_views_methods_and_bools_are_names_of_tensors() -> None:
    known = TENSOR_METHODS | TENSOR_PROPERTIES | LAST
    for names in (views.VIEWS, views.SAME, writes.SHAPING, writes.AFRESH, element_types.KEPT):
        assert names <= known | {"char"}, names - known


def test_a_view_is_a_view_whoever_asks() -> None:
    kinds = (views.IN_ORDER, views.PARTS, views.OTHER_VIEWS)
    assert sum(map(len, kinds)) + 1 == len(views.VIEWS), "one name is in two kinds"
    assert all(results.METHOD_RETURNS[name] == results.TENSORS for name in views.PARTS)


def test_layers_take_their_arguments_in_the_order_that_is_written() -> None:
    nn = pytest.importorskip("torch").nn
    layers = {name: cls for name, cls in vars(nn).items() if is_layer(cls, nn.Module)}
    assert len(layers) > 100
    for name, cls in layers.items():
        known = forwards.arguments_of(f"torch.nn.{name}")
        taken = [p.name for p in inspect.signature(cls.forward).parameters.values()][1:]
        assert known == tuple(taken[: len(known)]), name
    assert set(forwards.IN_ORDER) <= set(layers)


def is_layer(cls: object, base: type) -> bool:
    """Whether it is a class of modules that can be called."""
    if not isinstance(cls, type) or not issubclass(cls, base):
        return False
    return cls is not base and cls.forward is not base.forward
