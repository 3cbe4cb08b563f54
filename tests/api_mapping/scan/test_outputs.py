"""Outputs: flags and files, terminal, CSV; names and sources that mean harm."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from msconvert.commands import main as cli
from msconvert.tests.api_mapping.scan.projects import SAMPLE, run_scan, scanned

pytestmark = pytest.mark.usefixtures("warm")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a project of one file in it."""
    (tmp_path / "net.py").write_text(SAMPLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "files"),
    [
        (["net.py", "--json"], []),
        (["--json", "net.py"], []),
        (["--json", "-", "net.py"], []),
        (["--json", "out.json", "net.py"], ["out.json"]),
        (["net.py", "--json=strange name"], ["strange name"]),
        (["net.py", "--json=x.csv", "--html=y.txt"], ["x.csv", "y.txt"]),
        (
            ["net.py", "--csv", "a.csv", "--html", "b.html", "--sarif", "c.sarif"],
            ["a.csv", "b.html", "c.sarif"],
        ),
        (["net.py", "--sarif", "c.json", "--json"], ["c.json"]),
        (["--html", "new/deep/b.html", "--", "net.py"], ["new"]),
    ],
)
def test_outputs_go_where_they_are_told(
    arguments: list[str], files: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["scan", *arguments]) == 0
    out = capsys.readouterr().out
    assert sorted(path.name for path in folder.iterdir()) == sorted(["net.py", *files])
    if any(argument == "--json" for argument in arguments) and "out.json" not in arguments:
        assert json.loads(out)["version"] == 1
    else:
        assert out.count("Written: ") == len(files)


def test_nothing_is_overwritten_without_force(folder: Path) -> None:
    (folder / "a.json").write_text("mine")
    assert cli.main(["scan", "net.py", "--json", "a.json", "--csv", "b.csv"]) == 1
    assert (folder / "a.json").read_text() == "mine"
    assert not (folder / "b.csv").exists(), "all or none"
    assert cli.main(["scan", "net.py", "--json", "a.json", "--csv", "b.csv", "--force"]) == 0
    assert json.loads((folder / "a.json").read_text())["ok"] is True


@pytest.mark.parametrize("flag", ["--json", "--csv", "--sarif", "--html"])
def test_no_output_is_written_over_a_source(
    folder: Path, capsys: pytest.CaptureFixture[str], flag: str
) -> None:
    source = (folder / "net.py").read_text()
    assert cli.main(["scan", "net.py", f"{flag}=net.py", "--force"]) == 2
    assert "would write over a source: net.py" in capsys.readouterr().err
    assert (folder / "net.py").read_text() == source


def test_the_same_project_gives_the_same_bytes(folder: Path) -> None:
    for name in ("a", "b"):
        flags = [f"--{kind}={name}.{kind}" for kind in ("json", "csv", "sarif", "html")]
        assert cli.main(["scan", "net.py", *flags]) == 0
    for kind in ("json", "csv", "sarif", "html"):
        assert (folder / f"a.{kind}").read_bytes() == (folder / f"b.{kind}").read_bytes()


def test_json_and_csv_tell_the_same(folder: Path) -> None:
    report = scanned("net.py", cwd=folder)
    rows = list(csv.DictReader(io.StringIO(run_scan("net.py", "--csv", cwd=folder).stdout)))
    entries = [e for file in report["files"] for e in (*file["uses"], *file["remarks"])]
    assert len(rows) == len(entries)
    for row, entry in zip(rows, entries, strict=True):
        assert row["file"] == "net.py"
        assert int(row["line"]) == entry["line"]
        told = [entry.get(name, "") for name in ("api", "code", "edit", "message")]
        assert [row[name].removeprefix("'") for name in ("api", "code", "edit", "message")] == told


def test_totals_add_up(folder: Path) -> None:
    report = scanned("net.py", cwd=folder)
    totals = report["totals"]
    entries = [use for file in report["files"] for use in file["uses"]]
    assert totals["uses"] == len(entries)
    assert totals["names"] == len({use["api"] for use in entries})
    listed = [*totals["operators"]]
    in_features = sum(row["uses"] for row in totals["features"])
    assert sum(row["uses"] for row in listed) + in_features == totals["uses"]
    lines = {use["line"] for use in entries}
    assert sum(totals["effort"].values()) <= len(lines | {12})


