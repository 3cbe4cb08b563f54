"""What surrounds a command: streams that take nothing, folders that are gone, limits, names."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from msconvert.tests.bad_models import dense, saved

M = f"{shlex.quote(sys.executable)} -m msconvert"
CONVERT = f"{M} --model_file model.onnx --force"
LONG = "abc/" * 1500


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    saved(dense(), tmp_path)
    np.savez(tmp_path / "a.npz", x=np.ones(3, np.float32))
    shutil.copy(tmp_path / "a.npz", tmp_path / "b.npz")
    (tmp_path / "net.py").write_text("import torch\n\nx = torch.abs(torch.ones(3))\n")
    return tmp_path


def run(line: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A line of the shell."""
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **more},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert "MS901" not in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert "\x1b[" not in done.stderr
    return done


PRINTING = {
    "help": "--help",
    "version": "--version",
    "diff": "diff a.npz b.npz",
    "scan": "scan net.py",
    "scan as JSON": "scan net.py --json",
    "api": "api nn.Linear nn.Conv2d --json",
    "source": "source net.py",
    "weights": "weights a.npz -o new.ckpt",
    "convert": "--model_file model.onnx --no-verify",
    "a command's help": "compare --help",
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("name", PRINTING)
def test_a_full_stdout_is_told(name: str, folder: Path) -> None:
    done = run(f"{M} {PRINTING[name]} > /dev/full", folder)
    assert done.returncode == 1
    assert done.stderr.startswith("MS107 ")
    assert "No space left on device" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("diff a.npz b.npz 2> /dev/full", 0),
        ("diff a.npz none.npz 2> /dev/full", 2),
        ("scan net.py --limit x 2> /dev/full", 2),
        ("api nn.Nothing 2> /dev/full", 1),
        ("--model_file none.onnx 2> /dev/full", 2),
        ("diff a.npz b.npz > /dev/full 2> /dev/full", 1),
        ("nothing > /dev/full 2> /dev/full", 2),
        ("diff a.npz none.npz >&- 2>&-", 2),
    ],
)
def test_a_stderr_that_takes_nothing_leaves_the_status(
    command: str, status: int, folder: Path
) -> None:
    assert run(f"{M} {command}", folder).returncode == status


@pytest.mark.parametrize("name", ["help", "diff", "scan as JSON", "api", "source"])
def test_a_reader_that_has_gone_is_no_error(name: str, folder: Path) -> None:
    done = run(f"(sleep 0.3; {M} {PRINTING[name]}; echo $? > status) | true", folder)
    assert done.stderr == ""
    assert (folder / "status").read_text() in ("0\n", "1\n")


@pytest.mark.parametrize(
    "command",
    [
        "scan .",
        "source net.py",
        "demo",
        "--model_file {}/model.onnx",
        "verify net.py net.py",
        "compare net.py net.py --shape 1",
        "diff a.npz b.npz",
        "weights {}/a.npz -o x.ckpt",
    ],
)
def test_a_current_folder_that_is_gone(command: str, folder: Path) -> None:
    (folder / "gone").mkdir()
    text = command.format(shlex.quote(str(folder)))
    done = run(f"cd gone; rmdir ../gone; {M} {text}", folder)
    assert done.returncode in (1, 2)
    assert re.match(r"MS\d{3} ", done.stderr)


@pytest.mark.parametrize(
    "command",
    [
        f"scan {LONG}",
        f"source net.py --output {LONG}",
        f"--model_file model.onnx --no-verify --output {LONG}",
        f"--model_file {LONG}m.onnx",
        f"diff a.npz {LONG}",
        f"weights a.npz -o {LONG}x.ckpt",
        f"compare {LONG}x.py net.py --shape 1",
        f"verify {LONG}x.py net.py --shape 1",
        f"diff a.npz b.npz --json={LONG}x.json",
    ],
)
def test_paths_that_are_too_long(command: str, folder: Path) -> None:
    done = run(f"{M} {command}", folder)
    assert done.returncode in (1, 2)
    assert done.stderr
    assert sorted(path.name for path in folder.iterdir()) == [
        *("a.npz", "b.npz", "model.onnx", "net.py")
    ]


def test_a_folder_900_deep(folder: Path) -> None:
    deep = "a/" * 900
    assert run(f"{CONVERT} --no-verify --output {deep}", folder).returncode == 0
    assert (folder / deep / "model.ckpt").exists()


LIMITS = {
    "12 open files": ("ulimit -n 12", ("MS110: the system gives this process no more",)),
    "11 open files": ("ulimit -n 11", ("MS110", "MS107")),
    "files of 1 KB": ("ulimit -f 1", ("MS107 .*model.py: files may not be that large here",)),
    "files of nothing": ("ulimit -f 0", ("MS107 folders for temporary files",)),
    "9 open files": ("ulimit -n 9", ("MS110", "MS107")),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits_of_the_system(name: str, folder: Path) -> None:
    prelude, told = LIMITS[name]
    done = run(f"{prelude}; {CONVERT}", folder)
    assert done.returncode == 1
    assert any(re.match(text, done.stderr) for text in told), done.stderr
    assert [path for path in folder.rglob("*") if "output" in path.parts and path.is_file()] == []


@pytest.mark.parametrize(
    ("name", "surroundings"),
    [
        ("no home", {"HOME": "/nonexistent", "TMPDIR": "/nonexistent"}),
        ("a home that takes nothing", {"HOME": "/proc", "TMPDIR": "/proc"}),
        ("an empty home", {"HOME": "", "TMPDIR": ""}),
        ("plain locale", {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}),
        ("a narrow terminal", {"COLUMNS": "1", "LINES": "1", "TERM": "dumb"}),
        ("no such terminal", {"LANG": "xx", "TERM": "nothing", "COLUMNS": "x"}),
    ],
)
def test_a_conversion_there(name: str, surroundings: dict[str, str], folder: Path) -> None:
    done = run(CONVERT, folder, **surroundings)
    assert (done.returncode, done.stderr) == (0, "")
    assert "They agree." in done.stdout
    scan = run(f"{M} scan net.py; {M} diff a.npz b.npz", folder, **surroundings)
    assert (scan.returncode, scan.stderr) == (0, "")


def test_nothing_of_onnx_runtime_reaches_stderr(folder: Path) -> None:
    assert run(CONVERT, folder).returncode == 0
    done = run(f"{shlex.quote(sys.executable)} output/model.py", folder, HOME="/proc")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("diff $N.npz b.npz --json=$N.json --force", 0),
        ("scan $N.py --json=$N.json", 0),
        ("source $N.py --output $N", 0),
        ("weights $N.npz -o $N.ckpt", 0),
        ("--model_file $N.onnx --output $N", 2),
        ("--model_file model.onnx --no-verify --output $N --report $N", 0),
    ],
)
def test_names_that_are_no_utf8(command: str, status: int, folder: Path) -> None:
    copies = 'cp a.npz "$N.npz"; cp net.py "$N.py"; cp model.onnx "$N.onnx"'
    done = run(f"N=$(printf 'n\\xff'); {copies}; {M} {command}", folder)
    assert done.returncode == status, done.stderr
    assert status == 0 or done.stderr.startswith("MS102 ")
