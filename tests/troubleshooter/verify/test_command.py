"""`msconvert verify`: its outputs, its exit status, what it says of wrong usage."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from msconvert.commands import main as cli

pytestmark = pytest.mark.usefixtures("warm")

pytest.importorskip("torch", reason="PyTorch is one of the two sides")

PAIRS = Path(__file__).parent / "pairs"
CNN = [str(PAIRS / "original" / "cnn.py"), str(PAIRS / "converted" / "cnn.py")]
WAVE = [str(PAIRS / "original" / "signal.py"), str(PAIRS / "converted" / "signal.py")]
NET = [str(PAIRS / folder / "package" / "net.py") for folder in ("original", "converted")]


def run(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "msconvert", "verify", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=900,
    )


def test_what_is_equal(tmp_path: Path) -> None:
    done = run(*CNN, "--markdown", "page.md", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    head, row, summary, written = done.stdout.splitlines()
    assert head.split("  ")[0] == "network"
    assert row.startswith("build    ✓")
    assert row.count("✓") == 7
    assert (summary, written) == ("Equal.", "Written: page.md")
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "| build | ✓ | ✓ | ✓ | ✓ | ✓ " in page
    again = run(*CNN, "--markdown", "page.md", cwd=tmp_path)
    assert again.returncode == 1
    assert "MS107" in again.stderr


def converted(old: str, new: str, folder: Path) -> Path:
    """The converted line of convolutions with a change."""
    file = folder / "wave.py"
    text = Path(WAVE[1]).read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    return file


def test_what_differs(tmp_path: Path) -> None:
    file = converted("0.2)", "0.1)", tmp_path)
    done = run(WAVE[0], file, "--json", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == ("MS404 wave.py: Wave() is not equal in evaluation")
    content = json.loads(done.stdout)
    (case,) = content["cases"]
    assert (content["equal"], case["equal"], case["name"]) == (False, False, "Wave")
    assert [stage["status"] for stage in case["stages"]] == ["passed"] * 4 + ["failed"]
    assert case["stages"][-1]["differences"][0]["absolute"] > 1e-3


def test_what_cannot_be_run(tmp_path: Path) -> None:
    file = converted("self.up(self", "self.upwards(self", tmp_path)
    done = run(WAVE[0], file, cwd=tmp_path)
    assert done.returncode == 1
    first, got, *_ = done.stderr.splitlines()
    assert first.startswith("MS402 wave.py:24: Wave() cannot be run: AttributeError: ")
    assert got == "  got:      return ops.leaky_relu(self.upwards(self.down(x)), 0.2)"
    assert "✗" in done.stdout
    assert done.stdout.endswith("Not equal.\n")


def test_weights_that_do_not_fit(tmp_path: Path) -> None:
    done = run(WAVE[0], converted("PReLU(channels)", "PReLU(1)", tmp_path), cwd=tmp_path)
    assert done.returncode == 1
    assert "MS403 wave.py: the weights of Wave() do not fit" in done.stderr
    assert "down.act0.w: shape (1,), the original's (4,)" in done.stderr


def test_inputs_from_a_file(tmp_path: Path) -> None:
    x = np.ones((2, 4, 6), np.float32)
    np.savez(tmp_path / "by_place.npz", x)
    np.savez(tmp_path / "by_name.npz", x=x)
    for name in ("by_place.npz", "by_name.npz"):
        assert cli.main(["verify", *WAVE, "--no-train", "--inputs", str(tmp_path / name)]) == 0


def test_the_original_must_run_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", *WAVE, "--class", "Wave", "--shape", "2,3,5"]) == 1
    told = capsys.readouterr()
    assert "MS405" in told.err
    assert "the original of Wave() cannot be run: RuntimeError" in told.err
    assert "try:      give it inputs and arguments that it takes: --shape" in told.err


def test_classes_that_need_arguments_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", *NET, "--shape", "2,4,2,2,2"]) == 1
    told = capsys.readouterr().out
    assert "left out: Volume: the original of Volume() cannot be constructed: TypeError" in told
    assert told.endswith("Nothing was compared.\n")


def test_without_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", *NET, "--call", "small()"]) == 1
    told = capsys.readouterr()
    assert "MS401 the inputs: nothing says what to call the network with" in told.err
    assert "small    ✓       ✓        ✓           -" in told.out


def test_folders(capsys: pytest.CaptureFixture[str]) -> None:
    folders = [str(PAIRS / "original"), str(PAIRS / "converted")]
    assert cli.main(["verify", *folders, "--no-train"]) == 0
    told = capsys.readouterr().out
    assert told.count("✓") >= 5 * 6
    assert "left out: Volume" in told
    assert told.endswith("networks are equal.\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--shape", "3,x"], "MS401 --shape: '3,x' is no shape"),
        (["--shape", "3,4:float31"], "the element types are bool, float16"),
        (["--inputs", "cnn.py"], "is no .npz file of arrays"),
        (["--timeout", "0"], "MS105 --timeout"),
        (["--target", "ascend"], "MS105 --target"),
    ],
)
def test_wrong_usage(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = [CNN[0] if argument == "cnn.py" else argument for argument in arguments]
    assert cli.main(["verify", *CNN, *given]) == 2
    assert told in capsys.readouterr().err


def test_files_that_are_no_pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", CNN[0], str(tmp_path / "none.py")]) == 2
    assert "none.py: there is no such file or folder" in capsys.readouterr().err
    assert cli.main(["verify", CNN[0], str(tmp_path)]) == 2
    assert "one of the two is a file, the other a folder" in capsys.readouterr().err
    assert cli.main(["verify", str(PAIRS / "original"), str(tmp_path)]) == 2
    assert "no Python file of the original folder is in it" in capsys.readouterr().err


def test_a_python_without_the_framework(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    assert cli.main(["verify", *CNN, "--python-torch", str(bare)]) == 1
    told = capsys.readouterr().err
    assert "this Python cannot import" in told
    assert cli.main(["verify", *CNN, "--python-torch", str(tmp_path / "none")]) == 1
    assert "MS401" in capsys.readouterr().err
