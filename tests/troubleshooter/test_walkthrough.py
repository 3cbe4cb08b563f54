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
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "troubleshooting.md"
OF_TABLE = re.compile(r"\| `(msconvert (?:(?!\.\.\.|[A-Z]{3})[^`])+)` \|")
FENCE = re.compile(r"^```(console|diff|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

ON_RUNTIME = "python -m msconvert.runtime "

OF_ROUNDING = (
    (re.compile(r"(?<=rounding explains )\S+"), "*"),
    (re.compile(r"(?<=differs)(: \w+)? +(\S+) +\S+ +(\S+) +\S+$", re.MULTILINE), r"\1 \2 * \3 *"),
    (re.compile(r"\b\d\.\de-(0[6-9]|1\d)\b"), "*"),
)
"""Figures of rounding are another on each machine: what rounding explains, the columns `x rounding`
and `its rounding`, and whatever is below 1e-5. Nothing else is."""

FIGURE = re.compile(r"(?<![\w.])\d+\.\d{3,}(?![\w.%])")
DRIFT = 1e-2
"""Rounding grows from step to step of a training that clips (`compare --train`): a processor with
other kernels shows another last digit of a loss. By this share a figure of four digits may differ:
in CI it was 2e-4 after five steps. What a fault does is told by the words around the figures."""


class Reader:
    """Types what a page says; `page` is the page with what was printed then.

    `scripts`: a copy of each script that ran on the runtime, as it was then, and what it printed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.status = 0
        self.page = ""
        self.scripts: dict[str, str] = {}
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        self.environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}

    def read(self, page: str) -> None:
        end = 0
        for fence in FENCE.finditer(page):
            text = self.text(fence[1], fence[2])
            self.page += f"{page[end : fence.start()]}```{fence[1]}\n{text}```"
            end = fence.end()
        self.page += page[end:]

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
        printed = self.run(["bash", "-c", command])
        if command.startswith(ON_RUNTIME):
            self.keep(command.removeprefix(ON_RUNTIME), printed)
        return f"$ {command}\n{printed}"

    def keep(self, script: str, printed: str) -> None:
        folder, _, name = script.partition("/")
        as_it_is = f"{folder}{len(self.scripts)}"
        shutil.copytree(self.folder / folder, self.folder / as_it_is)
        self.scripts[f"{as_it_is}/{name}"] = printed

    def run(self, command: list[str]) -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=900,
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


def figures(page: str) -> list[float]:
    return [float(figure) for figure in FIGURE.findall(page)]


def assert_alike(page: str, wanted: str) -> None:
    """The words to the letter, figures of four digits and more up to `DRIFT`."""
    assert FIGURE.sub("*", masked(page)) == FIGURE.sub("*", masked(wanted))
    assert figures(masked(page)) == pytest.approx(figures(masked(wanted)), rel=DRIFT)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """Who has read the page to its end."""
    folder = tmp_path_factory.mktemp("walkthrough")
    shutil.copytree(
        ROOT / "examples" / "troubleshooting",
        folder / "examples" / "troubleshooting",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    reader = Reader(folder)
    reader.read(PAGE.read_text(encoding="utf-8"))
    return reader


def test_the_page_is_what_happens(reader: Reader, request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert reader.status == 0
    if request.config.getoption("--renew-golden") and masked(reader.page) != masked(page):
        PAGE.write_text(reader.page, encoding="utf-8")
    assert_alike(reader.page, PAGE.read_text(encoding="utf-8"))


def test_the_commands_for_symptoms_run(reader: Reader) -> None:
    commands = OF_TABLE.findall(reader.page)
    assert len(commands) == 4
    for command in commands:
        printed = reader.typed(command)
        assert reader.status == 0, printed


RUN_ALL = """
import runpy, sys
for script in sys.argv[1:]:
    for name in ("net", "evaluate"):
        sys.modules.pop(name, None)
    sys.path[0] = script.rpartition("/")[0]
    runpy.run_path(script, run_name="__main__")
"""
"""In one process: to import MindSpore takes longer than the scripts."""


def test_mindspore_has_the_accuracies_of_the_page(
    reader: Reader, run_mindspore: Callable[..., str]
) -> None:
    assert len(reader.scripts) == 7
    printed = run_mindspore(reader.folder, "-c", RUN_ALL, *reader.scripts)
    assert printed == "".join(reader.scripts.values())


def test_only_rounding_is_masked() -> None:
    row = "act  LeakyReLU  eval  differs  2.9e-01  1.46e+05    3.8e-01           1.7e-07\n"
    state = "norm1  BatchNorm2d  train  differs: state  8.7e-01  4.36e+05  7.0e-08  1.4e-07\n"
    words = "  off by 1.88, 0.29 of its largest element; rounding explains 1.3e-05\n"
    assert masked(row) == "act LeakyReLU eval differs 2.9e-01 * 3.8e-01 *\n"
    assert masked(state) == "norm1 BatchNorm2d train differs: state 8.7e-01 * * *\n"
    assert masked(words) == "  off by 1.88, 0.29 of its largest element; rounding explains *\n"
    losses = "4      2.3487  2.3038\n"
    assert_alike("4 2.3488 2.304\n", losses)
    for other in ("4 2.3488 2.35\n", "4 2.4487 2.3038\n", "5 2.3487 2.3038\n"):
        with pytest.raises(AssertionError):
            assert_alike(other, losses)
    kept = "accuracy 97.0%\nloss 0.082\n  agrees if the slope is 0.01 (here: 0.2)\n"
    assert masked(kept) == kept
