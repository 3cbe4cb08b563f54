"""Writes in place through other names of a tensor: each side leaves the same values, or is marked.

The files of `shared_memory/` say in their first line what becomes of their snippets; PyTorch, the
runtime and the real MindSpore execute them, and everything that they leave behind is compared.
"""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from msconvert.tests.api_mapping.verification import mindspore_python

from .running import migrated
from .snippets import Fate, Judged, Snippet, judged, snippets_in

pytest.importorskip("torch")

FOLDER = Path(__file__).parent / "shared_memory"
FILES = ("equal", "renamed", "marked")
LOST = "# MS229 line: "


@pytest.fixture(scope="module")
def results() -> list[Judged]:
    sysconfig.get_config_var("EXE")  # the threads that write compat modules must not be the first
    return judged([*snippets()], mindspore_python())


def snippets() -> Iterator[Snippet]:
    for name in FILES:
        yield from snippets_in(FOLDER / f"{name}.txt")


def of(results: list[Judged], *names: str) -> list[Judged]:
    return [found for found in results if found.snippet.id.startswith(names)]


def test_pytorch_accepts_all(results: list[Judged]) -> None:
    assert len(results) == len(list(snippets())) >= 120


def test_they_leave_what_pytorch_leaves(results: list[Judged]) -> None:
    allowed = {Fate.EQUAL} if mindspore_python() is not None else {Fate.EQUAL, Fate.NOT_RUN}
    wrong = [f.snippet.id for f in of(results, "equal", "renamed") if set(f.fates) - allowed]
    assert wrong == []


def test_what_others_would_not_see_is_marked(results: list[Judged]) -> None:
    texts = {f.snippet.id: f.migrated.text for f in of(results, "marked")}
    assert [name for name, text in texts.items() if LOST not in text] == []


def test_names_that_nobody_shares_get_new_values(results: list[Judged]) -> None:
    texts = {f.snippet.id: f.migrated.text for f in of(results, "renamed")}
    copies = (".copy_(", "[...] = ", LOST)
    assert [name for name, text in texts.items() if any(c in text for c in copies)] == []


def test_the_scanner_tells_what_the_converter_marks(results: list[Judged]) -> None:
    for found in results:
        told = [r for r in found.migrated.scan.remarks if r.code == "MS229"]
        lines = {(r.place.cell, r.place.line) for r in told}
        assert found.migrated.text.count(LOST) == len(lines), found.snippet.id


def test_lists_made_of_lists_are_looked_at_once(tmp_path: Path) -> None:
    """Ways to the first layer double with each of these names."""
    lists = "".join(f"    l{n + 1} = l{n} + l{n}\n" for n in range(40))
    code = (
        "from torch import nn\n\n\ndef run(x):\n    l0 = [nn.ReLU(inplace=True)]\n"
        f"{lists}    net = nn.Sequential(*l40)\n    y = x * 2\n    net(y)\n    return y\n"
    )
    assert LOST in migrated(tmp_path, code).text
    assert LOST not in migrated(tmp_path, code.replace("(inplace=True)", "()")).text
