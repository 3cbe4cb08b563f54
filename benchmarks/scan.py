"""How fast sources are analysed: `python benchmarks/scan.py`, on code that pip downloads.

torchvision, timm and transformers are downloaded (not installed, not imported) to the cache
folder. Each is analysed by as many processes as asked for, and parsed and walked with `ast`
alone for comparison, in the same run. Figures go to stdout; nothing but the download is kept.
"""

from __future__ import annotations

import argparse
import ast
import gc
import multiprocessing
import os
import re
import subprocess
import sys
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from msconvert.api_mapping.analysis import Project, find_sources

CORPORA = {"torchvision": "0.28.0", "timm": "1.0.31", "transformers": "5.23"}
SPEED_TARGET = 60_000
MEMORY_TARGET_MB = 400
BATCH = 100
"""Files that a process takes at a time: neighbours, which ask for the same modules."""
MANY_LINES = 80_000
"""After so many lines a process looks for memory that nothing refers to."""


def cache_folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "msconvert" / "corpora"


def corpus(name: str) -> Path:
    """The folder with the sources of a library; downloaded if it is not there."""
    folder = cache_folder() / name
    if not folder.exists():
        download = cache_folder() / "downloads"
        requirement = f"{name}=={CORPORA[name]}"
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
        subprocess.run([*command, "-d", str(download), requirement], check=True)
        (wheel,) = download.glob(f"{name}-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    return folder


@dataclass
class Share:
    """What the analysis of some files came to."""

    files: int = 0
    lines: int = 0
    cpu_s: float = 0.0
    process: int = 0
    peak_mb: float = 0.0
    uses: Counter[str] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)

    def add(self, other: Share) -> None:
        self.files += other.files
        self.lines += other.lines
        self.cpu_s += other.cpu_s
        self.uses += other.uses
        self.problems += other.problems


class Worker:
    """Analyses files in a process that keeps what it has read of the project."""

    project: Project
    lines = 0

    @classmethod
    def start(cls, sources: list[Path], root: Path) -> None:
        gc.disable()
        cls.project = Project(sources, [root])

    @classmethod
    def analyse(cls, paths: list[Path]) -> Share:
        begin = time.process_time()
        share = Share(process=os.getpid())
        for path in paths:
            analysis = cls.project.analyse(path)
            share.files += 1
            share.lines += analysis.line_count
            share.uses.update(use.certainty for use in analysis.uses)
            share.problems.update(problem.kind for problem in analysis.problems)
        cls.lines += share.lines
        if cls.lines > MANY_LINES:
            gc.collect()
            cls.lines = 0
        share.cpu_s = time.process_time() - begin
        share.peak_mb = peak_mb()
        return share


def peak_mb() -> float:
    """The most memory that this process has held."""
    status = Path("/proc/self/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def plain_cpu_s(sources: list[Path]) -> float:
    """Seconds of CPU for `ast.parse` and `ast.walk` of every file."""
    begin = time.process_time()
    for path in sources:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _node in ast.walk(ast.parse(path.read_bytes())):
                pass
    return time.process_time() - begin


def measure(name: str, jobs: int) -> Iterator[str]:
    root = corpus(name)
    sources, _ = find_sources([root])
    batches = [sources[i : i + BATCH] for i in range(0, len(sources), BATCH)]
    total = Share()
    peaks: dict[int, float] = {}
    begin = time.perf_counter()
    with multiprocessing.Pool(jobs, Worker.start, (sources, root)) as pool:
        for share in pool.imap_unordered(Worker.analyse, batches):
            total.add(share)
            peaks[share.process] = max(share.peak_mb, peaks.get(share.process, 0.0))
    wall_s = time.perf_counter() - begin
    peak = sum(peaks.values()) + peak_mb()
    plain_s = plain_cpu_s([path for path in sources if path.suffix == ".py"])
    speed = total.lines / (total.cpu_s / jobs)
    yield f"{name} {CORPORA[name]}: {total.files} files, {total.lines:,} lines, {jobs} processes"
    yield f"  uses {dict(total.uses)}, problems {dict(total.problems)}"
    yield f"  wall {wall_s:.1f} s ({total.lines / wall_s:,.0f} lines/s), CPU {total.cpu_s:.1f} s"
    yield f"  ms per 1,000 lines {1e6 * total.cpu_s / total.lines:.1f}"
    yield f"  plain ast parse and walk: CPU {plain_s:.1f} s, ratio {total.cpu_s / plain_s:.2f}"
    yield row("  lines/s by CPU", f"{speed:,.0f}", f"{SPEED_TARGET:,}", speed >= SPEED_TARGET)
    yield row("  peak MB", f"{peak:.0f}", f"{MEMORY_TARGET_MB}", peak < MEMORY_TARGET_MB)


def row(what: str, got: str, target: str, met: bool) -> str:
    return f"{what:<32} {got:>9}   target {target:>7}   {'met' if met else 'MISSED'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes that analyse")
    parser.add_argument("corpora", nargs="*", help="libraries to analyse, all if none is named")
    arguments = parser.parse_args()
    for name in arguments.corpora or CORPORA:
        for line in measure(name, arguments.jobs):
            print(line, flush=True)


if __name__ == "__main__":
    main()
