"""Every command of docs/tuning.md, in its order, in a copy of what the page speaks of."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tuning.md"
STATUS = {"stuck.py": 1, "--compare": 1, "in_torch.py": 1}
"""Commands with one of these words exit with this; all others with 0."""


def commands() -> list[str]:
    blocks = re.findall(r"^```bash\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line]


def status_of(command: str) -> int:
    if command.endswith(" fixed") or "slope=0" in command:
        return 0
    return next((status for word, status in STATUS.items() if word in command), 0)


def typed(command: str, folder: Path) -> tuple[dict[str, str], list[str]]:
    """What a shell in `folder` makes of a line: variables in front, and the program."""
    words = shlex.split(command.replace("$PWD", str(folder)))
    count = next(k for k, word in enumerate(words) if "=" not in word)
    program = [sys.executable, "-m", "msconvert"] if words[count] == "msconvert" else []
    rest = words[count + 1 :]
    return dict(word.split("=", 1) for word in words[:count]), [
        *(program or [sys.executable]),
        *rest,
    ]


def test_every_command_does_what_the_page_says(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "tuning", tmp_path / "examples" / "tuning")
    said = {}
    every = commands()
    assert len(every) == 11
    for command in every:
        variables, program = typed(command, tmp_path)
        done = subprocess.run(
            program, cwd=tmp_path, capture_output=True, text=True, timeout=900, check=False,
            env={**os.environ, "COLUMNS": "140", **variables},
        )  # fmt: skip
        assert done.returncode == status_of(command), f"{command}\n{done.stdout}{done.stderr}"
        said[command] = done.stdout
    told = [said[command] for command in every]
    first, stopped, fixed, table, _, parted, slow, graph, _, slope, same = told
    assert "data, step 3, input of Classifier: the inputs are not normalised" in first
    assert re.search(r"^(exploding|overflow|nan), step \d+, ", first, re.MULTILINE)
    assert stopped == "Nothing found in 40 steps.\n"
    assert fixed == "Nothing found in 64 steps.\n"
    assert re.search(r"^stuck +", table, re.MULTILINE)
    assert re.search(r"^fixed +ended", table, re.MULTILINE)
    assert "learning rate" in " ".join(table.split())
    assert re.search(r"part at step \d+", parted)
    assert "40 steps, " in slow
    assert re.search(r"^  Conv +\d+\.\d% ", slow, re.MULTILINE)
    assert "20 steps, " in graph
    assert (tmp_path / "profiled" / "profile.html").exists()
    assert re.search(r"^  batch +\d+\.\d% ", slow, re.MULTILINE)
    assert "First difference in training: relu (ReLU, LeakyReLU)" in slope
    assert "agrees if it is ReLU (here: LeakyReLU of slope 0.01)" in slope
    assert "The same: 4 layers" in same
    iterations = (tmp_path / "debug_dump" / "rank_0" / "Classifier" / "0").iterdir()
    assert {folder.name for folder in iterations} == {"0", "3"}
