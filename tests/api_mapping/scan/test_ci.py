"""Use in CI: thresholds, baseline, comments that ignore, the project's own settings."""

from __future__ import annotations

import json
import os
from contextlib import chdir
from pathlib import Path

import pytest

from msconvert.api_mapping.scan.settings import project_file
from msconvert.commands import main as cli
from msconvert.tests.api_mapping.scan.projects import run_scan, scanned
from msconvert.tests.privileges import without_privileges

STOPS = "torch.fx.symbolic_trace(x)"
HEAD = "import torch\n\nx = torch.zeros(3)\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with two uses that stop it in one file."""
    (tmp_path / "net.py").write_text(f"{HEAD}{STOPS}\n{STOPS}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("flags", "status", "told"),
    [
        ([], 0, ""),
        (["--fail-on", "missing"], 1, "FAILED: there are 2 findings of missing"),
        (["--fail-on", "MS201"], 1, "FAILED: there are 2 findings of MS201"),
        (["--fail-on", "unlisted,limited"], 2, ""),
        (["--fail-on", "unlisted,platform-limited"], 0, ""),
        (["--max-missing", "2"], 0, ""),
        (["--max-missing", "1"], 1, "FAILED: 2 uses have no counterpart: more than 1"),
        (["--max-missing", "0", "--ignore", "MS201"], 0, ""),
    ],
)
def test_thresholds(
    flags: list[str], status: int, told: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["scan", "net.py", *flags]) == status
    assert told in capsys.readouterr().err


def test_a_threshold_is_told_where_the_result_is_not_for_people(folder: Path) -> None:
    done = run_scan("net.py", "--json", "--fail-on", "missing", cwd=folder)
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert (report["ok"], report["breaches"]) == (False, ["there are 2 findings of missing"])
    assert "FAILED: there are 2 findings of missing" in done.stderr


@pytest.mark.parametrize(
    ("comment", "hidden"),
    [
        ("# msconvert: ignore", True),
        ("#msconvert:ignore", True),
        ("# noqa  # msconvert: ignore[MS201]", True),
        ("# msconvert: ignore[MS222, ms201]", True),
        ("# msconvert: ignore[MS222 MS201]", True),
        ("# msconvert: ignore[MS222]", False),
        ("# msconvert: ignored by nobody", False),
        ("; y = '# msconvert: ignore'", False),
    ],
)
def test_comments_that_ignore(
    comment: str, hidden: bool, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "net.py").write_text(f"{HEAD}{STOPS}  {comment}\n")
    assert cli.main(["scan", "net.py", "--fail-on", "missing"]) == (0 if hidden else 1)
    assert ("MS201" in capsys.readouterr().err) is not hidden
    report = scanned("net.py", cwd=folder)
    assert report["totals"]["ignored"] == int(hidden)
    assert report["totals"]["effort"]["by_hand"] == int(not hidden)


