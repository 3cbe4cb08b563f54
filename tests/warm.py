"""`stand_in(python, folder, *modules)`: a program that does what a Python does, without the wait
for what it imports. `warm_python.py` says how."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent


@contextmanager
def stand_in(python: str | Path, *modules: str) -> Iterator[Path]:
    """A program to be started in the place of this Python, which has imported these modules.

    Where a process cannot be waited for without its parent, it is the Python itself.
    """
    if sys.platform != "linux":
        yield Path(python)
        return
    with tempfile.TemporaryDirectory(prefix="warm") as folder:
        program = Path(folder, "python")
        text = (HERE / "warm_client.py").read_text(encoding="utf-8")
        program.write_text(f"#!{python} -IS\n{text}", encoding="utf-8")
        command = Path(folder, "msconvert")  # of an environment's folder of programs
        command.write_text(f'#!/bin/sh\nexec "{program}" -m msconvert "$@"\n', encoding="utf-8")
        for written in (program, command):
            written.chmod(0o755)
        serving = [python, HERE / "warm_python.py", f"{program}.address", *modules]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(serving, process_group=0, **pipes) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n"
            yield program
            server.stdin.close()
