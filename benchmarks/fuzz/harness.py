"""Runs a case in a process of its own, and looks at what it did."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from msconvert.runtime.profiler.recorder import resident

from . import onnx_models
from .byte_changes import CANARY
from .cases import KINDS

MOST_CPU_S, MOST_BYTES, MOST_OUTPUT = 30, 2 << 30, 512 << 20
OWN_BYTES = 120 << 20
"""What the process holds from which cases are forked; what it holds beyond it, as where a program
has done other things before, is none of theirs."""
PATIENCE_S = 900
"""Wall time: only to end what hangs."""

NEEDED = (
    *("commands.diff", "commands.scan", "commands.source", "commands.weights"),
    *("converter.convert", "runtime.nn"),
    *(
        "troubleshooter.weights.as_text",
        "troubleshooter.diff.interface",
        "formats.storage.recovery",
    ),
    *("api_mapping.source.tree", "api_mapping.source.as_text", "api_mapping.source.output"),
    *("api_mapping.scan.as_html", "api_mapping.scan.as_text", "api_mapping.scan.as_sarif"),
    *("troubleshooter.diff.as_text", "troubleshooter.diff.as_html", "converter.proof.run_script"),
)


@dataclass(frozen=True)
class Outcome:
    """What came of a case; `wrong` says what must not be, "" if nothing."""

    kind: str
    seed: int
    index: int
    status: int
    cpu_s: float
    peak_bytes: int
    wrong: str
    arguments: tuple[str, ...]
    said: str


def prepare() -> None:
    """Imports what commands need, so that a case is a fork and not the start of a Python."""
    for name in NEEDED:
        import_module(f"msconvert.{name}")
    import_module("msconvert.api_mapping.table.registry").rules()
    onnx_models.seeds()


def run(kind: str, index: int, seed: int, kept: Path | None = None) -> Outcome:
    """The case of this number, the same for the same seed; its files are kept if it is wrong."""
    random = Random(f"{seed}/{kind}/{index}")
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        folder, aside = Path(name, "above", "case"), Path(name, "aside")
        folder.mkdir(parents=True)
        aside.mkdir()
        arguments = KINDS[kind](folder, random)
        given = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and not path.is_symlink()
        }
        status, cpu_s, peak = _forked(folder, aside, arguments)
        said = (aside / "said").read_text(errors="surrogateescape")
        wrong = _wrong(status, cpu_s, peak, said) or _out_of_place(folder, aside, given)
        if wrong and kept is not None:
            for name, data in given.items():
                kept.mkdir(parents=True, exist_ok=True)
                (kept / f"{kind}-{index}-{name.replace('/', '-')}").write_bytes(data)
        return Outcome(
            kind, seed, index, status, cpu_s, peak, wrong, tuple(arguments), said[-2000:]
        )


def _forked(folder: Path, aside: Path, arguments: list[str]) -> tuple[int, float, int]:
    """Exit status (negative for a signal), CPU seconds and peak bytes, with its own children."""
    beyond = max(resident() - OWN_BYTES, 0)
    child = os.fork()
    if not child:
        _command(folder, aside, arguments)
    deadline = time.monotonic() + PATIENCE_S
    while True:
        pid, status, used = os.wait4(child, os.WNOHANG)
        if pid:
            break
        if time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.002)
    peak = max((used.ru_maxrss << 10) - beyond, 0)
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, peak


def _command(folder: Path, aside: Path, arguments: list[str]) -> None:
    """Runs the command in this process, and ends it."""
    status = 70
    try:
        os.setsid()
        os.chdir(folder)
        (aside / "tmp").mkdir()
        os.environ["TMPDIR"] = tempfile.tempdir = str(aside / "tmp")
        said = os.open(aside / "said", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        for number in (1, 2):
            os.dup2(said, number)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        status = import_module("msconvert.commands.main").main(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _wrong(status: int, cpu_s: float, peak: int, said: str) -> str:
    if status < 0:
        return f"ended by {signal.Signals(-status).name}"
    if status not in (0, 1, 2, 3):
        return f"exit status {status}"
    if "MS901" in said or "Traceback" in said:
        return "a defect"
    if status and not said.strip():
        return "nothing is said"
    if any(not c.isprintable() and c not in "\n\t" for c in said):
        return "something for a terminal to obey"
    if cpu_s > MOST_CPU_S:
        return f"{cpu_s:.0f} s of CPU time"
    return f"{peak >> 20} MB of memory" if peak > MOST_BYTES else ""


def _out_of_place(folder: Path, aside: Path, given: dict[str, Any]) -> str:
    """What stands where nothing was to be written, or is not what it was."""
    if os.path.exists(CANARY):
        os.unlink(CANARY)
        return "something was executed"
    if len(list(folder.parents[1].iterdir())) != 2 or len(list(folder.parent.iterdir())) != 1:
        return "a file above the folder"
    if sorted(path.name for path in aside.iterdir()) != ["said", "tmp"]:
        return "a file beside the folder"
    if any((aside / "tmp").iterdir()):
        left = next((aside / "tmp").iterdir()).name
        return f"a temporary file is left: {left}"
    known = {parent for name in given for parent in (folder / name, *(folder / name).parents)}
    for path in folder.rglob("*"):
        if path not in known and path.relative_to(folder).parts[0] != "output":
            return f"a file outside of the output: {path.name!r}"
    if any(not (folder / name).exists() for name in given):
        return "an input is gone"
    if any((folder / name).read_bytes() != data for name, data in given.items()):
        return "an input was changed"
    size = sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
    shutil.rmtree(folder)
    return f"{size >> 20} MB were written" if size > MOST_OUTPUT else ""
