"""How fast source is converted: `python benchmarks/source.py`, on code that pip downloads.

`msconvert source --check` runs on each folder as a user runs it, start of Python included, on one
core; so does LibCST, which parses the same files that name torch and writes them again, without
any change. What is converted is checked on the way: every file parses, and no comment is lost.
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import subprocess
import sys
import tempfile
import tokenize
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scan import corpus

FOLDERS = {
    "torchvision/models": ("torchvision", "torchvision/models"),
    "torchvision": ("torchvision", "torchvision"),
    "timm": ("timm", "timm"),
}
TARGET_MS = 150
"""Of CPU for 1,000 lines."""
ROUNDS = 3

LIBCST = """
import sys
from pathlib import Path
import libcst
for path in sorted(Path(sys.argv[1]).rglob("*.py")):
    data = path.read_bytes()
    if b"torch" in data:
        libcst.parse_module(data).bytes
"""


@dataclass(frozen=True)
class Checked:
    """What was converted: files, files that changed, comments that are gone."""

    files: int
    changed: int
    lost: int


def cpu_s(command: Sequence[str]) -> float:
    """Seconds of CPU of a command on one core."""
    core = min(os.sched_getaffinity(0))
    before = os.times()
    subprocess.run(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,  # 1: something would change
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
    )
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def lines_in(folder: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.py"))


def comments(path: Path) -> Counter[str]:
    tokens = tokenize.tokenize(io.BytesIO(path.read_bytes()).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


def check(folder: Path) -> Checked:
    """Converts a folder and looks at each file of the result."""
    with tempfile.TemporaryDirectory() as place:
        output = Path(place) / "output"
        command = [sys.executable, "-m", "msconvert", "source", str(folder), "--output", output]
        nowhere = subprocess.DEVNULL
        subprocess.run(command, stdout=nowhere, stderr=nowhere, check=False)
        files = sorted(folder.rglob("*.py"))
        changed = lost = 0
        for path in files:
            new = output / path.relative_to(folder)
            if new.read_bytes() == path.read_bytes():
                continue
            changed += 1
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(new.read_bytes())
            lost += (comments(path) - comments(new)).total()
        return Checked(len(files), changed, lost)


def show(title: str, folder: Path) -> None:
    lines = lines_in(folder) / 1000
    convert = [sys.executable, "-m", "msconvert", "source", "--no-config", "--check", str(folder)]
    libcst = [sys.executable, "-c", LIBCST, str(folder)]
    pairs = [(cpu_s(convert) / lines * 1000, cpu_s(libcst) / lines * 1000) for _ in range(ROUNDS)]
    ours, theirs = (min(column) for column in zip(*pairs, strict=True))
    print(f"{title}: {lines:,.1f} thousand lines")
    rounds = ", ".join(f"{a:.0f} and {b:.0f}" for a, b in pairs)
    print(f"  {ours:.0f} ms of CPU for 1,000 lines, target {TARGET_MS}: {ours / TARGET_MS:.2f}")
    print(f"  LibCST parses and writes the same in {theirs:.0f} ms: ratio {ours / theirs:.2f}")
    print(f"  each round: {rounds}")
    found = check(folder)
    told = f"{found.changed} of {found.files} files changed, all of them parse"
    print(f"  {told}; {found.lost} comments lost")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[*FOLDERS], help="of " + ", ".join(FOLDERS))
    for name in parser.parse_args().names:
        library, folder = FOLDERS[name]
        show(name, corpus(library) / folder)


if __name__ == "__main__":
    main()
