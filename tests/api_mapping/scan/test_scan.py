"""Scans: verdicts, places and code of uses, and the command that prints them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from msconvert.api_mapping.findings.model import Place, ScannedUse, Standing
from msconvert.api_mapping.table.rule import Rule
from msconvert.commands import main as cli
from msconvert.tests.api_mapping.scan.projects import SAMPLE, remarks, run_scan, scanned, uses
from msconvert.tests.privileges import without_privileges


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a project of one file in it."""
    (tmp_path / "net.py").write_text(SAMPLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_is_scanned(folder: Path) -> None:
    report = scanned("net.py", cwd=folder)
    found = {(use["line"], use["api"]): use for use in uses(report)}
    leaky = found[9, "torch.nn.LeakyReLU"]
    assert (leaky["column"], leaky["end_column"]) == (20, 32)
    assert (leaky["verdict"], leaky["edit"]) == ("differs", "nn.LeakyReLU(alpha=0.2)")
    assert found[14, "torch.nn.functional.leaky_relu"]["edit"] == "ops.leaky_relu(x, alpha=0.01)"
    assert found[18, "torch.not_there"]["code"] == "MS205"
    assert found[19, "torch.Tensor.view"]["code"] == "MS206"
    assert found[19, "torch.*"]["code"] == "MS207"
    assert [(r["line"], r["code"]) for r in remarks(report)] == [(12, "MS222")]
    assert report["ok"] is True
    assert report["totals"]["lines"] == 19
    assert sum(share["uses"] for share in report["totals"]["shares"]) == len(uses(report))


def test_a_module_that_is_asked_for_has_no_target(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\nif hasattr(torch, 'nn'):\n    pass\n")
    (use,) = uses(scanned("a.py", cwd=tmp_path))
    assert (use["api"], use.get("target", "")) == ("torch.nn", "")


def test_findings_are_told_on_stderr_by_place(folder: Path) -> None:
    done = run_scan("net.py", cwd=folder)
    assert done.returncode == 0
    assert done.stdout.startswith("1 file, 19 lines: ")
    lines = done.stderr.splitlines()
    assert any(line.startswith("net.py:12:12: MS222 which branch") for line in lines)
    assert any(line.startswith("net.py:18:5: MS205 torch.not_there") for line in lines)
    assert not any("MS206" in line for line in lines), "notes are told with --notes only"
    assert "MS206" in run_scan("net.py", "--notes", cwd=folder).stderr


PLACE = Place(1, 1, 1, 8)

RULES = {
    "MS201": Rule("torch.x(a)", advice="leave it out"),
    "MS202": Rule("torch.x(a)", "ops.x(a)", platform="Ascend"),
    "MS203": Rule("torch.x(a)", "ops.x(a)", note="the sign is another"),
    "MS204": Rule("torch.x(a)", "ops.x(ops.y(a))"),
    "MS208": Rule("torch.x(a)", "ops.x(a)"),
}
MESSAGES = {
    "MS201": ("torch.x has no counterpart in MindSpore", "leave it out", "error"),
    "MS202": ("torch.x has a counterpart for Ascend only", "", "warning"),
    "MS203": ("torch.x differs: the sign is another", "", "note"),
    "MS204": ("torch.x is written as ops.x(ops.y(a))", "", "note"),
    "MS208": ("torch.x: argument out=y: use the returned tensor", "", "warning"),
}


@pytest.mark.parametrize("code", RULES)
def test_what_is_said_of_a_use(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = RULES[code]
    monkeypatch.setattr("msconvert.api_mapping.table.registry.find", lambda name: (rule,))
    refusal = "argument out=y: use the returned tensor" if code == "MS208" else ""
    use = ScannedUse(*PLACE, "torch.x", "call", Standing(rule.verdict), refusal=refusal)
    assert (use.code, use.message, use.advice, use.level) == (code, *MESSAGES[code])


@pytest.mark.parametrize("standing", [Standing.EXACT, Standing.RENAMED])
def test_what_needs_no_look_is_no_finding(standing: Standing) -> None:
    use = ScannedUse(*PLACE, "torch.x", "call", standing)
    assert (use.code, use.level) == ("", "")


def test_a_property_without_an_object_is_refused(folder: Path) -> None:
    (folder / "net.py").write_text("import torch\nshape = torch.Tensor.shape\n")
    (use,) = uses(scanned("net.py", cwd=folder))
    assert use["code"] == "MS208"
    assert "handed on without an object" in use["refusal"]


@pytest.mark.parametrize(
    ("text", "api", "edit"),
    [
        ("@torch.jit.ignore\ndef f(x):\n    return x", "torch.jit.ignore", None),
        ("ok = isinstance(x, (nn.Conv2d, int))", "torch.nn.Conv2d", "nn.Conv2d"),
        ("def f(x: torch.Tensor):\n    x.relu_()", "torch.Tensor.relu_", "x.copy_(ops.relu(x))"),
        ("class M(nn.Module):\n    pass", "torch.nn.Module", "nn.Cell"),
    ],
)
def test_what_is_suggested(text: str, api: str, edit: str | None, folder: Path) -> None:
    (folder / "net.py").write_text(f"import torch\nfrom torch import nn\n\n{text}\n")
    (use,) = (use for use in uses(scanned("net.py", cwd=folder)) if use["api"] == api)
    assert "refusal" not in use
    assert use.get("edit") == edit


def test_a_file_that_cannot_be_parsed_is_told_and_the_rest_is_scanned(folder: Path) -> None:
    (folder / "bad.py").write_text("import torch\ndef f(:\n")
    done = run_scan(".", cwd=folder)
    assert done.returncode == 1
    assert "bad.py:2:7: MS209 syntax: invalid syntax" in done.stderr
    assert done.stdout.startswith("2 files, 21 lines: ")


def test_a_path_that_is_not_there(folder: Path) -> None:
    done = run_scan("nowhere", "net.py", cwd=folder)
    assert done.returncode == 1
    assert "nowhere:0:0: MS209 missing: there is no such file or folder" in done.stderr
    assert done.stdout.startswith("1 file, 19 lines: "), "what is not there is no file"
    assert "1 path could not be analysed whole" in done.stdout


@pytest.mark.parametrize("shut", ["shut", "shut/inner", "shut/inner/net.py", "shut.py"])
@pytest.mark.parametrize("command", ["scan", "source"])
def test_a_path_that_may_not_be_read_is_told_and_the_rest_is_scanned(
    command: str, shut: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "shut" / "inner").mkdir(parents=True)
    (folder / "shut" / "inner" / "net.py").write_text("")
    (folder / "shut.py").write_text("")
    closed = folder / Path(shut).parts[0]
    closed.chmod(0)
    try:
        with without_privileges():
            assert cli.main([command, shut, "net.py", "--no-config"]) == 1
    finally:
        closed.chmod(0o700)
    told = capsys.readouterr()
    assert f"{shut}:0" in told.err
    assert "MS209 unreadable: " in told.err.replace("MS209: ", "MS209 ")
    assert ("+from msconvert" if command == "source" else "LeakyReLU") in told.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "MS105 the command line: Missing argument 'PATH...'"),
        (["net.py", "--json", "--csv"], "--json and --csv would both be printed"),
        (["net.py", "--fail-on", "mising"], "MS210 the command line: fail-on has no verdict"),
        (["net.py", "--ignore", "MS999"], "MS210 the command line: ignore has no verdict or code"),
        (["net.py", "--write-baseline"], "--write-baseline needs --baseline FILE"),
        (["net.py", "--baseline", "none.json"], "MS211 none.json: there is no such file"),
        (["net.py", "--html"], "--html needs a FILE whose name ends in .html or .htm, or -"),
        (["--html", "net.py"], "--html needs a FILE whose name ends in .html or .htm, or -"),
        (["net.py", "--json", "x.csv"], "--json takes a FILE whose name ends in .json, not x.csv;"),
        (["net.py", "--csv", "x.TXT"], "with --csv=x.TXT any name will do"),
        (["net.py", "--fail-on", ""], "MS105 --fail-on: a name is empty"),
        (["net.py", "--fail-on", "missing,"], "MS105 --fail-on: a name is empty"),
        (["net.py", "--ignore", " "], "MS105 --ignore: a name is empty"),
        (["net.py", "--show", "many"], "'many' is neither a number nor 'all'"),
        (["net.py", "--max-missing", "-1"], "MS105 --max-missing"),
    ],
)
def test_wrong_usage(
    arguments: list[str], told: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["scan", *arguments]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("letter", ["e", "é"])
def test_the_length_of_a_line_is_not_paid_for_each_use(letter: str, folder: Path) -> None:
    """Looked at for each use, this line takes minutes."""
    line = f"s = '{letter * 5_000_000}'; {'x = torch.zeros(2); ' * 4000}"
    first = line.index("torch") + 1
    (folder / "net.py").write_text(f"import torch\n{line}\n", encoding="utf-8")
    start = time.process_time()
    found = uses(scanned("net.py", cwd=folder))
    assert time.process_time() - start < 5
    columns = [use["column"] for use in found]
    assert columns == [first + 20 * i for i in range(4000)]
    assert {use["edit"] for use in found} == {"ops.zeros(2)"}


def test_columns_of_a_long_line_count_characters(folder: Path) -> None:
    line = "; ".join(f"'{'aé日😀'[i % 4] * (i % 7)}', torch.zeros({i})" for i in range(300))
    (folder / "net.py").write_text(f"import torch\n{line}\n", encoding="utf-8")
    for number, use in enumerate(uses(scanned("net.py", cwd=folder))):
        assert line[use["column"] - 1 : use["end_column"] - 1] == "torch.zeros"
        assert line[use["end_column"] - 1 :].startswith(f"({number})")