HARM = "\x1b[31mred\x1b[0m \u202egpj.exe \u2028 <script>"


def hostile(folder: Path) -> str:
    """The name of a file in which everything is hostile."""
    name = "a\n\x1b[2Jb,\u202ec<b>'\".py"
    (folder / name).write_text(f"import torch\ntorch.not_there('{HARM}')\n", "utf-8")
    (folder / "formula.py").write_text("import torch\nx = torch.zeros(3)\n-x.abs()\n")
    return name


def test_names_and_sources_are_harmless_to_a_terminal(folder: Path) -> None:
    hostile(folder)
    done = run_scan(".", cwd=folder)
    assert done.returncode == 0
    for text in (done.stdout, done.stderr):
        assert re.findall(r"[^\x20-\x7e\n█]", text) == []
    assert r"a\n\x1b[2Jb,\u202ec<b>'" in done.stderr


def test_names_and_sources_are_kept_in_json_and_csv(folder: Path) -> None:
    name = hostile(folder)
    report = scanned(".", cwd=folder)
    assert name in [file["file"] for file in report["files"]]
    rows = csv.DictReader(io.StringIO(run_scan(".", "--csv", cwd=folder).stdout))
    for row in rows:
        assert not any(str(cell).startswith(("=", "+", "-", "@")) for cell in row.values())
        assert "\x1b" not in "".join(row.values())


def test_names_need_not_be_text(folder: Path) -> None:
    path = os.fsencode(folder) + b"/\xff\xfe.py"
    with open(path, "wb") as file:
        file.write(b"import torch\ntorch.not_there(1)\ngetattr(torch, '\\ud800')\n")
    flags = ["--json", "a.json", "--csv", "a.csv", "--sarif", "a.sarif", "--html", "a.html"]
    done = run_scan(".", *flags, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert r"\udcff\udcfe.py:2:1: MS205" in done.stderr
    assert "%FF%FE.py" in (folder / "a.sarif").read_text()


def on_a_terminal(folder: Path, *arguments: str) -> str:
    """What the command writes to a terminal."""
    main, other = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "msconvert", "scan", *arguments],
        cwd=folder,
        env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "120"},
        stdin=other,
        stdout=other,
        stderr=other,
    )
    os.close(other)
    text = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        text += part
    os.close(main)
    assert process.wait(timeout=900) == 0
    return text.decode()


def test_a_terminal_gets_findings_by_file_with_links(folder: Path) -> None:
    text = on_a_terminal(folder, "net.py")
    address = (folder / "net.py").as_uri()
    assert re.search(rf"\x1b\]8;id=\d+;{re.escape(address)}#12\x1b\\", text)
    assert "\x1b[1" in text
    assert "█" in text
    plain = re.sub(r"\x1b\]8;[^\x1b]*\x1b\\|\x1b\[[0-9;?]*[A-Za-z]", "", text)
    assert re.search(r"(?:^|\r)net.py\r?\n +12:12 +MS222 +which branch", plain, re.MULTILINE)


def test_an_output_that_cannot_show_bars_gets_other_ones(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "msconvert", "scan", "net.py"],
        cwd=folder,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "####" in done.stdout
    assert "\\u2588" not in done.stdout


@pytest.mark.parametrize(("show", "lines"), [("1", 2), ("0", 1), ("all", 3)])
def test_so_many_findings_are_shown(show: str, lines: int, folder: Path) -> None:
    (folder / "net.py").write_text("import torch\n" + "torch.not_there(1)\n" * 3)
    done = run_scan("net.py", "--show", show, cwd=folder)
    assert len(done.stderr.splitlines()) == lines


def test_of_many_findings_the_gravest_are_shown(folder: Path) -> None:
    text = "import torch\ntorch.not_there(1)\ntorch.fx.symbolic_trace(1)\n"
    (folder / "net.py").write_text(text)
    done = run_scan("net.py", "--show", "1", cwd=folder)
    assert done.stderr.startswith("net.py:3:1: MS201 ")
    assert "and 1 more finding" in done.stderr
