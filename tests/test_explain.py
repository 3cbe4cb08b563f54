"""`msconvert explain`: a page for each code, whose example is one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from msconvert.api_mapping.findings.guide import HELP
from msconvert.api_mapping.findings.workers import scan_paths
from msconvert.commands.explain import page
from msconvert.commands.main import main
from msconvert.errors import CODES
from msconvert.reporting.explained import EXPLAINED


def test_every_code_has_a_page_and_no_other() -> None:
    assert EXPLAINED.keys() == CODES.keys()
    assert [code for code in CODES if len(page(code)["explanation"]) < 30] == []


def test_nothing_is_said_twice() -> None:
    """The guide says what to do about findings; what stands here goes beyond it."""
    assert [c for c, e in EXPLAINED.items() if e.todo and e.todo in HELP.get(c, ("", ""))[1]] == []


EXAMPLES = [code for code, explained in EXPLAINED.items() if "\n" in explained.example]
EXAMPLES = sorted({*EXAMPLES, *(c for c in HELP if "msconvert" not in EXPLAINED[c].example)})


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_smallest_example_has_its_code(code: str, tmp_path: Path) -> None:
    (tmp_path / "example.py").write_text(EXPLAINED[code].example)
    found = [finding.code for _, finding in scan_paths([tmp_path]).findings()]
    assert code in found


def test_most_findings_have_an_example_in_python() -> None:
    assert len(EXAMPLES) >= len(HELP) - 4


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    status = main(["explain", *arguments])
    told = capsys.readouterr()
    return status, told.out, told.err


@pytest.mark.parametrize("code", ["MS222", "ms222", "222", " MS222 "])
def test_a_page(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, told, _ = run(code, capsys=capsys)
    assert status == 0
    assert told.startswith(f"MS222: {CODES['MS222']}\n\nGraph mode compiles both branches")
    assert "if x.sum() > 0" in told


def test_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    status, told, _ = run(capsys=capsys)
    assert status == 0
    assert told.splitlines() == [f"{code}  {CODES[code]}" for code in CODES]


def test_pages_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    _, told, _ = run("MS105", "MS901", "--json", capsys=capsys)
    assert [entry["code"] for entry in json.loads(told)] == ["MS105", "MS901"]
    _, told, _ = run("--json", capsys=capsys)
    assert len(json.loads(told)) == len(CODES)


@pytest.mark.parametrize(
    ("code", "near"),
    [
        ("MS223x", "MS223"),
        ("MS020", ""),
        ("MS22", "MS222"),
        ("M201", "MS201"),
        ("", ""),
        ("\x1b[31mMS222", ""),
        ("MS" + "2" * 100_000, "MS222"),
        ("MS222\nMS000", "MS222"),
    ],
)
def test_an_unknown_code_is_told_with_the_nearest(
    code: str, near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, told, error = run(code, capsys=capsys)
    assert (status, told) == (2, "")
    assert near in error
    assert "\x1b" not in error
    assert len(error) < 1000
    assert "msconvert explain lists them" in error