@pytest.mark.parametrize(
    ("comment", "useless"),
    [
        ("# msconvert: ignore", []),
        ("# msconvert: ignore[MS201, ms222]", []),
        ("# msconvert: ignore[MS2xx]", ["MS2XX"]),
        ("# noqa  # msconvert: ignore[MS201, MS999 torch]", ["MS999", "TORCH"]),
        ("# msconvert: ignore[MS101]", ["MS101"]),
        ("# msconvert: ignore[MS200]", ["MS200"]),
        ("# msconvert: ignore[]", ["no code"]),
        ("# msconvert: ignore[MS2xx, MS210]", []),
        ("; y = '# msconvert: ignore[MS2xx]'", []),
    ],
)
@pytest.mark.parametrize("suffix", [".py", ".ipynb"])
def test_comments_that_hide_nothing_are_told(
    comment: str, useless: list[str], suffix: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"{HEAD}y = x  {comment}\n"
    cells = [{"cell_type": "code", "source": source} for source in ("1", text)]
    source = text if suffix == ".py" else json.dumps({"cells": cells})
    (folder / f"net{suffix}").write_text(source)
    assert cli.main(["scan", f"net{suffix}"]) == 0
    told = capsys.readouterr().err.splitlines()
    column = len("y = x  ") + comment.rindex("# msconvert") + 1
    place = (
        f"net{suffix}:{'' if suffix == '.py' else 'cell 2:'}4:{column}: MS210 the comment names "
    )
    for line, code in zip(told, useless, strict=True):
        assert line.startswith(f"{place}{code}")
        assert "it hides nothing" in line
    assert scanned(f"net{suffix}", cwd=folder)["totals"]["effort"]["by_hand"] == 0
    assert cli.main(["scan", f"net{suffix}", "--fail-on", "MS210"]) == bool(useless)


def test_a_baseline_keeps_what_is_known_quiet(folder: Path) -> None:
    flags = ("net.py", "--baseline", "known.json")
    assert run_scan(*flags, "--write-baseline", cwd=folder).returncode == 0
    again = run_scan(*flags, "--write-baseline", cwd=folder)
    assert again.returncode == 1
    assert "MS107" in again.stderr
    done = run_scan(*flags, "--fail-on", "missing", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Not told: 2 in the baseline" in done.stdout
    (folder / "net.py").write_text(f"# a new line\n{HEAD}{STOPS}\n{STOPS}\n{STOPS}\n")
    done = run_scan(*flags, "--fail-on", "missing", cwd=folder)
    assert done.returncode == 1
    assert "there is 1 finding of missing" in done.stderr
    assert [line.split()[0] for line in done.stderr.splitlines()[:1]] == ["net.py:7:1:"]


@pytest.mark.parametrize("written_in", [".", "ci", "src"])
@pytest.mark.parametrize("scanned_in", [".", "ci", "src"])
def test_a_baseline_holds_wherever_the_scan_is_started(
    written_in: str, scanned_in: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ci", "src"):
        (folder / name).mkdir()
    (folder / "src" / "more.py").write_text(HEAD + STOPS)

    def scan(start: str, *flags: str) -> int:
        paths = [os.path.relpath(folder / name, folder / start) for name in ("net.py", "src")]
        baseline = os.path.relpath(folder / "ci" / "known.json", folder / start)
        with chdir(folder / start):
            return cli.main(["scan", *paths, "--baseline", baseline, *flags])

    assert scan(written_in, "--write-baseline") == 0
    names = json.loads((folder / "ci" / "known.json").read_text())["findings"]
    assert {name.partition("::")[0] for name in names} == {"../net.py", "../src/more.py"}
    capsys.readouterr()
    assert scan(scanned_in, "--fail-on", "missing") == 0
    told = capsys.readouterr()
    assert ("Not told: 3 in the baseline" in told.out, told.err) == (True, "")
    (folder / "net.py").unlink()
    assert scan(scanned_in, "--sarif") == 1
    log = json.loads(capsys.readouterr().out)
    (absent,) = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in log["runs"][0]["results"]
        if result["baselineState"] == "absent"
    }
    assert absent == ("net.py" if scanned_in == "." else (folder / "net.py").as_uri())


def test_a_baseline_of_the_first_version_is_from_the_working_folder(folder: Path) -> None:
    (folder / "ci").mkdir()
    baseline = folder / "ci" / "known.json"
    assert cli.main(["scan", "net.py", "--baseline", str(baseline), "--write-baseline"]) == 0
    (name,) = json.loads(baseline.read_text())["findings"]
    old = {"version": 1, "findings": {name.replace("../net.py", "net.py"): 2}}
    baseline.write_text(json.dumps(old))
    assert cli.main(["scan", "net.py", "--baseline", str(baseline), "--fail-on", "missing"]) == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "Expecting value"),
        ("[]", "it is not a baseline of version 1 or 2"),
        ('{"version": 3}', "it is not a baseline of version 1 or 2"),
        ('{"version": 2, "findings": {"net.py": 1}}', "its findings are not named as path::code"),
        ('{"version": 1, "findings": {"a": "b"}}', "its findings are no counts"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_a_file_that_is_no_baseline(
    text: str, problem: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "known.json").write_text(text)
    assert cli.main(["scan", "net.py", "--baseline", "known.json"]) == 1
    told = capsys.readouterr().err
    assert "MS211 known.json: it cannot be used as a baseline" in told
    assert problem in told


def test_the_project_s_own_settings(folder: Path) -> None:
    (folder / "pyproject.toml").write_text(
        '[tool.msconvert]\nexclude = ["third_party"]\nfail-on = ["missing"]\nmax-missing = 5\n'
        'baseline = "ci/known.json"\n'
    )
    (folder / "ci").mkdir()
    (folder / "ci" / "known.json").write_text('{"version": 1, "findings": {}}')
    (folder / "third_party").mkdir()
    (folder / "third_party" / "x.py").write_text(HEAD + STOPS)
    done = run_scan(".", cwd=folder)
    assert done.returncode == 1
    assert done.stdout.startswith("1 file, ")
    assert "there are 2 findings of missing" in done.stderr
    assert run_scan(".", "--fail-on", "MS222", cwd=folder).returncode == 0
    assert run_scan(".", "--no-config", cwd=folder).stdout.startswith("2 files, ")
    inner = run_scan("../net.py", cwd=folder / "ci")
    assert inner.returncode == 1, "settings are those of the scanned project"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("excludes = []", "unknown key 'excludes'\n  try:      it is 'exclude'"),
        ("fail_on = []", "unknown key 'fail_on'\n  try:      it is 'fail-on'"),
        ("colour = 1", "the keys are exclude, ignore, fail-on, max-missing, baseline"),
        ("exclude = 'a'", "got:      'a'\n  expected: a list of globs"),
        ("max-missing = true", "expected: a whole number, 0 or more"),
        ("max-missing = -1", "expected: a whole number, 0 or more"),
        ("baseline = 3", "expected: the name of a file"),
        ("fail-on = ['mising']", "did you mean 'missing'?"),
        ("ignore = ['MS999']", "ignore has no verdict or code 'MS999'"),
        ("exclude = [", "it cannot be read"),
    ],
)
def test_settings_that_are_wrong(
    settings: str, told: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.msconvert]\n{settings}\n")
    assert cli.main(["scan", "."]) == 2
    said = capsys.readouterr().err
    assert said.startswith("MS210 ")
    assert told in said


