"""One program: what it prints with PyTorch, and what its conversion prints on a target."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import msconvert
from msconvert.api_mapping.source.marks import MARK
from msconvert.benchmarks.jobs import difference

LISTS = {
    name: sorted(Path(__file__).with_name(name).glob("*.py"))
    for name in ("programs", "second", "third", "fourth")
}
"""The programs by their list: the first one, and those that were put down later."""
ORIGINAL = Path(msconvert.__file__).parent / "tests" / "api_mapping" / "migrate"
TARGETS = ("bundled", "mindspore")
LIMIT_S = 300

SHAPE = re.compile(r"torch\.Size\(\[([\d, ]*)\]\)")
SCALAR = re.compile(r"\bnp\.(?:u?int|float)\d+\(([^()]*)\)")
"""A number of NumPy's as NumPy 2 shows it; MindSpore has NumPy 1, which shows the number alone."""
TENSOR = re.compile(
    r"\btensor\(([^()]*?)(?:, (?:dtype|device|requires_grad)=[^()]*|, grad_fn=<\w+>)*\)"
)
"""A tensor as PyTorch prints it: what stands in the brackets is what MindSpore prints of it."""
EQUAL, REFUSED, CRASHES, DIFFERS = "equal", "refused", "crashes", "differs"


@dataclass(frozen=True)
class Verdict:
    """What became of a program on one target, and the first reason if it is not equal."""

    kind: str
    why: str = ""
    status: int = 0

    @property
    def is_equal(self) -> bool:
        return self.kind == EQUAL


def original(program: Path) -> str:
    """What it prints with PyTorch.

    Raises: RuntimeError if it fails
    """
    done = run([sys.executable, str(ORIGINAL / "run_with_torchvision.py"), str(program)])
    if done.returncode:
        raise RuntimeError(f"{program.name} fails with PyTorch: {last_line(done.stderr)}")
    return done.stdout


def judged(program: Path, wanted: str, target: str, python: str) -> Verdict:
    """Converts it for a target and runs it there, without PYTHONPATH: what PyTorch needed is gone.

    Refused is what stays with a comment in the file and does not print what PyTorch prints; a
    crash or another line without such a comment was not announced.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "converted"
        command = [sys.executable, "-m", "msconvert", "source", str(program)]
        said = run([*command, "--output", str(out), "--target", target])
        file = out / program.name
        if not file.exists():
            return Verdict(CRASHES, f"not written: {last_line(said.stderr)}", said.returncode)
        marks = marked(file.read_text(encoding="utf-8"))
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        done = run([python, file.name], out, environment)
    found = difference(plain(done.stdout), plain(wanted))
    if not found and not done.returncode:
        return Verdict(EQUAL, status=said.returncode)
    if marks:
        return Verdict(REFUSED, marks[0], said.returncode)
    if done.returncode:
        return Verdict(CRASHES, last_line(done.stderr), said.returncode)
    return Verdict(DIFFERS, " ".join(found.split()), said.returncode)


def plain(printed: str) -> str:
    """What was printed as both sides show it: shapes as tuples, numbers of NumPy's as numbers,
    tensors as MindSpore prints them, whose columns are of other widths."""
    said = SCALAR.sub(r"\1", SHAPE.sub(as_tuple, printed.strip()))
    return re.sub(r"(?<=\[) | (?=\])", "", re.sub(r" +", " ", TENSOR.sub(without_commas, said)))


def without_commas(tensor: re.Match[str]) -> str:
    """What `tensor([1., 2.])` says, as NumPy and MindSpore print it: `[1. 2.]`."""
    return tensor[1].replace(",", "")


def as_tuple(shape: re.Match[str]) -> str:
    """`torch.Size([2, 3])` as a tuple is printed: MindSpore's shapes are tuples."""
    return str(tuple(map(int, shape[1].split(", ") if shape[1] else ())))


def marked(text: str) -> list[str]:
    """The reasons that stand in a converted file, each over its line."""
    lines = text.splitlines()
    found = []
    for i, line in enumerate(lines):
        if MARK.search(line):
            rest = [line.strip("# ")]
            for other in lines[i + 1 :]:
                if not other.lstrip().startswith("#") or MARK.search(other):
                    break
                rest.append(other.strip("# "))
            found.append(" ".join(rest))
    return found


def run(
    command: list[str], folder: Path | None = None, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    env = (environment or dict(os.environ)) | {"OMP_NUM_THREADS": "1", "GLOG_v": "3"}
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"longer than {LIMIT_S} s")


def last_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip()[:300] if lines else "nothing was said"
