"""What the tests cost: every test is in the figures, with the processes that it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from msconvert.benchmarks.suite_cpu import main

TESTS = """
import subprocess, sys

def test_of_little(): pass

def test_that_starts_a_process():
    subprocess.run([sys.executable, "-c", "sum(range(20_000_000))"], check=True)
"""


@pytest.mark.parametrize("processes", ["-n0", "-n2"])
def test_every_test_has_its_seconds(
    processes: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    plugin = ["-p", "msconvert.benchmarks.suite_cpu", processes]
    subprocess.run(
        [sys.executable, "-m", "pytest", *plugin, "test_some.py"],
        cwd=tmp_path, env=os.environ | {"OUT": str(tmp_path / "out")}, check=True,
    )  # fmt: skip
    main(str(tmp_path / "out"), "test_some.py")
    told = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert told[0][1] == "test_that_starts_a_process"
    assert float(told[0][0]) > 0
    assert "test_of_little" in {line[1] for line in told}
    main(str(tmp_path / "out"))
    assert {"test_some.py", "collection"} <= set(capsys.readouterr().out.split())
