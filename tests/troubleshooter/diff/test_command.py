"""`msconvert diff`: its outputs, its exit status, what it says of wrong usage."""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from msconvert.commands.main import main
from msconvert.tests.troubleshooter.diff.sides import STATUSES, rough, run, write_sides
from msconvert.troubleshooter.diff.settings import EXPLAINED_BYTES, MOST_EXPLAINED


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_sides(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_all_the_same(folder: Path) -> None:
    done = run("a/same.npy", "b/noise.npy", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    head, row, summary = done.stdout.splitlines()
    assert head.split() == "status tensor shape type error max abs rel L2 cosine close".split()
    assert re.fullmatch(r"ok +same -> noise +\[2, 3, 8, 8\] +float32 .* 100 %", row)
    assert summary == "The pair is the same."


def test_differences(folder: Path) -> None:
    done = run("a", "b", "--only", "failing", "--show", "all", cwd=folder)
    assert (done.returncode, done.stderr) == (2, "")
    lines = done.stdout.splitlines()
    assert lines[1].startswith("unreadable  bad")
    assert "MS302 a/bad.npy: not a .npy file" in lines[2]
    assert lines[-2].startswith("12 of 16 differ: 1 unreadable, 1 nan, 1 inf, ")
    assert lines[-1].startswith("Next: msconvert diff a b --explain all")
    assert not [line for line in lines if line.startswith(("ok", "empty"))]
    assert any("only channel 1 (axis 1)" in line for line in lines)
    assert any("everywhere; b is all zeros; worst at [" in line for line in lines)
    (folder / "a" / "bad.npy").unlink()
    assert run("a", "b", cwd=folder).returncode == 1


def test_so_many_rows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "a", "b", "--show", "2"]) == 2
    out = capsys.readouterr().out
    assert "\nand 14 more rows: --show all\n" in out
    assert main(["diff", "a", "b", "--show", "0"]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["and", "12", "Next:"]


def test_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--json", "r.json", "--csv", "r.csv", "--junit", "r.xml", "--html", "r.html"]
    assert main(["diff", "a", "b", *flags]) == 2
    out = capsys.readouterr().out
    assert out.endswith("Written: r.json\nWritten: r.csv\nWritten: r.xml\nWritten: r.html\n")
    content = json.loads((folder / "r.json").read_text())
    assert {row["a"] or row["b"]: row["status"] for row in content["rows"]} == STATUSES
    assert content["ok"] is False
    with open("r.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["a"] or row["b"]: row["status"] for row in rows} == STATUSES
    channel = next(row for row in rows if row["a"] == "channel")
    assert (channel["shape_a"], channel["close"]) == ("2x3x8x8", "256")
    suite = ET.parse("r.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("16", "11", "1")
    kinds = [case[0].tag for case in suite if len(case)]
    assert (kinds.count("failure"), kinds.count("error"), kinds.count("skipped")) == (11, 1, 1)
    assert main(["diff", "a/same.npy", "b/same.npy", *flags]) == 2
    assert "MS107" in capsys.readouterr().err
    assert main(["diff", "a", "b", *flags, "--force"]) == 2


def test_json_alone_is_all_that_is_printed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", "a/same.npy", "b/same.npy", "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["ok"] is True
    assert told.err == ""
    assert main(["diff", "--csv", "a/same.npy", "b/same.npy"]) == 0
    assert capsys.readouterr().out.startswith("status,ok,a,b,")


def test_judging_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "a/small.npy", "b/small.npy", "--json", "r.json"]) == 1
    for side in "ab":
        (folder / side / "small.npy").unlink()
    assert main(["diff", "--from", "r.json"]) == 1
    assert main(["diff", "--from", "r.json", "--rtol", "0.01"]) == 0
    assert main(["diff", "--from", "r.json", "--profile", "quantised"]) == 0
    assert main(["diff", "--from", "r.json", "--tolerance", "s*=1e-2,0"]) == 0
    assert main(["diff", "--from", "r.json", "--tolerance", "x*=1e-2,0"]) == 1


def test_what_cannot_be_judged_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, array in zip("xy", rough(), strict=True):
        np.save(f"{name}.npy", array)
    assert main(["diff", "x.npy", "y.npy", "--json", "r.json"]) == 1
    capsys.readouterr()
    assert main(["diff", "--from", "r.json", "--rtol", "5e-3", "--atol", "1e-3"]) == 2
    assert capsys.readouterr().err == (
        "MS406 r.json: the figures do not tell whether 'x -> y' would be close enough\n"
        "  got:      rtol 0.005, atol 0.001\n"
        "  expected: rtol = atol, or an rtol that is 0 or a power of ten from 1e-8 to 0.1\n"
        "  try:      choose such a tolerance, or compare the files again\n"
    )
    assert main(["diff", "--from", "r.json", "--rtol", "5e-3", "--atol", "1e-1"]) == 0


def test_names_by_hand(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez("x.npz", one=np.zeros(3), two=np.zeros(3), three=np.ones(2))
    np.savez("y.npz", eins=np.zeros(3), zwei=np.zeros(3))
    Path("names.json").write_text('{"one": "zwei", "two": "eins", "three": null}')
    assert main(["diff", "x.npz", "y.npz", "--map", "names.json", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["a"]: row["b"] for row in rows} == {"one": "zwei", "two": "eins", "three": None}
    for text in ('{"one": 5}', "[", "[5]", '{"kind": 5}'):
        Path("names.json").write_text(text)
        assert main(["diff", "x.npz", "y.npz", "--map", "names.json"]) == 2
        assert capsys.readouterr().err.startswith("MS310 names.json: ")
    assert main(["diff", "x.npz", "y.npz", "--map", "none.json"]) == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "two paths are needed: A B"),
        (["a"], "two paths are needed: A B"),
        (["a", "b", "c"], "two paths are needed: A B"),
        (["--from", "r.json", "a"], "--from FILE takes no further paths"),
        (
            ["--from", "r.json", "--map", "m"],
            "--from FILE has its pairs already: it takes no --map",
        ),
        (["a", "none"], "no such file or folder"),
        (["a", "b", "--rtol", "-1"], "-1.0 is no tolerance"),
        (["a", "b", "--rtol", "nan"], "nan is no tolerance"),
        (["a", "b", "--atol", "inf"], "inf is no tolerance"),
        (["a", "b", "--tolerance", "x"], "'x' is not of the form PATTERN=RTOL,ATOL"),
        (["a", "b", "--tolerance", "x=1,2,3"], "'x=1,2,3' is not of the form"),
        (["a", "b", "--tolerance", "x=nan"], "'x=nan' is not of the form"),
        (["a", "b", "--profile", "none"], "'none' is not one of"),
        (["a", "b", "--show", "few"], "'few' is neither a number nor 'all'"),
        (["a", "b", "--json", "--csv"], "--json and --csv would both be printed"),
        (["a/same.npy", "b/same.npy", "--json=b/same.npy", "--force"], "would write over an input"),
    ],
)
def test_wrong_usage(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert main(["diff", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("MS105 ")
    assert told in error
    assert "Traceback" not in error


def test_results_that_are_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "r.json").write_text("{}")
    assert main(["diff", "--from", "r.json"]) == 2
    assert "MS406 r.json: not the results of a comparison" in capsys.readouterr().err


def test_hostile_names(tmp_path: Path) -> None:
    name = "=cmd\x1b[2J\n<img src=x onerror=1>"
    for side in "ab":
        np.savez(tmp_path / f"{side}.npz", **{name: np.full(3, ord(side)), "x": np.ones(1)})
    flags = ["--csv", "r.csv", "--junit", "r.xml", "--html", "r.html", "--json", "r.json"]
    done = run("a.npz", "b.npz", *flags, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "\x1b" not in done.stdout
    table = (tmp_path / "r.csv").read_text()
    assert "'=cmd\\x1b[2J" in table
    assert "\x1b" not in table
    assert "<img" not in (tmp_path / "r.html").read_text()
    ET.parse(tmp_path / "r.xml")
    assert run("--from", "r.json", cwd=tmp_path).returncode == 1


def test_long_names_keep_their_ends(tmp_path: Path) -> None:
    name = f"{'block.' * 30}norm."
    np.savez(tmp_path / "a.npz", **{f"{name}running_var": np.ones(3, "f4"), "x": np.ones(1)})
    np.savez(tmp_path / "b.npz", **{f"{name}moving_variance": np.ones(3, "f4"), "x": np.ones(1)})
    done = run("a.npz", "b.npz", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "block.norm.running_var -> moving_variance  [3]" in done.stdout
    assert max(map(len, done.stdout.splitlines())) < 140


def test_the_help_says_it_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "--help"]) == 0
    text = capsys.readouterr().out
    assert f"Default: {MOST_EXPLAINED}, of {EXPLAINED_BYTES >> 20} MB together" in " ".join(
        text.split()
    )
    for part in ("--from FILE", "PATTERN=RTOL,ATOL", "Exit status", "A is the reference"):
        assert part in text
