"""benchmarks/source_programs: its list, its judgement on small files, its page."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from msconvert.benchmarks.source_programs import judging, page

PROGRAM = """import torch

print(torch.arange(4).sum().item())
"""
TENSORS = "tensor([[0.2500, 0.2500],\n        [0.2500, 0.2500]]) tensor(3)"


def test_the_page_is_made_of_the_results(golden: Callable[[Path, str], None]) -> None:
    golden(page.PAGE, page.page())


@pytest.mark.parametrize(
    ("name", "count", "least"),
    [("programs", 40, 60), ("second", 15, 60), ("third", 10, 20), ("fourth", 14, 60)],
)
def test_programs_are_of_the_length_of_programs(name: str, count: int, least: int) -> None:
    names = [program.stem for program in judging.LISTS[name]]
    assert len(names) == count
    for program in judging.LISTS[name]:
        assert least <= len(program.read_text(encoding="utf-8").splitlines()) <= 300, program.stem
        assert page.what(program)
    for file in (page.FIRST[name], page.LATEST[name]):
        assert set(page.read(file)) <= set(names)


@pytest.mark.parametrize(
    ("code", "wanted", "kind"),
    [
        (PROGRAM, "6", judging.EQUAL),
        (PROGRAM, "7", judging.DIFFERS),
        (PROGRAM + "print(torch.ones(2, 1).shape)\n", "6\ntorch.Size([2, 1])", judging.EQUAL),
        ("print([1, 2.5])", "[np.int64(1), np.float64(2.5)]", judging.EQUAL),
        ("import torch\n\nprint(torch.ones(2, 2) / 4, torch.tensor(3))", TENSORS, judging.EQUAL),
        (PROGRAM + "raise ValueError\n", "6", judging.CRASHES),
        (PROGRAM + "print(torch.utils.cpp_extension.load('x'))\n", "6\n1", judging.REFUSED),
    ],
)
def test_a_program_is_judged(tmp_path: Path, code: str, wanted: str, kind: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(code, encoding="utf-8")
    verdict = judging.judged(program, wanted, "bundled", sys.executable)
    assert verdict.kind == kind, verdict
    assert (verdict.why == "") == (kind == judging.EQUAL)


def test_the_reason_is_the_whole_comment() -> None:
    text = "x = 1\n# MS205 line: it is\n# long\nx = 2\n"
    assert judging.marked(text) == ["MS205 line: it is long"]
