"""docs/troubleshooting.md from its first command to its last, in the order of a reader.

Commands in `console` fences are run in a folder that holds nothing but the examples, changes in
`diff` fences are made, `python` fences are run, and so are the commands in the table of symptoms
but those that are abbreviated (`...`) or have a name in capitals. The page made of what is printed
then must be the page; --renew-golden writes it. A command fails only where `echo $?` asks for its
exit status.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "troubleshooting.md"
OF_TABLE = re.compile(r"\| `(msconvert (?:(?!\.\.\.|[A-Z]{3})[^`])+)` \|")
FENCE = re.compile(r"^```(console|diff|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

OF_ROUNDING = (
    (re.compile(r"(?<=rounding explains )\S+"), "*"),
    (re.compile(r"(?<=differs)(: \w+)? +(\S+) +\S+ +(\S+) +\S+$", re.MULTILINE), r"\1 \2 * \3 *"),
    (re.compile(r"\b\d\.\de-(0[6-9]|1\d)\b"), "*"),
)
"""Figures of rounding are another on each machine: what rounding explains, the columns `x rounding`
and `its rounding`, and whatever is below 1e-5. Nothing else is."""


class Reader:
    """Types what a page says; `text` is what a fence holds then."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.status = 0
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        self.environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}

    def text(self, language: str, text: str) -> str:
        if language == "console":
            commands = [line for line in text.splitlines() if line.startswith("$ ")]
            return "".join(self.typed(line[2:]) for line in commands)
        if language == "diff":
            self.change(text)
        else:
            assert self.run([sys.executable, "-c", text]) == ""
        return text

    def typed(self, command: str) -> str:
        """The command and what it prints, as a terminal shows it."""
        if command.startswith("cd "):
            self.folder = self.folder / command[3:]
            return f"$ {command}\n"
        if command == "echo $?":
            status, self.status = self.status, 0
            return f"$ {command}\n{status}\n"
        assert self.status == 0, f"what came before {command!r} failed"
        return f"$ {command}\n{self.run(['bash', '-c', command])}"

    def run(self, command: list[str]) -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        self.status = done.returncode
        return done.stdout

    def change(self, text: str) -> None:
        """Each line that goes stands once in the file, where the change says."""
        head, *hunks = re.split(r"^@@ -(\d+) .*\n", text, flags=re.MULTILINE)
        path = self.folder / head.split()[1]
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, hunk in zip(hunks[::2], hunks[1::2], strict=True):
            old, new = hunk.splitlines()
            assert (old[0], new[0]) == ("-", "+")
            assert lines[int(number) - 1] == old[1:]
            lines[int(number) - 1] = new[1:]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def masked(page: str) -> str:
    """Columns are as wide as their figures, so the spaces between them count as one."""
    for pattern, text in OF_ROUNDING:
        page = pattern.sub(text, page)
    return re.sub(r"(?<=\S) {2,}", " ", page)


def renewed(page: str, reader: Reader) -> Iterator[str]:
    """The page in parts, with what is printed now."""
    end = 0
    for fence in FENCE.finditer(page):
        yield page[end : fence.start()]
        yield f"```{fence[1]}\n{reader.text(fence[1], fence[2])}```"
        end = fence.end()
    yield page[end:]


def test_the_page_is_what_happens(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    shutil.copytree(
        ROOT / "examples" / "troubleshooting",
        tmp_path / "examples" / "troubleshooting",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    page, reader = PAGE.read_text(encoding="utf-8"), Reader(tmp_path)
    found = "".join(renewed(page, reader))
    for command in OF_TABLE.findall(page):
        printed = reader.typed(command)
        assert reader.status == 0, printed
    if request.config.getoption("--renew-golden") and masked(found) != masked(page):
        PAGE.write_text(found, encoding="utf-8")
    assert masked(found) == masked(PAGE.read_text(encoding="utf-8"))


def test_only_rounding_is_masked() -> None:
    row = "act  LeakyReLU  eval  differs  2.9e-01  1.46e+05    3.8e-01           1.7e-07\n"
    state = "norm1  BatchNorm2d  train  differs: state  8.7e-01  4.36e+05  7.0e-08  1.4e-07\n"
    words = "  off by 1.88, 0.29 of its largest element; rounding explains 1.3e-05\n"
    assert masked(row) == "act LeakyReLU eval differs 2.9e-01 * 3.8e-01 *\n"
    assert masked(state) == "norm1 BatchNorm2d train differs: state 8.7e-01 * * *\n"
    assert masked(words) == "  off by 1.88, 0.29 of its largest element; rounding explains *\n"
    kept = "accuracy 97.0%\nloss 0.082\n  agrees if the slope is 0.01 (here: 0.2)\n"
    assert masked(kept) == kept
