"""How fast projects are scanned: `python benchmarks/scan.py`, on code that pip downloads.

torchvision, timm and transformers are downloaded (not installed, not imported) to the cache
folder. `msconvert scan` runs on each as a user runs it, start of Python and report included; the
same files are parsed and walked with `ast` alone, on one core, for comparison. Nothing but the
download is kept. Memory is that of all processes together, shared pages counted once (PSS), in a
run of its own: to look at it holds the processes up.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import time
import warnings
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread

import psutil

from msconvert.api_mapping.analysis import find_sources

CORPORA = {"torchvision": "0.28.0", "timm": "1.0.31", "transformers": "5.23"}
SPEED_TARGET = 60_000
MEMORY_TARGET_MB = 400


@dataclass(frozen=True)
class Run:
    """One `msconvert scan`: what it printed, how long it took, the most memory that it held."""

    report: str
    wall_s: float
    cpu_s: float
    peak_mb: float

    @property
    def lines(self) -> int:
        found = re.search(r"([\d,]+) lines: ", self.report)
        return int(found[1].replace(",", "")) if found else 0

    @property
    def speed(self) -> float:
        return self.lines / self.wall_s


def corpus(name: str) -> Path:
    """The folder with the sources of a library; downloaded if it is not there."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    cache = Path(home) / "msconvert" / "corpora"
    if not (cache / name).exists():
        requirement = f"{name}=={CORPORA[name]}"
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
        subprocess.run([*command, "-d", str(cache / "downloads"), requirement], check=True)
        (wheel,) = (cache / "downloads").glob(f"{name}-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(cache / name)
    return cache / name


def scan(folder: Path) -> Run:
    """Scans a folder in processes of its own: for the time, then for the memory."""
    timed = scan_once(folder, watched=False)
    return replace(timed, peak_mb=scan_once(folder, watched=True).peak_mb)


def scan_once(folder: Path, watched: bool) -> Run:
    """One run of the command, its memory looked at ten times a second if it is watched."""
    command = [sys.executable, "-m", "msconvert", "scan", "--no-config", "--show", "0", str(folder)]
    before, begin = os.times(), time.perf_counter()
    environment = os.environ | {"COLUMNS": "200"}
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    peaks = [0.0]
    with subprocess.Popen(command, stdout=pipe, stderr=nowhere, text=True, env=environment) as run:
        if watched:
            Thread(target=watch_memory, args=(run, peaks)).start()
        report, _ = run.communicate()
        wall = time.perf_counter() - begin
    after = os.times()
    cpu = sum(after[2:4]) - sum(before[2:4])
    return Run(report, wall, cpu, max(peaks))


def watch_memory(run: subprocess.Popen[str], peaks: list[float]) -> None:
    """Beside what waits for the end: that is seen at once, not at the next look."""
    while run.returncode is None:
        peaks.append(memory_mb(run.pid))
        time.sleep(0.1)


def memory_mb(pid: int) -> float:
    """Of a process and its children, pages that several share counted once."""
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
        return sum(member.memory_full_info().pss for member in family) / 1e6
    except psutil.Error:  # it has ended meanwhile
        return 0.0


def plain_s(folder: Path) -> float:
    """Seconds for `ast.parse` and `ast.walk` of every file, on one core."""
    sources, _ = find_sources([folder], ())
    begin = time.perf_counter()
    for path in sources:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _node in ast.walk(ast.parse(path.read_bytes())):
                pass
    return time.perf_counter() - begin


def verdicts(report: str) -> str:
    """The table of verdicts that a scan prints, and what it could not read."""
    rows = re.findall(r"^ ([a-z-]+(?: [a-z]+)?) +([\d,]+) +([\d.]+ %)", report, re.MULTILINE)
    unread = re.findall(r"^.*could not be analysed.*$", report, re.MULTILINE)
    text = ", ".join(f"{name} {uses} ({share})" for name, uses, share in rows)
    return "; ".join([text, *(unread or ["every file parsed"])])


def show(title: str, run: Run, plain: float) -> None:
    ratio = run.wall_s / plain
    print(f"{title}: {run.lines:,} lines in {run.wall_s:.1f} s, {run.cpu_s:.1f} s of CPU")
    print(
        f"  {run.speed:,.0f} lines/s, target {SPEED_TARGET:,}, ratio {run.speed / SPEED_TARGET:.2f}"
    )
    print(f"  {plain:.1f} s for a plain walk with ast on one core, ratio {ratio:.2f}")
    print(f"  {run.peak_mb:.0f} MB at most, target {MEMORY_TARGET_MB}")
    print(f"  {verdicts(run.report)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[*CORPORA], help="of " + ", ".join(CORPORA))
    names = parser.parse_args().names
    print(f"{os.cpu_count()} cores")
    runs = []
    for name in names:
        run, plain = scan(corpus(name)), plain_s(corpus(name))
        runs.append((run, plain))
        show(f"{name} {CORPORA[name]}", run, plain)
    lines, wall = sum(r.lines for r, _ in runs), sum(r.wall_s for r, _ in runs)
    speed = lines / wall
    print(f"all: {lines:,} lines, {speed:,.0f} lines/s, ratio {speed / SPEED_TARGET:.2f}")


if __name__ == "__main__":
    main()