def test_a_pyproject_without_settings_is_none_of_ours(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[project]\nname = 'x'\n[tool.other]\ny = 1\n")
    assert cli.main(["scan", "."]) == 0


def test_a_folder_that_may_not_be_searched_has_no_settings(folder: Path) -> None:
    (folder / "closed").mkdir()
    (folder / "closed" / "net.py").write_text(HEAD)
    (folder / "closed").chmod(0)
    with without_privileges():
        assert project_file([folder / "closed" / "net.py"]) is None
    (folder / "closed").chmod(0o700)


def test_what_is_excluded_is_not_read(folder: Path) -> None:
    (folder / "gen").mkdir()
    (folder / "gen" / "bad.py").write_text("def (")
    assert cli.main(["scan", "."]) == 1
    assert cli.main(["scan", ".", "--exclude", "gen"]) == 0
    assert cli.main(["scan", ".", "--exclude", "bad*"]) == 0


EXCLUDED = {
    "a file's name": "net.py",
    "a path": "gen/net.py",
    "a path with a star": "gen/*.py",
    "a folder": "gen",
    "a folder with a slash": "./gen/",
    "a folder within": "inner",
    "all": "*.py",
}


@pytest.mark.parametrize("glob", EXCLUDED.values(), ids=list(EXCLUDED))
@pytest.mark.parametrize("is_setting", [True, False])
def test_what_is_excluded_is_left_out_where_it_is_named(
    glob: str, is_setting: bool, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = folder / "gen" / "inner" if glob == "inner" else folder / "gen"
    inner.mkdir(parents=True)
    (inner / "net.py").write_text("def (")
    if is_setting:
        (folder / "pyproject.toml").write_text(f"[tool.msconvert]\nexclude = ['{glob}']\n")
    flags = [] if is_setting else ["--exclude", glob]
    for named in (inner / "net.py", inner, Path("gen", "..", inner, "net.py")):
        assert cli.main(["scan", str(named), *flags]) == 0
        told = capsys.readouterr()
        assert told.out.startswith("0 files, ")
        assert "Nothing was scanned: all is left out by exclude" in told.err
        assert cli.main(["source", str(named), *flags]) == 0
        assert "Nothing is converted: all is left out by exclude" in capsys.readouterr().err


def test_globs_of_a_project_are_from_its_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("inner[1]/gen", "inner[1]/src", "other"):
        (folder / name).mkdir(parents=True)
    (folder / "inner[1]" / "pyproject.toml").write_text("[tool.msconvert]\nexclude = ['gen/*']\n")
    (folder / "inner[1]" / "gen" / "x.py").write_text("def (")
    (folder / "inner[1]" / "src" / "x.py").write_text(HEAD)
    names = ["inner[1]/src/x.py", "inner[1]/gen/x.py"]
    assert cli.main(["scan", *names]) == 0
    told = capsys.readouterr().out
    assert told.startswith("1 file, 3 lines: ")
    assert "Left out by exclude: 1 file or folder" in told
    monkeypatch.chdir(folder / "other")
    assert cli.main(["scan", *(f"../{name}" for name in names)]) == 0


@pytest.mark.parametrize("glob", ["gen", "x", "net", "net.p", "*/net.py", "net.py/*", "../net.py"])
def test_what_only_looks_excluded_is_scanned(
    glob: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folders above the project may have any name, `gen` too."""
    deep = folder / "gen" / "project"
    deep.mkdir(parents=True)
    (deep / "net.py").write_text(HEAD)
    (deep / "pyproject.toml").write_text(f"[tool.msconvert]\nexclude = ['{glob}']\n")
    with chdir(deep):
        assert cli.main(["scan", "net.py"]) == 0
        assert cli.main(["scan", "net.py", str(deep / "net.py")]) == 0
    assert capsys.readouterr().out.count("1 file, 3 lines: ") == 2
