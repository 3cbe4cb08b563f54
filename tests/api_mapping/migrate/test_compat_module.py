"""The compat module: each function alone makes a module that can be imported, in good order."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from msconvert.api_mapping.source.compat_module import (
    FILES,
    compat_module,
    homes,
    in_order,
    names_in,
    templates,
    text_with,
    with_what_they_use,
)
from msconvert.api_mapping.table.target import Target
from msconvert.tests.api_mapping.verification import mindspore_python

EXECUTE = """
import json, sys
for name, text in json.load(sys.stdin).items():
    scope = {"__name__": "_ms_compat"}
    exec(compile(text, name, "exec"), scope)
    assert name in scope, name
"""


def test_no_name_stands_in_the_templates_twice() -> None:
    names: Counter[str] = Counter()
    for file in FILES.glob("*.txt"):
        names.update(names_in(file.read_text(encoding="utf-8")))
    assert len(names) > 250
    assert {name for name, count in names.items() if count > 1} == set()


def test_what_a_template_binds_is_known_before_it_is_parsed() -> None:
    for number, text in enumerate(templates()):
        own = {name for name, home in homes().items() if home == number}
        assert own == names_in(text)


@pytest.mark.parametrize("target", Target)
def test_each_function_alone_is_a_module(target: Target) -> None:
    python = sys.executable if target is Target.BUNDLED else mindspore_python()
    if python is None:
        pytest.skip("no MindSpore here: tests/make_mindspore_env.sh makes one")
    has_data = target is Target.MINDSPORE or find_spec("msconvert.runtime.dataset") is not None
    found = {name: with_what_they_use([name]) for name in homes()}
    texts = {
        name: text_with(chosen, target)  # not formatted: that takes a process for each
        for name, chosen in found.items()
        if has_data or not any(piece.name == name and "ds" in piece.uses for piece in chosen)
    }
    done = subprocess.run(
        [python, "-c", EXECUTE],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_what_must_be_first_is_first() -> None:
    chosen = with_what_they_use(homes())
    seen: set[str] = set()
    for piece in chosen:
        assert piece.first & homes().keys() <= seen, piece.name
        seen.add(piece.name)


def test_the_order_does_not_hang_on_the_order_of_the_names() -> None:
    names = ["optim_Adam", "sort", "DataLoader", "optim_SGD", "torchvision_datasets_MNIST"]
    texts = {compat_module(names[n:] + names[:n], Target.BUNDLED) for n in range(len(names))}
    assert len(texts) == 1


def test_names_of_variables_bring_nothing() -> None:
    names = {piece.name for piece in with_what_they_use(["sort"])}
    assert names == {"sort"}


@pytest.fixture(scope="module")
def whole() -> str:
    return compat_module(list(homes()), Target.MINDSPORE)


def test_the_module_is_as_ruff_wants_it(whole: str, tmp_path: Path) -> None:
    file = tmp_path / "_ms_compat.py"
    file.write_text(whole)
    for command in (["check"], ["format", "--check", "--line-length=100"]):
        line = [sys.executable, "-m", "ruff", *command, "--isolated", str(file)]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_the_names_of_a_module_are_found_again(whole: str) -> None:
    assert names_in(whole) == frozenset(homes())
    assert compat_module(names_in(whole), Target.MINDSPORE) == whole


def test_pieces_without_an_order_among_them_stay_in_theirs() -> None:
    chosen = {piece.name: piece for piece in with_what_they_use(["sort", "topk", "mode"])}
    assert [piece.name for piece in in_order(chosen)] == ["sort", "topk", "mode"]
