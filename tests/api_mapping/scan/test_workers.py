"""Many files: bad ones are told, one that fails stops no other, Ctrl-C ends at once."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from msconvert.api_mapping.findings import workers
from msconvert.api_mapping.findings.model import UNREAD, Scan
from msconvert.api_mapping.findings.workers import scan_paths
from msconvert.tests.api_mapping.scan.projects import run_scan
from msconvert.tests.privileges import without_privileges

USE = "import torch\nx = torch.zeros(3)\n"


def problems(scan: Scan) -> dict[str, str]:
    """What could not be read, by the file's name."""
    return {
        Path(file.path).name: remark.message
        for file in scan.files
        for remark in file.remarks
        if remark.code == UNREAD
    }


BAD = {
    "syntax.py": (b"def f(:\n", "syntax: "),
    "python2.py": (b"import torch\nprint 'x'\n", "python2: "),
    "binary.py": (b"\x00\x01\x02torch", "binary: "),
    "encoding.py": (b"# coding: klingon\nimport torch\n", "encoding: "),
    "latin.py": (b"import torch  # \xe9\n", "encoding: "),
    "nested.py": (b"import torch\nx = " + b"(" * 10_000 + b")" * 10_000, "nesting: "),
    **{
        f"calls{n}.py": (b"import torch\nx = " + b"torch.abs(" * n + b"1" + b")" * n, "nesting: ")
        for n in (70, 80, 90, 99, 150)
    },
    "broken.ipynb": (b'{"cells": [', "notebook: "),
    "old.ipynb": (b'{"worksheets": []}', "notebook: "),
}
GOOD = {
    "empty.py": b"",
    "bom.py": b"\xef\xbb\xbf" + USE.encode(),
    "crlf.py": USE.replace("\n", "\r\n").encode(),
    "latin1.py": b"# -*- coding: latin-1 -*-\n# \xe9\n" + USE.encode(),
    "big.py": USE.encode() + b"x = [1, 2, 3, 4]\n" * 60_000,
}


def test_bad_input_is_told_and_the_rest_is_scanned(tmp_path: Path) -> None:
    for name, (content, _) in BAD.items():
        (tmp_path / name).write_bytes(content)
    for name, content in GOOD.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "loop").symlink_to(tmp_path)
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    scan = scan_paths([tmp_path])
    told = problems(scan)
    assert {name: told[name].startswith(kind) for name, (_, kind) in BAD.items()} == dict.fromkeys(
        BAD, True
    )
    assert told.keys() - BAD.keys() == {"loop", "gone.py"}
    uses = {Path(file.path).name: len(file.uses) for file in scan.files}
    assert {name: uses[name] for name in GOOD} == {name: int(name != "empty.py") for name in GOOD}


def test_an_unreadable_folder(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    (tmp_path / "read.py").write_text(USE)
    (tmp_path / "unread.py").write_text(USE)
    (tmp_path / "unread.py").chmod(0)
    with without_privileges():
        scan = scan_paths([tmp_path])
    assert problems(scan).keys() == {"closed", "unread.py"}
    assert sum(len(file.uses) for file in scan.files) == 1


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twenty files, of which one is to fail; several processes scan them."""
    for number in range(20):
        (tmp_path / f"file_{number:02}.py").write_text(USE)
    monkeypatch.setattr(workers, "SMALL", 0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1}, raising=False)
    return tmp_path


def test_a_defect_in_one_file_stops_no_other(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = workers.scan_file

    def failing(project: object, path: Path, shown: str) -> object:
        if path.name == "file_07.py":
            raise ZeroDivisionError("a defect")
        return whole(project, path, shown)

    monkeypatch.setattr(workers, "scan_file", failing)
    scan = scan_paths([many])
    assert len(scan.files) == 20
    assert problems(scan) == {
        "file_07.py": "a defect of msconvert, please report it: ZeroDivisionError: a defect"
    }


def test_a_file_that_ends_its_process_stops_no_other(
    many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = workers.scan_file

    def ending(project: object, path: Path, shown: str) -> object:
        if path.name == "file_07.py":
            os._exit(9)
        return whole(project, path, shown)

    monkeypatch.setattr(workers, "scan_file", ending)
    scan = scan_paths([many])
    assert sum(len(file.uses) for file in scan.files) == 19
    assert list(problems(scan)) == ["file_07.py"]


def test_one_process_and_several_find_the_same(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    several = scan_paths([many])
    monkeypatch.setattr(workers, "SMALL", 1 << 40)
    assert scan_paths([many]) == several
    assert [Path(file.path).name for file in several.files] == sorted(os.listdir(many))


def test_it_is_told_how_far_the_scan_is(many: Path) -> None:
    steps: list[str] = []
    scan_paths([many], tell=steps.append)
    assert steps == [f"{done} of 20 files scanned" for done in range(1, 21)]


def wait_for_work(process: subprocess.Popen[str]) -> None:
    """Until the scan's processes read files: to start them takes seconds on a busy machine."""
    begun = time.monotonic()
    while True:
        readers = psutil.Process(process.pid).children()
        if readers and all(reader.cpu_times().user > 0.1 for reader in readers):
            return
        assert process.poll() is None
        assert time.monotonic() < begun + 900
        time.sleep(0.02)


@pytest.mark.skipif(workers.cores() < 2, reason="one core: no processes to end")
def test_ctrl_c_ends_the_scan_and_leaves_nothing(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for number in range(200):
        (project / f"f{number}.py").write_text("import torch\n" + "x = torch.zeros(3)\n" * 2000)
    process = subprocess.Popen(
        [sys.executable, "-m", "msconvert", "scan", "project", "--json=out.json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored in background
    )
    wait_for_work(process)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=900)
    assert process.returncode == 130, err
    assert (out, err.strip()) == ("", "interrupted: nothing is left half written")
    assert [path.name for path in tmp_path.iterdir()] == ["project"]


@pytest.mark.parametrize("part", ["nn", "optim", "utils"])
def test_pytorch_s_own_sources_are_scanned_whole(part: str) -> None:
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        pytest.skip("no PyTorch here: its sources are what is scanned")
    scan = scan_paths([Path(spec.origin).parent / part])
    assert sum(file.lines for file in scan.files) > 5_000
    assert problems(scan) == {}


def test_nothing_of_the_project_is_run_or_imported(tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'ran')!r}, 'w')\nimport torch\n"
    for name in ("setup.py", "conftest.py", "sitecustomize.py", "torch.py", "__init__.py"):
        (tmp_path / name).write_text(trap)
    done = run_scan(".", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["ok"] is True
    assert not (tmp_path / "ran").exists()
